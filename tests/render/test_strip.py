"""The layer strip: one lettered cell a layer, and the same counts in words for those who do not see it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from infercompat.derive import KINDS, Layer
from infercompat.render.strip import KIND_NAMES, LETTERS, layer_strip, shown_kind

FULL = Layer("full", kv_heads=2, k_width=64, v_width=64)
SLIDING = Layer("sliding", kv_heads=2, k_width=64, v_width=64, window=1024)
SHARED = Layer("sliding", kv_heads=2, k_width=64, v_width=64, window=1024, shares=True)
NONE = Layer("none")


def parts(strip: str) -> tuple[ElementTree.Element, list[str]]:
    root = ElementTree.fromstring(f"<div>{strip}</div>")
    return root.find("svg"), ["".join(item.itertext()) for item in root.find("ul")]


@pytest.mark.parametrize(
    ("layers", "letters", "label", "legend"),
    [
        ([SLIDING, FULL, SLIDING, FULL], "SFSF", "4 layers: 2 sliding window, 2 full attention", ["S2 sliding window", "F2 full attention"]),
        ([FULL, FULL], "FF", "2 layers: 2 full attention", ["F2 full attention"]),
        (
            [FULL, SHARED, SHARED, NONE],
            "F==–",
            "4 layers: 1 full attention, 2 shares another layer's cache, 1 no cache",
            ["F1 full attention", "=2 shares another layer's cache", "–1 no cache"],
        ),
    ],
)
def test_cells_label_and_legend_agree(layers, letters, label, legend):
    svg, items = parts(layer_strip(layers))
    assert "".join(text.text for text in svg.iter("text")) == letters
    assert svg.get("aria-label") == label
    assert items == legend


def test_a_cell_says_what_it_is():
    svg, _ = parts(layer_strip([SLIDING, FULL, SHARED, NONE]))
    assert [title.text for title in svg.iter("title")] == [
        "layer 0: sliding window, window 1,024, 2 KV heads × 64",
        "layer 1: full attention, 2 KV heads × 64",
        "layer 2: sliding window, shares another layer's cache, window 1,024, 2 KV heads × 64",
        "layer 3: no cache",
    ]


@pytest.mark.parametrize(("count", "box"), [(1, "0 0 24 24"), (24, "0 0 645 24"), (25, "0 0 645 51"), (48, "0 0 645 51"), (62, "0 0 645 78")])
def test_rows_of_24(count, box):
    svg, _ = parts(layer_strip([FULL] * count))
    assert svg.get("viewBox") == box
    places = [(float(rect.get("x")), float(rect.get("y"))) for rect in svg.iter("rect")]
    assert len(set(places)) == count
    width, height = map(int, box.split()[2:])
    assert all(x + 24 <= width and y + 24 <= height for x, y in places)


def test_every_kind_has_a_name_and_a_letter_of_its_own():
    assert set(KIND_NAMES) == set(LETTERS) == {*KINDS, "shared"}
    assert len(set(LETTERS.values())) == len(LETTERS)
    assert all(re.fullmatch(r"[A-Z–=]", letter) for letter in LETTERS.values())


@pytest.mark.parametrize(("layer", "kind"), [(FULL, "full"), (SLIDING, "sliding"), (SHARED, "shared"), (NONE, "none")])
def test_a_layer_that_shares_is_shown_as_shared_only(layer, kind):
    assert shown_kind(layer) == kind


def test_the_strip_counts_as_the_model_does(tiny):
    derived = tiny.derived["tiny-model"]
    svg, items = parts(layer_strip(derived.layers))
    assert sum(1 for _ in svg.iter("rect")) == len(derived.layers) == 4
    assert items == ["S2 sliding window", "F2 full attention"]
