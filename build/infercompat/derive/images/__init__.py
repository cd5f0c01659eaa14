"""How many positions an image or a clip takes in the sequence, from the config, the processor's file and the size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from infercompat.derive.config import Config
from infercompat.derive.images import grids, tiles
from infercompat.derive.images.asked import LONGEST_SIDE, Asked, ImageTokens
from infercompat.derive.images.audio import AudioTokens, audio_tokens
from infercompat.derive.layers import Unknown

__all__ = ["RULES", "AudioTokens", "ImageTokens", "audio_tokens", "image_tokens"]

RULES: dict[str, Callable[[Asked], ImageTokens]] = {
    name: rule
    for rule, names in (
        (grids.gemma3, "gemma3 Gemma3ForConditionalGeneration"),
        (grids.gemma3n, "gemma3n Gemma3nForConditionalGeneration"),
        (grids.gemma4, "gemma4 Gemma4ForConditionalGeneration"),
        (grids.pixtral, "mistral3 Mistral3ForConditionalGeneration mistral_large4 MistralLarge4ForConditionalGeneration pixtral"),
        (
            grids.qwen_vl,
            "qwen2_vl qwen2_5_vl qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe Qwen2VLForConditionalGeneration "
            "Qwen2_5_VLForConditionalGeneration Qwen3VLForConditionalGeneration Qwen3VLMoeForConditionalGeneration "
            "Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration",
        ),
        (grids.paligemma, "paligemma PaliGemmaForConditionalGeneration"),
        (grids.llava, "llava vipllava LlavaForConditionalGeneration VipLlavaForConditionalGeneration"),
        (tiles.idefics3, "idefics3 smolvlm Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration"),
        (tiles.lfm2_vl, "lfm2_vl Lfm2VlForConditionalGeneration"),
        (tiles.internvl, "internvl internvl_chat InternVLForConditionalGeneration InternVLChatModel"),
        (tiles.mllama, "mllama MllamaForConditionalGeneration"),
        (tiles.llava_next, "llava_next LlavaNextForConditionalGeneration"),
    )
    for name in names.split()
}
"""The rule of each family, by model_type and by class name."""


def image_tokens(config_values: Mapping[str, Any], width: int, height: int, processor: Mapping[str, Any] | None = None) -> ImageTokens | Unknown:
    """What an image of `width` x `height` pixels takes, or what is missing to say so.

    `processor` is the preprocessor_config.json, where sizes and limits live that config.json does not have; without it the defaults
    of the processor's class are used, and `how` names each.
    """
    config = Config(config_values if isinstance(config_values, Mapping) else {})
    rule = next((RULES[name] for name in _outer_first(config) if name in RULES), None)
    if rule is None:
        return Unknown((f"an image rule for {next(iter(_outer_first(config)), 'this model')[:80]}",), "its image tokens are not worked out")
    if not all(type(side) is int and 0 < side <= LONGEST_SIDE for side in (width, height)):
        return Unknown(("width", "height"), f"{str(width)[:20]} x {str(height)[:20]} is no size of an image in pixels")
    asked = Asked(config, width, height, processor if isinstance(processor, Mapping) else {})
    answer = rule(asked)
    if asked.missing:
        return Unknown(tuple(dict.fromkeys(asked.missing)), "values that decide how many tokens an image takes")
    return answer


def _outer_first(config: Config) -> tuple[str, ...]:
    """Names of the whole model before those of its text part; an image encoder belongs to the whole."""
    return tuple(dict.fromkeys(name for part in config.parts for name in _names(part)))


def _names(part: Mapping[str, Any]) -> list[str]:
    classes = part.get("architectures")
    return [name for name in (part.get("model_type"), *(classes if isinstance(classes, list) else ())) if isinstance(name, str) and name]
