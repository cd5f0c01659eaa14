"""The data of the check page: conditions as plain trees, what is known of a model and an engine, and a citation behind every source."""

from __future__ import annotations

import pytest

from catalogs import GOTCHA, RECIPE, RECIPE_TEXT, WINDOW, changed
from infercompat.condition import FACTS, Range
from infercompat.export.check import check_files, value_of


@pytest.fixture
def files(make) -> dict[str, dict]:
    return dict(check_files(make({RECIPE: RECIPE_TEXT})))


@pytest.mark.parametrize(
    ("value", "plain"), [(Range(1, float("inf")), {"low": 1, "high": None}), (Range(1, 8), {"low": 1, "high": 8}), ((64, 128), [64, 128]), (None, None)]
)
def test_values_as_plain_data(value, plain):
    assert value_of(value) == plain


def test_there_is_a_file_for_each_engine_and_model(files):
    assert sorted(files) == [
        "check/catalog.json",
        "check/claims/enga.json",
        "check/claims/engb.json",
        "check/engines/enga.json",
        "check/engines/engb.json",
        "check/gotchas/enga.json",
        "check/gotchas/engb.json",
        "check/models/plain-model.json",
        "check/models/tiny-model.json",
    ]


def test_the_registry_of_facts(files):
    facts = files["check/catalog.json"]["facts"]
    assert facts.keys() == FACTS.keys()
    assert facts["speculation.tokens"] == {"type": "int", "kind": "given", "unit": "tokens", "part_of": "speculation.method", "absent": 0}
    assert facts["batch_size"]["absent"] == {"low": 1, "high": None}
    assert "absent" not in facts["cache.dtype"]  # where nothing is said, nothing is known


def test_a_model(files):
    model = files["check/models/tiny-model.json"]
    assert model["facts"]["model.window"] == 1024
    assert model["facts"]["model.heads"] == 4
    assert [model["derived"]["layer_kinds"][index]["kind"] for index in model["derived"]["layers"]] == ["sliding", "full", "sliding", "full"]
    assert list(model["claims"]) == ["enga"]
    assert model["claims"]["enga"]["enga-1-1-0-registry"]["exact"]["architecture"] == [
        {"about": {"architecture": "TinyForCausalLM"}, "holds": "native", "source": ["enga-registry", "L3"]}
    ]
    assert model["recipes"]["enga"]["id"] == "tiny-on-enga"
    assert [one["id"] for one in model["measurements"]] == ["tiny-at-8k"]


def test_an_engine(files):
    engine = files["check/engines/enga.json"]
    offers, registry = engine["snapshots"]
    assert registry["complete"] is True
    assert [claim["lacks"] for claim in offers["requirements"]["sliding-window"]] == ["The mask is right and the cache keeps every token."]
    [gotcha] = files["check/gotchas/enga.json"]["gotchas"]
    assert (gotcha["reported"], gotcha["proven"]) == ("2026-01-20", True)
    assert gotcha["when"]["all"][1] == {"fact": "cache.dtype", "test": ["fp8_e4m3"]}


def test_a_model_that_cannot_be_read_says_what_is_missing(make):
    name = "models/acme/tiny-model.yaml"
    model = dict(check_files(make(changed(name, ("    num_hidden_layers: 4\n", ""), ("{{ layers.sliding }} of {{ layers.total }}", "some")))))
    assert model["check/models/tiny-model.json"]["derived"]["missing"] == ["num_hidden_layers"]


def test_a_gotcha_that_nobody_opened_is_not_proven(make):
    files = dict(check_files(make(changed(GOTCHA, ("strength: reproducible-case", "strength: single-report")))))
    assert files["check/gotchas/enga.json"]["gotchas"][0]["proven"] is False


def test_what_a_lack_matters_for_is_parsed(make):
    files = dict(check_files(make(changed(WINDOW, ("cites:", "matters_when: {lora: true}\navoided_by: Leave it out.\ncites:")))))
    assert files["check/catalog.json"]["requirements"]["sliding-window"]["matters_when"]["fact"] == "lora"


def sources(data) -> list:
    """Every pair under `source`."""
    if isinstance(data, dict):
        return [value for key, value in data.items() if key == "source"] + [found for value in data.values() for found in sources(value)]
    return [found for item in data for found in sources(item)] if isinstance(data, list) else []


def facts_in(data) -> list:
    """The fact of every leaf of every tree."""
    if isinstance(data, dict):
        return ([data["fact"]] if "fact" in data and "test" in data else []) + [found for value in data.values() for found in facts_in(value)]
    return [found for item in data for found in facts_in(item)] if isinstance(data, list) else []
