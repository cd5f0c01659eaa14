"""TensorRT LLM: pools by window and heads, as its page on the cache says."""

import pytest

from .configs import GIB, ask, sized


def trtllm(model, architecture="Other", **request):
    return sized("tensorrt-llm", "1.3.0rc26", model, architecture=architecture, **request)


def test_one_pool_in_blocks_of_32():
    answer = trtllm("llama-3.1-8b", available_bytes=20 * GIB)
    assert (answer.block_size, answer.bytes_per_block, answer.capacity_tokens) == (32, 32 * 131072, 163840)
    assert answer.resident(33) == 64 * 131072


def test_windows_have_a_pool_of_their_own_for_some_architectures():
    gemma, other = trtllm("gemma-3-27b", "Gemma3ForConditionalGeneration", available_bytes=20 * GIB), trtllm("gemma-3-27b")
    assert gemma.resident(8192) == (10 * 8192 + 52 * 1056) * 16 * 256 * 2
    assert gemma.capacity_tokens is None and gemma.missing == ("the split of memory among pools",)
    assert other.resident(8192) == 62 * 8192 * 16 * 256 * 2


def test_layers_of_several_widths_have_several_pools():
    assert len(trtllm("gemma-4-31b").groups) == 2


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3", {}, "latents"),
        ("qwen3.5-9b", {}, "states"),
        ("gemma-4-e4b", {"architecture": "Gemma4ForConditionalGeneration"}, "share"),
        ("gemma-3-27b", {}, "architecture"),
        ("gemma-3-27b", {"settings": {"setting.max_attention_window": [1024]}}, "max_attention_window"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "evenly"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("tensorrt-llm", "1.3.0rc26", model, **request_).reason
