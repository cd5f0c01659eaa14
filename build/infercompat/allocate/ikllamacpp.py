"""ik_llama.cpp: one buffer of cells a layer, as long as the context of all slots together; latents as the mode of --mla-use has them.

Decided by src/llama.cpp llama_kv_cache_init and llama_init_from_model, src/llama-hparams.h (rows of windowed layers, states, layers that
share), src/llama-model.h (which architectures are latent, which have shorter windows), src/llama-context.h (padding) and ggml/src/ggml.c
(what a row of a type takes). The figures are those of all devices together.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Allocation, gathered
from infercompat.allocate.terms import Terms, element_bytes
from infercompat.derive import Layer, Unknown

MIB = 1 << 20
PADDING_WITHOUT_FLASH = 32
"""Cells that a context is rounded up to without flash attention; with it the policy says."""
LEAST_SLACK = 256
"""Cells that a shortened layer has beyond its window at least."""
OWN_TYPES = {"q6_0": (Fraction(26, 32), 0), "q8_KV": (Fraction(1), 8)}
"""Types that llama.cpp does not have: bytes of an element, and bytes that a row has beside."""


def cells(terms: Terms) -> Allocation | Unknown:
    """The figures for `ik-cells/1`."""
    if problem := _refusal(terms):
        return problem
    length = terms.request.max_model_len or terms.request.derived.context.native
    own = [layer for layer in terms.layers if layer.attends and layer.kind != "recurrent" and not (layer.shares and _named(terms, "sharing"))]
    if length is None and own:
        return Unknown(("max_model_len",), "the buffers are as long as the context, which is not known")
    padding = terms.parameters["padding"] if _flash(terms) else PADDING_WITHOUT_FLASH
    context = _padded(length or 0, padding) if own else 0
    short = _short(terms, padding, context)
    held = [(layer, min(context, short) if layer.window and short else context) for layer in own]
    groups = gathered((("windowed" if most < context else "full", most, _cell(terms, layer)) for layer, most in held), 1)
    buffers = sum((group.bytes_per_token * (group.most or 0) for group in groups), Fraction(0))
    slots = max(1, int(terms["max_num_seqs"] or 1))
    states = sum((Fraction(layer.conv_elements + layer.state_elements) * 4 for layer in terms.layers), Fraction(0))
    reserved = ceil(buffers + slots * states)
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        state_bytes=ceil(states),
        reserved=reserved,
        needed_bytes=reserved,
        capacity_tokens=context,
        because=tuple(_because(terms, short, slots)),
        notes=(
            *terms.notes,
            "figures are those of all devices together; where graphs are split, each device keeps latents of its own",
            "all slots share the cells",
        ),
        lines=tuple(_lines(terms, buffers)),
        figures={"cache_bytes": float(buffers), "states_bytes": float(slots * states)},
    )


def _named(terms: Terms, parameter: str) -> bool:
    return terms["model.architecture"] in terms.parameters.get(parameter, ())


def _flash(terms: Terms) -> bool:
    return terms["setting.flash_attn"] not in (False, 0, "off", "false", "0")


def _mode(terms: Terms) -> int:
    """How latents are kept, by --mla-use."""
    return int(terms["setting.mla_use"] or 0)


def _padded(cells: int, padding: int) -> int:
    return -(-cells // padding) * padding


def _short(terms: Terms, padding: int, context: int) -> int | None:
    """Cells of a windowed layer where --swa-compress is given and the architecture's graph knows shortened layers; else None."""
    window = max((layer.window for layer in terms.layers), default=0)
    if not window or not terms["setting.swa_compress"] or not _named(terms, "windowed"):
        return None
    micro = min(context, int(terms["max_num_batched_tokens"] or context), int(terms["setting.ubatch_size"] or context))
    return _padded(window + max(micro, LEAST_SLACK), padding)


