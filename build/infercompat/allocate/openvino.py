"""OpenVINO GenAI: blocks over all layers, allocated as they are needed or for a size that is named.

Decided by src/cpp/src/continuous_batching/cache/kv_cache_manager.hpp (bytes and tokens of a block), block_manager.hpp, cache_orchestrator.hpp
and scheduler.hpp (how many), with the shapes that the plugin for processors gives the inputs of a compiled model. Intel's GPUs, whose plugin
gives other shapes, the path without blocks, and models with states are not meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from infercompat.allocate.allocation import Allocation, gathered
from infercompat.allocate.terms import Terms, element_bytes, whole
from infercompat.derive import Layer, Unknown

BLOCK = 32
"""Tokens of a block on a processor."""
SCALE = 8
"""Bytes of a scale and a zero point, which an 8-bit cache has for each channel of a block's keys and for each token's values of a head."""
BYTES = ("u8", "int8")
GIB = 1 << 30


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures for `openvino-blocks/1`."""
    if problem := _refusal(terms):
        return problem
    groups = gathered((("full", None, _block(layer, terms) / BLOCK) for layer in terms.layers if layer.attends), BLOCK)
    block = int(sum((group.bytes_per_token for group in groups), Fraction(0)) * BLOCK)
    count, length = _count(terms, block), terms.max_model_len
    tokens = None if count is None else count * BLOCK
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        block_size=BLOCK,
        bytes_per_block=block or None,
        reserved=count * block if count is not None and _named(terms, block) else None,
        blocks=count,
        capacity_tokens=tokens,
        max_concurrency=tokens / length if tokens is not None and length else None,
        longest=None if tokens is None or length is None else min(tokens, length),
        because=tuple(_because(terms)),
        notes=(*terms.notes, *_notes(terms, block)),
    )


def _refusal(terms: Terms) -> Unknown | None:
    layers = [layer for layer in terms.layers if layer.kind != "none"]
    if any(layer.kind not in ("full", "sliding", "chunked") or layer.latent_width or layer.cross_tokens or layer.index_width for layer in layers):
        return Unknown(("a rule for these layers",), "latents, states and cross-attention are not worked out")
    if any(layer.shares for layer in layers):
        return Unknown(("a rule for these layers",), "layers that share a cache are not worked out")
    if terms["platform"] != "cpu":
        reason = "the shapes that the plugin for GPUs gives the cache were not read" if terms["platform"] == "xpu" else "what a block holds goes by the device"
        return Unknown(("platform",), reason)
    if terms["attention.backend"] == "SDPA":
        return Unknown(("attention.backend",), "the state of a model without blocks is not worked out")
    if terms["setting.use_cache_eviction"]:
        return Unknown(("setting.use_cache_eviction",), "a cache that drops tokens is not worked out")
    if terms.ranks("tensor_parallel") > 1:
        return Unknown(("tensor_parallel",), "a model over several devices is not worked out")
    if _dtype(terms) not in BYTES and element_bytes(_dtype(terms)) not in (2, 4):
        return Unknown(("cache.dtype",), f"how scales are kept in a cache of {_dtype(terms)} is not worked out")
    return None


def _dtype(terms: Terms) -> str:
    asked = terms["cache.dtype"]
    return BYTES[0] if asked in (None, "auto") else str(asked)


def _block(layer: Layer, terms: Terms) -> Fraction:
    """Bytes of a block in a layer: with 8 bits, keys have rows more for each channel, values are wider by a scale for each head."""
    if _dtype(terms) in BYTES:
        return Fraction(layer.kv_heads * ((BLOCK + SCALE) * layer.k_width + BLOCK * (layer.v_width + SCALE)))
    return layer.kv_heads * BLOCK * (layer.k_width + layer.v_width) * (element_bytes(_dtype(terms)) or Fraction(0))


def _named(terms: Terms, block: int) -> int | None:
    """Blocks that the settings ask for: their number before the size in GiB; None where neither does."""
    number, size = whole(terms["setting.num_kv_blocks"]), whole(terms["setting.cache_size"])
    return number or (size * GIB // block if size and block else None) or None


def _count(terms: Terms, block: int) -> int | None:
    named, available = _named(terms, block), terms.request.available_bytes
    return named if named else int(available // block) if available is not None and block else None


def _because(terms: Terms) -> Iterator[str]:
    if _dtype(terms) in BYTES:
        yield f"an 8-bit cache has {SCALE} bytes of scale for each channel of a block's keys and each token's values"
    if any(layer.window for layer in terms.layers):
        yield "windows do not shorten the cache: they are part of the mask"


def _notes(terms: Terms, block: int) -> Iterator[str]:
    if terms["cache.dtype"] in (None, "auto"):
        yield "8 bits are the plugin's own choice; a model that was exported without compression asks for f16"
    if _dtype(terms) in BYTES:
        yield "as seen on an x86-64 processor"
    if not _named(terms, block):
        yield "blocks are allocated as requests need them, at first for twice the prompt and then 256 tokens at a time"
