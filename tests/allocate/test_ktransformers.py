"""KTransformers: the pools of its fork of SGLang, where they are as those of SGLang."""

import pytest

from .configs import GIB, ask, sized

KT = ("ktransformers", "0.7.2")


def test_a_token_takes_the_heads_of_every_layer():
    # 94 layers of 4 KV heads of 128, keys and values, in bf16; on four ranks one head each.
    answer = sized(*KT, "qwen3-235b-a22b", tensor_parallel=4, available_bytes=10 * GIB)
    assert answer.bytes_per_block == 94 * 1 * 256 * 2
    assert answer.capacity_tokens == 10 * GIB // (94 * 512)


def test_latents_are_kept_as_they_are_and_what_fits_is_not_told():
    answer = sized(*KT, "deepseek-v3", available_bytes=20 * GIB)
    assert answer.resident(1000) == 1000 * 61 * 576 * 2
    assert answer.capacity_tokens is None
    assert any("start-up counts" in note for note in answer.notes)


def test_sparse_latents_have_scaled_rows_and_index_keys():
    assert sized(*KT, "deepseek-v3.2", cache_dtype="fp8_e4m3").resident(64) == 64 * 61 * (656 + 132)


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("gpt-oss-120b", {"architecture": "GptOssForCausalLM"}, "windowed pool"),
        ("qwen3.5-9b", {"architecture": "Qwen3_5ForConditionalGeneration"}, "states"),
        ("llama-3.1-8b", {"settings": {"speculation.method": "EAGLE"}}, "draft"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask(*KT, model, **request_).reason


def test_windows_of_an_architecture_that_is_not_on_the_list_do_not_shorten_the_cache():
    assert sized(*KT, "gemma-3-27b", architecture="Gemma3ForConditionalGeneration").resident(8192) == 8192 * 62 * 16 * 256 * 2
