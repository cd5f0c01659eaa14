"""ExLlamaV3: pages of 256 tokens for one number of tokens over all requests, and a slot of rings and states for each sequence.

Decided by exllamav3/cache/cache.py (one layer of cache for each attending layer), cache/fp16.py and cache/quant.py (what a token takes),
cache/mla.py (latents and index keys), modules/sliding_attn.py (rings), modules/gated_delta_net.py and modules/short_conv.py (states).
Everything is allocated when the model is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from infercompat.allocate.allocation import Allocation, Group, gathered
from infercompat.allocate.terms import Terms, element_bytes, whole
from infercompat.derive import Layer, Unknown

GROUP = 32
"""Elements that share a scale of two bytes in a quantized cache."""
BEYOND_WINDOW = 2
"""Pages that a ring has beside its window."""


def pages(terms: Terms) -> Allocation | Unknown:
    """The figures for `exllamav3-pages/1`."""
    bits = _bits(terms["setting.cache_quant"])
    if isinstance(bits, Unknown):
        return bits
    if problem := _refusal(terms, bits):
        return problem
    step = terms.parameters["block_size"]
    rings = terms["model.architecture"] in terms.parameters["windowed"] and not terms["setting.swa_full"]
    slots = int(terms["max_num_seqs"] or 1)
    attending = [layer for layer in terms.layers if layer.attends]
    ringed = [layer for layer in attending if rings and layer.window]
    paged = gathered(((layer.kind, None, _token(layer, bits)) for layer in attending if layer not in ringed), step)
    held = tuple(_ring(layer, step) for layer in ringed)
    state = ceil(sum((_state(terms, layer) for layer in terms.layers), Fraction(0)))
    tokens = ceil(max(int(terms["setting.cache_size"] or 0), terms.max_model_len or 0) / step) * step
    page = sum((group.bytes_per_token for group in paged), Fraction(0)) * step
    fixed = state + ceil(sum((group.bytes_per_token * group.most for group in held if group.most), Fraction(0)))
    return Allocation(
        terms.algorithm,
        terms.title,
        (*paged, *_together(held)),
        block_size=step,
        bytes_per_block=ceil(page) or None,
        state_bytes=state,
        reserved=ceil(page * (tokens // step)) + slots * fixed,
        blocks=tokens // step,
        capacity_tokens=tokens,
        most_requests=slots if fixed else None,
        because=tuple(_because(terms, bits, rings, tokens)),
        notes=tuple(_notes(terms, slots, bool(state))),
    )


def _bits(written: Any) -> tuple[int, int] | Unknown | None:
    """The bits of keys and values; None for a cache in fp16."""
    if written in (None, "null", ""):
        return None
    parts = [part.strip() for part in str(written).split(",")]
    if len(parts) > 2 or not all(part.isdigit() and 2 <= int(part) <= 8 for part in parts):
        return Unknown(("setting.cache_quant",), f"--cache_quant takes one number or two from 2 to 8, not {written}")
    return int(parts[0]), int(parts[-1])


def _refusal(terms: Terms, bits: tuple[int, int] | None) -> Unknown | None:
    layers, architecture = terms.layers, terms["model.architecture"]
    if any(layer.window for layer in layers) and not architecture:
        return Unknown(("model.architecture",), "whether windowed layers have rings goes by the architecture")
    if any(layer.compress_ratio or layer.kind == "cross" or layer.cross_tokens for layer in layers):
        return Unknown(("a rule for these layers",), "compressed layers and cross-attention are not worked out")
    if any(layer.index_width for layer in layers) and architecture not in terms.parameters["indexed"]:
        return Unknown(("a rule for this index",), "the index keys of this architecture are not worked out")
    if any(layer.shares for layer in layers):
        return Unknown(("a rule for these layers",), "layers that share a cache are not worked out")
    if any(layer.conv_elements or layer.state_elements for layer in layers):
        if terms.request.derived.name not in terms.parameters["states"]:
            return Unknown(("a rule for these states",), "the states of this architecture are not worked out")
        if not whole(terms["model.conv_kernel"]) or terms["model.conv_kernel"] < 2:
            return Unknown(("model.conv_kernel",), "convolutions keep as many columns as the kernel has, and its length is not known")
    if terms.ranks("tensor_parallel") > 1 or terms["setting.tensor_parallel"]:
        return Unknown(("tensor_parallel",), "parts of a model may differ in size, by the memory of the devices")
    if bits is None and element_bytes(terms["cache.dtype"]) != 2:
        return Unknown(("setting.cache_quant",), f"there is no cache of {terms['cache.dtype']}: it is fp16, or quantized by --cache_quant")
    if bits and any(layer.latent_width for layer in layers):
        return Unknown(("the rotary part of the latent",), "a quantized latent keeps its rotary part in fp16, whose width is not known")
    if bits and any(layer.kv_heads * layer.k_width % GROUP for layer in layers if layer.attends):
        return Unknown(("a rule for these heads",), f"a quantized cache goes by groups of {GROUP} elements")
    return None


def _token(layer: Layer, bits: tuple[int, int] | None) -> Fraction:
    """Bytes of a token in a layer: K and V, both as wide as K; or the latent with its index key."""
    if layer.latent_width:
        return Fraction(2 * (layer.latent_width + layer.index_width))
    elements = layer.kv_heads * max(layer.k_width, layer.v_width)
    return Fraction(4 * elements) if bits is None else Fraction(elements * sum(bits), 8) + Fraction(4 * elements, GROUP)


def _ring(layer: Layer, step: int) -> Group:
    """The ring of one layer and sequence, in fp16 always: the window and two pages, in whole pages. It is there from the start."""
    tokens = ceil((layer.window + BEYOND_WINDOW * step) / step) * step
    return Group("windowed", 1, _token(layer, None), tokens, tokens)


def _together(rings: tuple[Group, ...]) -> Iterator[Group]:
    """Rings of one length as one group."""
    for length in dict.fromkeys(ring.most for ring in rings):
        alike = [ring.bytes_per_token for ring in rings if ring.most == length]
        yield Group("windowed", len(alike), sum(alike, Fraction(0)), length or 1, length)


def _state(terms: Terms, layer: Layer) -> Fraction:
    """Bytes that a sequence holds in a layer with states, whatever its length.

    A convolution keeps a column for each position of its kernel and each drafted token. Beside a recurrent state, of which there are two,
    so many columns as a step has tokens stand ready for taking the step back.
    """
    if not layer.conv_elements:
        return Fraction(0)
    kernel, drafted = int(terms["model.conv_kernel"]), terms.speculative_tokens
    column = Fraction(2 * layer.conv_elements, kernel - 1)
    if not layer.state_elements:
        return column * (kernel + drafted)
    element = 4 if terms["setting.recurrent_state_fp32"] else 2
    return column * (kernel + drafted + drafted + 1) + 2 * layer.state_elements * element


def _because(terms: Terms, bits: tuple[int, int] | None, rings: bool, tokens: int) -> Iterator[str]:
    asked = int(terms["setting.cache_size"] or 0)
    if tokens > asked:
        yield f"--cache_size has to be {tokens}: it is {asked} otherwise, for all requests together"
    if any(layer.window for layer in terms.layers) and not rings:
        yield "windows do not shorten the cache: windowed layers keep every token"
    elif any(layer.window for layer in terms.layers):
        yield "windowed layers have rings of the window and two pages, one for each slot"
    if bits:
        yield f"keys take {bits[0]} bits and values {bits[1]}, with a scale for {GROUP} elements; rings stay in fp16"
    if any(layer.v_width and layer.v_width < layer.k_width for layer in terms.layers if not layer.latent_width):
        yield "values are kept as wide as keys"


def _notes(terms: Terms, slots: int, states: bool) -> Iterator[str]:
    yield from terms.notes
    yield f"the cache is allocated when the model is loaded, with {slots} slot{'s' if slots > 1 else ''}"
    if states and any(layer.state_elements for layer in terms.layers):
        yield "the gates that stand ready for taking a step back are not counted"
