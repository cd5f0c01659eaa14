"""LMDeploy's PyTorch path: blocks of one width for every layer, and a pool of slots for recurrent states beside them.

Decided by lmdeploy/pytorch: engine/cache_engine/schema.py and layout.py (what a block holds), engine/executor/base.py (how many there
are, and slots of states), paging/block_manager/window_block_manager.py (what leaves a window), configurations/ (what a model's config
becomes) and engine/engine.py (the longest session). The memory that is available is what is free after loading, less states and run-time
buffers, times cache_max_entry_count. Blocks that are taken ahead for coming steps are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.drafts import cached_layers
from infercompat.allocate.terms import Terms, divides, heads_on_rank, state_elements, whole
from infercompat.derive import Layer, Unknown

ALIGNMENT = 256
"""Bytes that the part of a block which one layer keeps of K, of V, of their scales, or of states is rounded up to."""
FEWEST = 16
"""Blocks below which it does not start, however small the batches of prompts are made."""
WIDE_HEAD, WIDE_BLOCK = 512, 32
"""Width of a K head from which blocks are cut down, and to what."""
SPARSE_BLOCK = 64
"""Tokens of a block that flash_mla takes, without which sparse attention does not start."""
PACKED_LATENT = 656
"""Bytes of a token where sparse attention keeps its latent in fp8, with scales and the rotary part in bf16."""


class Scheme(NamedTuple):
    """A way to keep K and V: bytes of an element of each, and bytes of scales for a token of one head of each."""

    k: Fraction
    v: Fraction
    k_scales: int = 0
    v_scales: int = 0


PLAIN = Scheme(Fraction(2), Fraction(2))
FP8 = Scheme(Fraction(1), Fraction(1))
SCHEMES = {
    **dict.fromkeys((None, "none", "auto", "bf16", "bfloat16", "fp16", "float16"), PLAIN),
    **dict.fromkeys(("fp8", "fp8_e4m3", "fp8_e5m2"), FP8),
    "int8": Scheme(Fraction(1), Fraction(1), 4, 4),
    "int4": Scheme(Fraction(1, 2), Fraction(1, 2), 4, 4),
    "turbo_quant": Scheme(Fraction(1, 2), Fraction(1, 4), 4, 2),
}


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `lmdeploy-blocks/1`."""
    window = _window(terms)
    if isinstance(window, Unknown):
        return window
    if problem := _refusal(terms):
        return problem
    state = _state(terms)
    if isinstance(state, Unknown):
        return state
    attending = _attending(terms)
    step, settled = _step(terms, attending)
    size = sum(_block(terms, layer, step) for layer in attending)
    most = (ceil(window / step) + 1) * step if window else None
    groups = (Group("windowed" if window else "full", len(attending), Fraction(size, step), step, most),) if attending else ()
    drafting = cached_layers(terms.request.draft)
    if drafting:
        beside = sum(_block(terms, layer, step) for layer in drafting)
        groups, size = (*groups, Group("draft", len(drafting), Fraction(beside, step), step, most)), size + beside
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        state_bytes=state,
        because=tuple(_because(terms, window)),
        notes=(*(() if drafting else terms.notes), *_notes(terms, state)),
        **(_pool(terms, size, step, window) if settled else {"missing": ("whether flash_mla is installed",)}),
    )


def _attending(terms: Terms) -> list[Layer]:
    return [layer for layer in terms.layers if layer.attends and layer.kind != "recurrent"]


def _window(terms: Terms) -> int | Unknown:
    """The one window that all layers are cut to; 0 where every token is kept."""
    widest = max((layer.window for layer in terms.layers if layer.kind == "sliding"), default=0)
    if not widest:
        return 0
    if not terms["model.architecture"]:
        return Unknown(("model.architecture",), "whether windows shorten the cache goes by the architecture")
    return widest if terms["model.architecture"] in terms.parameters["windowed"] else 0


def _expanded(terms: Terms) -> bool:
    return terms["model.architecture"] in terms.parameters["expanded"]


def _refusal(terms: Terms) -> Unknown | None:
    ranks, attending, dtype = terms.ranks("tensor_parallel"), _attending(terms), terms["cache.dtype"]
    drafting = cached_layers(terms.request.draft)
    if any(layer.latent_width or layer.k_width != layer.v_width or not divides(layer.kv_heads, ranks) for layer in drafting):
        return Unknown(("a rule for this draft",), "a draft with a latent, two widths or heads that do not divide by the ranks is not worked out")
    if any(layer.compress_ratio or layer.kind == "cross" or layer.cross_tokens or layer.shares for layer in terms.layers):
        return Unknown(("a rule for these layers",), "compressed layers, cross-attention and layers that share a cache are not worked out")
    if any(layer.index_width and not layer.latent_width for layer in attending):
        return Unknown(("a rule for this index",), "index keys beside grouped-query attention are not worked out")
    plain = [layer for layer in attending if not layer.latent_width]
    if len({(layer.kv_heads, layer.k_width, layer.latent_width) for layer in attending}) > 1 or any(x.k_width != x.v_width for x in plain):
        return Unknown(("a common width",), "all layers have blocks of one width, with V as wide as K, and these layers have several")
    if any(layer.index_width for layer in attending) and _asked(terms) != SPARSE_BLOCK:
        return Unknown(("block_size",), f"sparse attention starts with blocks of {SPARSE_BLOCK} only")
    if terms.ranks("pipeline_parallel") > 1:
        return Unknown(("pipeline_parallel",), "there are no pipeline stages")
    if not all(divides(0 if layer.latent_width and not _expanded(terms) else layer.kv_heads, ranks) for layer in attending):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if dtype not in SCHEMES:
        return Unknown(("cache.dtype",), f"a cache of {dtype} is not among the quantization policies")
    latent = any(layer.latent_width for layer in attending) and not _expanded(terms)
    sparse = any(layer.index_width for layer in attending)
    if latent and SCHEMES[dtype] is not PLAIN and (not sparse or dtype not in ("fp8", "fp8_e4m3")):
        return Unknown(("cache.dtype",), f"a latent in {dtype} is not worked out" if not sparse else f"sparse attention takes no {dtype}")
    return None


