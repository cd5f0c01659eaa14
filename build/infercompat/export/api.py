"""The files of /api/v1: static JSON with stable ids, unknown kept apart from no."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import yaml

from infercompat.answer.changeset import change_sets
from infercompat.export import shapes
from infercompat.export.check import check_files
from infercompat.export.check_form import configs, form
from infercompat.export.check_paste import paste
from infercompat.export.errors import errors
from infercompat.export.graph import graph
from infercompat.join import Cell, Matrix
from infercompat.places import TEMPLATES
from infercompat.records import FOLDER_OF_KIND
from infercompat.render.address import address
from infercompat.shape import schemas

SCHEMA_VERSION = 1
BASE = "api/v1"
LISTED = ("model", "engine", "gotcha", "requirement", "hardware", "measurement", "recipe")
"""The kinds of which each record has a file of its own; citations and snapshots have one file for all."""
COLOURS = {"yes": "brightgreen", "only-with": "yellow", "no": "red", "unknown": "lightgrey"}


def api_files(matrix: Matrix) -> dict[str, bytes]:
    """Every file, by its path below the site."""
    return {f"{BASE}/{path}": content for path, content in _files(matrix)}


def _files(matrix: Matrix) -> Iterator[tuple[str, bytes]]:
    catalog = matrix.products.catalog
    head = {"schema_version": SCHEMA_VERSION, "data_version": matrix.products.today}
    yield "index.json", _json(head | _index(matrix))
    yield "matrix.json", _json(head | _matrix(matrix))
    yield "matrix.csv", _table(matrix)
    for model in catalog.of_kind("model"):
        body = shapes.record_of(model) | {
            "derived": shapes.derived_of(model, matrix.products.derived[model.id]),
            "weights": shapes.weights_of_checkpoints(model),
            "cells": [shapes.cell_of(cell, matrix.ledger) for cell in matrix.of_model(model)],
        }
        yield f"models/{model.id}.json", _json(head | body)
        for cell in matrix.of_model(model):
            yield f"badges/{model.id}/{cell.engine.id}.json", _json(_badge(cell))
    touched = _touched(matrix)
    for engine in catalog.of_kind("engine"):
        cells = [shapes.brief_of(cell) for cell in matrix.of_engine(engine)]
        body = {"cells": cells, "over_time": shapes.over_time_of(matrix, engine)}
        yield f"engines/{engine.id}.json", _json(head | shapes.record_of(engine) | body)
    for gotcha in catalog.of_kind("gotcha"):
        yield f"gotchas/{gotcha.id}.json", _json(head | shapes.record_of(gotcha) | {"touches": touched.get(gotcha.id, [])})
    for kind in ("requirement", "hardware", "measurement", "recipe"):
        for record in catalog.of_kind(kind):
            yield f"{FOLDER_OF_KIND[kind]}/{record.id}.json", _json(head | shapes.record_of(record))
    yield "graph.json", _json(head | graph(matrix))
    yield "errors.json", _json(head | {"errors": errors(catalog)})
    for kind, name in (("citation", "citations.json"), ("support", "snapshots.json")):
        yield name, _json(head | {name.removesuffix(".json"): [shapes.record_of(record) for record in catalog.of_kind(kind)]})
    for name, body in (("form", form(matrix)), ("configs", configs(catalog)), ("paste", paste(catalog))):
        yield f"check/{name}.json", _json(head | body)
    for path, body in check_files(matrix.products):
        yield path, _json(head | body)
    for name, schema in schemas().items():
        yield f"schema/{name}.json", _json(schema)
    sets = change_sets(matrix.products.folder)
    yield (
        "changes.json",
        _json(head | {"changes": [{"id": found.id, "time": found.time, "revision": found.revision, "counts": found.counts()} for found in sets]}),
    )
    for found in sets:
        yield f"changes/{found.id}.json", _json(found.data)
    yield "openapi.json", _json(openapi())


def openapi() -> dict[str, Any]:
    """The OpenAPI document of these files."""
    return yaml.load((TEMPLATES / "openapi.yaml").read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _json(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str) + "\n").encode()


def _index(matrix: Matrix) -> dict[str, Any]:
    catalog = matrix.products.catalog
    listed = {
        FOLDER_OF_KIND[kind]: [
            {"id": record.id, "name": record.name, "page": address(record), "url": f"{BASE}/{FOLDER_OF_KIND[kind]}/{record.id}.json"}
            for record in catalog.of_kind(kind)
        ]
        for kind in LISTED
    }
    return {"counts": {kind: len(catalog.of_kind(kind)) for kind in (*LISTED, "support", "citation")}, "records": listed, "moved": _moved(matrix)}


def _moved(matrix: Matrix) -> dict[str, str]:
    """Former ids with the ids that their records have now."""
    catalog = matrix.products.catalog
    moved = {record.id: catalog.follow(record.id) for record in catalog.records.values() if "moved_to" in record.data}
    return {former: record.id for former, record in moved.items() if record}


def _matrix(matrix: Matrix) -> dict[str, Any]:
    columns = [{"id": engine.id, "name": engine.data["name"], "version": engine.data["releases"][0]["version"]} for engine in matrix.engines]
    rows = [
        {"model": model.id, "family": family, "cells": {cell.engine.id: _short(cell) for cell in matrix.of_model(model)}}
        for family, models in matrix.families.items()
        for model in models
    ]
    return {"engines": columns, "rows": rows}


def _short(cell: Cell) -> dict[str, Any]:
    brief = shapes.brief_of(cell)
    gates = {"gates": [gate.gotcha.id for gate in cell.gates]}
    return {name: brief[name] for name in ("verdict", "grade", "confidence", "missing")} | gates


def _table(matrix: Matrix) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", "family", "engine", "version", "verdict", "grade", "confidence", "missing", "reason"])
    for cell in matrix.cells.values():
        brief = shapes.brief_of(cell)
        founded = [brief["grade"] or "", "" if brief["confidence"] is None else f"{brief['confidence']:.2f}"]
        named = [cell.model.id, cell.model.data["family"], cell.engine.id, brief["version"]]
        writer.writerow([*named, cell.verdict, *founded, " ".join(cell.missing), cell.reason])
    return text.getvalue().encode()


def _badge(cell: Cell) -> dict[str, Any]:
    """What a badge service that reads an endpoint draws; unknown is grey, never green."""
    label = f"{cell.model.name} on {cell.engine.data['name']}"
    return {"schemaVersion": 1, "label": label, "message": f"{cell.verdict} ({cell.release.version})", "color": COLOURS[cell.verdict]}


def _touched(matrix: Matrix) -> dict[str, list[dict[str, str]]]:
    """Gotcha by gotcha, the pairs that can meet it."""
    found: dict[str, list[dict[str, str]]] = {}
    for cell in matrix.cells.values():
        for gate in cell.gates:
            found.setdefault(gate.gotcha.id, []).append({"model": cell.model.id, "engine": cell.engine.id, "state": gate.state})
    return found
