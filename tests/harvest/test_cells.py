"""Every cell of support that people read by hand comes out of the harvest, line and all, or the page says what decides.

`cells.csv` has 940 of them: an engine, its version, the name in config.json, the key where the registry goes by another word, the status
and the address where somebody read it. `not-listed`: a registry or page without the name, which no code refuses. `unsupported`: code refuses
it. A whole registry says both of a name that it lacks, unless a fallback on every name takes it.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from catalogs import ROOT

PAGE = (ROOT / "site_templates/pages/what-the-harvest-leaves.md.j2").read_text("utf-8")
DIFFERENT = re.compile(r'<tr><td>([^<]+)</td><th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+)</td><td>.+ <a href="https')

LINES = {
    **dict.fromkeys(("vllm", "exllamav3", "lmdeploy-pytorch", "lmdeploy-turbomind", "ollama-gguf", "onnxruntime-genai"), range(1)),
    "mlc-llm": range(1, 2),
    "optimum-intel": range(1, 21),
}
"""How many lines below the claim's own a person put the finger: what differs is told on the page. Elsewhere people read another file."""

ANOTHER_LIST = frozenset({"ktransformers"})
"""Engines whose whole registry is another list than the one that people read; their cells are held against the rest."""


class Cell(NamedTuple):
    engine: str
    version: str
    name: str
    key: str
    status: str
    url: str


with (Path(__file__).parent / "cells.csv").open(encoding="utf-8", newline="") as file:
    CELLS = [Cell(**row) for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def claims(real) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The unconditional claims on one name each, by engine and X.Y: of its whole registries, or of all its snapshots where none is whole."""
    whole: dict[tuple[str, str], list[dict[str, Any]]] = {}
    every: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for snapshot in compared(real):
        alone = [claim for claim in snapshot.data["claims"] if len(claim["about"]) == 1 and "when" not in claim]
        for found in (every, whole) if snapshot.data.get("complete") else (every,):
            found.setdefault((snapshot.engine, minor(snapshot.data["version"])), []).extend(alone)
    return every | whole


def compared(real) -> list:
    return [s for s in real.catalog.of_kind("support") if not (s.engine in ANOTHER_LIST and s.data.get("complete"))]


def minor(version: str) -> str:
    return version.rpartition(".")[0] or version


def claimed(claims, cell: Cell) -> list[dict[str, Any]]:
    return [claim for claim in claims[cell.engine, minor(cell.version)] if set(claim["about"].values()) & ({cell.name, cell.key} - {""})]


def silence(real, cell: Cell) -> list[str]:
    """What it means that nothing is said of a name."""
    ours = [s for s in compared(real) if s.engine == cell.engine and minor(s.data["version"]) == minor(cell.version)]
    if not any(snapshot.data.get("complete") for snapshot in ours):
        return ["not-listed"]
    fallback = any(claim["about"] == {"architecture": "*"} for snapshot in ours for claim in snapshot.data["claims"])
    return ["not-listed"] if fallback and not refused_by_transformers(real, cell.name) else ["not-listed", "unsupported"]


def refused_by_transformers(real, name: str) -> bool:
    """Whether a fallback to the class of Transformers does not take this one: its attention cannot be exchanged in any release on record."""
    about = {"architecture": name, "feature": "attention-backend"}
    said = [claim["holds"] for s in real.catalog.of_kind("support") if s.engine == "transformers" for claim in s.data["claims"] if claim["about"] == about]
    return bool(said) and set(said) == {"unsupported"}


def test_every_cell_is_read_the_same_or_explained(claims, real):
    explained = {(engine, name): (theirs, ours) for engine, name, theirs, ours in DIFFERENT.findall(PAGE.partition('id="support"')[2])}
    wrong = {}
    for cell in CELLS:
        ours = sorted({claim["holds"] for claim in claimed(claims, cell)})
        if cell.status not in (ours or silence(real, cell)):
            wrong[cell.engine, cell.name] = (cell.status, ", ".join(ours) or "absent")
    assert wrong == explained


def test_cells_of_every_engine_are_there():
    counted = [sum(cell.engine == engine for cell in CELLS) for engine in sorted({cell.engine for cell in CELLS})]
    assert (len(CELLS), len(counted), min(counted)) == (940, 18, 45)


@pytest.mark.parametrize("engine", LINES)
def test_a_claim_has_the_line_that_a_person_named(claims, engine):
    tried = 0
    for cell in CELLS:
        line = re.search(r"#L(\d+)", cell.url)
        found = claimed(claims, cell) if cell.engine == engine and line and cell.status == "native" else ()
        if found:
            ours = [int(number) for claim in found for number in re.findall(r"\bL(\d+)", claim["at"])]
            assert any(int(line[1]) - number in LINES[engine] for number in ours), cell
            tried += 1
    assert tried >= 8


def test_silence_is_kept_apart_from_no(real):
    whole = {snapshot.engine for snapshot in compared(real) if snapshot.data.get("complete")}
    assert {cell.engine for cell in CELLS} - whole == {"openvino-genai", "ktransformers"}
