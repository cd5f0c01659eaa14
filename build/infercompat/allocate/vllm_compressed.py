"""vLLM: caches of DeepSeek V4, whose layers keep a window, compressed rows, index keys and states of compressors, packed into one pool.

Decided by models/deepseek_v4/attention.py, compressor.py and v1/attention/backends/mla/sparse_swa.py (what a layer keeps), and by
v1/core/kv_cache_planning.py _get_packed_kv_cache_groups (how blocks hold it). What the files fix by number is in the policy's `compressed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any

from infercompat.allocate.terms import Terms
from infercompat.allocate.vllm_layers import Spec, context_ranks
from infercompat.derive import Layer, Unknown

if TYPE_CHECKING:
    from infercompat.allocate.vllm import Plan

Bucket = tuple[Spec, list[Fraction]]
"""Caches that need the same blocks: the spec of one of them, and the page of each."""


PADDED = ("tuples", "slots")
"""Packings whose pages of windows and states are padded to the next size that rows or index keys have, and that count the blocks of
a request as bytes of all groups over those of the first."""

LAYOUT = "fp8_ds_mla"
"""The layout of rows, whatever type of cache is asked for."""


def is_compressed(terms: Terms) -> bool:
    return any(layer.compress_ratio for layer in terms.layers)


def plan_compressed(terms: Terms, make: type[Plan]) -> Plan | Unknown:
    """The groups of a model with compressed layers. `make` is the class of a plan, which lies above this module."""
    if problem := _refusal(terms):
        return problem
    facts = terms.parameters["compressed"]
    packing, tuples = facts["packing"], facts["packing"] != "widest-group"
    buckets = list(_buckets(terms, facts))
    sizes = set(buckets[1][1])
    repeats = _repeats([pages for _, pages in buckets], tuples)
    if packing in PADDED:
        buckets = [(spec, [min((size for size in sizes if size >= page), default=page) for page in pages]) for spec, pages in buckets]
    groups: list[tuple[Spec, list[Fraction]]] = []
    for spec, pages in buckets:
        number = ceil(max(Counter(pages).values()) / repeats) if repeats and _balanced(pages) else 1
        by_size = [list(same) for _, same in groupby(sorted(pages))]
        groups += [(spec, [page for same in by_size for page in same[start::number]]) for start in range(number)]
    whole_tuples = sum(sizes, Fraction(0)) * max(max(Counter(pages).values()) for _, pages in groups)
    if packing == "tuples":
        block, width = whole_tuples, "holds a page of each size for every layer of a group"
    elif packing == "slots":
        slots = {size: max(Counter(pages)[size] for _, pages in groups) for size in sizes}
        block, width = sum((size * count for size, count in slots.items()), Fraction(0)), "holds as many pages of each size as the group with most of them"
    else:
        block, width = max(sum(pages, Fraction(0)) for _, pages in groups), "is as large as the widest group"
    because = (
        f"rows are packed into {facts['row']} bytes each, in fp8 with scales, and pages rounded up to {facts['align']}",
        f"groups share one pool, whose block {width}: {', '.join(_words(spec, pages) for spec, pages in groups)}",
        "compressors keep fp32 states of the tokens that wait, in small blocks that take a whole block of the pool each",
    )
    first = sum(buckets[1][1], Fraction(0))
    shares = tuple(sum(pages, Fraction(0)) / first for _, pages in groups) if packing in PADDED else ()
    return make(tuple((spec, len(pages)) for spec, pages in groups), block, block, facts["block"], because, whole_tuples if tuples else None, shares)


def _refusal(terms: Terms) -> Unknown | None:
    if "compressed" not in terms.parameters:
        return Unknown(("a grouping for compressed layers",), "how this version packs layers that compress several tokens into one was not read")
    dtype, backend = terms["cache.dtype"] or "auto", terms["attention.backend"]
    if dtype not in ("auto", "bf16", "bfloat16", "fp8", "fp8_e4m3", "fp8_ds_mla"):
        return Unknown(("cache.dtype",), f"rows are packed in fp8, and {dtype} is refused")
    if backend and "flashinfer" in str(backend).lower():
        return Unknown(("attention.backend",), "FlashInfer keeps rows unpacked on some devices, in pages that are not worked out")
    if terms["setting.disable_hybrid_kv_cache_manager"] or context_ranks(terms) > 1:
        return Unknown(("a grouping for these layers",), "compressed layers without the hybrid manager, or over shared contexts, are not worked out")
    if terms.ranks("pipeline_parallel") > 1 or terms.speculative_tokens or terms.request.draft:
        return Unknown(("a grouping for these stages",), "compressed layers over pipeline stages, or with a head that drafts, are not worked out")
    if any(layer.compress_ratio and not _state_block(terms.parameters["compressed"], layer.compress_ratio) for layer in terms.layers):
        return Unknown(("a rule for this compression",), "blocks of the compressor's states are fixed by number, and not for these layers")
    return None


def _buckets(terms: Terms, facts: dict[str, Any]) -> Iterator[Bucket]:
    """Caches in the order of the layers: windows, compressed rows with index keys, and the states of each kind of compressor."""
    windowed = [layer for layer in terms.layers if layer.window]
    squeezed = [layer for layer in terms.layers if layer.compress_ratio]
    states: dict[int, list[Fraction]] = {}
    for layer in squeezed:
        states.setdefault(layer.compress_ratio, []).extend(_state_pages(layer, facts))
    yield _spec("sliding", facts["window_block"], windowed[0].window), [_page(facts["window_block"] * facts["row"], facts)] * len(windowed)
    yield _spec("latent", facts["block"], 0), [page for layer in squeezed for page in _row_pages(layer, facts)]
    for ratio, pages in states.items():
        # One in four: two blocks of tokens overlap, so that the window is twice the ratio.
        yield _spec("sliding", _state_block(facts, ratio), ratio * _overlap(ratio)), pages


def _row_pages(layer: Layer, facts: dict[str, Any]) -> Iterator[Fraction]:
    rows = facts["block"] // layer.compress_ratio
    yield _page(rows * facts["row"], facts)
    if layer.index_width:
        yield _page(rows * (layer.index_width + 4 * (layer.index_width // 128)), facts)


def _state_pages(layer: Layer, facts: dict[str, Any]) -> Iterator[Fraction]:
    """Keys and scores in fp32, of the rows and, where there are index keys, of these."""
    for width in filter(None, (layer.latent_width, layer.index_width)):
        yield _page(_state_block(facts, layer.compress_ratio) * 2 * _overlap(layer.compress_ratio) * width * 4, facts)


def _state_block(facts: dict[str, Any], ratio: int) -> int:
    """Tokens of a block of a compressor's states; 0 for a ratio that has none."""
    return next((row["tokens"] for row in facts["state_blocks"] if row["ratio"] == ratio), 0)


