"""TensorRT LLM: blocks in pools, one for each window, and states beside them.

Decided by _torch/pyexecutor: resource_manager.py (KVCacheManager: bytes of a token, blocks of each window, stages), _util.py (which
manager, and the memory it is given), config_utils.py (states and their types), kv_cache/mamba_cache_manager (the sum that splits memory
between states and tokens) and _torch/attention_backend/sparse/dsa/cache_manager.py (index keys). The second manager splits memory among
several pools by a ratio that compiled code works out, so such a model has no capacity here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil
from typing import Any

from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank, state_elements, whole
from infercompat.derive import Layer, Unknown

GIB = 1 << 30
NVFP4 = Fraction(9, 16)
"""Half a byte an element, and a byte of scale for 16 (resource_manager.py get_cache_bytes_per_token)."""

INDEX_SCALES = 128
"""Elements of an index key that share a scale of four bytes; the key itself takes a byte an element."""

KINDS = ("full", "sliding", "chunked", "latent", "indexed", "recurrent", "none")
Key = tuple[int, int, int, int, int]


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `trtllm-blocks/1`; of pipeline stages, those of the one that holds most a token."""
    second = second_manager(terms)
    windows = second if isinstance(second, Unknown) else _windows(terms, second)
    if isinstance(windows, Unknown):
        return windows
    if problem := _refusal(terms):
        return problem
    step = int(terms["block_size"] or terms.parameters["block_size"])
    stage = max(_stages(terms), key=lambda indexes: sum(_token(terms, terms.layers[index]) for index in indexes))
    pools: dict[Key, list[Fraction]] = {}
    for index in stage:
        if size := _token(terms, layer := terms.layers[index]):
            pools.setdefault((windows[index], layer.kv_heads, layer.k_width, layer.v_width, layer.latent_width), []).append(size)
    groups = tuple(_group(sizes, key[0], step) for key, sizes in pools.items())
    by_window: dict[int, Fraction] = {}
    for key, sizes in pools.items():
        by_window[key[0]] = by_window.get(key[0], Fraction(0)) + sum(sizes)
    state = max(sum((_state(terms, terms.layers[index]) for index in indexes), Fraction(0)) for indexes in _stages(terms))
    crossed = sum((_crossed(terms, terms.layers[index], step) for index in stage), Fraction(0))
    single = next(iter(by_window.values())) * step if len(by_window) == 1 and not crossed else None
    known = Allocation(
        terms.algorithm,
        terms.title,
        groups,
        block_size=step,
        bytes_per_block=ceil(single) if single else None,
        state_bytes=ceil(state + crossed),
        because=tuple(_because(terms, windows, bool(second))),
        notes=(*terms.notes, f"the cache takes {terms.parameters['free_fraction']:.0%} of the memory that is free after loading"),
    )
    return _sized(terms, known, by_window, state, crossed, bool(second))


def second_manager(terms: Terms) -> bool | Unknown:
    """Whether the newer cache manager holds the cache: as asked for, else by the architecture."""
    asked = terms["setting.use_kv_cache_manager_v2"]
    if asked not in (None, "auto"):
        return asked is True or str(asked).lower() == "true"
    architecture = terms["model.architecture"]
    if not architecture and (any(layer.window for layer in terms.layers) or _stateful(terms)):
        return Unknown(("model.architecture",), "which cache manager holds windows and states goes by the architecture")
    return architecture in terms.parameters["windowed"] or _stateful(terms)


def _windows(terms: Terms, second: bool) -> tuple[int, ...] | Unknown:
    """The window of each layer; 0 where it keeps every token.

    Windows given are a pattern over the layers of the whole model. Left out, the newer manager takes those of the layer types where they
    make more than one pool, and the older one keeps every token.
    """
    layers, given, longest = terms.layers, terms["setting.max_attention_window"], terms.max_model_len
    if given is not None:
        pattern = _pattern(given)
        if not pattern:
            return Unknown(("setting.max_attention_window",), "windows are given as a list of tokens, repeated over the layers")
        if longest is None:
            return Unknown(("max_model_len",), "a window as long as the longest sequence is none")
        return tuple(0 if pattern[index % len(pattern)] >= longest else pattern[index % len(pattern)] for index in range(len(layers)))
    attending = {layer.window for layer in layers if layer.attends}
    if not second or len(attending) < 2:
        return (0,) * len(layers)
    return tuple(layer.window for layer in layers)


