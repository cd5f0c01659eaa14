"""llama.cpp: which device holds a layer, and so its part of the cache.

Decided by src/llama-model.cpp load_tensors (the split points) and src/llama-kv-cache.cpp (a layer's cache is where the layer is).
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from infercompat.allocate.terms import Terms, whole
from infercompat.derive import Unknown

HOST = "host"


def places(terms: Terms) -> tuple[str, ...] | Unknown | None:
    """The device of each layer by its number, or the host; None where nothing says that there are several devices."""
    split = _split(terms["setting.tensor_split"])
    if terms["setting.no_kv_offload"]:
        return (HOST,) * len(terms.layers)
    if terms["setting.tensor_split"] is None:
        devices = whole(terms["setting.devices"])
        if devices is None or devices < 2:
            return None
        return Unknown(("setting.tensor_split",), "without --tensor-split layers are spread by the memory that each device has free at start")
    if split is None:
        return Unknown(("setting.tensor_split",), f"'{terms['setting.tensor_split']}' is no list of proportions such as 3,1")
    if terms["setting.split_mode"] not in (None, "layer", "row"):
        return Unknown(("setting.split_mode",), f"what --split-mode {terms['setting.split_mode']} does with the cache is not worked out")
    return _by_split(terms, split)


def _by_split(terms: Terms, split: list[float]) -> tuple[str, ...] | Unknown:
    """Layers in order, each to the first device whose part of the whole ends after it; the output counts as a layer, too."""
    heads = whole(terms["model.draft_layers"]) or 0
    count = len(terms.layers) + heads
    given = terms["setting.gpu_layers"]
    offloaded = count + 1 if given in (None, "all", "auto", -1) else whole(given)
    if offloaded is None or offloaded < 0:
        return Unknown(("setting.gpu_layers",), f"'{given}' is no number of layers")
    first, active = max(count + 1 - offloaded, 0), min(offloaded, count + 1)
    ends = list(accumulate(split, lambda before, part: _single(before + part)))
    ends = [_single(end / ends[-1]) for end in ends]
    return tuple(HOST if index < first else str(bisect_right(ends, _single((index - first) / active))) for index in range(len(terms.layers)))


def _single(value: float) -> float:
    """The value in single precision, as the program reckons."""
    return struct.unpack("f", struct.pack("f", value))[0]


def _split(given: Any) -> list[float] | None:
    """Proportions out of words such as 3,1; None for what has none, or only zeros."""
    try:
        parts = [_single(float(part)) for part in str(given).replace("/", ",").split(",")]
    except (ValueError, OverflowError):
        return None
    return parts if sum(parts) > 0 and min(parts) >= 0 else None
