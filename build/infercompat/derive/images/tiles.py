"""Images that are cut into tiles of one size, mostly with a small view of the whole beside them."""

from __future__ import annotations

from math import ceil

from infercompat.derive.images.asked import Asked, ImageTokens
from infercompat.derive.images.grids import smart_resize

MOST_TILES = 256
ABSOLUTE_EDGE = 4096
"""Idefics3 shrinks to this edge whatever the processor's file says."""


def idefics3(asked: Asked) -> ImageTokens:
    """The longer side becomes size.longest_edge, is cut into tiles of max_image_size, and a view of the whole is added.

    Each tile takes (image_size / patch_size)^2 / scale_factor^2 tokens and two markers, each row a line break. Decided by
    models/smolvlm/processing_smolvlm.py _prompt_split_image and image_processing_smolvlm.py resize_for_vision_encoder, and the
    like in models/idefics3 (transformers).
    """
    side = asked.configured("vision_config.image_size") // asked.configured("vision_config.patch_size")
    each = side * side // asked.configured("scale_factor", 2) ** 2
    if not asked.switched("do_image_splitting", True):
        return asked.answer(each, each, each, f"one tile of {each}", around=3)
    tile, edge = asked.processed("max_image_size.longest_edge", 364), asked.processed("size.longest_edge", 1456)
    rows, columns = _rows_and_columns(asked, tile, edge)
    most = ceil(min(edge, ABSOLUTE_EDGE) / tile)
    if most > MOST_TILES:
        asked.missing.append(f"size.longest_edge (makes more than {MOST_TILES} tiles a side)")
    low, high, tokens = (_split(each, *grid) for grid in ((1, most), (most, most), (rows, columns)))
    return asked.answer(tokens, min(low, tokens), max(high, tokens), f"{rows} x {columns} tiles of {each} and the whole image", around=3)


def _rows_and_columns(asked: Asked, tile: int, edge: int) -> tuple[int, int]:
    long, short = max(asked.width, asked.height), min(asked.width, asked.height)
    shape = long / short
    longer = min(edge, ABSOLUTE_EDGE)
    shorter = int(edge / shape)
    # Odd short sides are made even before the absolute limit applies.
    shorter = max(shorter + shorter % 2, 1)
    if edge > ABSOLUTE_EDGE:
        shorter = max(int(ABSOLUTE_EDGE / (edge / shorter)), 1)
    along = ceil(longer / tile)
    across = max(ceil(int(along * tile / (longer / shorter)) / tile), 1)
    return (across, along) if asked.width >= asked.height else (along, across)


def _split(each: int, rows: int, columns: int) -> int:
    """Tokens of a split image: two markers a tile and a line break a row; the one before the whole image merges with the last."""
    return each if rows * columns == 1 else rows * (columns * (each + 2) + 1) + each


def lfm2_vl(asked: Asked) -> ImageTokens:
    """A small image is one tile of its own shape within min_image_tokens and max_image_tokens; a large one is cut into a grid of
    min_tiles to max_tiles tiles of tile_size pixels, and a thumbnail is added.

    Decided by models/lfm2_vl/image_processing_lfm2_vl.py resize_and_split and processing_lfm2_vl.py _build_image_tokens (transformers).
    """
    patch, down = asked.either("encoder_patch_size", "encoder_patch_size", 16), asked.either("downsample_factor", "downsample_factor", 2)
    least, most = (asked.either(f"{end}_image_tokens", f"{end}_image_tokens", default) for end, default in (("min", 64), ("max", 256)))
    tile, unit = asked.either("tile_size", "tile_size", 512), patch * down
    fewest, many = (asked.either(f"{end}_tiles", f"{end}_tiles", count, most=MOST_TILES) for end, count in (("min", 2), ("max", 10)))
    each = ceil(tile // patch / down) ** 2
    rows, columns = smart_resize(asked.height, asked.width, unit, least * unit**2, most * unit**2, side=1)
    one = rows * columns
    low, high = min(least, one), many * (each + 1) + 1 + most
    tolerance = asked.processor.get("max_pixels_tolerance")
    tolerance = tolerance if isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool) else 2.0
    area = max(patch, round(asked.height / unit) * unit) * max(patch, round(asked.width / unit) * unit)
    if area <= most * unit**2 * tolerance or fewest == many == 1 or not asked.switched("do_image_splitting", True):
        return asked.answer(one, low, high, f"one tile of {rows} x {columns}", around=2)
    across, along = closest_grid(asked.width, asked.height, tile, fewest, many)
    tokens = across * along * (each + 1)
    if asked.switched("use_thumbnail", True):
        tokens += 1 + one
    return asked.answer(tokens, low, high, f"{along} x {across} tiles of {each} and a marker, and a thumbnail of {one}", around=2)


