"""LMDeploy's TurboMind: blocks over all layers that attend, drawn from slabs of one region or from one list.

Decided by src/turbomind: kernels/attention/block.h (what a token takes), models/llama/unified_attention_layer.cc (what a block holds),
models/llama/GatedDeltaNetLayer.cc (states), memory/object.cc, slab.h and page.h (how many objects a region has room for), turbomind.cc
(the region), and before 0.15 models/llama/SequenceManager.cc and BlockManager.cc. Windows cut what a layer looks at, and free no block.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank, state_elements, whole
from infercompat.derive import Layer, Unknown

MIB = 1 << 20
PAGE, LARGEST_SLAB = 32 * MIB, 1 << 30
"""The region is cut into pages of so much; a slab of equal objects has a power of two of them, up to so much."""
WELL_FILLED = 0.95
"""A slab is doubled until its objects fill so much of it."""
ONE_HEAD = 576
"""The width of a latent that is kept once, as K and V."""
HEAD_OF_STATES = 128
"""The width that the heads of a Gated DeltaNet have to have."""
PLAIN, SCALES = (None, "none", "auto", "bf16", "bfloat16", "fp16", "float16"), {"int8": Fraction(1), "int4": Fraction(1, 2)}


class Slab(NamedTuple):
    """Objects of one size: what a slab of them takes of the region, and how many it has."""

    size: int
    objects: int


def slab_of(size: int) -> Slab:
    """The slab for objects of so many bytes (memory/slab.h)."""
    slab = 1 << (max(PAGE, size) - 1).bit_length()
    while slab // size * size / slab < WELL_FILLED and slab < LARGEST_SLAB:
        slab *= 2
    return Slab(slab, slab // size)


def objects(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `turbomind-objects/1`: blocks and states have slabs of the same region."""
    if problem := _refusal(terms):
        return problem
    states = _states(terms)
    if isinstance(states, Unknown):
        return states
    known = _common(terms, states)
    if known.bytes_per_block is None or terms.request.available_bytes is None:
        return known
    region, length, step = terms.request.available_bytes, terms.max_model_len, known.block_size or 1
    alone = _fit(region, {known.bytes_per_block: 1})
    figures = {"blocks": alone, "capacity_tokens": None if states else alone * step}
    if length:
        seats = _fit(region, _counted({known.bytes_per_block: ceil(length / step)}, states))
        figures["max_concurrency"] = float(seats) if states else alone * step / length
    return _with(known, figures)


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `turbomind-blocks/1`: one list of blocks, and slots of states for a full batch taken before it."""
    if problem := _refusal(terms):
        return problem
    states = _states(terms)
    if isinstance(states, Unknown):
        return states
    known, length = _common(terms, states), terms.max_model_len
    if known.bytes_per_block is None or terms.request.available_bytes is None:
        return known
    slots, step = whole(terms["max_num_seqs"]), known.block_size or 1
    if states and slots is None:
        return _with(known, {"missing": ("max_num_seqs",)})
    count = max(0, terms.request.available_bytes - (slots or 0) * known.state_bytes) // known.bytes_per_block
    tokens = count * step
    lines = [f"block_size = {known.bytes_per_block / MIB:.3f} MB", f"max_block_count = {count}"]
    if length and tokens < length:
        lines.append(f"`session_len` truncated to {tokens}")
    concurrency = tokens / length if length else None
    return _with(known, {"blocks": count, "capacity_tokens": tokens, "longest": tokens, "max_concurrency": concurrency, "lines": tuple(lines)})


def _with(known: Allocation, figures: dict) -> Allocation:
    return replace(known, **figures)


def _common(terms: Terms, states: dict[int, int]) -> Allocation:
    """What is the same in both: a block of all layers, and the states of a sequence."""
    attending, step = _attending(terms), int(terms["block_size"] or terms.parameters["block_size"])
    token = sum((_token(terms, layer) for layer in attending), Fraction(0))
    return Allocation(
        terms.algorithm,
        terms.title,
        (Group("full", len(attending), token, step),) if attending else (),
        block_size=step if attending else None,
        bytes_per_block=ceil(token * step) if attending else None,
        state_bytes=sum(size * count for size, count in states.items()),
        needed_bytes=None,
        because=tuple(_because(terms)),
        notes=(*terms.notes, *_notes(terms, bool(states))),
    )


def _attending(terms: Terms) -> list[Layer]:
    return [layer for layer in terms.layers if layer.attends and layer.kind != "recurrent"]


def _refusal(terms: Terms) -> Unknown | None:
    """What keeps the layers from being worked out."""
    ranks, attending, dtype = terms.ranks("tensor_parallel"), _attending(terms), terms["cache.dtype"]
    if any(layer.compress_ratio or layer.kind in ("cross", "indexed") or layer.cross_tokens or layer.shares for layer in terms.layers):
        return Unknown(("a rule for these layers",), "TurboMind has no compressed or indexed layers, no cross-attention and no shared caches")
    latents = [layer for layer in attending if layer.latent_width]
    if latents and not terms.parameters["latent_as_one_head"]:
        return Unknown(("a rule for latents",), "how this version keeps a latent was not read")
    if any(layer.latent_width != ONE_HEAD for layer in latents):
        return Unknown(("a rule for this latent",), f"a latent is kept once where it is {ONE_HEAD} wide; others are not worked out")
    if any(layer.k_width != layer.v_width for layer in attending if not layer.latent_width):
        return Unknown(("a common width",), "K and V have one width, and these layers have two")
    if terms.ranks("pipeline_parallel") > 1:
        return Unknown(("pipeline_parallel",), "there are no pipeline stages")
    if not all(divides(0 if layer.latent_width else layer.kv_heads, ranks) for layer in attending):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if dtype not in PLAIN and dtype not in SCALES:
        return Unknown(("cache.dtype",), f"a cache of {dtype} is refused: there are int8 and int4")
    return None


def _token(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of a token in a layer on one rank; a quantized one has a scale and a zero point in the model's type for each head."""
    size = SCALES.get(terms["cache.dtype"], Fraction(2))
    scales = 4 if terms["cache.dtype"] in SCALES else 0
    if layer.latent_width:
        return layer.latent_width * size + scales
    return heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel")) * 2 * (layer.k_width * size + scales)


