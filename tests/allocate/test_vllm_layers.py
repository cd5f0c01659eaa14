"""vLLM's layers: the bytes of a token, and blocks that grow until a page holds a recurrent state."""

import pytest

from .configs import ask, sized

BF16_STATE = {"setting.mamba_ssm_cache_dtype": "bf16", "model.conv_kernel": 4}


@pytest.mark.parametrize(
    ("model", "request_", "block"),
    [
        ("qwen3.5-9b", {}, 528),
        ("qwen3.5-9b", {"cache_dtype": "fp8"}, 1056),
        ("qwen3.5-27b", {}, 784),
        ("qwen3.5-27b", {"cache_dtype": "fp8"}, 1568),
        ("qwen3.6-35b-a3b", {"cache_dtype": "fp8"}, 2096),
        # https://github.com/syv-ai/qwen38-27b-rtx3090/issues/102
        ("qwen3.5-27b", {"speculative_tokens": 15, "settings": BF16_STATE}, 480),
        ("qwen3.5-27b", {"speculative_tokens": 7, "cache_dtype": "int8_per_token_head", "settings": BF16_STATE}, 864),
        # https://github.com/noonghunna/club-3090/issues/1107
        ("qwen3.5-27b", {"speculative_tokens": 7, "cache_dtype": "fp8", "tensor_parallel": 2, "settings": {"model.conv_kernel": 4}}, 1648),
        # https://github.com/vllm-project/vllm/issues/24280
        ("nemotron-nano-9b-v2", {"settings": BF16_STATE}, 672),
    ],
)
def test_block_sizes_beside_recurrent_states(model, request_, block):
    assert sized("vllm", "0.24.0", model, **request_).block_size == block


@pytest.mark.parametrize(("device", "block", "extra"), [("sm80", 784, 0), ("sm90", 832, 1)])
def test_blocks_follow_prefill_kernels_that_leave_checkpoints(device, block, extra):
    # gdn_linear_attn.py at 0.33: FlashInfer's prefill, taken on sm90, cuts at 64 tokens and leaves one state more
    answer = sized("vllm", "0.33.0", "qwen3.5-27b", max_model_len=32768, settings={"hardware.class": device})
    assert answer.block_size == block
    assert answer.state_bytes == 3 * 2 * answer.bytes_per_block
    assert answer.reserved == (3 * (2 + extra) + -(-32768 // block)) * answer.bytes_per_block


def test_an_indexed_latent_keeps_its_packed_bytes():
    answer = sized("vllm", "0.33.0", "deepseek-v3.2", cache_dtype="fp8_ds_mla", max_model_len=4096)
    assert answer.resident(64) == 61 * (656 + 132) * 64


@pytest.mark.parametrize(("version", "block"), [("0.14.0", 960), ("0.33.0", 1024)])
def test_latent_blocks_beside_states_are_aligned_by_version(version, block):
    # 64 tokens at 0.14 and before (platforms/interface.py), 128 from 0.27 on
    assert sized("vllm", version, "kimi-linear-48b", tensor_parallel=2, settings={"hardware.class": "sm80"}).block_size == block


def test_between_those_versions_the_backend_decides():
    assert ask("vllm", "0.24.0", "kimi-linear-48b").missing == ("attention.backend",)


@pytest.mark.parametrize(
    ("dtype", "bytes_of_head"),
    [("auto", 512), ("fp8", 256), ("fp8_e5m2", 256), ("float32", 1024), ("fp8_per_token_head", 264), ("int4_per_token_head", 136), ("nvfp4", 144)],
)
def test_bytes_of_a_token_by_type(dtype, bytes_of_head):
    answer = sized("vllm", "0.33.0", "llama-3.1-8b", cache_dtype=dtype)
    assert answer.resident(16) == 16 * 32 * 8 * bytes_of_head


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3.2", {"cache_dtype": "fp8"}, "fp8"),
        ("nemotron-nano-9b-v2", {"tensor_parallel": 2}, "Mamba-2"),
        ("qwen3.5-27b", {"speculative_tokens": 3}, "kernel"),
        ("gemma-3-27b", {"tensor_parallel": 3}, "evenly"),
        ("qwen3.5-27b", {}, "prefill"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("vllm", "0.33.0", model, **request_).reason


def test_an_automatic_type_of_states_is_the_configs():
    """mamba_ssm_dtype of Qwen3.5 says float32, and auto leaves it so: the 784 tokens of a block that logs print."""
    settings = {"setting.mamba_ssm_cache_dtype": "auto", "model.conv_kernel": 4}
    assert sized("vllm", "0.24.0", "qwen3.5-27b", settings=settings).block_size == 784