def closest_grid(width: int, height: int, tile: int, fewest: int, most: int) -> tuple[int, int]:
    """Columns and rows of the grid whose shape is nearest to the image's; among equals the larger, while the image is more than
    half as large (find_closest_aspect_ratio in several image processors of transformers)."""
    grids = [(across, along) for across in range(1, most + 1) for along in range(1, most // across + 1) if fewest <= across * along]
    best, nearest = (1, 1), float("inf")
    for grid in sorted(grids, key=lambda grid: grid[0] * grid[1]):
        off = abs(width / height - grid[0] / grid[1])
        if off < nearest:
            best, nearest = grid, off
        elif off == nearest and width * height > 0.5 * tile * tile * grid[0] * grid[1]:
            best = grid
    return best


def internvl(asked: Asked) -> ImageTokens:
    """Tiles of 448 pixels in the grid nearest to the image's shape, and a thumbnail where there is more than one.

    Decided by models/got_ocr2/image_processing_got_ocr2.py get_number_of_image_patches and models/internvl/processing_internvl.py
    (transformers), where cropping is on; for internvl_chat by transformers_utils/processors/internvl.py (vLLM), whose limits are in
    the config.
    """
    chat = "internvl_chat" in asked.config.names or "InternVLChatModel" in asked.config.names
    if chat:
        size = asked.configured("force_image_size", 448)
        scale = asked.config.anywhere("downsample_ratio")
        scale = scale if isinstance(scale, float) and 0 < scale <= 1 else 0.5
        each = int((size // asked.configured("vision_config.patch_size", 14)) ** 2 * scale**2)
        fewest, most = asked.configured("min_dynamic_patch", 1, most=MOST_TILES), asked.configured("max_dynamic_patch", 12, most=MOST_TILES)
        split, thumbnail = asked.config.anywhere("dynamic_image_size") is not False, asked.config.anywhere("use_thumbnail") is not False
    else:
        size, each, thumbnail = asked.processed("size.height", 448), asked.configured("image_seq_length", 256), True
        fewest, most = asked.processed("min_patches", 1, most=MOST_TILES), asked.processed("max_patches", 12, most=MOST_TILES)
        split = asked.switched("crop_to_patches", True)
    across, along = closest_grid(asked.width, asked.height, size, fewest, most) if split else (1, 1)
    tiles = across * along
    tiles += 1 if thumbnail and tiles > 1 else 0
    highest = most + 1 if split and thumbnail and most > 1 else most if split else 1
    return asked.answer(tiles * each, each, highest * each, f"{along} x {across} tiles of {each}, a thumbnail beside several", around=2)


def mllama(asked: Asked) -> ImageTokens:
    """Positions of cross-attention, which are not in the decoder's own cache: (image_size / patch_size)^2 + 1 for each tile.

    Decided by models/mllama/image_processing_mllama.py get_optimal_tiled_canvas and modeling_mllama.py num_patches (transformers),
    which pads every image to max_num_tiles.
    """
    size, patch = asked.configured("vision_config.image_size", 448), asked.configured("vision_config.patch_size", 14)
    each, most = (size // patch) ** 2 + 1, asked.configured("vision_config.max_num_tiles", 4, most=MOST_TILES)
    canvases = [(across, along) for across in range(1, most + 1) for along in range(1, most // across + 1)]
    scales = {grid: min(grid[0] * size / asked.width, grid[1] * size / asked.height) for grid in canvases}
    enlarging = [scale for scale in scales.values() if scale >= 1]
    chosen = min(enlarging) if enlarging else max(scales.values())
    tiles = min(across * along for (across, along), scale in scales.items() if scale == chosen)
    return asked.answer(tiles * each, each, most * each, f"{tiles} tiles of {each} for cross-attention, one token in the decoder")


def llava_next(asked: Asked) -> ImageTokens:
    """A view of the whole, and the image at the resolution of image_grid_pinpoints that wastes least, without its padding and with
    a marker a row.

    Decided by models/llava_next/processing_llava_next.py _get_number_of_features and image_processing_utils.py
    select_best_resolution (transformers), for the feature strategy "default".
    """
    edge, patch = asked.configured("vision_config.image_size", 336), asked.configured("vision_config.patch_size", 14)
    pins = [pin for pin in _pins(asked) if min(pin) >= edge]
    side = edge // patch
    if not pins or not side:
        asked.missing.append("image_grid_pinpoints")
        return asked.answer(1, 1, 1, "")
    if asked.config.anywhere("vision_feature_select_strategy") == "full":
        asked.missing.append("the tokens of vision_feature_select_strategy full")
    height, width = _best_resolution(asked, pins)
    rows, columns = _without_padding(asked, side * (height // edge), side * (width // edge))
    most = max(side * (high // edge) * (side * (wide // edge) + 1) for high, wide in pins)
    return asked.answer(side**2 + rows * (columns + 1), side**2, side**2 + most, f"{side}^2 and {rows} rows of {columns} and a row end")


def _pins(asked: Asked) -> list[tuple[int, int]]:
    listed = asked.config.anywhere("image_grid_pinpoints")
    pairs = listed[:MOST_TILES] if isinstance(listed, list) else []
    return [(p[0], p[1]) for p in pairs if isinstance(p, list) and len(p) == 2 and all(type(s) is int and 0 < s < 1 << 20 for s in p)]


def _best_resolution(asked: Asked, pins: list[tuple[int, int]]) -> tuple[int, int]:
    def fit(pin: tuple[int, int]) -> tuple[int, int]:
        height, width = pin
        scale = min(width / asked.width, height / asked.height)
        kept = min(int(asked.width * scale) * int(asked.height * scale), asked.width * asked.height)
        return kept, kept - width * height

    return max(pins, key=fit)


def _without_padding(asked: Asked, rows: int, columns: int) -> tuple[int, int]:
    if asked.width / asked.height > columns / rows:
        return rows - (rows - int(round(asked.height * (columns / asked.width), 7))) // 2 * 2, columns
    return rows, columns - (columns - int(round(asked.width * (rows / asked.height), 7))) // 2 * 2