def _states(terms: Terms) -> dict[int, int] | Unknown:
    """Objects that a sequence has for its states, by size: one a layer for the recurrent part, one for the convolutions of all layers."""
    layers = [layer for layer in terms.layers if layer.conv_elements or layer.state_elements]
    if not layers:
        return {}
    if terms.request.derived.name not in terms.parameters["states"]:
        return Unknown(("a rule for these states",), "TurboMind keeps the states of Gated DeltaNet only")
    ranks, kernel = terms.ranks("tensor_parallel"), whole(terms["model.conv_kernel"])
    pairs = [state_elements(layer, ranks, 1, kernel) for layer in layers]
    if any(pair is None for pair in pairs):
        return Unknown(("model.conv_kernel",), "convolutions keep as many columns as the kernel has, and its length is not known")
    width = element_bytes("fp32" if terms["setting.fp32_mamba_ssm_dtype"] else "bf16") or Fraction(2)
    held = [int(pair[1] * width) for pair in pairs if pair]
    counted = {size: held.count(size) for size in held}
    convolution = int(sum((pair[0] for pair in pairs if pair), Fraction(0)) * 2)
    return _counted(counted, {convolution: 1})


def _counted(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    """Two sets of objects as one; objects of one size share slabs."""
    return {size: one.get(size, 0) + other.get(size, 0) for size in {**one, **other}}


def _fit(region: int, needs: dict[int, int]) -> int:
    """How many times the objects fit into the region at once, each size in slabs of its own."""
    pages = region // PAGE
    if len(needs) == 1:
        ((size, count),) = needs.items()
        slab = slab_of(size)
        return pages // (slab.size // PAGE) * slab.objects // count

    def taken(times: int) -> int:
        return sum(ceil(times * count / slab.objects) * (slab.size // PAGE) for slab, count in ((slab_of(size), count) for size, count in needs.items()))

    low, high = 0, region // max(1, sum(size * count for size, count in needs.items()))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if taken(middle) <= pages else (low, middle - 1)
    return low


def _because(terms: Terms) -> Iterator[str]:
    if any(layer.window for layer in terms.layers):
        yield "windows do not shorten the cache: blocks are over all layers, and none is freed before its sequence ends"
    if any(layer.latent_width for layer in terms.layers):
        yield "the latent is kept once, as one head that is both K and V, on every rank"


def _notes(terms: Terms, states: bool) -> Iterator[str]:
    share = terms["setting.cache_max_entry_count"] or terms.parameters["free_fraction"]
    yield f"the cache takes {share:.0%} of what is free after loading on the rank that has least"
    if terms.algorithm == "turbomind-objects/1":
        yield "the region is counted in whole pages of 32 MiB; where it does not begin on one, a page less is left"
    if states and terms.algorithm == "turbomind-blocks/1":
        yield "slots of states for max_batch_size sequences are allocated at once"
    elif states and terms["prefix_caching"]:
        yield "prefix caching keeps further states of prefixes while there is room, and gives them up for running sequences"
