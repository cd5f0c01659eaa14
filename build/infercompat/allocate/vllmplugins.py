"""Plugins of vLLM that size their cache by vLLM's own pool: what their model runner tells the pool of each layer.

Decided for Gaudi by vllm_gaudi/v1/worker/hpu_model_runner.py (get_kv_cache_spec: every attending layer is a full one), for Ascend by
vllm_ascend/worker/model_runner_v1.py (get_kv_cache_spec) with vllm_ascend/utils.py (refresh_block_size), for Metal by
vllm_metal/v1/cache_policy.py (get_kv_cache_spec). The pool itself is that of vllm.py. Layers with states, index keys or compression are
sized by rules of the plugins that were not worked out.
"""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.allocate import vllm
from infercompat.allocate.allocation import Allocation
from infercompat.allocate.terms import Terms
from infercompat.derive import Unknown

PLAIN = ("full", "sliding", "chunked", "latent", "none")


def full_blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `vllm-full-blocks/1`: the pool with every windowed layer as a full one."""
    problem = _refusal(terms)
    if problem is not None:
        return problem
    layers = tuple(replace(layer, kind="full", window=0) if layer.window else layer for layer in terms.layers)
    derived = terms.request.derived
    widened = replace(derived, demands=replace(derived.demands, layers=layers))
    answer = vllm.blocks(replace(terms, request=replace(terms.request, derived=widened)))
    if isinstance(answer, Unknown) or layers == terms.layers:
        return answer
    return replace(answer, because=(*answer.because, "windows do not shorten the cache: the plugin makes every layer a full one"))


def unwindowed_blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `vllm-unwindowed-blocks/1`: the pool, for models all of whose layers are full or latent."""
    problem = _refusal(terms)
    if problem is None and any(layer.window for layer in terms.layers):
        return Unknown(("a rule for windows",), "what the plugin keeps for windowed layers is not worked out")
    return vllm.blocks(terms) if problem is None else problem


def _refusal(terms: Terms) -> Unknown | None:
    if any(layer.kind not in PLAIN or layer.conv_elements or layer.state_elements or layer.index_width or layer.cross_tokens for layer in terms.layers):
        return Unknown(("a rule for these layers",), "what the plugin keeps for states, index keys, compression and cross-attention is not worked out")
    return None
