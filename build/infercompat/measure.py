"""Recomputes the figures that measurements hold, so that the error of our arithmetic is published rather than claimed."""

from __future__ import annotations

from dataclasses import dataclass

from infercompat.derive import Unknown
from infercompat.pipeline import Products
from infercompat.records import Record
from infercompat.units import ELEMENT_BYTES

UNITS = {"B": 1, "B/token": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "x": 1}


@dataclass(frozen=True)
class Computed:
    """What we compute in the measurement's unit, and the error against what was logged; None where either is not known."""

    value: float | None
    error: float | None
    why: str = ""


def computed(products: Products, measurement: Record) -> Computed:
    """The figure of a measurement as this catalog derives it."""
    data = measurement.data
    if data["metric"] == "outcome":
        return Computed(None, None, "an outcome is observed, not computed")
    model = products.catalog.follow(data["model"])
    derived = products.derived.get(model.id) if model else None
    if derived is None or isinstance(derived, Unknown):
        return Computed(None, None, "the model's config cannot be read into layers")
    conditions = data.get("conditions", {})
    dtype = conditions.get("cache_dtype", "bf16")
    if dtype not in ELEMENT_BYTES or data["unit"] not in UNITS:
        return Computed(None, None, f"nothing is computed for {dtype} in {data['unit']}")
    cost = derived.cost(dtype)
    tokens = conditions.get("context")
    quantity, _, form = data["metric"].removeprefix("cache.").partition(".")
    if tokens is None and data["metric"] != "cache.naive.bytes_per_token":
        return Computed(None, None, "the measurement names no context")
    if quantity == "overpay":
        ratio = cost.overpay(tokens)
        if ratio is None:
            return Computed(None, None, "the layers need no cache")
        value = float(ratio)
    elif tokens is None:
        value = float(cost.naive.bytes_per_token)
    else:
        value = float(cost.ideal_bytes(tokens) if quantity == "ideal" else cost.naive_bytes(tokens))
        if form == "bytes_per_token":
            value /= tokens
    value /= UNITS[data["unit"]]
    logged = data.get("value")
    error = (value - logged) / logged if isinstance(logged, (int, float)) and logged else None
    return Computed(value, error)
