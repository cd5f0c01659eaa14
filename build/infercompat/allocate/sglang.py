"""SGLang: token pools of one size for all layers, or two pools where the architecture is on a list of windowed ones.

Decided by model_executor/pool_configurator.py, mem_cache/kv_cache_configurator.py, configs/model_config.py (is_hybrid_swa_model) and
configs/mamba_utils.py. Sizes that the engine prints as GB are GiB.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil

from msgspec import Struct

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.sglang_requests import States, draft_share, method, most_requests, split_states
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank, state_elements
from infercompat.derive import Layer, Unknown

GIB = 1 << 30
SCALED_LATENT = 512 + 512 // 128 * 4 + 64 * 2
"""Bytes of a token where sparse backends keep fp8 with a scale for 128 elements and the rotary part in bf16."""


class Cells(Struct, frozen=True):
    """The rank that holds most: its layers that keep every token, those with a window, the bytes of a token in each, and of its states."""

    long: tuple[Layer, ...]
    short: tuple[Layer, ...]
    full: Fraction
    windowed: Fraction
    state: Fraction

    @property
    def window(self) -> int:
        return max((layer.window for layer in self.short), default=0)


def pools(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `sglang-pools/1`."""
    windows = _windows(terms)
    if isinstance(windows, Unknown):
        return windows
    if problem := _refusal(terms, windows):
        return problem
    cells, page = _cells(terms, windows), int(terms["block_size"] or terms.parameters["block_size"])
    ratio = Fraction(str(terms["setting.swa_full_tokens_ratio"] or terms.parameters["swa_ratio"])) if cells.full else Fraction(1)
    groups = [Group("full", len(cells.long), cells.full, page)] if cells.long else []
    if cells.short:
        extra = terms.parameters["eviction_interval"] * max(1, terms.speculative_tokens) + page
        groups.append(Group("windowed", len(cells.short), cells.windowed, page, _paged(cells.window + extra, page)))
    length, per_token = terms.max_model_len, cells.full + ratio * cells.windowed
    across = max((layer.cross_tokens for layer in terms.layers), default=0) * cells.full
    known = {
        "block_size": page,
        "bytes_per_block": ceil(per_token * page),
        "state_bytes": ceil(cells.state + across),
        "reserved": None if length is None else ceil(per_token * _pool(groups, ratio, page, length) + cells.state + across),
        "because": tuple(_because(terms, windows, ratio)),
        "notes": (*_draft_notes(terms, cells), "a pool too small for a request refuses it only when it comes"),
        "missing": () if length else ("max_model_len",),
    }
    if len(groups) > 1:
        # The check at start-up: the windowed pool has to be larger than a window and a page. Some models count a window one token shorter.
        known["needed_bytes"] = ceil(per_token * _paged(_paged(cells.window + page + 1, page) / ratio, page))
    return Allocation(terms.algorithm, terms.title, tuple(groups), **(known | _capacity(terms, cells, per_token, ratio, page)))


def _draft_notes(terms: Terms, cells: Cells) -> Iterator[str]:
    share = draft_share(terms, len(cells.long) + len(cells.short))
    if share:
        yield f"the layers that draft are counted as wide as the model's: {float(share):.1%} more bytes a token in what fits, and not in what is held"
    elif method(terms):
        yield from terms.notes


def _paged(tokens: int | Fraction, page: int) -> int:
    return ceil(tokens / Fraction(page)) * page


def _pool(groups: list[Group], ratio: Fraction, page: int, length: int) -> int:
    """Tokens of the smallest pool that holds one request; the windowed pool follows the full one by the ratio, and has to hold it too."""
    windowed = next((group.tokens(length) for group in groups if group.kind == "windowed"), 0)
    return _paged(max(Fraction(length), windowed / ratio), page)


