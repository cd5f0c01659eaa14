"""Every cell that a person read is what the harvest says, line and all, or differs for a reason that is written down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

HERE = Path(__file__).parent
READ = yaml.safe_load((HERE / "cells.yaml").read_text("utf-8"))
DIFFERENCES = yaml.safe_load((HERE / "cells_differences.yaml").read_text("utf-8"))["differences"]
ABSENT = ("not listed", "unsupported")
"""Words of the reader for a class that a source does not name."""


class Cell(NamedTuple):
    engine: str
    version: str
    architecture: str
    model_type: str
    status: str
    place: str


def cells() -> Iterator[Cell]:
    for engine, read in READ.items():
        for row in read["cells"]:
            yield Cell(engine, read["version"], *row)


def claimed(real, cell: Cell) -> list[tuple[str, str]]:
    """Status and place of each claim on an architecture in the snapshots of the cell's engine, of the same minor release."""
    minor = cell.version.rpartition(".")[0]
    snapshots = [s for s in real.catalog.of_kind("support") if s.data["engine"] == cell.engine and s.data["version"].startswith(f"{minor}.")]
    names = [{"architecture": cell.architecture}, {"model_type": cell.model_type}]
    return [(claim["holds"], claim["at"]) for snapshot in snapshots for claim in snapshot.data["claims"] if claim["about"] in names]


def agrees(real, cell: Cell) -> bool:
    found = {holds for holds, _ in claimed(real, cell)}
    return not found if cell.status in ABSENT else cell.status in found


def test_cells_are_there_to_compare():
    assert {engine: len(read["cells"]) for engine, read in READ.items()} == {
        "mlx-vlm": 49,
        "exllamav3": 54,
        "ktransformers": 56,
        "tgi": 51,
        "lmdeploy-pytorch": 51,
        "lmdeploy-turbomind": 50,
    }


def test_every_cell_comes_out_of_the_harvest_or_its_difference_is_told(real):
    differing = {(cell.engine, cell.architecture) for cell in cells() if not agrees(real, cell)}
    assert differing == {(entry["engine"], entry["architecture"]) for entry in DIFFERENCES}


@pytest.mark.parametrize("entry", DIFFERENCES, ids=lambda entry: f"{entry['engine']} {entry['architecture']}")
def test_a_difference_says_what_both_found_and_which_line_decides(real, entry):
    [cell] = [cell for cell in cells() if (cell.engine, cell.architecture) == (entry["engine"], entry["architecture"])]
    assert cell.status == entry["read"]
    assert {holds for holds, _ in claimed(real, cell)} == {entry["harvested"]}
    assert entry["url"].startswith("https://github.com/")
    assert "#L" in entry["url"]
    assert entry["why"]


@pytest.mark.parametrize("engine", ["exllamav3", "lmdeploy-pytorch", "lmdeploy-turbomind", "tgi"])
def test_a_cell_is_read_from_the_line_that_a_person_named(real, engine):
    lines = {
        cell: cell.place.rpartition("#")[2]
        for cell in cells()
        if cell.engine == engine and "#" in cell.place and cell.status == "native" and agrees(real, cell)
    }
    assert len(lines) >= 8
    for cell, line in lines.items():
        file = cell.place.partition("#")[0]
        assert {at for _, at in claimed(real, cell)} & {line, f"{file} {line}"}, cell
