"""vLLM's groups: pages made equal, layers grouped by number, and the manager switched off."""

import pytest

from infercompat.allocate import Request, Unknown, allocate
from infercompat.derive import derive

from .configs import GIB, engine, gemma4, model, sized


def test_kimi_linear_at_0_11_on_two_ranks():
    # https://github.com/vllm-project/vllm/issues/28228
    page = 960 * 576 * 2
    answer = sized("vllm", "0.11.0", "kimi-linear-48b", tensor_parallel=2, max_model_len=120000, available_bytes=318 * 7 * page)
    assert (answer.block_size, answer.bytes_per_block, answer.blocks) == (960, 7 * page, 318)
    assert answer.capacity_tokens == 75840
    assert f"{answer.max_concurrency:.2f}" == "2.48"


def test_qwen_3_5_27b_at_0_19():
    # https://github.com/vllm-project/vllm/issues/40691
    answer = sized("vllm", "0.19.0", "qwen3.5-27b", max_model_len=32768, available_bytes=1487 * 16 * 784 * 4096)
    assert (answer.block_size, answer.blocks, answer.capacity_tokens) == (784, 1487, 290864)
    assert f"{answer.max_concurrency:.2f}" == "33.04"


@pytest.mark.parametrize(("available", "tokens", "times"), [("5.98", 567978, "4.33"), ("6.01", 569878, "4.35")])
def test_qwen_3_6_35b_a3b_at_0_24_with_prefix_caching(available, tokens, times):
    # https://github.com/noonghunna/club-3090/issues/612 and issues/652
    settings = {"prefix_caching": True}
    memory = int(float(available) * GIB)
    answer = sized("vllm", "0.24.0", "qwen3.6-35b-a3b", cache_dtype="fp8", max_model_len=131072, available_bytes=memory, settings=settings)
    assert (answer.block_size, answer.capacity_tokens, f"{answer.max_concurrency:.2f}") == (2096, tokens, times)


def test_qwen_3_8_27b_at_0_27_on_two_ranks():
    # https://github.com/mitchross/talos-argocd-proxmox/pull/1995; blocks of that size keep states for prefixes, which has to be asked for before 0.28.0
    request = {"tensor_parallel": 2, "cache_dtype": "fp8", "max_model_len": 131072, "settings": {"prefix_caching": True}}
    answer = sized("vllm", "0.27.0", "qwen3.5-27b", available_bytes=208 * 16 * 1568 * 1024, **request)
    assert (answer.block_size, answer.capacity_tokens, f"{answer.max_concurrency:.2f}") == (1568, 302921, "2.31")


def test_without_the_hybrid_manager_windows_keep_every_token():
    off = {"setting.disable_hybrid_kv_cache_manager": True}
    answer = sized("vllm", "0.33.0", "gemma-3-27b", max_model_len=131072, settings=off)
    assert answer.resident(131072) == 62 * 16 * 256 * 2 * 131072
    assert "hybrid manager off: --disable-hybrid-kv-cache-manager; windowed layers keep every token" in answer.because


def test_chunks_were_kept_whole_until_0_14():
    request = {"max_model_len": 65536, "max_num_batched_tokens": 8192}
    before, after = (sized("vllm", version, "llama-4-scout", **request) for version in ("0.13.0", "0.14.0"))
    assert before.resident(65536) == 48 * 2048 * 2 * 65536
    assert after.resident(65536) < before.resident(65536) / 2
    assert any("chunked attention" in reason for reason in before.because)


def test_a_plain_model_on_ranks_and_stages():
    whole, ranks, stages = (sized("vllm", "0.33.0", "llama-3.1-8b", **split) for split in ({}, {"tensor_parallel": 16}, {"pipeline_parallel": 3}))
    assert ranks.bytes_per_block == whole.bytes_per_block // 8
    assert stages.bytes_per_block == whole.bytes_per_block // 32 * 11


UNEVEN = gemma4(6, 3, 1, 6)
"""Pages of full layers are two thirds as large as those of windowed ones."""


def test_pages_that_do_not_divide_the_largest_are_padded_since_0_24():
    request = Request(derive(UNEVEN), max_model_len=4096, max_num_batched_tokens=2048)
    assert isinstance(allocate(engine("vllm"), "0.23.0", request), Unknown)
    padded = allocate(engine("vllm"), "0.24.0", request)
    assert padded.bytes_per_block == 16 * 3 * 512 * 2
    assert "pages of full layers are padded, so that all pages are equal" in padded.because


