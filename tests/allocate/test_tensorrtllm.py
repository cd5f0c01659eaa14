"""TensorRT LLM: pools by window, latents, states and stages. Values are worked out from the rules of resource_manager.py, or logged."""

import pytest

from infercompat.allocate import Allocation, allocate
from infercompat.allocate.request import Request
from infercompat.derive import derive

from .configs import ARCHITECTURES, GIB, ask, engine, sized


def trtllm(model, architecture=None, **request):
    return sized("tensorrt-llm", "1.3.0rc26", model, architecture=architecture or ARCHITECTURES[model], **request)


def older(model, **request):
    settings = {"setting.use_kv_cache_manager_v2": False} | request.pop("settings", {})
    return trtllm(model, settings=settings, **request)


def test_one_pool_in_blocks_of_32():
    answer = trtllm("llama-3.1-8b", available_bytes=20 * GIB)
    assert (answer.block_size, answer.bytes_per_block, answer.capacity_tokens) == (32, 32 * 131072, 163840)
    assert answer.resident(33) == 64 * 131072


def test_a_log_of_one_pool():
    """116,617 blocks of 32 tokens and 78.30 GiB, as a server of a TinyLlama prints them (pull request 150 of triton-inference-server/tutorials)."""
    answer = trtllm("tinyllama-1.1b", available_bytes=116617 * 32 * 22528 + 22527)
    assert (answer.blocks, answer.capacity_tokens, answer.bytes_per_block) == (116617, 3731744, 32 * 22528)
    assert answer.log_lines() == ("Allocated 78.30 GiB for max tokens in paged KV cache (3731744).",)


def test_windows_have_a_pool_of_their_own_for_some_architectures():
    gemma = trtllm("gemma-3-27b", available_bytes=20 * GIB)
    other = trtllm("gemma-3-27b", "Other")
    assert gemma.resident(8192) == (10 * 8192 + 52 * 1056) * 16 * 256 * 2
    assert gemma.capacity_tokens is None and gemma.missing == ("the split of memory among pools",)
    assert other.resident(8192) == 62 * 8192 * 16 * 256 * 2


def test_the_older_manager_gives_each_window_an_equal_part():
    """Half of 20 GiB: 787 blocks of 52 layers of 8 KiB a token, and 4,096 of 10 such layers."""
    windows = {"setting.max_attention_window": [1024] * 5 + [131072]}
    answer = older("gemma-3-27b", settings=windows, max_model_len=32768, available_bytes=20 * GIB)
    assert [(group.kind, group.layers, group.most) for group in answer.groups] == [("windowed", 52, 1056), ("full", 10, None)]
    assert answer.figures == {"blocks_0": 4096, "blocks_1024": 787}
    assert (answer.capacity_tokens, answer.max_concurrency) == (131072, 4.0)
    assert older("gemma-3-27b", settings={"setting.max_attention_window": "1024,131072"}, max_model_len=32768).groups[0].layers == 31


def test_windows_that_do_not_fit_are_cut_and_not_worked_out():
    windows = {"setting.max_attention_window": [1024] * 5 + [131072]}
    answer = older("gemma-3-27b", settings=windows, max_model_len=131072, available_bytes=10 * GIB)
    assert answer.capacity_tokens is None and answer.missing == ("windows that are cut to what fits",)


def test_without_windows_the_older_manager_keeps_every_token():
    assert older("gemma-3-27b").resident(8192) == 62 * 8192 * 16 * 256 * 2


def test_layers_of_several_widths_have_several_pools():
    assert len(trtllm("gemma-4-31b").groups) == 2


def test_latents_are_kept_once_on_every_rank():
    answer = trtllm("deepseek-v3", tensor_parallel=8, available_bytes=20 * GIB)
    assert (answer.bytes_per_block, answer.blocks) == (32 * 70272, 9549)
    assert trtllm("deepseek-v3", cache_dtype="fp8").resident(32) == 32 * 35136


def test_index_keys_take_a_byte_an_element_and_four_for_128():
    assert trtllm("deepseek-v3.2").resident(32) == 32 * 61 * (1152 + 132)


def test_the_first_stages_have_what_is_left_over():
    """61 layers over two stages are 31 and 30."""
    assert trtllm("deepseek-v3", pipeline_parallel=2).resident(32) == 32 * 31 * 1152


def test_nvfp4_has_a_byte_of_scale_for_16():
    assert trtllm("llama-3.1-8b", cache_dtype="nvfp4").resident(32) == 32 * 65536 * 9 // 16


@pytest.mark.parametrize(
    ("model", "settings", "state"),
    [
        ("qwen3.5-9b", {}, 24 * (8192 * 3 + 32 * 128 * 128) * 2),
        ("qwen3.5-9b", {"setting.mamba_ssm_cache_dtype": "float32"}, 24 * (8192 * 3 * 2 + 32 * 128 * 128 * 4)),
        ("nemotron-nano-9b-v2", {}, 27 * (12288 * 3 + 128 * 80 * 128) * 2),
        ("nemotron-nano-9b-v2", {"model.mamba_ssm_cache_dtype": "float32"}, 27 * (12288 * 3 * 2 + 128 * 80 * 128 * 4)),
        ("kimi-linear-48b", {}, 43417600),
    ],
)
def test_states_follow_the_model_s_type_unless_one_field_names_another(model, settings, state):
    answer = trtllm(model, settings=settings, available_bytes=20 * GIB)
    assert answer.state_bytes == state
    assert answer.missing == ("the split of memory among pools",)


def test_the_older_manager_takes_states_of_all_requests_first():
    """8 states of 26,345,472 bytes out of 10 GiB, then 32,768 bytes a token; a state kept every 256 tokens adds 102,912."""
    asked = {"max_num_seqs": 8, "available_bytes": 10 * GIB}
    assert older("qwen3.5-9b", settings={"prefix_caching": False}, **asked).capacity_tokens == 321248
    assert older("qwen3.5-9b", settings={"setting.mamba_snapshot_interval": 256}, **asked).capacity_tokens == 77568
    assert older("qwen3.5-9b", **asked).missing == ("setting.mamba_snapshot_interval",)
    assert older("qwen3.5-9b", available_bytes=10 * GIB).missing == ("max_num_seqs",)


def test_an_encoder_s_positions_have_a_pool_of_their_own():
    """Whisper large v3: 32 layers of 20 heads of 64; 1,500 positions are 47 blocks."""
    sizes = {"decoder_layers": 32, "decoder_attention_heads": 20, "d_model": 1280, "max_source_positions": 1500, "max_target_positions": 448}
    whisper = derive({"model_type": "whisper", **sizes})
    answer = allocate(engine("tensorrt-llm"), "1.3.0rc26", Request(whisper, architecture="WhisperForConditionalGeneration", available_bytes=GIB))
    assert isinstance(answer, Allocation)
    assert answer.state_bytes == 47 * 32 * 32 * 2 * 1280 * 2
    assert answer.missing == ("the part of the cache for cross-attention",)


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v4-flash", {"architecture": "DeepseekV4ForCausalLM"}, "compressed"),
        ("qwen3.5-9b", {"architecture": "JambaForCausalLM"}, "states"),
        ("gemma-4-e4b", {"architecture": "Gemma4ForConditionalGeneration"}, "share"),
        ("gemma-3-27b", {}, "architecture"),
        ("gemma-3-27b", {"architecture": "Other", "settings": {"setting.max_attention_window": ["long"]}}, "list of tokens"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "evenly"),
        ("deepseek-v3", {"cache_dtype": "nvfp4"}, "nvfp4"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("tensorrt-llm", "1.3.0rc26", model, **request_).reason