def _asked(terms: Terms) -> int:
    return int(terms["block_size"] or terms.parameters["block_size"])


def _step(terms: Terms, attending: list[Layer]) -> tuple[int, bool]:
    """Tokens of a block, and whether that is settled: blocks of 64 are kept with flash_mla, cut down without; others do without it."""
    asked = _asked(terms)
    if any(layer.latent_width for layer in attending) and not _expanded(terms):
        sparse = any(layer.index_width for layer in attending)
        return (asked, sparse) if asked == SPARSE_BLOCK else (min(asked, WIDE_BLOCK), True)
    return min(asked, WIDE_BLOCK) if any(layer.k_width >= WIDE_HEAD for layer in attending) else asked, True


def _aligned(size: Fraction | int) -> int:
    return ceil(Fraction(size) / ALIGNMENT) * ALIGNMENT


def _block(terms: Terms, layer: Layer, step: int) -> int:
    """Bytes of a block in one layer on one rank."""
    scheme = SCHEMES[terms["cache.dtype"]]
    if layer.latent_width and not _expanded(terms):
        latent = layer.latent_width * 2 if scheme is PLAIN else PACKED_LATENT
        return _aligned(step * latent) + (step * (layer.index_width + 4) if layer.index_width else 0)
    tokens = step * heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel"))
    parts = (layer.k_width * scheme.k, layer.k_width * scheme.v, scheme.k_scales, scheme.v_scales)
    return sum(_aligned(tokens * part) for part in parts)


def _state(terms: Terms) -> int | Unknown:
    """Bytes of a slot of states; convolutions have a column more than elsewhere, and a drafted token adds a column and a state."""
    layers = [layer for layer in terms.layers if layer.conv_elements or layer.state_elements]
    if not layers:
        return 0
    if terms.request.derived.name not in terms.parameters["states"]:
        return Unknown(("a rule for these states",), "the states that this model's file keeps are not worked out")
    ranks, drafted, kernel = terms.ranks("tensor_parallel"), terms.speculative_tokens, whole(terms["model.conv_kernel"])
    pairs = [state_elements(layer, ranks, 1 + drafted, kernel) for layer in layers]
    if any(pair is None for pair in pairs):
        return Unknown(("model.conv_kernel",), "states have a column more than elsewhere, whose size follows from the length of the convolutions")
    convolution, recurrent = (sum((pair[part] for pair in pairs if pair), Fraction(0)) for part in (0, 1))
    width = 4 if terms["setting.fp32_mamba_ssm_dtype"] and terms.request.derived.name != "qwen3_next" else 2
    return _aligned(convolution * 2) + _aligned(recurrent * (1 + drafted) * width)


def _pool(terms: Terms, size: int, step: int, window: int) -> dict:
    """Blocks, and what they hold: one is kept for padding, and a session ends a block before the rest are full."""
    if not size:
        return {}
    known = {"block_size": step, "bytes_per_block": size, "needed_bytes": FEWEST * size}
    available, length = terms.request.available_bytes, terms.max_model_len
    count = whole(terms["setting.num_gpu_blocks"]) or (None if available is None else available // size)
    if count is None:
        return known
    tokens = max(0, count - 1) * step
    known |= {"blocks": count, "capacity_tokens": tokens}
    return known if window else known | {"longest": max(0, tokens - step), "max_concurrency": tokens / length if length else None}


def _because(terms: Terms, window: int) -> Iterator[str]:
    kinds = {layer.kind for layer in _attending(terms)}
    if window and kinds != {"sliding"}:
        yield "one table of blocks serves all layers: what leaves the window is freed for layers that attend to everything as well"
    elif window:
        yield "blocks that leave the window are freed"
    elif kinds & {"sliding", "chunked"}:
        yield "windows do not shorten the cache: the architecture keeps every token in all layers"
    if _expanded(terms):
        yield "K and V of every head are kept, not the latent, and V is as wide as K"


def _notes(terms: Terms, state: int) -> Iterator[str]:
    share = terms["setting.cache_max_entry_count"] or terms.parameters["free_fraction"]
    yield f"blocks take {share:.0%} of the memory that is free after loading, states and run-time buffers"
    if state:
        seats = terms["max_num_seqs"]
        slots = f"{seats + 2} slots" if whole(seats) else "two slots more than max_batch_size"
        yield f"states are allocated at once, in {slots}, before blocks are counted"
