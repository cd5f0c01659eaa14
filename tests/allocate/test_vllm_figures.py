"""vLLM's figures: what its logs say, from the config and the flags of a thread. Available memory is what the log gives."""

import pytest

from .configs import GIB, sized

ROW = 16 * 2048 * 2
"""Bytes of a block of 16 tokens in a layer of Gemma 4 26B: 8 heads of 256, K and V, in bf16."""


def test_gpt_oss_120b_at_0_11_needs_more_than_there_is():
    # https://github.com/vllm-project/vllm/issues/27508
    answer = sized("vllm", "0.11.0", "gpt-oss-120b", max_num_batched_tokens=1024, available_bytes=int(1.71 * GIB))
    assert f"{answer.needed_bytes / GIB:.2f}" == "4.54"
    assert answer.log_lines()[1].startswith("(4.54 GiB KV cache is needed")


def test_gemma_4_26b_at_0_22():
    # https://github.com/noonghunna/club-3090/pull/334: 5.98 GiB needed, at most 44,224 tokens of 1.82 GiB; with 42,000, 42,993 tokens
    request = {"max_num_batched_tokens": 4096, "available_bytes": 2987 * 10 * ROW}
    refused = sized("vllm", "0.22.0", "gemma-4-26b-a4b", **request)
    assert f"{refused.needed_bytes / GIB:.2f}" == "5.98"
    assert refused.longest == 44224
    assert sized("vllm", "0.22.0", "gemma-4-26b-a4b", max_model_len=42000, **request).capacity_tokens == 42993
    assert sized("vllm", "0.22.0", "gemma-4-26b-a4b", max_model_len=40960, **request).capacity_tokens == 42408


def test_gemma_4_31b_at_0_19_counts_tokens_over_all_groups():
    # https://github.com/alvarobartt/hf-mem/pull/61
    answer = sized("vllm", "0.19.0", "gemma-4-31b", max_model_len=16384, max_num_batched_tokens=4096, available_bytes=int(24.54 * GIB))
    assert answer.capacity_tokens == 26800


def test_the_token_line_means_something_else_from_0_21_on():
    # https://github.com/vllm-project/vllm/issues/43308: about 55,000 tokens before, several times as many after, of the same memory
    request = {"max_model_len": 32768, "max_num_batched_tokens": 2048, "available_bytes": 50 * GIB}
    before, after = (sized("vllm", version, "gemma-4-31b", **request) for version in ("0.20.0", "0.21.0"))
    assert (before.capacity_tokens, after.capacity_tokens) == (54608, 337400)
    assert before.max_concurrency == after.max_concurrency


@pytest.mark.parametrize(("version", "needed"), [("0.25.1", "45.79"), ("0.26.0", "70.79")])
def test_gemma_4_31b_needs_more_once_two_batches_count(version, needed):
    # https://github.com/vllm-project/vllm/issues/49878
    answer = sized("vllm", version, "gemma-4-31b", max_num_batched_tokens=32768, available_bytes=49 * GIB)
    assert f"{answer.needed_bytes / GIB:.2f}" == needed
    assert version != "0.26.0" or answer.longest == 58368


def test_gemma_3_27b_at_0_33_reserves_more_than_it_holds():
    answer = sized("vllm", "0.33.0", "gemma-3-27b", max_model_len=8192, max_num_batched_tokens=8192)
    assert (f"{answer.reserved / GIB:.2f}", f"{answer.resident(8192) / GIB:.2f}") == ("4.38", "1.10")
    assert answer.needed_bytes == answer.reserved


def test_a_batch_follows_the_memory_of_the_device():
    nothing = sized("vllm", "0.33.0", "gemma-3-27b")
    small, large = (sized("vllm", "0.33.0", "gemma-3-27b", settings={"hardware.memory_bytes": gib * GIB}) for gib in (24, 80))
    assert nothing.needed_bytes is None and nothing.missing == ("max_num_batched_tokens",)
    assert small.needed_bytes < large.needed_bytes
    assert large.needed_bytes == sized("vllm", "0.33.0", "gemma-3-27b", max_num_batched_tokens=8192).needed_bytes


@pytest.mark.parametrize(
    ("version", "request_", "batches"),
    [
        ("0.24.0", {}, 1),
        ("0.26.0", {}, 2),
        ("0.26.0", {"settings": {"async_scheduling": False}}, 1),
        ("0.33.0", {"pipeline_parallel": 2}, 3),
        ("0.33.0", {"pipeline_parallel": 2, "settings": {"async_scheduling": False}}, 2),
    ],
)
def test_batches_that_count_beside_a_window(version, request_, batches):
    # config/vllm.py at 0.33: one batch for each step that may be under way
    answer = sized("vllm", version, "gemma-3-27b", max_model_len=131072, max_num_batched_tokens=4096, **request_)
    windowed = 1 + -(-(1023 + 4096 * batches) // 16)
    full = 131072 // 16
    groups = [group.kind for group in answer.groups]
    taken = groups.count("sliding") * windowed + groups.count("full") * full
    assert answer.reserved == taken * answer.bytes_per_block


def test_batches_over_stages_are_unknown_before_0_29():
    answer = sized("vllm", "0.26.0", "gemma-3-27b", max_num_batched_tokens=4096, pipeline_parallel=2)
    assert answer.reserved is None and answer.missing == ("max_num_batched_tokens",)


def test_older_checks_demand_less_than_is_taken():
    # kv_cache_utils.py: layers one by one until 0.13, the first group alone at 0.14; https://github.com/vllm-project/vllm/issues/34076
    request = {"max_model_len": 8192, "max_num_batched_tokens": 8192}
    layers, first, groups = (sized("vllm", version, "gemma-3-27b", **request) for version in ("0.13.0", "0.14.0", "0.19.0"))
    token = 16 * 256 * 2
    assert layers.needed_bytes == 52 * token * (8192 + 16) + 10 * token * 8192 < layers.reserved
    assert first.needed_bytes == 10 * token * (8192 + 16) < first.reserved
    assert groups.needed_bytes == groups.reserved == first.reserved