def _pattern(given: Any) -> list[int]:
    """Windows from a list, one number, or numbers with commas between them; empty where they are none."""
    listed = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else [given]
    numbers = [int(one) if isinstance(one, str) and one.strip().isdecimal() else whole(one) for one in listed]
    return [number for number in numbers if number] if all(numbers) else []


def _stateful(terms: Terms) -> bool:
    return any(layer.conv_elements or layer.state_elements for layer in terms.layers)


def _refusal(terms: Terms) -> Unknown | None:
    ranks, layers = terms.ranks("tensor_parallel"), terms.layers
    if any(layer.compress_ratio for layer in layers):
        return Unknown(("a rule for these layers",), "pools of compressed rows, with states of their own, are not worked out")
    if any(layer.index_width and not layer.latent_width for layer in layers):
        return Unknown(("a rule for this index",), "index keys beside grouped-query attention are not worked out")
    if any(layer.kind not in KINDS for layer in layers):
        return Unknown(("a rule for these layers",), "layers that attend to an image alone, or keep a state and attend, are not worked out")
    if any(layer.shares for layer in layers):
        return Unknown(("a rule for these layers",), "layers that share a cache are not worked out")
    if _stateful(terms) and terms["model.architecture"] not in terms.parameters.get("states", ()):
        return Unknown(("a rule for these states",), "the architecture is none of those whose states the engine has a manager for")
    if not all(divides(0 if layer.latent_width else layer.kv_heads, ranks) for layer in layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if terms.ranks("pipeline_parallel") > 1 and any(layer.cross_tokens for layer in layers):
        return Unknown(("a rule for these stages",), "an encoder's cache over pipeline stages is not worked out")
    if _width(terms) is None or (_width(terms) == NVFP4 and any(layer.latent_width for layer in layers)):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known for these layers")
    return None


def _width(terms: Terms) -> Fraction | None:
    """Bytes of an element, scales among them; None for a type that is not known."""
    if terms["cache.dtype"] == "nvfp4":
        return NVFP4
    size = element_bytes(terms["cache.dtype"])
    return size if size in (1, 2) else None


def _stages(terms: Terms) -> list[range]:
    """The layers of each pipeline stage; the first ones have what is left over (mapping.py pp_layers)."""
    count, ranks = len(terms.layers), terms.ranks("pipeline_parallel")
    sizes = [count // ranks + (stage < count % ranks) for stage in range(ranks)]
    return [range(start, end) for start, end in pairwise([0, *accumulate(sizes)])]


def _token(terms: Terms, layer: Layer) -> Fraction:
    """Bytes that a token leaves in a layer on one rank: K and V of its heads, or a latent, which every rank keeps, and an index key."""
    size = _width(terms) or Fraction(0)
    if not layer.attends or layer.kind == "recurrent":
        return Fraction(0)
    if layer.latent_width:
        return layer.latent_width * size + layer.index_width + 4 * (layer.index_width // INDEX_SCALES)
    return heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel")) * (layer.k_width + layer.v_width) * size


def _state(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of a state: convolutions in the model's type, and the recurrent part in the type that is asked for or that one field names."""
    convolution, recurrent = state_elements(layer, terms.ranks("tensor_parallel"), 0, None) or (Fraction(0), Fraction(0))
    asked = terms["setting.mamba_ssm_cache_dtype"]
    named = terms["model.mamba_ssm_cache_dtype"] if asked in (None, "auto") else asked
    if "kda" in terms.request.derived.requirements:
        named = "fp32"
    return convolution * 2 + recurrent * (element_bytes(named if isinstance(named, str) else None) or 0)


def _crossed(terms: Terms, layer: Layer, step: int) -> Fraction:
    """Bytes of an encoder's positions, in whole blocks of a pool of their own."""
    return _token(terms, layer) * (ceil(layer.cross_tokens / step) * step)


def _group(sizes: list[Fraction], window: int, step: int) -> Group:
    """A pool; of a window a sequence holds the blocks that it touches at worst."""
    most = (ceil((window - 1) / step) + 1) * step if window else None
    return Group("windowed" if window else "full", len(sizes), sum(sizes, Fraction(0)), step, most)


def _sized(terms: Terms, known: Allocation, by_window: dict[int, Fraction], state: Fraction, crossed: Fraction, second: bool) -> Allocation:
    """With what is available: the tokens of the pool that keeps every token, or else of the smallest."""
    available, length, step = terms.request.available_bytes, terms.max_model_len, known.block_size or 1
    missing = _unsplit(terms, by_window, state, crossed, second)
    if available is None or missing or not by_window:
        return replace(known, missing=missing)
    if state:
        pools = {0: _beside_states(terms, Fraction(available), by_window[0], state) // step}
    else:
        pools = {window: int(Fraction(available) / len(by_window) // (size * step)) for window, size in by_window.items()}
    limiting = pools[0] if 0 in pools else min(pools.values())
    tokens = limiting * step
    figures = {f"blocks_{window}": float(count) for window, count in pools.items()} if len(pools) > 1 else {}
    held = sum((size * step * pools[window] for window, size in by_window.items()), Fraction(0))
    lines = (f"Allocated {float(held) / GIB:.2f} GiB for max tokens in paged KV cache ({tokens}).",) if len(pools) == 1 else ()
    return replace(
        known,
        blocks=limiting,
        capacity_tokens=tokens,
        max_concurrency=_concurrency(known, pools, length) if length else None,
        figures=figures,
        lines=lines,
    )


def _concurrency(known: Allocation, pools: dict[int, int], length: int) -> float:
    """Requests of the longest length that every pool has room for; pools of one window have equally many blocks."""
    step, fits = known.block_size or 1, []
    for window, count in pools.items():
        most = (ceil((window - 1) / step) + 1) * step if window else length
        fits.append(count * step / min(most, length))
    return min(fits)


def _unsplit(terms: Terms, by_window: dict[int, Fraction], state: Fraction, crossed: Fraction, second: bool) -> tuple[str, ...]:
    """What keeps the split of memory from being known."""
    available, longest = terms.request.available_bytes, terms.max_model_len
    if crossed:
        return ("the part of the cache for cross-attention",)
    if second and (len(by_window) > 1 or state):
        return ("the split of memory among pools",)
    if state and any(by_window):
        return ("a rule for windows beside states",)
    if len(by_window) > 1 and longest is None:
        return ("max_model_len",)
    if len(by_window) > 1 and available is not None and sum(size * (window or longest or 0) for window, size in by_window.items()) >= available:
        return ("windows that are cut to what fits",)
    if state and whole(terms["max_num_seqs"]) is None:
        return ("max_num_seqs",)
    if state and terms["prefix_caching"] is not False and whole(terms["setting.mamba_snapshot_interval"]) is None:
        return ("setting.mamba_snapshot_interval",)
    return ()


def _beside_states(terms: Terms, available: Fraction, token: Fraction, state: Fraction) -> int:
    """Tokens beside a state for each request that may run, and with reuse one more for every so many tokens."""
    requests = int(terms["max_num_seqs"]) * terms.ranks("pipeline_parallel")
    interval = whole(terms["setting.mamba_snapshot_interval"]) if terms["prefix_caching"] is not False else 0
    slope = token + (state // interval if interval else 0)
    return max(0, int((available - requests * state) // slope))


def _because(terms: Terms, windows: Iterable[int], second: bool) -> Iterator[str]:
    if any(windows):
        given = terms["setting.max_attention_window"] is not None
        source = "are those given" if given else "come from the layer types"
        yield f"windows {source}, and layers of each window have a pool of their own"
        if not second:
            yield "each pool has an equal part of the memory, whatever its layers need"
    elif any(layer.window for layer in terms.layers):
        yield "windows do not shorten the cache: the manager keeps one pool of full length"
    if any(layer.latent_width for layer in terms.layers):
        yield "every rank keeps the latent once, as K alone"
    if any(layer.cross_tokens for layer in terms.layers):
        yield "K and V of the encoder's positions are held in a pool of their own"
