"""The tensors of a GGUF file among devices: sizes by hand from the blocks of each type."""

import pytest

from infercompat.derive import Unknown
from infercompat.derive.gguf import Header, laid_out_file
from infercompat.derive.gguf.header import TensorInfo
from infercompat.derive.weights.loaded import rank_of
from infercompat.derive.weights.ranks import Split

Q4, Q6, F32 = 256 * 144 // 256, 256 * 210 // 256, 4
"""Bytes of a row of 256 in Q4_K and Q6_K, and of a number."""

DENSE = (
    TensorInfo("token_embd.weight", (256, 1000), "Q4_K"),
    *(TensorInfo(f"blk.{index}.attn_q.weight", (256, 512), "Q4_K") for index in range(4)),
    *(TensorInfo(f"blk.{index}.ffn_down.weight", (256, 256), "Q6_K") for index in range(4)),
    *(TensorInfo(f"blk.{index}.attn_norm.weight", (256,), "F32") for index in range(4)),
    TensorInfo("output_norm.weight", (256,), "F32"),
)
LAYER = 512 * Q4 + 256 * Q6 + 256 * F32


def held(tensors, split=None, values=None, fields=None):
    found = laid_out_file(Header(fields or {}, tuple(tensors)), values or {})
    return found if isinstance(found, Unknown) else rank_of(found, split or Split()).bytes


def test_one_device_holds_the_whole_file():
    assert held(DENSE) == 1000 * Q4 + 4 * LAYER + 256 * F32


def test_llama_cpp_leaves_the_embedding_in_host_memory_unless_it_is_the_output_too():
    untied = (*DENSE, TensorInfo("output.weight", (256, 1000), "Q6_K"))
    assert held(untied, Split(by_layer=True)) == 1000 * Q6 + 4 * LAYER + 256 * F32
    assert held(DENSE, Split(by_layer=True)) == 1000 * Q4 + 4 * LAYER + 256 * F32
    # Of four layers and the output, cut by equal shares, the first of two devices has three layers.
    assert held(untied, Split(2, by_layer=True)) == max(3 * LAYER, 1000 * Q6 + LAYER + 256 * F32)
    assert held(untied[:-1], Split(2, by_layer=True)) == max(3 * LAYER, 1000 * Q4 + LAYER + 256 * F32)


def test_ranks_cut_matrices_and_repeat_the_keys_beyond_their_heads():
    keys = (TensorInfo("blk.0.attn_k.weight", (256, 128), "Q4_K"), TensorInfo("blk.0.attn_k.bias", (128,), "F32"))
    assert held(keys, Split(4), {"num_key_value_heads": 2}) == 64 * Q4 + 64 * F32
    assert held(keys, Split(4)) == 32 * Q4 + 32 * F32


def test_experts_are_copies_and_their_router_is_whole():
    experts = (TensorInfo("blk.0.ffn_up_exps.weight", (256, 64, 8), "Q4_K"), TensorInfo("blk.0.ffn_gate_inp.weight", (256, 8), "F32"))
    assert held(experts) == 8 * 64 * Q4 + 8 * 256 * F32
    assert held(experts, Split(2, expert=2)) == 4 * 64 * Q4 + 8 * 256 * F32


def test_vectors_of_other_types_are_counted_by_their_type():
    assert held((TensorInfo("blk.0.ssm_a", (64,), "F16"),)) == 128


@pytest.mark.parametrize(
    ("tensors", "fields", "missing"),
    [
        ((), {}, "the tensors of the file"),
        (DENSE, {"split.count": 3}, "the other files of the model"),
        ((TensorInfo("odd.weight", (100, 2), "Q4_K"),), {}, "the size of odd.weight"),
        ((TensorInfo("odd.weight", (256, 2), "type 99"),), {}, "the size of odd.weight"),
        ((TensorInfo("blk.4096.attn_q.weight", (256, 2), "Q4_K"),), {}, "the size of blk.4096.attn_q.weight"),
    ],
)
def test_what_cannot_be_counted_is_said(tensors, fields, missing):
    assert held(tensors, fields=fields).missing == (missing,)


def test_names_of_any_kind_have_a_place():
    for name in ("", ".", "blk.0.", "blk.1.weight", "blk.00001.x", "blk.0.attn_norm", "v.blk.0.x.weight", "blk.0.a.b.c\n"):
        assert held((TensorInfo(name, (256, 2), "Q4_K"),)) == 2 * Q4
