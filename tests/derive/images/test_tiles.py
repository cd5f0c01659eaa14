"""Tiles by hand, from the code of transformers 5.24 and vLLM 0.33."""

import pytest

from infercompat.derive.images import image_tokens
from infercompat.derive.images.tiles import closest_grid

SMOLVLM = {"model_type": "smolvlm", "scale_factor": 4, "vision_config": {"image_size": 512, "patch_size": 16}}
SMOLVLM_FILE = {"size": {"longest_edge": 2048}, "max_image_size": {"longest_edge": 512}}


@pytest.mark.parametrize(
    ("width", "height", "rows", "columns"),
    # The long side becomes 2048, four tiles: 1024x1024 is 4x4, 2000x1000 becomes 2048x1024, 100x1000 becomes 2048x206.
    [(1024, 1024, 4, 4), (2000, 1000, 2, 4), (100, 1000, 4, 1), (4000, 1001, 1, 4), (4000, 1005, 2, 4)],
)
def test_tiles_of_smolvlm(width, height, rows, columns):
    answer = image_tokens(SMOLVLM, width, height, SMOLVLM_FILE)
    # 64 a tile with a marker before and a name, a line break a row, and the whole image.
    assert answer.tokens == rows * (columns * 66 + 1) + 64
    assert (answer.low, answer.high) == (4 * 66 + 1 + 64, 4 * (4 * 66 + 1) + 64)


def test_one_tile_is_not_split():
    answer = image_tokens(SMOLVLM, 700, 300, {"size": {"longest_edge": 512}, "max_image_size": {"longest_edge": 512}})
    assert (answer.tokens, answer.low, answer.high, answer.around) == (64, 64, 64, 3)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    # 400x300 is 12x9 units of 32 pixels; 100x100 is enlarged to 64 units; 2048x512 fits 4x1 tiles with a thumbnail of 32x8.
    [(400, 300, 108), (100, 100, 64), (2048, 512, 4 * 257 + 1 + 256)],
)
def test_tiles_of_lfm2(width, height, tokens):
    answer = image_tokens({"model_type": "lfm2_vl", "tile_size": 512, "min_image_tokens": 64, "max_image_tokens": 256}, width, height)
    assert (answer.tokens, answer.low, answer.high, answer.around) == (tokens, 64, 10 * 257 + 1 + 256, 2)


def test_a_thumbnail_can_be_left_out():
    assert image_tokens({"model_type": "lfm2_vl"}, 2048, 512, {"use_thumbnail": False}).tokens == 4 * 257


@pytest.mark.parametrize(
    ("width", "height", "grid"),
    [(448, 448, (1, 1)), (900, 900, (2, 2)), (1344, 448, (3, 1)), (448, 5376, (1, 12)), (800, 600, (4, 3))],
)
def test_the_grid_of_the_nearest_shape(width, height, grid):
    assert closest_grid(width, height, 448, 1, 12) == grid


@pytest.mark.parametrize(
    ("config", "processor", "tiles"),
    [
        ({"model_type": "internvl"}, None, 13),
        ({"model_type": "internvl"}, {"crop_to_patches": False}, 1),
        ({"model_type": "internvl"}, {"max_patches": 4}, 5),
        ({"model_type": "internvl_chat"}, None, 13),
        ({"model_type": "internvl_chat", "use_thumbnail": False}, None, 12),
        ({"model_type": "internvl_chat", "dynamic_image_size": False}, None, 1),
    ],
)
def test_tiles_of_internvl(config, processor, tiles):
    answer = image_tokens(config | {"vision_config": {"patch_size": 14}}, 800, 600, processor)
    assert (answer.tokens, answer.low) == (256 * tiles, 256)
    assert answer.tokens <= answer.high


@pytest.mark.parametrize(("width", "height", "tiles"), [(560, 560, 1), (561, 560, 2), (1120, 560, 2), (1121, 1120, 4), (4000, 500, 4), (5, 5, 1)])
def test_canvases_of_mllama(width, height, tiles):
    config = {"model_type": "mllama", "vision_config": {"image_size": 560, "patch_size": 14}}
    answer = image_tokens(config, width, height)
    assert (answer.tokens, answer.high) == (tiles * 1601, 4 * 1601)
    assert "cross-attention" in answer.how


def test_llava_next_drops_the_padding():
    config = {"model_type": "llava_next", "image_grid_pinpoints": [[336, 672], [672, 336], [672, 672]]}
    # 1000x500 fits 336x672 exactly: 24 rows of 48; 600x600 fills 672x672: 48 rows of 48.
    assert image_tokens(config, 1000, 500).tokens == 576 + 24 * 49
    assert image_tokens(config, 600, 600).tokens == 576 + 48 * 49
    assert image_tokens(config | {"vision_feature_select_strategy": "full"}, 9, 9).missing
