"""ONNX Runtime GenAI: one buffer a layer for the longest answer, past and present in the same memory.

Decided by src/models/kv_cache.cpp (DefaultKeyValueCache) and src/models/windowed_kv_cache.cpp (ComputeWindowedKvCacheSize), with what
the model builder writes: builders/base.py (which layers are windowed, whether the buffer is shared) and quantization/quant_config.py
(the type of the cache). Models written for paged attention, and models with states, are not meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.terms import Terms, element_bytes
from infercompat.derive import Layer, Unknown

SLACK = {"cpu": 16, "cuda": 0}
"""Tokens beside a window, by what the model was written for."""


def buffers(terms: Terms) -> Allocation | Unknown:
    """The figures for `ort-buffers/1`: nothing grows, each sequence has buffers of the length from the start."""
    if problem := _refusal(terms):
        return problem
    length = terms.max_model_len
    if length is None:
        return Unknown(("max_model_len",), "buffers have the longest length, which is not known")
    size = _element(terms)
    if isinstance(size, Unknown):
        return size
    windowed = terms["setting.windowed_kv_cache"] is not False and terms["platform"] in SLACK
    held: dict[tuple[str, int], list[Fraction]] = {}
    for layer in terms.layers:
        if layer.attends:
            tokens = min(length, layer.window + SLACK[terms["platform"]]) if windowed and layer.window else length
            held.setdefault(("windowed" if windowed and layer.window else "full", tokens), []).append(_token(layer, size))
    groups = tuple(Group(kind, len(sizes), sum(sizes, Fraction(0)), tokens, tokens) for (kind, tokens), sizes in held.items())
    batch = int(terms["max_num_seqs"] or 1)
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        reserved=batch * int(sum((group.bytes_per_token * (group.most or 0) for group in groups), Fraction(0))),
        longest=length,
        because=tuple(_because(terms, windowed)),
        notes=(*terms.notes, "buffers have the length max_length from the start, which is the model's own where nobody sets it"),
    )


def _refusal(terms: Terms) -> Unknown | None:
    if any(layer.kind not in ("full", "sliding", "chunked", "none") or layer.latent_width or layer.cross_tokens or layer.index_width for layer in terms.layers):
        return Unknown(("a rule for these layers",), "latents, states and cross-attention are not worked out")
    if any(layer.shares for layer in terms.layers):
        return Unknown(("a rule for these layers",), "layers that share a cache are not worked out")
    if terms.ranks("tensor_parallel") > 1:
        return Unknown(("tensor_parallel",), "the builder writes a model for one device; of several nothing was found")
    if terms["setting.use_paged_attention"]:
        return Unknown(("a rule for the paged cache",), "models written for the engine with continuous batches are not worked out")
    if any(layer.window for layer in terms.layers) and terms["platform"] is None:
        return Unknown(("platform",), "what windowed layers keep goes by what the model was written for")
    if (attending := [layer for layer in terms.layers if layer.attends]) and all(layer.window for layer in attending):
        return Unknown(("layer_types",), "layers are windowed for the builder where layer_types says so, which is not told where every layer is")
    return None


def _element(terms: Terms) -> Fraction | Unknown:
    """Bytes of an element: of the activations, which are fp32 for models that were quantized for the processor."""
    if terms["platform"] == "cpu" and terms["setting.precision"] in ("int4", "int8", "fp32") and terms["cache.dtype"] in (None, "auto", "bf16"):
        return Fraction(4)
    size = element_bytes(terms["cache.dtype"])
    if size not in (2, 4):
        return Unknown(("cache.dtype",), f"how scales are kept in a cache of {terms['cache.dtype']} is not worked out")
    return Fraction(4) if terms["setting.precision"] == "fp32" else size


def _token(layer: Layer, size: Fraction) -> Fraction:
    return layer.kv_heads * (layer.k_width + layer.v_width) * size


def _because(terms: Terms, windowed: bool) -> Iterator[str]:
    if any(layer.window for layer in terms.layers):
        yield "layers that the builder calls windowed have buffers of the window" if windowed else "windows do not shorten the buffers here"
    if terms["platform"] == "cpu" and terms["setting.precision"] in ("int4", "int8"):
        yield "for the processor the activations of a quantized model are fp32, and so is the cache"