def _windows(terms: Terms) -> bool | Unknown:
    """Whether windows shorten the cache: the architecture has to be on the list."""
    if not any(layer.window for layer in terms.layers) or terms["setting.disable_hybrid_swa_memory"]:
        return False
    architecture = terms["model.architecture"]
    if not architecture:
        return Unknown(("model.architecture",), "whether windows get a pool of their own goes by the architecture's name")
    return architecture in terms.parameters["windowed"]


def _refusal(terms: Terms, windows: bool) -> Unknown | None:
    """What keeps the layers from being worked out."""
    layers, ranks = terms.layers, terms.ranks("tensor_parallel")
    attending = [layer for layer in layers if layer.kind == "cross" or (layer.attends and layer.kind != "recurrent")]
    if any(layer.compress_ratio for layer in layers):
        return Unknown(("a rule for these layers",), "pools of compressed layers, with rings of states for requests that run, are not worked out")
    if any(layer.cross_tokens and layer.kind != "cross" for layer in layers):
        return Unknown(("a rule for these layers",), "an encoder's layers are counted with the decoder's in a scheme of their own, which is not worked out")
    if any(layer.kind == "cross" for layer in layers) and "extra_buffer" not in terms.parameters:
        return Unknown(("a rule for cross-attention",), "how this version keeps the tokens of an image was not read")
    if any(layer.index_width and not layer.latent_width for layer in attending):
        return Unknown(("a rule for this index",), "index keys beside grouped-query attention are not worked out")
    if not windows and len({(layer.kv_heads, layer.k_width, layer.v_width, layer.latent_width) for layer in attending}) > 1:
        return Unknown(("a common width",), "one pool for all layers counts one width, and the layers have several")
    if windows and any(layer.latent_width for layer in attending):
        return Unknown(("a rule for windowed latents",), "windows over a latent are not worked out")
    if not all(divides(0 if layer.latent_width else layer.kv_heads, ranks) for layer in attending):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    stateful = any(layer.conv_elements or layer.state_elements for layer in layers)
    if stateful and ("state_ratio" not in terms.parameters or (ranks > 1 and "mamba2" in terms.request.derived.requirements)):
        return Unknown(("a rule for these states",), "recurrent states of this version, or Mamba-2 groups over several ranks, are not worked out")
    size = element_bytes(terms["cache.dtype"])
    if size not in (1, 2) or (size == 1 and any(layer.kind == "indexed" and layer.latent_width != 576 for layer in attending)):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known for these layers")
    return None


def _cells(terms: Terms, windows: bool) -> Cells:
    """The cells of the pipeline stage that holds most; layers that share the cache of another have one of their own all the same."""
    stages = [[layer for layer in terms.layers[stage.start : stage.stop]] for stage in _stages(terms)]
    fullest = max(stages, key=lambda layers: sum(_token(terms, layer) for layer in layers))
    short = tuple(layer for layer in fullest if windows and layer.window)
    long = tuple(layer for layer in fullest if not (windows and layer.window) and _token(terms, layer))
    full, windowed = (sum((_token(terms, layer) for layer in layers), Fraction(0)) for layers in (long, short))
    return Cells(long, short, full, windowed, max(sum((_state(terms, layer) for layer in layers), Fraction(0)) for layers in stages))