def kinds(version, config):
    answer = allocate(engine("vllm"), version, Request(derive(config)))
    return [(group.kind, group.layers) for group in answer.groups]


def test_groups_take_the_size_of_the_rarest_kind_unless_others_are_little_more():
    like = {**gemma4(10, 8, 8, 5), "global_head_dim": 256}
    six_and_four = {**like, "layer_types": ["sliding_attention"] * 6 + ["full_attention"] * 4}
    five_and_four = {**like, "num_hidden_layers": 9, "layer_types": ["sliding_attention"] * 5 + ["full_attention"] * 4}
    assert kinds("0.33.0", five_and_four) == [("sliding", 5), ("full", 4)]
    assert kinds("0.13.0", five_and_four) == [("sliding", 3), ("sliding", 2), ("full", 4)]
    assert kinds("0.33.0", six_and_four) == [("sliding", 3), ("sliding", 3), ("full", 4)]


def test_a_head_that_drafts_is_one_more_layer():
    # https://github.com/noonghunna/club-3090: 841,541 tokens of 14.68 GiB on each of two cards
    settings = {"prefix_caching": False, "model.conv_kernel": 4, "model.draft_layers": 1, "speculation.method": "mtp", "speculation.tokens": 3}
    request = {"tensor_parallel": 2, "cache_dtype": "fp8", "max_model_len": 262144, "available_bytes": 15762529976}
    answer = sized("vllm", "0.25.1", "qwen3.5-27b", settings=settings, **request)
    assert (answer.capacity_tokens, f"{answer.max_concurrency:.2f}") == (841541, "3.21")
    assert "the head that drafts" in answer.because[0]
    assert not answer.notes
    without = sized("vllm", "0.25.1", "qwen3.5-27b", settings=settings | {"model.draft_layers": 0}, **request)
    assert without.capacity_tokens > answer.capacity_tokens


def test_a_head_is_not_counted_where_attending_layers_differ():
    settings = {"model.draft_layers": 1, "speculation.method": "mtp", "speculation.tokens": 1, "max_num_batched_tokens": 2048}
    plain, drafting = (sized("vllm", "0.25.1", "gemma-4-31b", max_model_len=4096, settings=given) for given in ({}, settings))
    assert plain.bytes_per_block == drafting.bytes_per_block
    assert drafting.notes


@pytest.mark.parametrize("version", ["0.14.0", "0.33.0"])
def test_ranks_that_share_a_context_keep_a_part_of_each_request(version):
    # https://github.com/vllm-project/recipes: 715,072 and 5,721,088 tokens of about the same memory
    request = {"tensor_parallel": 8, "max_model_len": 131072, "available_bytes": 40 * GIB}
    alone = sized("vllm", version, "deepseek-v3", **request)
    shared = sized("vllm", version, "deepseek-v3", settings={"setting.decode_context_parallel_size": 8}, **request)
    assert shared.blocks == alone.blocks
    assert shared.capacity_tokens == pytest.approx(8 * alone.capacity_tokens, rel=1e-6)
    assert shared.resident(131072) * 8 == alone.resident(131072)
    assert "8 ranks share each request" in shared.because[-1]


def test_windows_beside_shared_contexts_are_not_worked_out():
    request = Request(model("gemma-3-27b"), settings={"setting.decode_context_parallel_size": 2})
    assert isinstance(allocate(engine("vllm"), "0.33.0", request), Unknown)


def test_stages_are_held_against_all_layers_until_0_17():
    # https://github.com/vllm-project/vllm/issues/34076
    before, after = (sized("vllm", version, "qwen3-235b-a22b", pipeline_parallel=2, max_model_len=32768) for version in ("0.16.0", "0.19.0"))
    assert before.needed_bytes == 2 * after.needed_bytes


def test_a_model_without_a_cache_takes_nothing():
    encoder = derive({"model_type": "bert", "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64})
    answer = allocate(engine("vllm"), "0.33.0", Request(encoder))
    assert answer.resident(512) == 0 and answer.because == ("no layer keeps a cache",)