def _refusal(terms: Terms) -> Unknown | None:
    layers, kept = terms.layers, [layer for layer in terms.layers if layer.attends]
    if any(layer.compress_ratio or layer.kind == "cross" or layer.cross_tokens for layer in layers):
        return Unknown(("a rule for these layers",), "compressed layers and cross-attention are not worked out")
    if any(layer.window or layer.shares or layer.latent_width for layer in layers) and not terms["model.architecture"]:
        return Unknown(("model.architecture",), "what is kept goes by what the architecture is converted to")
    if any(layer.latent_width for layer in layers) and not _named(terms, "latent"):
        return Unknown(("a rule for these latents",), "how latents of this architecture are kept was not read")
    if any(layer.index_width for layer in layers):
        return Unknown(("a rule for this index",), "which layers keep index keys goes by a rule of the program, not by the config")
    if any(layer.conv_elements or layer.state_elements for layer in layers) and not _named(terms, "states"):
        return Unknown(("a rule for these states",), "the states of this architecture were not read")
    if any(layer.shares for layer in layers) and not _named(terms, "sharing"):
        return Unknown(("a rule for these layers",), "layers of this architecture that share a cache were not read")
    if _mode(terms) not in (0, 1, 2, 3):
        return Unknown(("setting.mla_use",), f"--mla-use has no mode {_mode(terms)}")
    types = {part: _type(terms, part) for part in ("k", "v")}
    if unknown := next((word for word in types.values() if _sizes(word) is None), None):
        return Unknown(("cache.dtype",), f"the size of a cache of {unknown} is not known")
    if kept and not _flash(terms) and types["v"] not in ("f16", "fp16", "bf16"):
        return Unknown(("cache.v.dtype",), f"values in {types['v']} need flash attention: it does not start")
    if types["v"] == "q8_KV" and any(not layer.latent_width for layer in kept):
        return Unknown(("cache.v.dtype",), "a V cache of q8_KV was not read")
    if not _flash(terms) and _mode(terms) == 1 and any(layer.latent_width for layer in layers):
        return Unknown(("the rotary part of the latent",), "mode 1 without flash attention keeps the latent once more without it, and its width is not known")
    if any(layer.window for layer in layers) and terms["setting.swa_compress"] and _named(terms, "windowed") and int(terms["max_num_seqs"] or 1) > 1:
        return Unknown(("setting.swa_compress",), "--swa-compress takes one slot: it does not start with more")
    return None


def _type(terms: Terms, part: str) -> str:
    given = terms.request.given(f"cache.{part}.dtype") or terms.request.given("cache.dtype")
    return str(given or terms[f"cache.{part}.dtype"] or "f16")


def _sizes(word: str) -> tuple[Fraction, int] | None:
    """Bytes of an element and of what a row has beside, by the name of the type."""
    size = element_bytes(word)
    return OWN_TYPES.get(word) or (None if size is None else (size, 0))


def _row(word: str, elements: int) -> Fraction:
    """Bytes of a row of so many elements."""
    size, beside = _sizes(word) or (Fraction(0), 0)
    return size * elements + beside


def _cell(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of a cell of one layer: K by heads, each a row, and V; or a latent once, in the type of V without flash attention."""
    k, v = _type(terms, "k"), _type(terms, "v")
    if layer.latent_width and _mode(terms):
        return _row(k if _flash(terms) else v, layer.latent_width)
    return layer.kv_heads * _row(k, layer.k_width) + _row(v, layer.kv_heads * layer.v_width)


def _because(terms: Terms, short: int | None, slots: int) -> Iterator[str]:
    layers = terms.layers
    if any(layer.window for layer in layers):
        if short:
            yield f"--swa-compress: windowed layers have {short} cells"
        elif terms["setting.swa_compress"]:
            yield "--swa-compress is ignored: the architecture's graph does not know shortened layers"
        else:
            yield "windows do not shorten the cache"
    if any(layer.latent_width for layer in layers):
        if not _mode(terms):
            yield "--mla-use 0: K and V of every head are kept"
        elif not _flash(terms):
            yield f"without flash attention, --mla-use {_mode(terms)} keeps the latent in the type of V"
    if slots > 1 and any(layer.state_elements for layer in layers):
        yield f"{slots} slots with states of their own"


def _lines(terms: Terms, buffers: Fraction) -> Iterator[str]:
    if buffers:
        yield f"KV self size  = {float(buffers) / MIB:7.2f} MiB"
