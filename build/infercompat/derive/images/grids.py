"""Images that become one grid of patches: always the same number, or as many as their size allows."""

from __future__ import annotations

from math import ceil, floor, isqrt, sqrt

from infercompat.derive.images.asked import Asked, ImageTokens

MARKED = 4
"""Gemma 3 and 3n put a begin and an end token around an image, and a blank line before and after these."""


def gemma3(asked: Asked) -> ImageTokens:
    """mm_tokens_per_image (256) whatever the size; with pan and scan as many more for each crop of a long image, and some words.

    Decided by models/gemma3/processing_gemma3.py replace_image_token and image_processing_gemma3.py pan_and_scan_batched
    (transformers), which is off unless do_pan_and_scan is set.
    """
    each = asked.configured("mm_tokens_per_image", 256)
    if not asked.switched("do_pan_and_scan", False):
        return asked.answer(each, each, each, "fixed for each image", around=MARKED)
    most = asked.processed("pan_and_scan_max_num_crops", 4, most=4096)
    crops = _crops(asked, most)
    return asked.answer((1 + crops) * each, each, (1 + most) * each, f"the image and {crops} crops", around=(1 + crops) * MARKED)


def _crops(asked: Asked, most: int) -> int:
    """Crops along the longer side; none where the image is nearly square or the crops would be small."""
    least = asked.processed("pan_and_scan_min_crop_size", 256)
    long, short = max(asked.width, asked.height), min(asked.width, asked.height)
    # The ratio to activate is 1.2 in the class; it is the one value that is no whole number.
    ratio = asked.processor.get("pan_and_scan_min_ratio_to_activate")
    ratio = ratio if isinstance(ratio, (int, float)) and not isinstance(ratio, bool) else 1.2
    if not long / short >= ratio:
        return 0
    crops = min(most, max(2, min(long // least, floor(long / short + 0.5))))
    return 0 if min(ceil(long / crops), short) < least else crops


def gemma3n(asked: Asked) -> ImageTokens:
    """vision_soft_tokens_per_image (256) whatever the size.

    Decided by models/gemma3n/processing_gemma3n.py (transformers).
    """
    each = asked.configured("vision_soft_tokens_per_image", 256)
    return asked.answer(each, each, each, "fixed for each image", around=MARKED)


def gemma4(asked: Asked) -> ImageTokens:
    """The largest grid of the image's shape within the budget max_soft_tokens (280); each token pools 3 x 3 patches.

    Decided by models/gemma4/processing_gemma4.py get_aspect_ratio_preserving_size (transformers).
    """
    budget = asked.either("max_soft_tokens", "vision_soft_tokens_per_image", 280)
    patch = asked.either("patch_size", "vision_config.patch_size", 16)
    unit = patch * asked.either("pooling_kernel_size", "vision_config.pooling_kernel_size", 3)
    factor = sqrt(budget * unit * unit / (asked.width * asked.height))
    rows, columns = floor(factor * asked.height / unit), floor(factor * asked.width / unit)
    if not rows or not columns:
        long, short = max(asked.width, asked.height), min(asked.width, asked.height)
        rows, columns = 1, min(long // short, budget)
    # A side just below two units leaves almost half of the budget unused; no other shape leaves more.
    return asked.answer(rows * columns, max(budget // 2, 1), budget, f"{rows} x {columns} units of {unit} pixels", around=2)


def pixtral(asked: Asked) -> ImageTokens:
    """One token a patch (times the merge size) and one at the end of each row; larger images shrink to size.longest_edge.

    Decided by models/pixtral/processing_pixtral.py replace_image_token and image_processing_pixtral.py get_resize_output_image_size
    (transformers). longest_edge is in the processor's file: 1024 in Pixtral, 1540 in Mistral Small 3.1 and later.
    """
    unit = asked.either("patch_size", "vision_config.patch_size", 16) * asked.configured("spatial_merge_size", 1)
    # A config's image_size is the largest that the encoder has positions for, which is what the published processors use.
    edge = asked.either("size.longest_edge", "vision_config.image_size", 1024)
    ratio = max(asked.height / edge, asked.width / edge, 1.0)
    rows, columns = (ceil(max(floor(side / ratio), 1) / unit) for side in (asked.height, asked.width))
    most = ceil(edge / unit)
    return asked.answer(rows * (columns + 1), 2, most * (most + 1), f"{rows} rows of {columns} and a row end, {unit} pixels each")


def qwen_vl(asked: Asked) -> ImageTokens:
    """Sides are rounded to whole units, and the area is brought within min_pixels and max_pixels; one token a unit.

    Decided by models/qwen2_vl/image_processing_qwen2_vl.py smart_resize (transformers), which Qwen2.5-VL, Qwen3-VL and Qwen3.5 share.
    The pixel limits are in the processor's file and differ between checkpoints.
    """
    patch = asked.either("patch_size", "vision_config.patch_size", None)
    merge = asked.either("merge_size", "vision_config.spatial_merge_size", 2)
    unit = patch * merge
    low, high = (asked.processed(*limit) for limit in _limits(asked))
    long, short = max(asked.width, asked.height), min(asked.width, asked.height)
    if long / short > 200:
        asked.missing.append(f"an image that is at most 200 times as long as it is wide ({asked.width}x{asked.height} is not)")
    rows, columns = smart_resize(asked.height, asked.width, unit, low, high)
    # Where the whole budget is shorter than the longest image may be, one row may pass it.
    least, most = ceil(low / unit**2), high // unit**2
    most = max(most, isqrt(200 * most), least)
    return asked.answer(rows * columns, min(least, rows * columns), most, f"{rows} x {columns} units of {unit} pixels", around=2)


def _limits(asked: Asked) -> tuple[tuple[str, int], tuple[str, int]]:
    """The two names that processors have for each limit, and the class defaults."""
    size = asked.processor.get("size")
    edges = isinstance(size, dict) and "longest_edge" in size and "max_pixels" not in asked.processor
    return (("size.shortest_edge", 3136), ("size.longest_edge", 1003520)) if edges else (("min_pixels", 3136), ("max_pixels", 1003520))


def smart_resize(height: int, width: int, unit: int, least: int, most: int, *, side: int = 0) -> tuple[int, int]:
    """Rows and columns of units, the area between `least` and `most` pixels where the shape allows. Rounded sides have `side` units
    at least, before the area is looked at."""
    rows, columns = max(side, round(height / unit)), max(side, round(width / unit))
    if rows * columns * unit * unit > most:
        shrink = sqrt(height * width / most)
        return max(1, floor(height / shrink / unit)), max(1, floor(width / shrink / unit))
    if rows * columns * unit * unit < least:
        grow = sqrt(least / (height * width))
        return ceil(height * grow / unit), ceil(width * grow / unit)
    return rows, columns


def paligemma(asked: Asked) -> ImageTokens:
    """One token a patch of an image of fixed size.

    Decided by models/paligemma/configuration_paligemma.py num_image_tokens (transformers).
    """
    each = (asked.configured("vision_config.image_size") // asked.configured("vision_config.patch_size")) ** 2
    return asked.answer(each, each, each, "fixed for each image")


def llava(asked: Asked) -> ImageTokens:
    """image_seq_length where the config has it, else one token a patch of an image of fixed size.

    Decided by models/llava/processing_llava.py replace_image_token (transformers): the class token of a CLIP encoder is dropped by
    the strategy "default" and kept by "full".
    """
    stated = asked.config.anywhere("image_seq_length")
    if stated is not None:
        each = asked.configured("image_seq_length")
        return asked.answer(each, each, each, "fixed for each image")
    patches = (asked.configured("vision_config.image_size", 336) // asked.configured("vision_config.patch_size", 14)) ** 2
    full = asked.config.anywhere("vision_feature_select_strategy") == "full"
    each = patches + 1 if full and _has_class_token(asked) else patches
    return asked.answer(each, each, each, "fixed for each image")


def _has_class_token(asked: Asked) -> bool:
    vision = asked.config.anywhere("vision_config")
    return "clip" in str(vision.get("model_type", "clip") if isinstance(vision, dict) else "clip")
