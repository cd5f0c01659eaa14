"""ExLlamaV3: pages of 256 tokens, rings with two pages beside the window, states twice; worked by hand from its cache files."""

import pytest

from .configs import ask, sized


def exl(model, architecture="Other", settings=None, **request):
    return sized("exllamav3", "1.6.5", model, architecture=architecture, settings=settings or {}, **request)


def test_all_pages_are_allocated_when_the_model_is_loaded():
    answer = exl("llama-3.1-8b", max_model_len=8192)
    assert (answer.block_size, answer.bytes_per_block, answer.reserved) == (256, 256 * 131072, 8192 * 131072)
    assert answer.resident(257) == 512 * 131072


def test_a_longer_request_needs_a_larger_cache():
    answer = exl("llama-3.1-8b", max_model_len=10000)
    assert answer.capacity_tokens == 10240  # 40 pages
    assert answer.because[0].startswith("--cache_size has to be 10240")


def test_bits_of_keys_and_values_with_a_scale_for_32():
    # 1,024 elements for K and as many for V: 6 bits and 4 bits of each, and a half for each 32 of both.
    token = 32 * (1024 * 6 // 8 + 1024 * 4 // 8 + 2 * 32 * 2)
    assert exl("llama-3.1-8b", settings={"setting.cache_quant": "6,4"}).resident(256) == 256 * token
    # one number is for both: 32 ints of 4 bits a group are 16 bytes, and 2 of the scale
    assert exl("llama-3.1-8b", settings={"setting.cache_quant": 4}).resident(256) == 256 * 32 * 2 * 32 * (16 + 2)


def test_rings_hold_the_window_and_two_pages_for_each_slot():
    answer = exl("gpt-oss-120b", "GptOssForCausalLM", max_model_len=8192, max_num_seqs=2)
    ring = 768 * 18 * 8 * 64 * 2 * 2  # 128 + 512 tokens in whole pages, half of the 36 layers
    assert answer.resident(1) == 256 * 18 * 2048 + ring
    assert answer.reserved == 8192 * 18 * 2048 + 2 * ring
    assert answer.most_requests == 2


@pytest.mark.parametrize(("architecture", "settings"), [("Gemma3ForConditionalGeneration", {}), ("GptOssForCausalLM", {"setting.swa_full": True})])
def test_windowed_layers_without_rings_keep_every_token(architecture, settings):
    model = "gemma-3-27b" if architecture.startswith("Gemma") else "gpt-oss-120b"
    answer = exl(model, architecture, settings)
    assert "windows do not shorten the cache: windowed layers keep every token" in answer.because
    assert all(group.most is None for group in answer.groups)


def test_values_are_kept_as_wide_as_keys():
    answer = exl("mimo-v2-flash", "MiMoV2ForCausalLM", max_model_len=256)
    full, ring = 9 * 4 * 192 * 4, 39 * 8 * 192 * 4 * 768
    assert answer.resident(256) == 256 * full + ring


def test_a_latent_is_kept_as_it_is():
    assert exl("deepseek-v3").resident(256) == 256 * 61 * 1152


def test_states_are_kept_twice_and_convolutions_with_every_column():
    # Of each of 24 layers: 2 states of 32 x 128 x 128 halves; 8,192 channels of 4 columns, and one that stands ready.
    assert exl("qwen3.5-9b", settings={"model.conv_kernel": 4}).state_bytes == 24 * (2 * 524288 * 2 + 8192 * 5 * 2)
    single = exl("qwen3.5-9b", settings={"model.conv_kernel": 4, "setting.recurrent_state_fp32": True})
    assert single.state_bytes == 24 * (2 * 524288 * 4 + 8192 * 5 * 2)


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("llama-3.1-8b", {"tensor_parallel": 2}, "differ in size"),
        ("llama-3.1-8b", {"cache_dtype": "fp8"}, "there is no cache of fp8"),
        ("llama-3.1-8b", {"settings": {"setting.cache_quant": "9"}}, "from 2 to 8"),
        ("gpt-oss-120b", {}, "architecture"),
        ("deepseek-v3", {"settings": {"setting.cache_quant": "8"}}, "rotary"),
        ("deepseek-v3.2", {"architecture": "DeepseekV32ForCausalLM"}, "index keys"),
        ("nemotron-nano-9b-v2", {}, "states"),
        ("gemma-4-e4b", {"architecture": "Gemma4ForConditionalGeneration"}, "share"),
        ("deepseek-v4-flash", {"architecture": "DeepseekV4ForCausalLM"}, "compressed"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("exllamav3", "1.6.5", model, **request_).reason
