"""mlx-lm: arrays that grow as a sequence does; windowed layers keep a ring where the model's file asks for one.

Decided by mlx_lm/models/cache.py (make_prompt_cache, KVCache, RotatingKVCache, ChunkedKVCache, QuantizedKVCache) and the make_cache of
each model's file. Nothing is set aside at start, and there is no tensor parallelism of the cache to count.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation, gathered
from infercompat.allocate.terms import NOT_COUNTED, Terms, whole
from infercompat.derive import Layer, Unknown


def arrays(terms: Terms) -> Allocation | Unknown:
    """The figures for `mlx-arrays/1`: the model's arrays, and those of a draft beside them."""
    answer, draft = _arrays(terms), terms.request.draft
    if isinstance(answer, Unknown) or draft is None:
        return answer
    if any(layer.conv_elements or layer.state_elements for layer in (*terms.layers, *draft.layers)):
        return Unknown(("speculation with these states",), "drafting needs caches that can be cut back, and recurrent states cannot: it does not start")
    beside = _arrays(replace(terms, request=replace(terms.request, derived=draft, draft=None)))
    if isinstance(beside, Unknown):
        return Unknown(beside.missing, f"the arrays of the draft: {beside.reason}")
    groups = (*answer.groups, *(replace(group, kind=f"draft {group.kind}") for group in beside.groups))
    notes = tuple(note for note in answer.notes if note != NOT_COUNTED)
    return replace(answer, groups=groups, because=(*answer.because, "the draft has arrays of its own"), notes=notes)


def _arrays(terms: Terms) -> Allocation | Unknown:
    """The arrays of one model. They are in the model's type, of two bytes, until --kv-bits converts them."""
    if problem := _refusal(terms):
        return problem
    rings = _named(terms, "windowed") or _named(terms, "chunked")
    ring = None if _named(terms, "own_cache") else whole(terms["setting.max_kv_size"])
    own = [layer for layer in terms.layers if layer.attends and layer.kind != "recurrent" and not (layer.shares and _named(terms, "sharing"))]
    if terms["setting.kv_bits"] and (ring or any(layer.window and rings for layer in own)):
        return Unknown(("setting.kv_bits",), "a ring cannot be converted by --kv-bits: generation fails once the conversion is due")
    step = terms.parameters["block_size"]
    kept = [(layer, layer.window if rings and layer.window else ring) for layer in own]
    groups = gathered(((layer.kind if most == layer.window else "full", most, _token(terms, layer)) for layer, most in kept), step)
    state = sum((Fraction(2 * layer.conv_elements + 4 * layer.state_elements) for layer in terms.layers), Fraction(0))
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        block_size=step,
        state_bytes=ceil(state),
        reserved=0,
        because=tuple(_because(terms, rings, ring)),
        notes=(
            *terms.notes,
            "nothing is set aside at start",
            f"a ring that still grows counts its steps of {step} from the end of the prompt",
            "while a prompt is read, a ring holds up to one prefill step more than its window",
        ),
    )


def _named(terms: Terms, parameter: str) -> bool:
    return terms.request.derived.name in terms.parameters[parameter]


def _refusal(terms: Terms) -> Unknown | None:
    layers = terms.layers
    if any(layer.compress_ratio or layer.kind == "cross" or layer.cross_tokens for layer in layers):
        return Unknown(("a rule for these layers",), "compressed layers and cross-attention are not worked out")
    if any(layer.index_width and not layer.latent_width for layer in layers):
        return Unknown(("a rule for this index",), "index keys beside grouped-query attention are not worked out")
    if any(layer.conv_elements or layer.state_elements for layer in layers) and not _named(terms, "states"):
        return Unknown(("a rule for these states",), "the states that this model's file keeps are not worked out")
    if terms["setting.kv_bits"] and whole(terms["setting.kv_bits"]) not in (2, 3, 4, 6, 8):
        return Unknown(("setting.kv_bits",), f"{terms['setting.kv_bits']} bits are no quantization of MLX")
    return None


def _token(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of a token in a layer: K and V of all heads, or a latent; an index key is kept as K and as V."""
    if layer.latent_width and not _named(terms, "expanded"):
        elements = Fraction(layer.latent_width + 2 * layer.index_width)
    else:
        elements = Fraction(layer.kv_heads * (layer.k_width + layer.v_width))
    return elements * _element(terms)


def _element(terms: Terms) -> Fraction:
    """Bytes of an element; a quantized one has its bits, and for each group of elements a scale and a bias in the model's type."""
    bits = whole(terms["setting.kv_bits"])
    return Fraction(bits, 8) + Fraction(4, int(terms["setting.kv_group_size"] or 64)) if bits else Fraction(2)


def _because(terms: Terms, rings: bool, ring: int | None) -> Iterator[str]:
    if any(layer.window for layer in terms.layers) and not rings:
        yield "windows do not shorten the cache: the model's file makes no rings"
    if ring:
        yield f"--max-kv-size: every layer keeps a ring of {ring} tokens, which changes what the model sees"
    elif terms["setting.max_kv_size"]:
        yield "--max-kv-size is ignored: the model's file makes its caches itself"
    if terms["setting.kv_bits"]:
        bits, start = terms["setting.kv_bits"], terms["setting.quantized_kv_start"]
        yield f"arrays are converted to {bits} bits after {start} tokens; figures are those after it"
    if _named(terms, "expanded") and any(layer.latent_width for layer in terms.layers):
        yield "the model's file keeps K and V of every head, not the latent"
