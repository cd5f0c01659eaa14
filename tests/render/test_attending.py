"""Drawings of attention: cells counted by hand for each pattern, both panels named, and only for ways to attend."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from infercompat.render.attending import PATTERNS, TOKENS, drawing


def cells(requirement: str) -> list[dict[str, int]]:
    """How many cells of each kind the two panels have."""
    counted = []
    for svg in ElementTree.fromstring(str(drawing(requirement, "It"))).iter("svg"):
        kinds = [rect.get("class").removeprefix("ic-at-") for rect in svg.iter("rect")]
        counted.append({kind: kinds.count(kind) for kind in dict.fromkeys(kinds)})
    return counted


ALL = TOKENS * (TOKENS + 1) // 2
"""Twelve tokens, each with itself and all before it: 1 + 2 + ... + 12 = 78."""


@pytest.mark.parametrize(
    ("requirement", "wanted"),
    [
        ("sliding-window", {"read": 1 + 2 + 3 + 4 * 9}),
        ("chunked-attention", {"read": 3 * (1 + 2 + 3 + 4)}),
        ("attention-sinks", {"sink": 12, "read": 78}),
        ("cross-attention", {"read": 12 * 4}),
        ("mla", {"latent": 78}),
        ("short-conv", {"read": 1 + 2 + 3 * 10}),
        ("mamba2", {"state": 12}),
    ],
)
def test_cells_beside_those_of_plain_attention(requirement, wanted):
    assert cells(requirement) == [{"read": ALL}, wanted]
    assert ALL == 78


def test_sparse_attention_keeps_all_and_reads_some():
    _, found = cells("sparse-mla")
    assert found["read"] + found["kept"] == ALL
    assert TOKENS < found["read"] < ALL // 2 + TOKENS


def test_what_is_no_way_to_attend_has_no_drawing():
    assert drawing("image-input", "Images") == ""


def test_each_panel_says_in_words_what_it_shows():
    labels = [svg.get("aria-label") for svg in ElementTree.fromstring(str(drawing("sliding-window", "Window"))).iter("svg")]
    assert labels[0].startswith("Plain attention: Each token reads all before it")
    assert labels[1].startswith("Window: Each token reads the last 4")


def test_every_drawing_is_of_a_requirement(real):
    known = {requirement.id for requirement in real.catalog.of_kind("requirement")}
    assert PATTERNS.keys() - known == set()
