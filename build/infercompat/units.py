"""Sizes and numbers: bytes per cache element, and how figures are written for people."""

from __future__ import annotations

from fractions import Fraction

# Bytes per element. Block formats carry their scales: q8_0 keeps 32 elements in 34 bytes, q4_0 in 18 (ggml-common.h), nvfp4 16 in 9.
ELEMENT_BYTES: dict[str, Fraction] = {
    "fp32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "fp8_e4m3": Fraction(1),
    "fp8_e5m2": Fraction(1),
    "int8": Fraction(1),
    "int4": Fraction(1, 2),
    "nvfp4": Fraction(9, 16),
    "q8_0": Fraction(34, 32),
    "q5_1": Fraction(24, 32),
    "q5_0": Fraction(22, 32),
    "q4_1": Fraction(20, 32),
    "q4_0": Fraction(18, 32),
    "iq4_nl": Fraction(18, 32),
}

_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def format_bytes(count: float) -> str:
    """A size in powers of two, three significant figures at least: 83,886,080 -> '80 MiB'."""
    for step, unit in _STEPS:
        if abs(count) >= step:
            value = count / step
            return f"{value:.2f}".rstrip("0").rstrip(".") + f" {unit}" if value < 1000 else f"{value:,.0f} {unit}"
    return f"{count:,.0f} B"


def format_times(ratio: float) -> str:
    return f"{ratio:.2f}×"


def format_percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.1f}%"


def format_thousands(count: float) -> str:
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.2f}"


FILTERS = {
    "bytes": format_bytes,
    "times": format_times,
    "percent": format_percent,
    "thousands": format_thousands,
}
"""The filters that a placeholder in prose may name."""
