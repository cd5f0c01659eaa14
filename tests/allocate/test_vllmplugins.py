"""Plugins of vLLM: one pool of full blocks, as their model runners describe the layers."""

import pytest

from .configs import GIB, ask, sized


@pytest.mark.parametrize(
    ("engine", "version", "block"), [("vllm-gaudi", "0.26.0", 128), ("vllm-ascend", "0.23.0", 128), ("vllm-metal", "0.3.0.dev20260822182524", 16)]
)
def test_a_block_is_of_all_layers(engine, version, block):
    answer = sized(engine, version, "llama-3.1-8b", max_model_len=8192, available_bytes=20 * GIB)
    assert (answer.block_size, answer.bytes_per_block, answer.capacity_tokens) == (block, block * 131072, 163840)
    assert answer.needed_bytes == 8192 * 131072


def test_gaudi_makes_windowed_layers_full_ones():
    answer = sized("vllm-gaudi", "0.26.0", "gemma-3-27b", max_model_len=8192)
    assert answer.resident(8192) == 8192 * 62 * 16 * 256 * 2
    assert answer.because[-1] == "windows do not shorten the cache: the plugin makes every layer a full one"


def test_latents_are_kept_as_they_are():
    assert sized("vllm-ascend", "0.23.0", "deepseek-v3").resident(128) == 128 * 61 * 576 * 2
    assert sized("vllm-gaudi", "0.26.0", "deepseek-v3").resident(128) == 128 * 61 * 576 * 2


def test_layers_that_share_have_no_cache_of_their_own():
    # 42 layers, the last 18 without a cache; every sixth is of 512, so 20 of the 24 are of 256: two heads, keys and values.
    answer = sized("vllm-gaudi", "0.26.0", "gemma-4-e4b")
    assert answer.bytes_per_block == 128 * 2 * 2 * 2 * (20 * 256 + 4 * 512)


@pytest.mark.parametrize(
    ("engine", "version", "model", "missing"),
    [
        ("vllm-gaudi", "0.26.0", "qwen3.5-9b", "states"),
        ("vllm-gaudi", "0.26.0", "deepseek-v3.2", "index keys"),
        ("vllm-ascend", "0.23.0", "gemma-3-27b", "windowed"),
        ("vllm-ascend", "0.23.0", "deepseek-v4-flash", "compression"),
        ("vllm-metal", "0.3.0.dev20260822182524", "gpt-oss-120b", "windowed"),
        ("vllm-ascend", "0.11.0", "llama-3.1-8b", "no cache policy"),
    ],
)
def test_what_cannot_be_told_is_unknown(engine, version, model, missing):
    assert missing in ask(engine, version, model).reason
