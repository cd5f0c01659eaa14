"""Text Generation Inference: blocks over all layers, of the size that the attention in use has.

Decided by launcher/src/main.rs (resolve_attention), server/text_generation_server/models/globals.py (the size of a block), and of
models/flash_causal_lm.py the constructor, init_kv_cache and warmup: one number of heads and one width for all layers, and no window.
Models on the path without blocks, which keep plain arrays, are not meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Allocation, gathered
from infercompat.allocate.terms import Terms, element_bytes, unlike
from infercompat.derive import Unknown

BLOCKS = {"flashdecoding": 256, "flashinfer": 1, "flashdecoding-ipex": 64, "paged": 16}
FLASHINFER_HEADS = (64, 128, 256)
BEFORE_AMPERE = ("sm70", "sm75")


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `tgi-blocks/1`."""
    if problem := _refusal(terms):
        return problem
    attention = _attention(terms)
    step = BLOCKS.get(attention)
    if step is None:
        return Unknown(("attention.backend",), f"{attention} is no attention of this engine")
    ranks, size = terms.ranks("tensor_parallel"), _size(terms) or Fraction(0)
    heads = [max(1, layer.kv_heads // ranks) for layer in terms.layers]
    layers = [("full", None, heads[at] * 2 * layer.k_width * size) for at, layer in enumerate(terms.layers) if layer.attends]
    groups = gathered(layers, step)
    block = sum((group.bytes_per_token for group in groups), Fraction(0)) * step
    available, length = terms.request.available_bytes, terms.max_model_len
    count = int(available // block) if available is not None and block else None
    tokens = None if count is None else count * step
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        block_size=step,
        bytes_per_block=ceil(block) or None,
        blocks=count,
        capacity_tokens=tokens,
        max_concurrency=tokens / length if tokens is not None and length else None,
        longest=None if tokens is None or length is None else min(tokens, length),
        because=tuple(_because(terms, attention, step)),
        notes=(*terms.notes, "blocks take the memory that is left after a step with the largest batch of prompts, less a tenth of the device"),
    )


def _refusal(terms: Terms) -> Unknown | None:
    layers, ranks = [layer for layer in terms.layers if layer.kind != "none"], terms.ranks("tensor_parallel")
    if problem := unlike(layers):
        return problem
    if any(layer.k_width != layer.v_width for layer in layers):
        return Unknown(("a rule for these heads",), "keys and values of different widths are not worked out")
    if any(layer.kv_heads > 1 and layer.kv_heads % ranks for layer in layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if _size(terms) not in (1, 2, 4):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known")
    return None


def _size(terms: Terms) -> Fraction | None:
    """Bytes of an element; the engine's own words for fp8 end in fn."""
    return element_bytes(str(terms["cache.dtype"] or "auto").removesuffix("fn"))


def _attention(terms: Terms) -> str:
    """What runs: named, else by the width of the heads, the model and the device."""
    if terms["attention.backend"] not in (None, "auto"):
        return str(terms["attention.backend"])
    other = "paged" if terms["hardware.class"] in BEFORE_AMPERE or terms["platform"] not in (None, "cuda") else "flashdecoding"
    wide = all(layer.k_width in FLASHINFER_HEADS for layer in terms.layers if layer.attends)
    return "flashinfer" if wide and terms.request.derived.name not in terms.parameters["not_flashinfer"] else other


def _because(terms: Terms, attention: str, step: int) -> Iterator[str]:
    yield f"blocks have {step} token{'s' if step > 1 else ''} under {attention}"
    if any(layer.window for layer in terms.layers):
        yield "windows do not shorten the cache: all layers share one table of blocks"
