"""llama.cpp: buffers of cells, allocated at once for the whole context; windowed layers have a shorter one.

Decided by src/llama-context.cpp (lengths), src/llama-kv-cache-iswa.cpp (windowed cells), src/llama-kv-cache.cpp (K and V by type),
src/llama-memory-recurrent.cpp (states), src/llama-model.cpp create_memory, tools/server/server.cpp (slots) and common/speculative.cpp
(the context of a draft). The figures are those of all devices together, and of each where the split is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.llamacpp_compressed import compressed_groups, compressor_states
from infercompat.allocate.llamacpp_devices import places
from infercompat.allocate.terms import NOT_COUNTED, Terms, element_bytes
from infercompat.derive import Layer, Unknown

MIB = 1 << 20
WITH_SNAPSHOTS = ("mtp", "draft-mtp", "eagle3", "dflash", "dspark")
"""Speculation that keeps a snapshot of a recurrent state for each drafted token (common/common.h need_n_rs_seq)."""


class Lengths(Struct, frozen=True):
    """Cells of one stream in full and windowed layers, the streams, and the slots."""

    full: int
    windowed: int
    streams: int
    slots: int


def cells(terms: Terms) -> Allocation | Unknown:
    """The figures for `llamacpp-cells/1`: the model's context, and that of a draft beside it."""
    answer = _context(terms)
    if isinstance(answer, Unknown) or terms.request.draft is None:
        return answer
    settings = {name: value for name, value in terms.request.settings.items() if not name.startswith(("speculation.", "cache."))}
    types = {f"cache.{part}.dtype": terms["setting.draft_cache_type_" + part] or "f16" for part in ("k", "v")}
    request = replace(
        terms.request,
        derived=terms.request.draft,
        architecture=terms.request.draft_architecture,
        draft=None,
        cache_dtype=None,
        max_model_len=_context_length(terms),
        speculative_tokens=None,
        settings=settings | types,
    )
    beside = _context(replace(terms, request=request))
    if isinstance(beside, Unknown):
        return Unknown(beside.missing, f"the context of the draft: {beside.reason}")
    total = (answer.reserved or 0) + (beside.reserved or 0)
    return replace(
        answer,
        reserved=total,
        needed_bytes=total,
        because=(*answer.because, f"the draft has a context of its own, as long: {beside.reserved or 0:,} bytes of what is set aside"),
        notes=tuple(note for note in answer.notes if note != NOT_COUNTED),
        lines=(*answer.lines, *beside.lines),
        figures={**answer.figures, "draft_bytes": beside.reserved or 0},
    )


def _context(terms: Terms) -> Allocation | Unknown:
    """The buffers of one context."""
    listed = _listed(terms)
    if isinstance(listed, Unknown):
        return listed
    if problem := _refusal(terms):
        return problem
    own = [layer for layer in terms.layers if layer.attends and layer.kind != "recurrent" and not (layer.shares and _named(terms, "sharing"))]
    short = [layer for layer in own if layer.window and listed]
    long = [layer for layer in own if layer not in short]
    squeezed = any(layer.compress_ratio for layer in own)
    lengths = _lengths(terms, max((layer.window for layer in short), default=0), bool(own), squeezed)
    if lengths is None:
        return Unknown(("max_model_len",), "the buffers are as long as the context, which is not known")
    state = _state(terms)
    if squeezed:
        element, padding = _element(terms, "k") or Fraction(2), terms.parameters["padding"]
        groups = compressed_groups(terms.layers, lengths.full, lengths.windowed, padding, element)
        state += compressor_states(terms.layers, _snapshots(terms))
    else:
        held = [("full", long, lengths.full), ("windowed", short, lengths.windowed)]
        groups = tuple(Group(kind, len(layers), _bytes(terms, layers, own), most=most) for kind, layers, most in held if layers)
    buffers = {group.kind: lengths.streams * (group.most or 0) * group.bytes_per_token for group in groups}
    reserved = ceil(sum(buffers.values(), Fraction(0)) + lengths.slots * state)
    devices = None if squeezed else _devices(terms, own, short, lengths)
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        state_bytes=ceil(state),
        reserved=reserved,
        needed_bytes=reserved,
        capacity_tokens=lengths.full * lengths.streams,
        devices=devices if isinstance(devices, dict) else None,
        because=tuple(_because(terms, listed, lengths)),
        notes=(*terms.notes, *_notes(devices, squeezed)),
        lines=tuple(_lines(terms, groups, buffers, lengths, state)),
        figures={
            **{f"{group.kind}_cells": group.most or 0 for group in groups},
            **{f"{kind}_bytes": float(size) for kind, size in buffers.items()},
            "states_bytes": float(lengths.slots * state),
        },
    )


