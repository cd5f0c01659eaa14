"""Bytes of weights: indexes, plain formats, quantized checkpoints whose size is known, bounds where it is not, and what is unknown."""

import pytest

from infercompat.derive import Unknown
from infercompat.derive.weights import Weights, weight_bytes

from .weights import shapes

PLAIN_V3 = {name: value for name, value in shapes.DEEPSEEK_V3.items() if name != "quantization_config"}


def test_the_index_has_the_last_word():
    weights = weight_bytes(1, "bf16", {}, index_bytes=16_060_522_496)
    assert weights == Weights(16_060_522_496, 16_060_522_496, "index", ("total_size of the safetensors index",))


@pytest.mark.parametrize(("word", "size"), [("fp32", 4), ("bf16", 2), ("fp16", 2)])
def test_plain_formats_take_the_same_for_every_weight(word, size):
    weights = weight_bytes(8_030_261_248, word, {})
    assert (weights.bytes, weights.basis) == (8_030_261_248 * size, "computed")
    assert weight_bytes(None, word, shapes.LLAMA_3_1_8B).bytes == weights.bytes


def test_the_dtype_of_the_config_is_used_where_nothing_else_is_said():
    assert weight_bytes(1000, None, {"torch_dtype": "float32"}).bytes == 4000
    assert weight_bytes(1000, None, {"text_config": {"dtype": "bfloat16"}}).bytes == 2000


@pytest.mark.parametrize(("config", "size"), [(shapes.GPT_OSS_120B, 65_248_815_744), (shapes.GPT_OSS_20B, 13_761_264_768)])
def test_gpt_oss_weighs_what_its_index_says(config, size):
    # total_size in the published model.safetensors.index.json
    assert weight_bytes(None, "mxfp4", config).bytes == size


def test_deepseek_v3_has_as_many_scales_as_published():
    # The hub counts 684,531,386,000 numbers: 680,571,043,840 in fp8 and 41,555,600 in fp32, among them the draft layer.
    weights = weight_bytes(None, "fp8", shapes.DEEPSEEK_V3)
    scales = (weights.high - weights.low) // 2
    draft_quantized = 257 * 3 * 2048 * 7168 + 187_105_280
    draft_scales = 257 * 3 * 16 * 56 + 12 * 56 + 192 * 12 + 5 * 56 + 256 * 4 + 56 * 128
    assert "669,065,609,216 of 671,026,419,200" in weights.notes[0]
    assert 669_065_609_216 + draft_quantized == 680_571_043_840
    assert scales + draft_scales == 41_555_600 - 59 * 256
    assert weights.low == 669_065_609_216 + 2 * scales + 2 * (671_026_419_200 - 669_065_609_216)
    assert weights.bytes is None


def test_scales_of_other_fp8_checkpoints():
    # MiniMax M2.5 on the hub: 228,703,644,928 numbers, scales among them.
    weights = weight_bytes(None, "fp8", shapes.MINIMAX_M2)
    assert 228_689_764_864 + (weights.high - weights.low) // 2 == 228_703_644_928


