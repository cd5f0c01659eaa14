"""llama.cpp: buffers of cells, allocated at once for the whole context; windowed layers have a shorter one.

Decided by src/llama-context.cpp (lengths), src/llama-kv-cache-iswa.cpp (windowed cells), src/llama-kv-cache.cpp (K and V by type),
src/llama-memory-recurrent.cpp (states), src/llama-model.cpp create_memory and tools/server/server.cpp (slots). The figures are those
of all devices together, since layers are spread over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.terms import Terms, element_bytes
from infercompat.derive import Layer, Unknown

MIB = 1 << 20
WITH_SNAPSHOTS = ("mtp", "draft-mtp", "eagle3", "dflash", "dspark")
"""Speculation that keeps a snapshot of a recurrent state for each drafted token (common/common.h need_n_rs_seq)."""


@dataclass(frozen=True)
class Lengths:
    """Cells of one stream in full and windowed layers, the streams, and the slots."""

    full: int
    windowed: int
    streams: int
    slots: int


def cells(terms: Terms) -> Allocation | Unknown:
    """The figures for `llamacpp-cells/1`."""
    listed = _listed(terms)
    if isinstance(listed, Unknown):
        return listed
    if problem := _refusal(terms):
        return problem
    own = [layer for layer in terms.layers if layer.attends and layer.kind != "recurrent" and not (layer.shares and _named(terms, "sharing"))]
    short = [layer for layer in own if layer.window and listed]
    long = [layer for layer in own if layer not in short]
    lengths = _lengths(terms, max((layer.window for layer in short), default=0))
    if lengths is None:
        return Unknown(("max_model_len",), "the buffers are as long as the context, which is not known")
    held = [("full", long, lengths.full), ("windowed", short, lengths.windowed)]
    groups = tuple(Group(kind, len(layers), _bytes(terms, layers, own), most=most) for kind, layers, most in held if layers)
    state = _state(terms)
    buffers = {group.kind: lengths.streams * (group.most or 0) * group.bytes_per_token for group in groups}
    reserved = ceil(sum(buffers.values(), Fraction(0)) + lengths.slots * state)
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        state_bytes=ceil(state),
        reserved=reserved,
        needed_bytes=reserved,
        capacity_tokens=lengths.full * lengths.streams,
        because=tuple(_because(terms, listed, lengths)),
        notes=(*terms.notes, "figures are those of all devices together", "a context that the program fits to memory itself may be shorter"),
        lines=tuple(_lines(terms, groups, buffers, lengths, state)),
        figures={
            **{f"{group.kind}_cells": group.most or 0 for group in groups},
            **{f"{kind}_bytes": float(size) for kind, size in buffers.items()},
            "states_bytes": float(lengths.slots * state),
        },
    )


def _named(terms: Terms, parameter: str) -> bool:
    return terms["model.architecture"] in terms.parameters[parameter]


def _listed(terms: Terms) -> bool | Unknown:
    """Whether windows shorten the cache: the graph that the architecture is converted to has to know of them."""
    if not any(layer.window or layer.shares for layer in terms.layers):
        return False
    if not terms["model.architecture"]:
        return Unknown(("model.architecture",), "whether windows shorten the cache goes by what the architecture is converted to")
    return _named(terms, "windowed")


def _refusal(terms: Terms) -> Unknown | None:
    if any(layer.compress_ratio or layer.index_width or layer.kind == "cross" or layer.cross_tokens for layer in terms.layers):
        return Unknown(("a rule for these layers",), "compressed layers, index keys and cross-attention are not worked out")
    if None in (_element(terms, "k"), _element(terms, "v")):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known")
    return None


def _element(terms: Terms, part: str) -> Fraction | None:
    """Bytes of an element of K or V; block formats count with their scales."""
    given = terms.request.given(f"cache.{part}.dtype") or terms.request.given("cache.dtype")
    return element_bytes(given or terms[f"cache.{part}.dtype"] or "f16")


def _lengths(terms: Terms, window: int) -> Lengths | None:
    """Cells: the context padded, each slot's share of it where slots have streams of their own, and a window with one micro-batch."""
    given, asked = terms.request.given("max_num_seqs"), terms.request.given("setting.kv_unified")
    slots, unified = int(given or terms["max_num_seqs"] or 1), given is None if asked is None else bool(asked)
    length = terms.request.max_model_len or terms.request.derived.context.native
    if length is None:
        return None
    padding = terms.parameters["padding"]
    context = _padded(length, padding)
    full = context if unified else max(padding, _padded(context // slots, padding))
    batch = min(context, int(terms["max_num_batched_tokens"] or context))
    micro = min(batch, int(terms["setting.ubatch_size"] or batch))
    windowed = full if terms["setting.swa_full"] else _padded(min(full, window * (slots if unified else 1) + micro), padding)
    return Lengths(full, windowed, 1 if unified else slots, slots)


def _padded(cells: int, padding: int) -> int:
    return -(-cells // padding) * padding


def _bytes(terms: Terms, layers: list[Layer], own: list[Layer]) -> Fraction:
    """Bytes of one cell over layers. A latent is kept as K alone; without flash attention every V is as wide as the widest."""
    size_k, size_v = _element(terms, "k") or Fraction(0), _element(terms, "v") or Fraction(0)
    widest = max((layer.kv_heads * layer.v_width for layer in own), default=0)
    total = Fraction(0)
    for layer in layers:
        if layer.latent_width:
            total += layer.latent_width * size_k
        else:
            values = widest if terms["setting.flash_attn"] == "off" else layer.kv_heads * layer.v_width
            total += layer.kv_heads * layer.k_width * size_k + values * size_v
    return total


def _state(terms: Terms) -> Fraction:
    """Bytes of the states of one slot, all in fp32, with a snapshot for each drafted token where the method needs them."""
    snapshots = terms.speculative_tokens if terms["speculation.method"] in WITH_SNAPSHOTS else 0
    return sum((Fraction(layer.conv_elements + layer.state_elements) * 4 * (1 + snapshots) for layer in terms.layers), Fraction(0))


def _because(terms: Terms, listed: bool, lengths: Lengths) -> Iterator[str]:
    if any(layer.window for layer in terms.layers):
        if not listed:
            yield "windows do not shorten the cache: the architecture's graph does not know them"
        elif terms["setting.swa_full"]:
            yield "--swa-full: windowed layers have as many cells as full ones"
        else:
            yield f"windowed layers have {lengths.windowed} cells: the window for each slot that shares them, and one micro-batch"
    if lengths.streams > 1:
        yield f"{lengths.streams} slots with {lengths.full} cells each"


def _lines(terms: Terms, groups: tuple[Group, ...], buffers: dict[str, Fraction], lengths: Lengths, state: Fraction) -> Iterator[str]:
    if "windowed" in buffers:
        yield f"creating non-SWA KV cache, size = {lengths.full} cells"
        yield f"creating     SWA KV cache, size = {lengths.windowed} cells"
    for group in groups:
        yield (
            f"size = {float(buffers[group.kind]) / MIB:7.2f} MiB ({group.most or 0:6d} cells, {group.layers:3d} layers, "
            f"{lengths.slots:2d}/{lengths.streams} seqs)"
        )
    if state:
        yield f"RS buffer size = {float(lengths.slots * state) / MIB:8.2f} MiB"


ALGORITHMS = {"llamacpp-cells/1": cells}
