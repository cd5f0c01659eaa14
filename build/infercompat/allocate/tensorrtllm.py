"""TensorRT LLM: blocks in one pool for each combination of heads and window.

Decided by docs/source/features/kvcache.md: pools, windows by architecture, blocks that leave a window are freed, and the part of free
memory that the cache takes. How memory is split among several pools is set at start by rules that were not read, so a model with
several pools has no capacity here.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank
from infercompat.derive import Layer, Unknown


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `trtllm-blocks/1`."""
    windows = _windows(terms)
    if isinstance(windows, Unknown):
        return windows
    if problem := _refusal(terms):
        return problem
    step = int(terms["block_size"] or terms.parameters["block_size"])
    pools: dict[tuple[int, int, int, int], list[Layer]] = {}
    for layer in terms.layers:
        if layer.attends and not layer.shares:
            pools.setdefault((layer.kv_heads, layer.k_width, layer.v_width, layer.window if windows else 0), []).append(layer)
    groups = tuple(_group(terms, layers, key[3], step) for key, layers in pools.items())
    single = groups[0].bytes_per_token * step if len(groups) == 1 and groups[0].most is None else None
    available, length = terms.request.available_bytes, terms.max_model_len
    tokens = int(available // single) * step if available is not None and single else None
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        block_size=step,
        bytes_per_block=ceil(single) if single else None,
        capacity_tokens=tokens,
        max_concurrency=tokens / length if tokens is not None and length else None,
        because=tuple(_because(terms, windows)),
        notes=(*terms.notes, f"the cache takes {terms.parameters['free_fraction']:.0%} of the memory that is free after loading"),
        missing=() if single else ("the split of memory among pools",),
    )


def _windows(terms: Terms) -> bool | Unknown:
    """Whether windowed layers get pools of their own: by the architecture, where no list of windows is given."""
    if not any(layer.window for layer in terms.layers):
        return False
    if terms["setting.max_attention_window"] or terms["setting.use_kv_cache_manager_v2"] not in (None, "auto"):
        return Unknown(("the windows given",), "what max_attention_window or another cache manager does is not worked out")
    if not terms["model.architecture"]:
        return Unknown(("model.architecture",), "whether windows shorten the cache goes by the architecture")
    return terms["model.architecture"] in terms.parameters["windowed"]


def _refusal(terms: Terms) -> Unknown | None:
    ranks = terms.ranks("tensor_parallel")
    if any(layer.kind not in ("full", "sliding", "chunked", "none") or layer.cross_tokens for layer in terms.layers):
        return Unknown(("a rule for these layers",), "latents, states, index keys and cross-attention are not worked out")
    if terms.ranks("pipeline_parallel") > 1 or any(layer.shares for layer in terms.layers):
        return Unknown(("a rule for these layers",), "layers over pipeline stages, and layers that share a cache, are not worked out")
    if not all(divides(layer.kv_heads, ranks) for layer in terms.layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if element_bytes(terms["cache.dtype"]) not in (1, 2):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known")
    return None


def _group(terms: Terms, layers: list[Layer], window: int, step: int) -> Group:
    """A pool; of a window a sequence holds the blocks that it touches at worst."""
    size = element_bytes(terms["cache.dtype"]) or Fraction(0)
    heads = [heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel")) * (layer.k_width + layer.v_width) for layer in layers]
    return Group("windowed" if window else "full", len(layers), sum(heads) * size, step, (ceil((window - 1) / step) + 1) * step if window else None)


def _because(terms: Terms, windows: bool) -> Iterator[str]:
    if windows:
        yield "windows come from the layer types, and layers of each window have a pool of their own"
    elif any(layer.window for layer in terms.layers):
        yield "windows do not shorten the cache: the architecture keeps one pool of full length"


ALGORITHMS = {"trtllm-blocks/1": blocks}
