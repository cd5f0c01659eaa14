"""Sizes and numbers, against values worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from infercompat.units import ELEMENT_BYTES, FILTERS, format_bytes, format_percent, format_thousands, format_times


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (83_886_080, "80 MiB"), (0, "0 B"), (1, "1 B"), (1023, "1,023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (40_960, "40 KiB"),
        (1_048_576, "1 MiB"), (1_090_519_040, "1.02 GiB"), (654_311_424, "624 MiB"), (11_173_625_856, "10.41 GiB"),
        (1_074_790_400, "1 GiB"), (1_072_693_248, "1,023 MiB"), (1 << 40, "1 TiB"), (3 << 49, "1,536 TiB"), (-2048, "-2 KiB"),
        (104_857_600, "100 MiB"), (1_000 << 20, "1,000 MiB"),
    ],
)  # fmt: skip
def test_bytes(count, text):
    assert format_bytes(count) == text


@pytest.mark.parametrize(("ratio", "text"), [(1, "1.00×"), (1.7777777, "1.78×"), (12.5, "12.50×")])
def test_times(ratio, text):
    assert format_times(ratio) == text


@pytest.mark.parametrize(("share", "text"), [(0.5, "50%"), (1, "100%"), (0.1, "10%"), (0.034, "3.4%"), (0, "0.0%")])
def test_percent(share, text):
    assert format_percent(share) == text


@pytest.mark.parametrize(("count", "text"), [(262144, "262,144"), (0, "0"), (1152.0, "1,152"), (33250.0625, "33,250.06"), (0.5, "0.50")])
def test_thousands(count, text):
    assert format_thousands(count) == text


def test_block_formats_carry_their_scales():
    """q8_0 keeps 32 elements in 34 bytes, q4_0 in 18, q5_1 in 24."""
    assert ELEMENT_BYTES["q8_0"] * 32 == 34
    assert ELEMENT_BYTES["q4_0"] * 32 == 18
    assert ELEMENT_BYTES["q5_1"] * 32 == 24
    assert ELEMENT_BYTES["bf16"] == 2
    assert all(isinstance(width, Fraction) for width in ELEMENT_BYTES.values())


def test_the_filters_that_prose_may_name():
    assert {name: form(2048) for name, form in FILTERS.items()} == {"bytes": "2 KiB", "times": "2048.00×", "percent": "204800%", "thousands": "2,048"}
