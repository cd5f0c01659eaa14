"""Grids of patches by hand, from the code of transformers 5.24."""

import pytest

from infercompat.derive.images import image_tokens
from infercompat.derive.images.grids import smart_resize


@pytest.mark.parametrize(
    ("height", "width", "unit", "least", "most", "result"),
    [
        (1024, 1024, 28, 3136, 1003520, (35, 35)),
        # Half a unit rounds to the even number.
        (70, 42, 28, 1, 1 << 30, (2, 2)),
        (28, 28, 28, 3136, 1003520, (2, 2)),
        # 10 x 2000 rounds to no row at all and is enlarged: 2000 * sqrt(3136 / 20000) = 792 pixels are 29 units.
        (10, 2000, 28, 3136, 1003520, (1, 29)),
    ],
)
def test_smart_resize(height, width, unit, least, most, result):
    assert smart_resize(height, width, unit, least, most) == result


@pytest.mark.parametrize(
    ("width", "height", "crops"),
    # 800x600 is 1.33 wide, two crops of 400; 600x600 is square; 500x300 would have crops of 250; 2000x500 rounds to 4.
    [(800, 600, 2), (600, 600, 0), (500, 300, 0), (2000, 500, 4), (300, 3000, 4), (5000, 400, 4)],
)
def test_pan_and_scan_of_gemma_3(width, height, crops):
    answer = image_tokens({"model_type": "gemma3"}, width, height, {"do_pan_and_scan": True})
    assert (answer.tokens, answer.low, answer.high) == ((1 + crops) * 256, 256, 5 * 256)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    # 2000x1000: sqrt(280 / 2) = 11.8 rows of 23.6; 10000x10 is one row of at most 280; a side of 1.99 units leaves half unused.
    [(2000, 1000, 11 * 23), (10000, 10, 280), (14100, 200, 140), (10, 10, 256)],
)
def test_the_budget_of_gemma_4(width, height, tokens):
    answer = image_tokens({"model_type": "gemma4"}, width, height)
    assert (answer.tokens, answer.low, answer.high) == (tokens, 140, 280)


def test_a_budget_that_the_processor_states():
    answer = image_tokens({"model_type": "gemma4", "vision_soft_tokens_per_image": 280}, 1024, 1024, {"max_soft_tokens": 1120})
    assert (answer.tokens, answer.high) == (33 * 33, 1120)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    # Larger than 1540: 3080x1540 halves to 1540x770, which is 55 units wide and 27.5 high.
    [(3080, 1540, 28 * 56), (1540, 1540, 55 * 56), (28, 28, 2), (29, 28, 3), (4000, 1, 56)],
)
def test_rows_of_pixtral_end_in_a_token(width, height, tokens):
    config = {"model_type": "mistral3", "spatial_merge_size": 2, "vision_config": {"image_size": 1540, "patch_size": 14}}
    answer = image_tokens(config, width, height)
    assert (answer.tokens, answer.low, answer.high) == (tokens, 2, 55 * 56)


def test_bounds_of_qwen_follow_the_pixel_limits():
    config = {"model_type": "qwen2_vl", "vision_config": {"patch_size": 14, "spatial_merge_size": 2}}
    answer = image_tokens(config, 500, 500, {"min_pixels": 256 * 784, "max_pixels": 1280 * 784})
    assert (answer.tokens, answer.low, answer.high) == (18 * 18, 256, 1280)


@pytest.mark.parametrize(
    ("changes", "tokens"),
    [
        ({"image_seq_length": 144}, 144),
        ({"vision_feature_select_strategy": "full"}, 577),
        (
            {"vision_feature_select_strategy": "full", "vision_config": {"model_type": "siglip_vision_model", "image_size": 384, "patch_size": 14}},
            729,
        ),
        ({"vision_feature_select_strategy": "default"}, 576),
    ],
)
def test_llava_is_one_grid(changes, tokens):
    vision = {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}
    assert image_tokens({"model_type": "llava", "vision_config": vision} | changes, 800, 600).tokens == tokens
