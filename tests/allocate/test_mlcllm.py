"""MLC LLM: as many tokens as the mode says, in pages of 16, four bytes for an element of K and its fellow of V."""

import pytest

from .configs import ask, sized


def mlc(model, mode=None, length=40000, **settings):
    given = {"setting.mode": mode} if mode else {}
    return sized("mlc-llm", "0.20.0", model, max_model_len=length, settings=given | settings)


@pytest.mark.parametrize(
    ("mode", "settings", "tokens"),
    [
        (None, {}, 8192),
        ("interactive", {}, 40000),
        ("interactive", {"platform": "metal"}, 32768),
        ("server", {"max_num_seqs": 8}, 320000),
        ("local", {"setting.max_total_seq_length": 20000}, 20000),
    ],
)
def test_the_mode_says_how_many_tokens(mode, settings, tokens):
    answer = mlc("llama-3.1-8b", mode, **settings)
    assert answer.capacity_tokens == tokens
    assert answer.reserved == -(-tokens // 16) * 16 * 131072


def test_a_short_model_has_a_short_cache():
    assert mlc("llama-3.1-8b", length=4096).capacity_tokens == 4096


def test_a_request_is_no_longer_than_the_cache():
    answer = mlc("llama-3.1-8b")
    assert (answer.longest, answer.most_requests) == (8192, 4)
    assert answer.because == ("in the mode local the cache has 8192 tokens, and no request can be longer",)


def test_windows_do_not_shorten_the_cache():
    assert mlc("gemma-3-27b").resident(8192) == 8192 * 62 * 16 * 256 * 2


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3", {}, "latents"),
        ("gemma-4-31b", {}, "one width"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "evenly"),
        ("llama-3.1-8b", {"cache_dtype": "fp8"}, "two bytes"),
        ("llama-3.1-8b", {"settings": {"setting.mode": "server"}}, "batch"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("mlc-llm", "0.20.0", model, **request_).reason