def _stages(terms: Terms) -> list[range]:
    """The layers of each pipeline stage; the last ones have what is left over (distributed/utils.py)."""
    count, ranks = len(terms.layers), terms.ranks("pipeline_parallel")
    sizes = [count // ranks + (stage >= ranks - count % ranks) for stage in range(ranks)]
    return [range(start, end) for start, end in pairwise([0, *accumulate(sizes)])]


def _token(terms: Terms, layer: Layer) -> Fraction:
    """Bytes that a token leaves in a layer on one rank."""
    size = element_bytes(terms["cache.dtype"]) or Fraction(0)
    if layer.kind == "recurrent" or not (layer.attends or layer.kind == "cross"):
        return Fraction(0)
    if layer.latent_width:
        latent = Fraction(SCALED_LATENT) if size == 1 and layer.kind == "indexed" else layer.latent_width * size
        return latent + (layer.index_width + 4 * (layer.index_width // 128) if layer.index_width else 0)
    return heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel")) * (layer.k_width + layer.v_width) * size


def _state(terms: Terms, layer: Layer) -> Fraction:
    convolution, recurrent = state_elements(layer, terms.ranks("tensor_parallel"), 0, None) or (Fraction(0), Fraction(0))
    dtype = terms["setting.mamba_ssm_dtype"] or layer.state_dtype or terms.parameters.get("state_dtype")
    return convolution * 2 + recurrent * (element_bytes(dtype) or 0)


def _because(terms: Terms, windows: bool, ratio: Fraction) -> Iterator[str]:
    if windows:
        yield f"a windowed pool holds {float(ratio):g} tokens for each token of the full one"
    elif any(layer.window for layer in terms.layers):
        reason = "--disable-hybrid-swa-memory" if terms["setting.disable_hybrid_swa_memory"] else "the architecture is not on the list"
        yield f"windows do not shorten the cache: {reason}"
    if any(layer.shares for layer in terms.layers):
        yield "layers that share a cache are given one of their own"
    if any(layer.kind == "cross" for layer in terms.layers):
        yield "the tokens of an image stand before the text in the same pool, and each takes room in every layer, as text does"


def _capacity(terms: Terms, cells: Cells, per_token: Fraction, ratio: Fraction, page: int) -> dict:
    """Tokens that the pools hold with the memory that is available, as the engine prints them."""
    available, length = terms.request.available_bytes, terms.max_model_len
    if available is None or not per_token:
        return {}
    states = split_states(terms, Fraction(available), cells.state) if cells.state else None
    drafted = draft_share(terms, len(cells.long) + len(cells.short))
    if isinstance(states, str) or drafted is None or (drafted and cells.short):
        return {"missing": (states if isinstance(states, str) else "the layers that draft",)}
    rest = max(Fraction(0), available - states.taken) if states else Fraction(available)
    tokens = int(rest // (per_token * (1 + drafted))) // page * page
    most = most_requests(terms, tokens, states)
    figures = {"full_tokens": tokens}
    lines = [f"max_total_num_tokens={tokens}" + ("" if most is None else f", max_running_requests={most}")]
    if cells.short and cells.full:
        figures["window_tokens"] = int(tokens * ratio) // page * page
        lines.append(f"Use sliding window memory pool. full_layer_tokens={tokens}, swa_layer_tokens={figures['window_tokens']}")
    held = ((cells.short, cells.windowed, figures.get("window_tokens", tokens)), (cells.long, cells.full, tokens))
    lines += [_pool_line(layers[0], cell, count, page) for layers, cell, count in held if layers and not layers[0].latent_width]
    lines += _requests_lines(states, figures)
    fit = tokens / length if length else None
    concurrency = fit if fit is None or most is None else min(fit, most)
    return {"capacity_tokens": tokens, "max_concurrency": concurrency, "most_requests": most, "figures": figures, "lines": tuple(lines)}


def _requests_lines(states: States | None, figures: dict) -> Iterator[str]:
    """What it says of the pool of states, which caps the requests that run at once."""
    if states:
        figures |= {"state_slots": states.slots, "requests_by_states": states.slots // states.of_request}
        yield (
            f"max_running_requests is capped to {states.slots // states.of_request} by the mamba state cache "
            f"(max_mamba_cache_size={states.slots}, {states.of_request} state slots per request)"
        )


def _pool_line(layer: Layer, cell: Fraction, tokens: int, page: int) -> str:
    """What a pool says of itself; its buffers have a page more than its tokens."""
    size_k, size_v = (float(cell * width / (layer.k_width + layer.v_width) * (tokens + page)) / GIB for width in (layer.k_width, layer.v_width))
    return f"#tokens: {tokens}, K size: {size_k:.2f} GB, V size: {size_v:.2f} GB"