def _overlap(ratio: int) -> int:
    return 2 if ratio == 4 else 1


def _page(size: int, facts: dict[str, Any]) -> Fraction:
    return Fraction(ceil(Fraction(size, facts["align"])) * facts["align"])


def _spec(kind: str, block: int, window: int) -> Spec:
    """A spec whose page is that of the pool, whatever is in it: only its block and window count."""
    return Spec(kind, Fraction(0), block, Fraction(0), window)


def _balanced(pages: list[Fraction]) -> bool:
    """Whether there are equally many pages of each size."""
    return len(set(Counter(pages).values())) == 1


def _repeats(buckets: list[list[Fraction]], tuples: bool) -> int | None:
    """Layers of a size in a group, at which groups are padded least; None where nothing of different sizes is balanced.

    Packing by tuples counts the rows, too, however many of each size there are, and takes no fewer than these.
    """
    counted = [max(Counter(pages).values()) for pages in buckets if tuples or _balanced(pages)]
    mixed = [buckets[1]] if tuples else [pages for pages in buckets if _balanced(pages) and len(set(pages)) > 1]
    least = max((max(Counter(pages).values()) for pages in mixed), default=0)
    if not least:
        return None
    return min(range(least, max(counted) + 1), key=lambda size: (sum(-count % size for count in counted), -size))


def _words(spec: Spec, pages: list[Fraction]) -> str:
    return f"{len(pages)} caches with blocks of {spec.block} tokens"
