"""What ranks hold of each tensor, by hand from the layers that engines build; and which stage holds which layer."""

import pytest

from infercompat.derive.config import Config
from infercompat.derive.weights.count import tensors_of
from infercompat.derive.weights.ranks import Split, on_rank, stages
from infercompat.derive.weights.stored import stored
from infercompat.derive.weights.tensors import Tensor

from . import shapes

BY_NAME = {tensor.name: tensor for tensor in tensors_of(shapes.LLAMA_3_1_8B)}
V3 = {tensor.name: tensor for tensor in tensors_of(shapes.DEEPSEEK_V3)}
OSS = {tensor.name: tensor for tensor in tensors_of(shapes.GPT_OSS_20B)}
PADDED = Split(1, vocabulary_step=64)


@pytest.mark.parametrize(
    ("name", "ranks", "shape"),
    [
        # 32 query heads of 128 and 8 KV heads: 4 and 1 a rank of 8, and still one KV head a rank of 16.
        ("layers.0.self_attn.q_proj", 8, (512, 4096)),
        ("layers.0.self_attn.k_proj", 8, (128, 4096)),
        ("layers.0.self_attn.v_proj", 16, (128, 4096)),
        ("layers.0.self_attn.q_proj", 16, (256, 4096)),
        ("layers.0.self_attn.o_proj", 8, (4096, 512)),
        ("layers.0.mlp.gate_proj", 8, (1792, 4096)),
        ("layers.0.mlp.down_proj", 8, (4096, 1792)),
        ("layers.0.norms", 8, (2 * 4096,)),
        ("embed_tokens", 8, (16032, 4096)),
        ("lm_head", 8, (16032, 4096)),
        ("norm", 8, (4096,)),
    ],
)
def test_a_plain_decoder(name, ranks, shape):
    assert on_rank(BY_NAME[name], Split(ranks)).shape == shape


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        # What leads into a latent is whole; what leads out of it is cut by its 128 heads.
        ("layers.0.self_attn.q_a_proj", (1536, 7168)),
        ("layers.0.self_attn.kv_a_proj_with_mqa", (576, 7168)),
        ("layers.0.self_attn.q_b_proj", (16 * 192, 1536)),
        ("layers.0.self_attn.kv_b_proj", (16 * 256, 512)),
        ("layers.0.self_attn.o_proj", (7168, 2048)),
        ("layers.3.mlp.gate", (256, 7168)),
        ("layers.3.mlp.experts.0.gate_proj", (256, 7168)),
        ("layers.3.mlp.experts.0.down_proj", (7168, 256)),
        ("layers.3.mlp.shared_experts.gate_proj", (256, 7168)),
    ],
)
def test_latents_and_experts_over_eight_ranks(name, shape):
    assert on_rank(V3[name], Split(8)).shape == shape


def test_ranks_that_share_experts_hold_whole_ones():
    expert = on_rank(V3["layers.3.mlp.experts.0.gate_proj"], Split(8, expert=8))
    assert (expert.shape, expert.copies) == ((2048, 7168), 32)
    assert on_rank(V3["layers.3.mlp.experts.0.gate_proj"], Split(8, expert=24)).copies == 11  # 256 / 24, the fullest


def test_kernels_round_up_the_widths_of_experts():
    # 2880 inner and outer: Marlin wants multiples of 128 and 256. A rank of four has 720, which becomes 768.
    up, down = OSS["layers.0.mlp.experts.gate_up_proj"], OSS["layers.0.mlp.experts.down_proj"]
    assert [on_rank(tensor, Split(1, expert_step=(128, 256))).shape for tensor in (up, down)] == [(2 * 2944, 3072), (3072, 2944)]
    assert [on_rank(tensor, Split(4, expert_step=(128, 256))).shape for tensor in (up, down)] == [(2 * 768, 3072), (3072, 768)]
    assert on_rank(OSS["layers.0.mlp.experts.gate_up_proj.bias"], Split(4)).shape == (1440,)
    assert on_rank(OSS["layers.0.mlp.experts.down_proj.bias"], Split(4)).shape == (2880,)


