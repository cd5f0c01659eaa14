"""llama.cpp: the caches of DeepSeek V4, each slot with its own: a window, compressed rows of two ratios, index keys, and states.

Decided by src/llama-kv-cache-dsv4.cpp. All is K alone; states of compressors are keys and scores in fp32.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Group
from infercompat.derive import Layer


def compressed_groups(layers: tuple[Layer, ...], cells: int, window: int, padding: int, element: Fraction) -> tuple[Group, ...]:
    """The buffers of one slot: `cells` are those of its context, `window` those of the window."""
    squeezed = [layer for layer in layers if layer.compress_ratio]
    groups = [Group("windowed", len(layers), sum((layer.latent_width * element for layer in layers), Fraction(0)), most=window)]
    for ratio in sorted({layer.compress_ratio for layer in squeezed}):
        of_ratio = [layer for layer in squeezed if layer.compress_ratio == ratio]
        rows = ceil(max(1, ceil(cells / ratio)) / padding) * padding
        width = sum(layer.latent_width + layer.index_width for layer in of_ratio)
        groups.append(Group(f"compressed 1:{ratio}", len(of_ratio), Fraction(width * element, ratio), ratio, rows * ratio))
    return tuple(groups)


def compressor_states(layers: tuple[Layer, ...], snapshots: int) -> Fraction:
    """Bytes of the states of one slot: of a ratio of 4 two overlapping blocks of double width, else one block of the ratio's length."""
    total = 0
    for layer in layers:
        overlap = 2 if layer.compress_ratio == 4 else 1
        total += 2 * 4 * overlap * overlap * layer.compress_ratio * (layer.latent_width + layer.index_width if layer.compress_ratio else 0)
    return Fraction(total * (1 + snapshots))
