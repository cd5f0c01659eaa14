"""Tokens of sound, from the code of transformers 5.24."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.derive import Unknown
from infercompat.derive.images import AudioTokens, audio_tokens
from infercompat.derive.images.audio import RULES


@pytest.mark.parametrize(
    ("name", "seconds", "tokens"),
    [
        ("gemma3n", 3, 188),
        # 1 s: (16000 + 160 - 321) // 160 + 1 = 99 frames, then 50, then 25.
        ("gemma4", 1, 25),
        ("gemma4", 0.001, 0),
        ("gemma4", 3600, 750),
        # 30 s: 3000 frames, 1500, 750; one second: 100, 50, 25.
        ("qwen2_audio", 30, 750),
        ("qwen2_audio", 90, 750),
        ("qwen2_audio", 1, 25),
        ("qwen2_5_omni", 90, 2250),
        # Windows of 100 frames give 13 tokens; 50 frames more are 25, 13, 7.
        ("qwen3_omni_moe", 1, 13),
        ("qwen3_omni_moe", 1.5, 20),
        ("qwen3_omni_moe", 60, 780),
    ],
)
def test_worked_numbers(name, seconds, tokens):
    assert audio_tokens({"model_type": name}, seconds).tokens == tokens


def test_whisper_takes_none_of_the_decoder():
    answer = audio_tokens({"model_type": "whisper", "max_source_positions": 1500}, 12)
    assert (answer.tokens, answer.cross) == (0, 1500)


def test_a_class_default_is_named():
    assert "class default" in audio_tokens({"model_type": "gemma3n"}, 3).how
    stated = audio_tokens({"model_type": "gemma3n", "audio_soft_tokens_per_image": 100}, 3)
    assert stated == AudioTokens(100, "fixed for each clip of up to 30 seconds")


def test_a_thinker_leads_to_its_model():
    config = {
        "model_type": "qwen2_5_omni",
        "thinker_config": {"model_type": "qwen2_5_omni_thinker", "text_config": {"model_type": "qwen2_5_omni_text"}},
    }
    assert audio_tokens(config, 1).tokens == 25


@pytest.mark.parametrize("config", [{}, {"model_type": "llama"}, None])
def test_other_models_are_unknown(config):
    assert isinstance(audio_tokens(config, 3), Unknown)


@given(st.sampled_from(sorted(RULES)), st.floats() | st.integers() | st.none() | st.booleans())
def test_any_length_is_tokens_or_unknown(name, seconds):
    answer = audio_tokens({"model_type": name}, seconds)
    assert isinstance(answer, Unknown) or answer.tokens >= 0
