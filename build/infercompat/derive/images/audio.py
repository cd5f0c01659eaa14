"""Tokens of sound: what one clip takes in the sequence, from its length in seconds. Samples are taken at 16 kHz, frames each 10 ms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, isfinite
from typing import Any

from msgspec import Struct

from infercompat.derive.config import Config
from infercompat.derive.layers import Unknown

RATE, HOP = 16_000, 160
LONGEST = 1 << 24
"""Seconds; half a year."""


class AudioTokens(Struct, frozen=True):
    """Positions that one clip takes in the decoder, without the markers around it; `how` names the rule. `cross` are positions of an
    encoder that the decoder attends to beside its own."""

    tokens: int
    how: str
    cross: int = 0


def gemma3n(config: Config, samples: int) -> AudioTokens:
    """audio_soft_tokens_per_image (188) for each clip, whatever its length; clips are cut at 30 seconds.

    Decided by models/gemma3n/processing_gemma3n.py audio_seq_length (transformers).
    """
    each = config.anywhere("audio_soft_tokens_per_image")
    stated = type(each) is int and 0 < each < 1 << 31
    return AudioTokens(each if stated else 188, "fixed for each clip of up to 30 seconds" + ("" if stated else ", 188 by class default"))


def gemma4(config: Config, samples: int) -> AudioTokens:
    """One token for each four frames of 10 ms, up to 750.

    Decided by models/gemma4/processing_gemma4.py _compute_audio_num_tokens (transformers); frames are 20 ms long.
    """
    frames = max((samples + 160 - 321) // HOP + 1, 0)
    return AudioTokens(min(ceil(ceil(frames / 2) / 2), 750), f"{frames} frames, halved twice, at most 750")


def whisper(config: Config, samples: int) -> AudioTokens:
    """None in the decoder: it attends to max_source_positions (1,500) encoder frames for each 30 seconds, padded to that length.

    Decided by models/whisper/feature_extraction_whisper.py and configuration_whisper.py (transformers).
    """
    frames = config.anywhere("max_source_positions")
    frames = frames if type(frames) is int and 0 < frames < 1 << 31 else 1500
    return AudioTokens(0, f"{frames} encoder frames for a window of 30 seconds, one window at a time", cross=frames)


def qwen2_audio(config: Config, samples: int) -> AudioTokens:
    """A token for each four frames of 10 ms, clips cut at 30 seconds.

    Decided by models/qwen2_audio/processing_qwen2_audio.py _process_audio (transformers).
    """
    frames = min(ceil(samples / HOP), 3000)
    return AudioTokens(_halved_twice(frames), f"{frames} frames, halved twice, at most 30 seconds")


def qwen2_5_omni(config: Config, samples: int) -> AudioTokens:
    """As Qwen2-Audio, but clips are as long as the processor's chunk_length, 300 seconds in the published one.

    Decided by models/qwen2_5_omni/processing_qwen2_5_omni.py _get_num_audio_tokens (transformers).
    """
    frames = min(ceil(samples / HOP), 30_000)
    return AudioTokens(_halved_twice(frames), f"{frames} frames, halved twice, at most 300 seconds (chunk_length of the processor's file)")


def qwen3_omni(config: Config, samples: int) -> AudioTokens:
    """13 tokens for each whole second, and what is left of the frames halved three times; no limit on the length.

    Decided by models/qwen3_omni_moe/processing_qwen3_omni_moe.py _get_feat_extract_output_lengths (transformers).
    """
    frames = samples // HOP
    whole, left = divmod(frames, 100)
    return AudioTokens(13 * whole + ceil(ceil(ceil(left / 2) / 2) / 2), f"13 for each of {whole} windows of 100 frames, and {left} frames")


def _halved_twice(frames: int) -> int:
    return max((((frames - 1) // 2 + 1) - 2) // 2 + 1, 0)


RULES: dict[str, Callable[[Config, int], AudioTokens]] = {
    name: rule
    for rule, names in (
        (gemma3n, "gemma3n Gemma3nForConditionalGeneration"),
        (gemma4, "gemma4 Gemma4ForConditionalGeneration"),
        (whisper, "whisper WhisperForConditionalGeneration"),
        (qwen2_audio, "qwen2_audio Qwen2AudioForConditionalGeneration"),
        (qwen2_5_omni, "qwen2_5_omni qwen2_5_omni_thinker Qwen2_5OmniModel Qwen2_5OmniForConditionalGeneration"),
        (qwen3_omni, "qwen3_omni_moe qwen3_omni_moe_thinker Qwen3OmniMoeForConditionalGeneration"),
    )
    for name in names.split()
}


def audio_tokens(config_values: Mapping[str, Any], seconds: float) -> AudioTokens | Unknown:
    """What a clip of so many seconds takes, or what is missing to say so."""
    config = Config(config_values if isinstance(config_values, Mapping) else {})
    rule = next((RULES[name] for name in config.names[::-1] if name in RULES), None)
    if rule is None:
        return Unknown((f"an audio rule for {config.names[-1][:80] if config.names else 'this model'}",), "its audio tokens are not worked out")
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not number or not isfinite(seconds) or not 0 < seconds <= LONGEST:
        return Unknown(("seconds",), f"{str(seconds)[:20]} is no length of a clip")
    return rule(config, int(seconds * RATE))
