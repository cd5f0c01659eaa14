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


TPU = ("tpu-inference", "0.32.0")


def test_a_tpu_log_bears_the_pages_out():
    # A change to the plugin shows 811,008 tokens and 198.00x for 4,096 tokens over four v6e, whose use rose from 3.74 to 28.49 GiB each: 32
    # layers of 3,168 pages of 256 tokens, with 16 rows of 128 in bf16 over all four.
    answer = sized(*TPU, "llama-3.1-8b", tensor_parallel=4, max_model_len=4096, available_bytes=int(24.75 * GIB))
    assert (answer.block_size, answer.bytes_per_block, answer.capacity_tokens) == (256, 256 * 32 * 4 * 128 * 2, 811008)
    assert answer.max_concurrency == pytest.approx(198)


@pytest.mark.parametrize(("length", "sequences", "page"), [(1024, 8, 64), (8192, 256, 256), (9000, 8, 16), (131072, 64, 64), (131072, 256, 256)])
def test_pages_on_a_tpu_go_by_the_length_and_the_table_of_all_sequences(length, sequences, page):
    assert sized(*TPU, "llama-3.1-8b", max_model_len=length, max_num_seqs=sequences).block_size == page


@pytest.mark.parametrize(
    ("model", "ranks", "dtype", "token"),
    [
        ("llama-3.1-8b", 1, "bf16", 32 * 8 * 2 * 128 * 2),
        ("llama-3.1-8b", 16, "bf16", 32 * 2 * 128 * 2),  # one head a rank
        ("llama-3.1-8b", 8, "fp8", 32 * 4 * 128),  # keys and values of one head fill half a word
        ("llama-3.1-8b", 4, "fp8", 32 * 4 * 128),
        ("tinyllama-1.1b", 4, "bf16", 22 * 2 * 128 * 2),  # heads of 64, keys and values in one row; one head takes two
        ("gemma-4-31b", 1, "bf16", (50 * 16 * 256 + 10 * 4 * 512) * 2 * 2),  # two widths make windowed layers full ones
    ],
)
def test_heads_are_padded_on_a_tpu(model, ranks, dtype, token):
    answer = sized(*TPU, model, tensor_parallel=ranks, cache_dtype=dtype, block_size=128, max_model_len=8192)
    assert answer.bytes_per_block == 128 * token


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("gemma-3-27b", {}, "whose class"),
        ("deepseek-v3", {}, "latent"),
        ("qwen3.5-9b", {}, "states"),
        ("mimo-v2-flash", {}, "widths"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "3 ranks"),
        ("llama-3.1-8b", {"cache_dtype": "nvfp4"}, "nvfp4"),
    ],
)
def test_what_cannot_be_told_of_a_tpu_is_unknown(model, request_, missing):
    assert missing in ask(*TPU, model, **request_).reason
