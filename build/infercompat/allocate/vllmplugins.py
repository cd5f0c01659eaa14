"""Plugins of vLLM that size their cache by vLLM's own pool: what their model runner tells the pool of each layer.

Decided for Gaudi by vllm_gaudi/v1/worker/hpu_model_runner.py (get_kv_cache_spec: every attending layer is a full one), for Ascend by
vllm_ascend/worker/model_runner_v1.py (get_kv_cache_spec) with vllm_ascend/utils.py (refresh_block_size), for Metal by
vllm_metal/v1/cache_policy.py (get_kv_cache_spec), for TPUs by tpu_inference/runner/kv_cache_manager.py (get_kv_cache_spec) with the shapes
of kernels/ragged_paged_attention/v3 and the page size of layers/vllm/backends/flash_attn.py. The pool itself is that of vllm.py. Layers with
states, index keys or compression are sized by rules of the plugins that were not worked out.
"""

from __future__ import annotations

from math import ceil

from msgspec.structs import replace

from infercompat.allocate import vllm
from infercompat.allocate.allocation import Allocation
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank
from infercompat.derive import Layer, Unknown

PLAIN = ("full", "sliding", "chunked", "latent", "none")
TPU_LANES, TPU_WORD = 128, 4
"""Elements that a head is padded to, but for one of 64, and bytes that heads of one token are packed into."""
TPU_TABLE = 1024 * 1024 // 2 // 4
"""Entries of the table of pages of all sequences that fit in half of the scalar memory."""


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


def padded_pages(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `tpu-padded-pages/1`: the pool with heads padded for the kernels, every layer a full one."""
    problem = _refusal(terms) or _tpu_refusal(terms)
    if problem is not None:
        return problem
    length = terms.max_model_len
    if length is None:
        return Unknown(("max_model_len",), "tokens of a page go by the longest sequence, which is not known")
    derived, layers = terms.request.derived, tuple(_padded(layer, terms) for layer in terms.layers)
    page = int(terms.request.given("block_size") or _tpu_page(length, int(terms["max_num_seqs"])))
    request = replace(terms.request, derived=replace(derived, demands=replace(derived.demands, layers=layers)), block_size=page)
    answer = vllm.blocks(replace(terms, request=request))
    if isinstance(answer, Unknown):
        return answer
    because = [f"pages have {page} tokens"]
    if any(one.kv_heads * one.k_width != other.kv_heads * other.k_width for one, other in zip(terms.layers, layers, strict=True)):
        because.append(f"heads are padded to {TPU_LANES} elements, and heads of a token to words of {TPU_WORD} bytes")
    if any(layer.window for layer in terms.layers):
        because.append("windows do not shorten the cache: heads of several widths make every layer a full one")
    return replace(answer, because=(*answer.because, *because))


def _padded(layer: Layer, terms: Terms) -> Layer:
    """A layer as its kernel keeps it. Heads of 64 have keys and values in one row, all others have a row for each."""
    if not layer.attends:
        return layer
    ranks, rows = terms.ranks("tensor_parallel"), 1 if layer.k_width == TPU_LANES // 2 else 2
    packed = TPU_WORD / (element_bytes(terms["cache.dtype"]) or TPU_WORD)
    heads = int(ceil(heads_on_rank(layer.kv_heads, ranks) * rows / packed) * packed) // rows
    width = _tpu_width(layer)
    return replace(layer, kind="full", window=0, kv_heads=heads * ranks, k_width=width, v_width=width)


def _tpu_width(layer: Layer) -> int:
    return layer.k_width if layer.k_width == TPU_LANES // 2 else ceil(layer.k_width / TPU_LANES) * TPU_LANES


def _tpu_page(length: int, sequences: int) -> int:
    """Tokens of a page where nobody sets them: for the registers, and then as many as let the table of pages fit."""
    registers = 16 if length > 8192 else min(256, max(16, (1 << (length - 1).bit_length()) // 16))
    table = ceil(length / max(1, TPU_TABLE // sequences))
    return max(registers, 1 << (table - 1).bit_length())


def _tpu_refusal(terms: Terms) -> Unknown | None:
    layers, ranks = [layer for layer in terms.layers if layer.attends], terms.ranks("tensor_parallel")
    if any(layer.latent_width for layer in layers):
        return Unknown(("a rule for latents",), "latent attention runs with data parallel attention alone here, which is not worked out")
    if any(layer.k_width != layer.v_width for layer in layers):
        return Unknown(("a rule for these heads",), "keys and values of different widths are not worked out")
    if any(layer.window for layer in layers) and len({_tpu_width(layer) for layer in layers}) == 1:
        return Unknown(("setting.model_impl_type",), "whether windows shorten the cache goes by whose class runs, which is not worked out")
    if not all(divides(layer.kv_heads, ranks) for layer in layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if element_bytes(terms["cache.dtype"]) not in (1, 2, 4):
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known")
    return None


def _refusal(terms: Terms) -> Unknown | None:
    if any(layer.kind not in PLAIN or layer.conv_elements or layer.state_elements or layer.index_width or layer.cross_tokens for layer in terms.layers):
        return Unknown(("a rule for these layers",), "what the plugin keeps for states, index keys, compression and cross-attention is not worked out")
    return None
