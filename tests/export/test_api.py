"""The files of /api/v1: each fits what the OpenAPI document says of its path, and they say what the join says."""

from __future__ import annotations

import csv
import io
import json
import re

import jsonschema
import pytest
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from catalogs import OFFERS, RECIPE, RECIPE_TEXT
from infercompat.export import api_files
from infercompat.export.api import openapi
from infercompat.join import Matrix

DOCUMENT = openapi()
REGISTRY = Registry().with_resource("urn:api", DRAFT202012.create_resource(DOCUMENT))


def pattern_of(template: str) -> str:
    """The files of a path of the document; those of the check page lie in folders."""
    return re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)).replace("/check/[^/]+", "/check/.+")


def schema_of(path: str) -> dict | None:
    """What the document says of a file, None for a path that it does not have."""
    for template, operations in DOCUMENT["paths"].items():
        if re.fullmatch(pattern_of(template), f"/{path}"):
            [(media, body)] = operations["get"]["responses"]["200"]["content"].items()
            return body["schema"] if media == "application/json" else {}
    return None


def faults(path: str, content: bytes) -> list[str]:
    schema = schema_of(path)
    if schema is None:
        return [f"{path} is not in the document"]
    if not schema:
        return []
    absolute = json.loads(json.dumps(schema).replace('"#/', '"urn:api#/'))
    return [f"{path}: {error.message[:200]}" for error in jsonschema.Draft202012Validator(absolute, registry=REGISTRY).iter_errors(json.loads(content))]


@pytest.fixture
def files(make):
    return api_files(Matrix(make({RECIPE: RECIPE_TEXT})))


def test_every_file_is_as_the_document_says(files):
    assert len(files) > 20
    assert [fault for path, content in files.items() for fault in faults(path, content)] == []


def test_every_path_of_the_document_has_a_file(files):
    patterns = [pattern_of(template) for template in DOCUMENT["paths"]]
    assert [pattern for pattern in patterns if not any(re.fullmatch(pattern, f"/{path}") for path in files)] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda model: model["cells"][0].update(verdict="maybe"), "'maybe' is not one of"),
        (lambda model: model["cells"][0].update(confidence=1.5), "greater than the maximum"),
        (lambda model: model.pop("derived"), "'derived' is a required property"),
        (lambda model: model["weights"][0].update(low_bytes="many"), "is not of type"),
    ],
)
def test_a_file_that_differs_is_found(files, change, message):
    path = "api/v1/models/tiny-model.json"
    model = json.loads(files[path])
    change(model)
    assert any(message in fault for fault in faults(path, json.dumps(model).encode()))


def test_unknown_stays_apart_from_no(make):
    """An engine of which no source speaks is unknown to the matrix, and its badge is grey."""
    products = make({OFFERS: None})
    found = api_files(Matrix(products))
    cell = json.loads(found["api/v1/matrix.json"])["rows"][0]["cells"]["enga"]
    assert (cell["verdict"], cell["grade"], cell["confidence"]) == ("unknown", None, None)
    assert cell["missing"] == ["sliding-window"]
    assert json.loads(found["api/v1/badges/tiny-model/enga.json"])["color"] == "lightgrey"


def test_the_table_has_one_line_a_cell(files, tiny):
    rows = list(csv.DictReader(io.StringIO(files["api/v1/matrix.csv"].decode())))
    assert len(rows) == len(Matrix(tiny).cells)
    assert {row["verdict"] for row in rows} <= {"yes", "only-with", "unknown", "no"}


def test_cache_figures_are_those_worked_out_by_hand(files):
    """Four layers of 512 bytes a token, two of them with a window of 1,024."""
    cache = json.loads(files["api/v1/models/tiny-model.json"])["derived"]["cache"]
    assert cache["naive"] == {"bytes_per_token": 2048, "at": {"8192": 16_777_216, "32768": 67_108_864, "131072": 268_435_456}}
    assert cache["ideal"]["growing_bytes_per_token"] == 1024
    assert cache["ideal"]["at"]["8192"] == 9_437_184
