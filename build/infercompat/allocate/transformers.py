"""Transformers: tensors for one sequence, growing token by token, or of the full length at once.

Decided by cache_utils.py (DynamicCache, StaticCache and the layer classes behind get_layer_types_and_kwargs). The dynamic cache keeps
one token less of a window than the layer attends to, since the newest token is at hand; so it can be below the ideal by that token.
What a layer attends to across (an encoder's positions, an image's) is kept whole, in tensors of its own (EncoderDecoderCache, and the
layers of Mllama).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Allocation, gathered
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank
from infercompat.derive import Layer, Unknown

DYNAMIC, STATIC = (None, "dynamic", "offloaded"), ("static", "offloaded_static")


def tensors(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `transformers-tensors/1`, in the model's type of two bytes unless cache.dtype says another."""
    if problem := _refusal(terms):
        return problem
    static, length = terms["setting.cache_implementation"] in STATIC, terms.max_model_len
    own = [layer for layer in terms.layers if layer.attends and not layer.shares]
    groups = gathered((layer.kind, _most(layer, length if static else None, static), _token(terms, layer)) for layer in own)
    allocated = ceil(sum((group.bytes_per_token * (group.most or 0) for group in groups), Fraction(0))) if static else 0
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        state_bytes=ceil(sum((_across(terms, layer) for layer in terms.layers), Fraction(0))),
        reserved=allocated,
        because=(f"a static cache is allocated for {length} tokens at the first step",) if static else (),
        notes=(*terms.notes, "figures are those of one sequence; a batch pads all sequences to the longest"),
    )


def _most(layer: Layer, length: int | None, static: bool) -> int | None:
    """Tokens that a layer keeps: of a window all but the newest where the cache grows, else the window within the length."""
    if not layer.window:
        return length
    return min(layer.window, length or layer.window) if static else layer.window - 1


def _refusal(terms: Terms) -> Unknown | None:
    implementation, ranks = terms["setting.cache_implementation"], terms.ranks("tensor_parallel")
    if implementation not in DYNAMIC + STATIC:
        return Unknown(("setting.cache_implementation",), f"the size of a cache of the implementation {implementation} is not worked out")
    if implementation in STATIC and terms.max_model_len is None:
        return Unknown(("max_model_len",), "a static cache is as long as the request, which is not known")
    if any(layer.conv_elements or layer.state_elements for layer in terms.layers):
        return Unknown(("a rule for these states",), "recurrent states are not worked out: a column longer than elsewhere, in types that kernels decide")
    if implementation in STATIC and any(layer.cross_tokens for layer in terms.layers):
        return Unknown(("a rule for cross-attention",), "how long a static cache for cross-attention is was not read")
    if any(layer.compress_ratio for layer in terms.layers):
        return Unknown(("a rule for compressed layers",), "tokens that wait to be compressed are not worked out")
    if not all(divides(0 if layer.latent_width else layer.kv_heads, ranks) for layer in terms.layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if element_bytes(terms["cache.dtype"]) not in (2, 4):
        return Unknown(("cache.dtype",), "a quantized cache is not worked out")
    return None


def _across(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of K and V of the positions that a layer attends to across."""
    heads = heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel")) if layer.cross_tokens else 0
    return layer.cross_tokens * heads * (layer.k_width + layer.v_width) * (element_bytes(terms["cache.dtype"]) or Fraction(0))


def _token(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of a token in a layer on one rank; the latent and its index key are kept in the model's type, on every rank."""
    size = element_bytes(terms["cache.dtype"]) or Fraction(0)
    if layer.latent_width:
        return (layer.latent_width + layer.index_width) * size
    heads = heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel"))
    return (heads * (layer.k_width + layer.v_width) + layer.index_width) * size
