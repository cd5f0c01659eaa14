"""The rows and columns of the explorer: what filters ask about, from records whose figures are known."""

from __future__ import annotations

from types import SimpleNamespace as Thing

import pytest

from catalogs import MODEL, changed
from infercompat.join import Matrix
from infercompat.render.explorer import asked, column_sources, first_source, machines, rows


def test_rows_stand_below_their_families(tiny):
    found = rows(Matrix(tiny))
    assert {family: [row.model.id for row in below] for family, below in found.items()} == {"gemma": ["tiny-model"], "llama": ["plain-model"]}


def test_a_row_holds_what_filters_ask(tiny):
    [row] = rows(Matrix(tiny))["gemma"]
    assert row.requirements == ("sliding-window",)
    assert "acme/tiny-it" in row.words
    assert "tinyforcausallm" in row.words
    assert "old/tiny" in row.words


@pytest.mark.parametrize(("formats", "size"), [(["fp32"], 4_000_000_000), (["fp32", "bf16"], 2_000_000_000), (["gguf"], None)])
def test_the_lightest_checkpoint_counts(make, formats, size):
    """A billion parameters take four bytes each in fp32 and two in bf16; a GGUF file's types are not said."""
    sized = "parameters:\n  total: 1000000000\n  total_counts: All.\n  cites: [{id: tiny-config}]\nnotes: |"
    one = "  - {hub: acme/tiny-it, format: bf16, gated: false, tuned: instruct}\n"
    listed = "".join(f"  - {{hub: acme/tiny-{number}, format: {word}}}\n" for number, word in enumerate(formats))
    [row] = rows(Matrix(make(changed(MODEL, ("notes: |", sized), (one, listed)))))["gemma"]
    assert row.lightest_bytes == size


def test_values_of_a_filter_are_counted(tiny):
    assert asked(rows(Matrix(tiny)), "requirements") == {"sliding-window": 1}


def test_machines_have_their_platform_and_memory(real_matrix):
    found = {machine.record.id: machine for machine in machines(real_matrix)}
    assert found["h100-sxm"].platform == "cuda"
    assert found["h100-sxm"].gib == pytest.approx(84_942_979_072 / 2**30, abs=0.05)
    assert found["mi300x"].platform == "rocm"


@pytest.mark.parametrize(("ids", "above"), [(["one", "two", "two"], "two"), (["two", "one", "one"], "one"), (["two", "one"], "one")])
def test_the_source_of_most_cells_stands_above_their_column(ids, above):
    """Of two that stand for as many cells, the first by id."""
    cells = [Thing(engine=Thing(id="enga"), hops=(Thing(state="holds", sources=(Thing(id=id),)),)) for id in ids]
    assert column_sources({"gemma": [Thing(cells=cells)]}) == {"enga": above}


def test_a_cell_shows_the_source_of_its_architecture(tiny):
    [row] = rows(Matrix(tiny))["gemma"]
    assert first_source(row.cells[0]).id == "enga-registry"
