"""docs/13 of the tiny catalog, and what a Markdown table may hold."""

from __future__ import annotations

import pytest

from catalogs import GOTCHA, MODEL, changed, gotcha
from infercompat.join import Matrix
from infercompat.render import docs13
from infercompat.render.docs13 import table_cell
from render.goldens import check


def test_docs13_of_the_tiny_catalog(tiny):
    check("docs13.md", docs13(Matrix(tiny)))


def test_it_is_the_same_twice(tiny):
    assert docs13(Matrix(tiny)) == docs13(Matrix(tiny))


@pytest.mark.parametrize(("text", "cell"), [("a|b", "a\\|b"), ("a\nb", "a b"), (3, "3"), ("plain", "plain")])
def test_table_cell(text, cell):
    assert table_cell(text) == cell


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def columns(row: str) -> int:
    return row.replace("\\|", "").count("|")


@pytest.mark.parametrize("files", [{}, changed(MODEL, ("name: Tiny", "name: Tiny | two"))])
def test_every_row_has_the_columns_of_its_table(make, files):
    found = rows(docs13(Matrix(make(files))))
    assert len(found) > 10
    width = 0
    for before, row in zip(["", *found], found, strict=False):
        width = columns(row) if not before or columns(before) != columns(row) else width
        assert columns(row) == width
    heads = [found[index - 1] for index, row in enumerate(found) if set(row) <= set("|-:")]
    assert [columns(head) for head in heads] == [4, 4, 14, 6]


def test_every_number_leads_to_a_source(real_docs13):
    used = {part.split(")")[0] for part in real_docs13.split("](#source-")[1:]}
    listed = [line.split(".")[0] for line in real_docs13.splitlines() if '<a id="source-' in line]
    assert listed == [str(number) for number in range(1, len(listed) + 1)]
    assert used == set(listed)


def test_conditions_of_an_only_with_are_named(make):
    text = docs13(Matrix(make({GOTCHA: None, "gotchas/enga/met.yaml": gotcha(workarounds="[{set: {lora: false}}]")})))
    assert "**only-with** verified 0.95; sliding-window: memory-overpay; a workaround of met; 1 gate" in text
