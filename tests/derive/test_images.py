"""Image tokens: the rule a model leads to, worked numbers, and what is unknown."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infercompat.derive import Unknown
from infercompat.derive.images import RULES, ImageTokens, image_tokens

QWEN_2_5_VL = {"model_type": "qwen2_5_vl", "vision_config": {"patch_size": 14, "spatial_merge_size": 2}}
QWEN_3_VL = {"model_type": "qwen3_vl", "vision_config": {"patch_size": 16, "spatial_merge_size": 2}}
PIXTRAL = {"model_type": "pixtral", "vision_config": {"patch_size": 16}}
DEVSTRAL = {"model_type": "mistral3", "spatial_merge_size": 2, "vision_config": {"image_size": 1540, "patch_size": 14}}
SMOLVLM = {"model_type": "smolvlm", "scale_factor": 2, "vision_config": {"image_size": 364, "patch_size": 14}}
MLLAMA = {"model_type": "mllama", "vision_config": {"image_size": 560, "patch_size": 14, "max_num_tiles": 4}}
GEMMA_3 = {"model_type": "gemma3", "mm_tokens_per_image": 256, "vision_config": {"image_size": 896, "patch_size": 14}}
LLAVA = {"model_type": "llava", "vision_config": {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}}
PINPOINTS = [[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]]


@pytest.mark.parametrize(
    ("config", "size", "processor", "tokens", "around"),
    [
        (PIXTRAL, (1024, 1024), {"size": {"longest_edge": 1024}}, 64 * 65, 0),
        (DEVSTRAL, (1024, 1024), None, 37 * 38, 0),
        (QWEN_2_5_VL, (1024, 1024), None, 35 * 35, 2),
        (QWEN_2_5_VL, (1024, 1024), {"min_pixels": 3136, "max_pixels": 12845056}, 37 * 37, 2),
        (QWEN_3_VL, (1024, 1024), {"size": {"shortest_edge": 65536, "longest_edge": 16777216}}, 32 * 32, 2),
        (SMOLVLM, (300, 300), {"do_image_splitting": False}, 169, 3),
        (MLLAMA, (560, 560), None, 1601, 0),
        (MLLAMA, (1120, 1120), None, 4 * 1601, 0),
        (GEMMA_3, (4000, 300), None, 256, 4),
        ({"model_type": "gemma3n"}, (512, 512), None, 256, 4),
        ({"model_type": "gemma4"}, (1024, 1024), None, 16 * 16, 2),
        ({"model_type": "paligemma", "vision_config": {"image_size": 224, "patch_size": 14}}, (1, 1), None, 256, 0),
        (LLAVA, (640, 480), None, 576, 0),
        ({"model_type": "llava_next", "image_grid_pinpoints": PINPOINTS}, (1024, 768), None, 576 + 36 * 49, 0),
        ({"model_type": "lfm2_vl"}, (1024, 1024), None, 4 * 257 + 1 + 256, 2),
        ({"model_type": "internvl"}, (448, 448), None, 256, 2),
    ],
)
def test_worked_numbers(config, size, processor, tokens, around):
    answer = image_tokens(config, *size, processor)
    assert (answer.tokens, answer.around) == (tokens, around)
    assert answer.low <= answer.tokens <= answer.high


def test_how_names_the_values_and_which_are_class_defaults():
    answer = image_tokens(QWEN_2_5_VL, 1024, 1024, {"max_pixels": 12845056})
    assert "37 x 37 units of 28 pixels" in answer.how
    assert "max_pixels=12845056" in answer.how
    assert "min_pixels=3136 (class default)" in answer.how
    assert "vision_config.image_size=1540 (in place of size.longest_edge)" in image_tokens(DEVSTRAL, 9, 9).how


def test_the_rule_is_that_of_the_whole_model():
    inner = {"model_type": "qwen2_5_vl_text", "hidden_size": 8}
    assert image_tokens(QWEN_2_5_VL | {"text_config": inner}, 56, 56).tokens == 4
    assert image_tokens({"architectures": ["Gemma3nForConditionalGeneration"], "text_config": {"model_type": "llama"}}, 5, 5).tokens == 256


@pytest.mark.parametrize(
    ("config", "size", "processor", "missing"),
    [
        ({}, (10, 10), None, "an image rule for this model"),
        ({"model_type": "llama"}, (10, 10), None, "an image rule for llama"),
        (GEMMA_3, (0, 10), None, "width"),
        (GEMMA_3, (10, 1 << 30), None, "width"),
        (GEMMA_3, (10.5, True), None, "width"),
        ({"model_type": "qwen2_vl"}, (10, 10), None, "vision_config.patch_size"),
        (QWEN_2_5_VL, (10, 10), {"max_pixels": "many"}, "max_pixels (many is not a size)"),
        (QWEN_2_5_VL, (1000, 4), None, "an image that is at most 200 times as long as it is wide (1000x4 is not)"),
        ({"model_type": "smolvlm", "scale_factor": 2}, (10, 10), None, "vision_config.image_size"),
        (
            SMOLVLM,
            (10, 10),
            {"size": {"longest_edge": 4000}, "max_image_size": {"longest_edge": 3}},
            "size.longest_edge (makes more than 256 tiles a side)",
        ),
        ({"model_type": "lfm2_vl"}, (10, 10), {"max_tiles": 1 << 20}, "max_tiles (1048576 is not a size)"),
        ({"model_type": "llava_next"}, (10, 10), None, "image_grid_pinpoints"),
        ([], (10, 10), None, "an image rule for this model"),
    ],
)
def test_unknown_names_what_is_missing(config, size, processor, missing):
    answer = image_tokens(config, *size, processor)
    assert isinstance(answer, Unknown)
    assert answer.missing[0] == missing


VALUES = st.none() | st.booleans() | st.integers(-2, 1 << 40) | st.floats() | st.text(max_size=4) | st.lists(st.integers(0, 4), max_size=2)
INNER = st.sampled_from(["longest_edge", "shortest_edge", "height", "patch_size", "image_size", "spatial_merge_size"])
NESTED = VALUES | st.dictionaries(INNER, VALUES)
LIMITS = ["min_pixels", "max_pixels", "patch_size", "merge_size", "tile_size", "max_tiles", "min_tiles", "max_soft_tokens"]
PROCESSOR = [*LIMITS, "size", "max_image_size", "do_pan_and_scan", "pan_and_scan_min_ratio_to_activate", "max_pixels_tolerance"]
COUNTS = ["scale_factor", "mm_tokens_per_image", "downsample_factor", "min_image_tokens", "max_dynamic_patch"]
CONFIG = [*COUNTS, "vision_config", "image_grid_pinpoints"]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(RULES)),
    st.integers(1, 1 << 20),
    st.integers(1, 1 << 20),
    st.dictionaries(st.sampled_from(CONFIG), NESTED),
    st.dictionaries(st.sampled_from(PROCESSOR), NESTED),
)
def test_any_values_are_tokens_or_unknown(name, width, height, config, processor):
    config = json.loads(json.dumps({"model_type": name} | config))
    answer = image_tokens(config, width, height, processor)
    assert isinstance(answer, Unknown) or (isinstance(answer, ImageTokens) and answer.tokens >= 0)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([QWEN_3_VL, DEVSTRAL, SMOLVLM, MLLAMA, {"model_type": "gemma4"}, {"model_type": "lfm2_vl"}, {"model_type": "internvl"}]),
    st.data(),
)
def test_the_bounds_hold_for_images_of_any_size(config, data):
    width, height = data.draw(st.integers(1, 5000)), data.draw(st.integers(1, 5000))
    answer = image_tokens(config, width, height)
    assert isinstance(answer, Unknown) or answer.low <= answer.tokens <= answer.high
