"""The cache of a draft, by engine: in the pool with the model's, beside it, or not worked out. Sizes by hand."""

import pytest

from infercompat.allocate import Unknown
from infercompat.derive import derive

from .configs import ARCHITECTURES, GIB, ask, model, sized

EAGLE = {
    "model_type": "llama",
    "num_hidden_layers": 1,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "hidden_size": 2880,
    "max_position_embeddings": 131072,
}
TOKEN = 32 * 8 * 2 * 128 * 2
"""Bytes of a token of Llama 3.1 8B."""
WIDE = 94 * 4 * 2 * 128 * 2
"""Bytes of a token of Qwen3 235B, which stands for a draft here."""
LLAMA = {"architecture": ARCHITECTURES["llama-3.1-8b"]}
DRAFT = {"draft": model("qwen3-235b-a22b"), "draft_architecture": "Qwen3MoeForCausalLM"}


def test_vllm_keeps_a_draft_in_the_same_blocks():
    answer = sized("vllm", "0.33.0", "llama-3.1-8b", **DRAFT)
    assert answer.bytes_per_block == 16 * (TOKEN + WIDE)
    assert answer.because == ("94 more layers that attend: the draft",)


def test_vllm_spreads_the_heads_of_a_draft_over_the_ranks():
    assert sized("vllm", "0.33.0", "llama-3.1-8b", tensor_parallel=8, **DRAFT).bytes_per_block == 16 * (TOKEN // 8 + WIDE // 4)


def test_a_draft_beside_windows_joins_the_groups():
    # gpt-oss has 18 layers of each kind, with heads of 64: a draft of one full layer of the same width makes 19 and 18, one group of each
    alone = sized("vllm", "0.33.0", "gpt-oss-120b", max_num_batched_tokens=2048, settings={"async_scheduling": False})
    draft = derive(EAGLE)
    beside = sized("vllm", "0.33.0", "gpt-oss-120b", max_num_batched_tokens=2048, settings={"async_scheduling": False}, draft=draft)
    assert (alone.bytes_per_block, beside.bytes_per_block) == (18 * 16 * 2048, 19 * 16 * 2048)


@pytest.mark.parametrize("method", ["medusa", "ngram"])
def test_a_method_without_attention_keeps_nothing(method):
    assert sized("vllm", "0.33.0", "llama-3.1-8b", settings={"speculation.method": method}, **DRAFT).bytes_per_block == 16 * TOKEN


def test_lmdeploy_counts_blocks_of_both():
    answer = sized("lmdeploy-pytorch", "0.18.0", "llama-3.1-8b", available_bytes=10 * GIB, **LLAMA, **DRAFT)
    assert answer.blocks == 10 * GIB // (64 * (TOKEN + WIDE))
    assert answer.resident(64) == 64 * (TOKEN + WIDE)


def test_mlx_has_arrays_of_both_and_none_for_states():
    answer = sized("mlx-lm", "0.32.2", "llama-3.1-8b", **DRAFT)
    assert answer.resident(256) == 256 * (TOKEN + WIDE)
    assert "cut back" in ask("mlx-lm", "0.32.2", "qwen3.5-9b", **DRAFT).reason


def test_sglang_takes_a_draft_to_be_as_wide_as_the_model():
    answer = sized("sglang", "0.5.23", "llama-3.1-8b", available_bytes=126 * GIB, **LLAMA, **DRAFT)
    assert answer.capacity_tokens == 126 * GIB * 32 // (TOKEN * 126)
    assert answer.most_requests == 48


@pytest.mark.parametrize(
    ("name", "version"),
    [("ollama", "0.32.15"), ("transformers", "5.24.0"), ("tensorrt-llm", "1.4.0rc1"), ("lmdeploy-turbomind", "0.18.0")],
)
def test_elsewhere_it_is_unknown_and_never_nothing(name, version):
    answer = ask(name, version, "llama-3.1-8b", **LLAMA, **DRAFT)
    assert isinstance(answer, Unknown) and answer.missing == ("a rule for drafts",)


@pytest.mark.parametrize(
    ("name", "request_", "missing"),
    [
        ("llama-3.1-8b", {"draft": model("qwen3.5-9b")}, "recurrent states"),
        ("qwen3.5-27b", {"settings": {"prefix_caching": False}, **DRAFT}, "each drafted token"),
        ("deepseek-v4-flash", DRAFT, "drafts"),
    ],
)
def test_vllm_does_not_guess(name, request_, missing):
    assert missing in ask("vllm", "0.33.0", name, **request_).reason
