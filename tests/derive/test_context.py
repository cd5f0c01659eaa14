"""Context lengths, image tokens and weight formats."""

import pytest

from infercompat.derive.config import Config
from infercompat.derive.context import Context, image_tokens, most_image_tokens, read_context, weight_format

from . import configs


def context(**values):
    return read_context(Config(values))


def packed(*weights):
    groups = {f"group_{index}": {"weights": entry} for index, entry in enumerate(weights)}
    return {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": groups}


def test_a_plain_config_has_its_native_length_only():
    assert context(max_position_embeddings=4096) == Context(4096)
    assert context(n_positions=1024) == Context(1024)
    assert context() == Context(None)


def test_yarn_multiplies_the_original_length():
    assert read_context(Config(configs.DEEPSEEK_V3)) == Context(163840, "yarn", 40, 4096, 163840)
    scaled = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    assert context(max_position_embeddings=32768, rope_scaling=scaled) == Context(32768, "yarn", 4.0, 32768, 131072)


def test_a_factor_without_an_original_length_reaches_nothing_known():
    assert read_context(Config(configs.GEMMA_3_27B)) == Context(131072, "linear", 8.0, None, None)


def test_llama3_and_longrope_reach_what_is_written():
    assert read_context(Config(configs.LLAMA_3_1_8B)) == Context(131072, "llama3", 8.0, 8192, 131072)
    phi = context(max_position_embeddings=131072, original_max_position_embeddings=4096, rope_scaling={"type": "longrope"})
    assert phi == Context(131072, "longrope", None, 4096, 131072)


def test_rope_for_each_layer_type_counts_by_full_attention():
    rope = {"sliding_attention": {"rope_type": "default"}, "full_attention": {"rope_type": "linear", "factor": 8.0}}
    assert context(max_position_embeddings=100, rope_parameters=rope).factor == 8.0


@pytest.mark.parametrize("rope", [None, 5, "yarn", {}, {"type": 4}, {"type": ["yarn"]}, {"rope_type": "default"}, {"type": "mrope"}])
def test_no_scaling_is_no_method(rope):
    assert context(max_position_embeddings=100, rope_scaling=rope) == Context(100)


@pytest.mark.parametrize("factor", [None, "4", True, -1, float("nan"), float("inf"), 10**400])
def test_impossible_factors_are_none(factor):
    rope = {"type": "yarn", "factor": factor, "original_max_position_embeddings": 100}
    assert context(max_position_embeddings=100, rope_scaling=rope) == Context(100, "yarn", None, 100, None)


def test_only_a_fixed_number_of_image_tokens_is_given():
    assert image_tokens(Config(configs.GEMMA_3_27B)) == 256
    assert image_tokens(Config(configs.GEMMA_4_31B)) is None
    assert image_tokens(Config({"mm_tokens_per_image": "256"})) is None


@pytest.mark.parametrize(
    ("quantization", "word"),
    [
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_algo": "FP8"}, "fp8"),
        ({"quant_method": "compressed-tensors", "format": "float-quantized"}, "fp8"),
        ({"quant_method": "compressed-tensors", "format": "pack-quantized"}, None),
        (packed({"num_bits": 4}), "int4"),
        (packed({"num_bits": 8}, {"num_bits": 8}), "int8"),
        (packed({"num_bits": 4}, {"num_bits": 8}), None),
        (packed({"num_bits": 4}, {}), None),
        (packed({"num_bits": 3}), None),
        (packed({"num_bits": [4]}), None),
        (packed({"num_bits": 4}, {"num_bits": True}), None),
        (packed({"num_bits": "4"}), None),
        (packed({"num_bits": True}), None),
        (packed(None), None),
        ({"format": "pack-quantized", "config_groups": ["group_0"]}, None),
        ({"quant_method": "fp8", "quant_algo": "MIXED_PRECISION"}, None),
        ({"quant_method": "awq", "bits": 4}, "awq"),
        ({"group_size": 64, "bits": 4}, "mlx"),
        ({"quant_method": 8}, None),
        ("fp8", None),
        (None, None),
    ],
)
def test_weight_formats_are_the_catalogs_words(quantization, word):
    assert weight_format(Config({"quantization_config": quantization, "torch_dtype": "bfloat16"})) == word


def test_gemma_3_leaves_its_context_to_the_class_and_says_so():
    config = Config({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "sliding_window": 1024}})
    assert read_context(config).native == 131_072
    assert config.defaults_used == ["max_position_embeddings=131072 (Gemma3TextConfig)"]


def test_gemma_3n_images_are_fixed_and_gemma_4_images_have_a_budget():
    gemma_3n = Config({"model_type": "gemma3n", "vision_soft_tokens_per_image": 256, "text_config": {"model_type": "gemma3n_text"}})
    gemma_4 = Config({"model_type": "gemma4", "vision_soft_tokens_per_image": 280, "text_config": {"model_type": "gemma4_text"}})
    assert (image_tokens(gemma_3n), most_image_tokens(gemma_3n)) == (256, 256)
    assert (image_tokens(gemma_4), most_image_tokens(gemma_4)) == (None, 280)
