"""Tensor types of GGUF files that mix them, held against sizes of published files and figures that logs print."""

import pytest

from infercompat.derive.config import Config
from infercompat.derive.weights import weight_bytes
from infercompat.derive.weights.mixtures import BASE, Mixture, mixture_of
from infercompat.derive.weights.tensors import Tensor

from . import shapes

HEADER = 7_835_936
"""Bytes that each GGUF file of Llama 3 8B has before its tensors, the same whatever their types are."""


@pytest.mark.parametrize(
    ("type", "file"),
    # ls -l of Meta-Llama-3-8B-Instruct files (ddh0/UnquantizedEmbeddingTesting sizes.txt on the hub).
    [("q2_k", 3_179_131_168), ("q3_k_s", 3_664_498_976), ("q3_k_m", 4_018_917_664), ("q3_k_l", 4_321_956_128)],
)
def test_files_of_llama_3_8b(type, file):
    assert weight_bytes(None, type, shapes.LLAMA_3_1_8B).bytes == file - HEADER


@pytest.mark.parametrize(
    ("type", "gigabytes"),
    # The listing of bartowski/Meta-Llama-3.1-8B-Instruct-GGUF, in GB with three figures; headers are about 0.008 GB.
    [("q4_k_m", 4.92), ("q4_k_s", 4.69), ("q5_k_m", 5.73), ("q5_k_s", 5.6), ("q6_k", 6.6), ("q3_k_m", 4.02)],
)
def test_files_of_llama_3_1_8b(type, gigabytes):
    assert weight_bytes(None, type, shapes.LLAMA_3_1_8B).bytes / 1e9 + 0.0078 == pytest.approx(gigabytes, abs=0.005)


def test_types_of_a_mixture():
    mixture = Mixture("Q4_K_M", layers=32, queries=4, experts=1, tied=False, large=False)

    def of(name, part="attention", shape=(4096, 4096)):
        format = mixture.format_of(Tensor(name, part, shape))
        return format and format.name

    assert of("layers.0.self_attn.v_proj") == "Q6_K"  # the first eighth
    assert of("layers.4.self_attn.v_proj") == "Q4_K"
    assert of("layers.6.mlp.down_proj", "mlp") == "Q6_K"  # every third from the fourth layer on
    assert of("layers.28.mlp.down_proj", "mlp") == "Q6_K"  # the last eighth
    assert of("layers.0.self_attn.k_proj") == of("embed_tokens", "embedding") == "Q4_K"
    assert of("lm_head", "output") == "Q6_K"
    assert of("layers.0.mlp.gate", "router") is None
    assert of("norm", "norms", (4096,)) is None
    # 2880 is no multiple of 256.
    assert of("layers.0.mlp.gate_proj", "mlp", (5760, 2880)) == "Q5_0"
    assert of("layers.0.mlp.down_proj", "mlp", (2880, 2880)) == "Q8_0"
    assert of("layers.0.self_attn.k_proj", shape=(8, 40)) == "F16"


def test_a_tied_embedding_counts_as_output():
    mixture = Mixture("Q4_K_M", layers=16, queries=4, experts=1, tied=True, large=False)
    assert mixture.format_of(Tensor("embed_tokens", "embedding", (128256, 2048))).name == "Q6_K"


def test_eight_experts_have_rules_of_their_own():
    mixture = Mixture("Q4_K_M", layers=32, queries=4, experts=8, tied=False, large=False)
    names = [mixture.format_of(Tensor(f"layers.9.self_attn.{name}", "attention", (4096, 4096))).name for name in ("k_proj", "v_proj", "o_proj", "q_proj")]
    assert names == ["Q8_0", "Q8_0", "Q5_K", "Q4_K"]


def test_an_importance_matrix_matters_to_two_types():
    light = weight_bytes(None, "q4_0", shapes.LLAMA_3_1_8B)
    # Four of 32 layers have their down projection in Q4_1: two bytes more a block of 32.
    assert light.high - light.low == 4 * 4096 * 14336 // 32 * 2


def test_gpt_oss_in_its_own_file_type():
    # llama-bench prints 11.27 GiB for 20B and 59.02 GiB for 120B in MXFP4 MoE.
    assert weight_bytes(None, "mxfp4_moe", shapes.GPT_OSS_20B).bytes / (1 << 30) == pytest.approx(11.27, abs=0.005)
    assert weight_bytes(None, "mxfp4_moe", shapes.GPT_OSS_120B).bytes / (1 << 30) == pytest.approx(59.02, abs=0.005)


@pytest.mark.parametrize(("word", "config"), [("UD-Q4_K_XL", shapes.LLAMA_3_1_8B), ("IQ3_XXS", shapes.LLAMA_3_1_8B), ("Q4_K_M", {"model_type": "llama"})])
def test_what_is_not_worked_out(word, config):
    assert mixture_of(word, Config(config)) is None
    assert "Q4_K_M" in BASE