def _devices(terms: Terms, own: list[Layer], short: list[Layer], lengths: Lengths) -> dict[str, int] | Unknown | None:
    """Bytes of the buffers on each device; why they are not known, or None for one device."""
    where = places(terms)
    if not isinstance(where, tuple):
        return where
    held: dict[str, Fraction] = {}
    for layer, device in zip(terms.layers, where, strict=True):
        cells = lengths.windowed if layer in short else lengths.full
        size = lengths.streams * cells * _bytes(terms, [layer], own) if layer in own else Fraction(0)
        held[device] = held.get(device, Fraction(0)) + size + lengths.slots * _state(terms, (layer,))
    return {device: ceil(size) for device, size in sorted(held.items())}


def _notes(devices: dict[str, int] | Unknown | None, squeezed: bool) -> Iterator[str]:
    together = "figures are those of all devices together"
    if isinstance(devices, dict):
        yield f"{together}; each device has the caches of its layers"
    else:
        yield f"{together}; {devices.reason}" if isinstance(devices, Unknown) else together
    if squeezed:
        yield "which device holds which part is not worked out for compressed layers"
    yield "a context that the program fits to memory itself may be shorter"


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
    compressed = any(layer.compress_ratio for layer in terms.layers)
    if compressed and terms["model.architecture"] not in terms.parameters.get("compressed_models", ()):
        return Unknown(("a rule for these layers",), "compressed layers of this architecture were not read in this version")
    indexed = not compressed and any(layer.index_width for layer in terms.layers)
    if indexed and terms["model.architecture"] not in terms.parameters.get("indexed", ()):
        return Unknown(("a rule for these layers",), "index keys of this architecture were not read in this version")
    if any(layer.kind == "cross" or layer.cross_tokens for layer in terms.layers):
        return Unknown(("a rule for these layers",), "cross-attention is not worked out")
    if None in (_element(terms, "k"), _element(terms, "v")):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known")
    return None


def _element(terms: Terms, part: str) -> Fraction | None:
    """Bytes of an element of K or V; block formats count with their scales."""
    given = terms.request.given(f"cache.{part}.dtype") or terms.request.given("cache.dtype")
    return element_bytes(given or terms[f"cache.{part}.dtype"] or "f16")


def _context_length(terms: Terms) -> int | None:
    return terms.request.max_model_len or terms.request.derived.context.native


def _lengths(terms: Terms, window: int, attends: bool, apart: bool) -> Lengths | None:
    """Cells: the context padded, each slot's share of it where slots have streams of their own, and a window with one micro-batch.

    With `apart` slots have buffers of their own in a unified cache as well, each as long as the context.
    """
    given, asked = terms.request.given("max_num_seqs"), terms.request.given("setting.kv_unified")
    slots, unified = int(given or terms["max_num_seqs"] or 1), given is None if asked is None else bool(asked)
    length = _context_length(terms) if attends else 0
    if length is None:
        return None
    padding = terms.parameters["padding"]
    context = _padded(length, padding)
    full = context if unified else max(padding, _padded(context // slots, padding))
    batch = min(context, int(terms["max_num_batched_tokens"] or context))
    micro = min(batch, int(terms["setting.ubatch_size"] or batch))
    windowed = full if terms["setting.swa_full"] else _padded(min(full, window * (slots if unified and not apart else 1) + micro), padding)
    return Lengths(full, windowed, 1 if unified and not apart else slots, slots)


def _padded(cells: int, padding: int) -> int:
    return -(-cells // padding) * padding


def _bytes(terms: Terms, layers: list[Layer], own: list[Layer]) -> Fraction:
    """Bytes of one cell over layers. A latent and an index key are kept as K alone; without flash attention every V is as wide as the widest."""
    size_k, size_v = _element(terms, "k") or Fraction(0), _element(terms, "v") or Fraction(0)
    widest = max((layer.kv_heads * layer.v_width for layer in own), default=0)
    total = Fraction(0)
    for layer in layers:
        if layer.latent_width:
            total += (layer.latent_width + layer.index_width) * size_k
        else:
            values = widest if terms["setting.flash_attn"] == "off" else layer.kv_heads * layer.v_width
            total += layer.kv_heads * layer.k_width * size_k + values * size_v
    return total


def _snapshots(terms: Terms) -> int:
    return terms.speculative_tokens if terms["speculation.method"] in WITH_SNAPSHOTS else 0


def _state(terms: Terms, layers: tuple[Layer, ...] | None = None) -> Fraction:
    """Bytes of the states of one slot, all in fp32, with a snapshot for each drafted token where the method needs them."""
    counted = terms.layers if layers is None else layers
    return sum((Fraction(layer.conv_elements + layer.state_elements) * 4 * (1 + _snapshots(terms)) for layer in counted), Fraction(0))


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
