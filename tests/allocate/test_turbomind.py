"""TurboMind: blocks over all layers; how many a region holds, counted by hand, and a log that says its block."""

import pytest

from infercompat.allocate import Unknown
from infercompat.allocate.turbomind import slab_of

from .configs import ARCHITECTURES, GIB, ask, sized

KERNEL = {"model.conv_kernel": 4}
MIB = 1 << 20
PAGE = 32 * MIB
BLOCK_27B = 64 * 16 * 4 * 2 * 256 * 2
"""Bytes of a block of Qwen3.5 27B: 16 layers that attend, 4 heads of 256."""


def turbomind(model, version="0.18.0", **request):
    return sized("lmdeploy-turbomind", version, model, **{"architecture": ARCHITECTURES[model], **request})


def test_a_slab_is_doubled_until_it_is_full_enough():
    # 8 MiB fit a page four times; 5 MiB fill 30 of 32 MiB, 93.75 %, and 60 of 64 as badly, but 125 of 128, which is 97.7 %
    assert slab_of(8 * MIB) == (PAGE, 4)
    assert slab_of(5 * MIB) == (4 * PAGE, 25)
    # 40 MiB fill 93.75 % of every size from 128 MiB up to the largest, which takes 25
    assert slab_of(40 * MIB) == (GIB, 25)


def test_blocks_of_64_tokens_in_whole_slabs():
    answer = turbomind("llama-3.1-8b", available_bytes=20 * GIB + PAGE - 1)
    # a block is 64 x 131,072 = 8 MiB, four to a page of 32 MiB, 640 pages
    assert (answer.block_size, answer.bytes_per_block, answer.blocks, answer.capacity_tokens) == (64, 8 * MIB, 2560, 2560 * 64)
    assert answer.resident(65) == 2 * 8 * MIB
    assert answer.max_concurrency == 2560 * 64 / 131072


@pytest.mark.parametrize(("dtype", "head"), [("int8", 132), ("int4", 68), ("bf16", 256)])
def test_scales_and_zero_points_are_in_the_models_type(dtype, head):
    assert turbomind("llama-3.1-8b", cache_dtype=dtype).resident(64) == 64 * 32 * 8 * 2 * head


def test_the_block_of_a_log():
    # https://github.com/InternLM/lmdeploy/issues/3950: gpt-oss-20b has 24 of the 36 layers of 120b; 0.844 MB, 1,740 blocks, 111,360 tokens
    answer = turbomind("gpt-oss-120b", "0.10.0", cache_dtype="int4", available_bytes=1740 * 1327104, max_model_len=131072)
    assert answer.bytes_per_block * 24 // 36 == 884736 and round(884736 / MIB, 3) == 0.844
    assert (answer.blocks, answer.longest) == (1740, 111360)
    assert answer.log_lines() == ("block_size = 1.266 MB", "max_block_count = 1740", "`session_len` truncated to 111360")


def test_windows_shorten_nothing():
    answer = turbomind("gpt-oss-120b")
    assert answer.resident(131072) == 131072 * 36 * 8 * 2 * 64 * 2
    assert "do not shorten" in answer.because[0]


def test_a_latent_is_one_head_that_is_k_and_v():
    answer = turbomind("deepseek-v3", tensor_parallel=8)
    assert answer.resident(64) == 64 * 61 * 576 * 2
    assert turbomind("deepseek-v3", cache_dtype="int8").resident(64) == 64 * 61 * (576 + 4)
    assert isinstance(ask("lmdeploy-turbomind", "0.12.0", "deepseek-v3"), Unknown)


def test_heads_are_repeated_where_there_are_more_ranks():
    assert turbomind("llama-3.1-8b", tensor_parallel=16).resident(64) == 64 * 32 * 2 * 256
    assert isinstance(ask("lmdeploy-turbomind", "0.18.0", "llama-3.1-8b", tensor_parallel=3), Unknown)


def test_states_are_objects_of_the_same_region():
    # Qwen3.5 27B: 48 states of 48 x 128 x 128 in bf16, and convolutions of 10,240 channels by 4 columns over 48 layers
    state, convolution = 48 * 128 * 128 * 2, 48 * 10240 * 4 * 2
    answer = turbomind("qwen3.5-27b", settings=KERNEL, max_model_len=65536, available_bytes=40 * GIB)
    assert (answer.bytes_per_block, answer.state_bytes) == (BLOCK_27B, 48 * state + convolution)
    # 1,024 blocks of 4 MiB take 128 pages; 48 states of 1.5 MiB have 21 to a page; the convolutions of 3.75 MiB have 17 to two pages.
    # Nine sequences take 1,152 + 21 + 2 pages of 1,280, ten take 1,280 + 23 + 2.
    assert (answer.max_concurrency, answer.capacity_tokens) == (9, None)
    assert turbomind("qwen3.5-27b", settings={**KERNEL, "setting.fp32_mamba_ssm_dtype": True}).state_bytes == 96 * state + convolution


def test_slots_of_states_were_taken_before_blocks():
    slot = 48 * 48 * 128 * 128 * 2 + 48 * 10240 * 4 * 2
    answer = turbomind("qwen3.5-27b", "0.14.0", settings=KERNEL, max_num_seqs=64, available_bytes=64 * slot + 100 * BLOCK_27B)
    assert (answer.blocks, answer.capacity_tokens) == (100, 6400)
    assert turbomind("qwen3.5-27b", "0.14.0", settings=KERNEL, available_bytes=GIB).missing == ("max_num_seqs",)


@pytest.mark.parametrize(("model", "dtype"), [("llama-3.1-8b", "fp8"), ("deepseek-v3.2", "bf16"), ("gemma-4-e4b", "bf16"), ("kimi-linear-48b", "bf16")])
def test_what_it_does_not_have_is_unknown(model, dtype):
    assert isinstance(ask("lmdeploy-turbomind", "0.18.0", model, cache_dtype=dtype, settings=KERNEL), Unknown)