def test_a_scale_of_ue8m0_may_be_one_byte():
    section = shapes.DEEPSEEK_V3["quantization_config"]
    narrow = weight_bytes(None, "fp8", shapes.DEEPSEEK_V3 | {"quantization_config": section | {"scale_fmt": "ue8m0"}})
    wide = weight_bytes(None, "fp8", shapes.DEEPSEEK_V3)
    assert (narrow.high, narrow.low) == (wide.high, wide.low - (wide.high - wide.low) // 2)


def test_parameters_beyond_the_decoder_are_bounded():
    weights = weight_bytes(671_026_419_200 + 1000, "fp8", shapes.DEEPSEEK_V3)
    alone = weight_bytes(None, "fp8", shapes.DEEPSEEK_V3)
    assert (weights.low - alone.low, weights.high - alone.high) == (1000, 2000)
    assert "1,000 parameters beyond the text decoder, at 1 to 2 bytes" in weights.notes


def test_awq_by_hand():
    section = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
    weights = weight_bytes(None, "awq", shapes.LLAMA_3_1_8B | {"quantization_config": section})
    matrices = 32 * (2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 4096 * 14336)
    rest = 8_030_261_248 - matrices
    # 4 bits, and 16 + 4 bits for each 128 weights; embedding, output matrix and norms stay as they were.
    assert weights.bytes == matrices // 2 + matrices // 128 * 20 // 8 + rest * 2


def test_mlx_quantizes_the_embedding_too():
    weights = weight_bytes(None, "mlx", shapes.LLAMA_3_2_1B | {"quantization": {"group_size": 64, "bits": 4}})
    norms = 33 * 2048
    assert weights.bytes == (1_235_814_400 - norms) * 9 // 16 + norms * 2


def test_q8_0_is_the_one_quantized_gguf_type_that_files_have_throughout():
    weights = weight_bytes(None, "q8_0", shapes.LLAMA_3_1_8B)
    norms = 65 * 4096
    assert weights.bytes == (8_030_261_248 - norms) * 34 // 32 + norms * 4
    assert weight_bytes(None, "gguf", shapes.LLAMA_3_1_8B).missing == ("the header of the GGUF file",)
    for mixture in ("Q4_K", "iq3_xxs", "IQ4_XS"):
        assert "bits a weight, but files of that name mix" in weight_bytes(None, mixture, shapes.LLAMA_3_1_8B).reason


def test_without_a_scheme_the_bounds_are_wide_and_said_to_be():
    weights = weight_bytes(None, "fp8", PLAIN_V3)
    exact = weight_bytes(None, "fp8", shapes.DEEPSEEK_V3)
    assert weights.low < exact.low < exact.high < weights.high < 2 * 671_026_419_200
    assert "no quantization_config" in weights.notes[0]
    dense = weight_bytes(None, "nvfp4", shapes.LLAMA_3_1_8B)
    assert "mlp only" in dense.notes[0]


def test_a_scheme_without_a_word_of_the_catalog_belongs_to_the_format_that_is_stated():
    layers = {"model.layers.0.mlp.gate_proj": {"quant_algo": "NVFP4", "group_size": 16}}
    config = shapes.LLAMA_3_1_8B | {"quantization_config": {"quant_algo": "MIXED_PRECISION", "quantized_layers": layers}}
    matrix = 14336 * 4096
    weights = weight_bytes(None, "nvfp4", config)
    assert weights.low == 2 * (8_030_261_248 - matrix) + matrix * 9 // 16 + 4


def test_a_scheme_of_another_format_is_not_used():
    assert weight_bytes(None, "bf16", shapes.DEEPSEEK_V3).bytes == 2 * 671_026_419_200
    assert "no quantization_config" in weight_bytes(None, "nvfp4", shapes.DEEPSEEK_V3).notes[0]


@pytest.mark.parametrize(
    ("parameters", "word", "config", "missing"),
    [
        (None, None, {"model_type": "llama"}, "weight_format"),
        (1000, None, {}, "weight_format"),
        (None, "bf16", {"model_type": "no-such"}, "a reader for no-such"),
        (None, "bf16", shapes.LLAMA_3_1_8B | {"vision_config": {"depth": 1}}, "parameters"),
        (1000, "mxfp4", shapes.GPT_OSS_20B, "parameters"),
        (-1, "bf16", {}, "parameters"),
        (1 << 70, "bf16", {}, "parameters"),
        (None, "mlx", shapes.LLAMA_3_1_8B, "quantization_config"),
        (None, "no-such", shapes.LLAMA_3_1_8B, "quantization_config"),
        (None, None, shapes.LLAMA_3_1_8B | {"quantization_config": {"quant_method": "bitsandbytes"}}, "quantization_config"),
        (None, None, shapes.LLAMA_3_1_8B | {"quantization_config": {"quant_method": "fp8", "ignored_layers": ["re:("]}}, "re:("),
        (None, "bf16", [], "model_type"),
    ],
)
def test_unknown_names_what_is_missing(parameters, word, config, missing):
    answer = weight_bytes(parameters, word, config)
    assert isinstance(answer, Unknown)
    assert answer.missing[0] == missing