def test_sinks_biases_and_fused_matrices():
    assert on_rank(OSS["layers.0.self_attn.sinks"], Split(8)).shape == (8,)
    assert on_rank(OSS["layers.0.self_attn.o_proj.bias"], Split(8)).shape == (2880,)
    fused = Tensor("layers.0.self_attn.qkv_proj", "attention", (40 * 128 + 2 * 10 * 128, 5120), kv_rows=2 * 10 * 128, kv_heads=10)
    assert on_rank(fused, Split(2)).shape == (20 * 128 + 2 * 5 * 128, 5120)
    assert on_rank(fused, Split(20)).shape == (2 * 128 + 2 * 128, 5120)


def test_vocabularies_are_padded():
    # 50,257 words are 786 steps of 64.
    assert on_rank(Tensor("embed_tokens", "embedding", (50257, 8)), PADDED).shape == (50304, 8)
    assert on_rank(Tensor("lm_head", "output", (50257, 8)), Split(4, vocabulary_step=64)).shape == (12576, 8)
    assert on_rank(Tensor("per_layer_model_projection", "embedding", (8960, 1536)), Split(4)).shape == (2240, 1536)


@pytest.mark.parametrize(
    ("layers", "stages_of", "sizes"),
    # What is left over goes to the stages from the last but one on down.
    [(32, 4, [8, 8, 8, 8]), (61, 2, [31, 30]), (61, 4, [15, 15, 16, 15]), (62, 4, [15, 16, 16, 15]), (10, 3, [3, 4, 3])],
)
def test_layers_of_stages(layers, stages_of, sizes):
    tensors = [Tensor(f"layers.{index}.norms", "norms", (1,)) for index in range(layers)]
    assert [len(held) for held in stages(tensors, Split(pipeline=stages_of), layers, tied=False)] == sizes


def test_input_and_output_lie_at_the_ends():
    tensors = [Tensor("embed_tokens", "embedding", (10, 2)), Tensor("layers.0.norms", "norms", (2,)), Tensor("norm", "norms", (2,))]
    untied = [*tensors, Tensor("lm_head", "output", (10, 2))]
    names = [[tensor.name for tensor in held] for held in stages(untied, Split(pipeline=2), 2, tied=False)]
    assert names == [["embed_tokens", "layers.0.norms"], ["norm", "lm_head"]]
    both = [[tensor.name for tensor in held] for held in stages(tensors, Split(pipeline=2), 2, tied=True)]
    assert both == [["embed_tokens", "layers.0.norms"], ["embed_tokens", "norm"]]
    assert [[tensor.name for tensor in held] for held in stages(tensors, Split(), 1, tied=True)] == [["embed_tokens", "layers.0.norms", "norm"]]


def test_llamacpp_puts_whole_layers_on_devices():
    """The buffers that a log prints for a 70B model in Q4_K_M over eight equal cards, in MiB (CSDN, article 145569351)."""
    config = Config(shapes.dense("llama", 80, 8192, 64, 8, 28672, 128256, **shapes.UNTIED))
    found = stored("q4_k_m", config)
    held = [found.bytes_of(tensors)[0] / (1 << 20) for tensors in stages(found.tensors, Split(8, by_layer=True), 80, tied=False)]
    assert [round(size, 2) for size in held] == [5648.81, 4777.06, 4835.88, 4777.06, 4777.06, 4835.88, 4835.88, 5491.86]


def test_llamacpp_keeps_the_input_embedding_on_the_host_but_a_tied_one_on_both():
    tensors = [Tensor("embed_tokens", "embedding", (10, 2)), Tensor("norm", "norms", (2,))]
    untied = [*tensors, Tensor("lm_head", "output", (10, 2))]
    assert [tensor.name for tensor in stages(untied, Split(by_layer=True), 1, tied=False)[0]] == ["norm", "lm_head"]
    assert [tensor.name for tensor in stages(tensors, Split(by_layer=True), 1, tied=True)[0]] == ["embed_tokens", "norm"]
