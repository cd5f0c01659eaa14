"""vLLM: DeepSeek V4's packed groups, and cross-attention; sizes worked out by hand, and what one start of V4 printed."""

import pytest

from infercompat.allocate import Allocation, Request, Unknown, allocate
from infercompat.derive import derive

from .configs import GIB, ask, engine, sized

V4 = "deepseek-v4-flash"
ROW, INDEX, HEAVY = 65 * 576, 15 * 576, 3 * 576
"""Pages: 64 rows of 584 bytes, 64 index keys of 132, and two rows, each rounded up to 576."""
STATE, INDEX_STATE = 57 * 576, 15 * 576
"""Pages of states: 4 tokens of 2 x 2 x 512 fp32, or 8 of 2 x 512, which is the same; and 4 of 2 x 2 x 128."""

WHISPER = {
    "model_type": "whisper",
    "d_model": 1280,
    "decoder_attention_heads": 20,
    "decoder_layers": 32,
    "encoder_layers": 32,
    "max_source_positions": 1500,
    "max_target_positions": 448,
}


def test_a_block_is_as_large_as_the_widest_group():
    # 21 layers of 4 with their index and 20 of 128 are one group; 43 windows are two groups of 22 and 21, which is narrower
    answer = sized("vllm", "0.33.0", V4)
    assert answer.bytes_per_block == 21 * (ROW + INDEX) + 20 * HEAVY == 256 * 3915
    assert answer.bytes_per_block > max(22 * ROW, 21 * (STATE + INDEX_STATE), 20 * STATE)
    assert answer.block_size == 256


def test_what_a_sequence_holds_between_steps():
    # two groups of windows hold 3 blocks of 64, one of compressors of 4 holds 3 blocks of 4, one of 128 holds 17 blocks of 8
    assert sized("vllm", "0.33.0", V4).resident(131072) == (512 + 2 * 3 + 3 + 17) * 256 * 3915


def test_tokens_in_flight_take_blocks_of_compressors():
    request = {"max_model_len": 1048576, "max_num_batched_tokens": 8192, "settings": {"async_scheduling": True}}
    answer = sized("vllm", "0.33.0", V4, **request)
    # 16,384 in flight: 4,096 blocks of rows, 2 x 259 of windows, 4,099 and 2,065 of compressors
    assert answer.reserved == (4096 + 518 + 4099 + 2065) * 256 * 3915


def test_the_log_of_a_start_at_0_22():
    # https://github.com/vllm-project/vllm/issues/44376: 6.66 GiB needed for 30,000 tokens, and 13,528 at most in 5.44 GiB
    request = {"max_num_batched_tokens": 16384, "tensor_parallel": 2, "cache_dtype": "fp8"}
    answer = sized("vllm", "0.22.0", V4, max_model_len=30000, available_bytes=int(5.44 * GIB), **request)
    assert answer.bytes_per_block == 22 * (ROW + INDEX + HEAVY)
    assert f"{answer.needed_bytes / GIB:.2f}" == "6.66"
    rounded = [sized("vllm", "0.22.0", V4, max_model_len=30000, available_bytes=int(size * GIB), **request).longest for size in (5.435, 5.445)]
    assert rounded[0] <= 13528 <= rounded[1]


@pytest.mark.parametrize("version", ["0.23.0", "0.24.0", "0.25.1", "0.26.0"])
def test_slots_for_pages_of_each_size(version):
    """Windows need 22 of the largest pages, states of 4 as many index pages as the rows; states are padded to the next size of a row."""
    request = {"max_model_len": 1048576, "max_num_batched_tokens": 8192, "settings": {"async_scheduling": False}, "available_bytes": 60 * GIB}
    answer = sized("vllm", version, V4, **request)
    block = 22 * ROW + 21 * INDEX + 20 * HEAVY
    # 8,192 in flight: 4,096 blocks of rows, 2 x 131 of windows, 2,051 of states of 4 and 1,041 of 128
    taken = 4096 + 262 + 2051 + 1041
    assert (answer.bytes_per_block, answer.reserved) == (block, taken * block)
    assert answer.needed_bytes == taken * 22 * (ROW + INDEX + HEAVY)
    rows = 21 * (ROW + INDEX) + 20 * HEAVY
    weighed = 4096 * rows + 131 * 43 * ROW + 2051 * 21 * (ROW + INDEX) + 1041 * 20 * ROW
    assert answer.max_concurrency == (60 * GIB // block) / -(-weighed // rows)


@pytest.mark.parametrize("version", ["0.27.1", "0.28.0"])
def test_groups_that_the_check_counts_as_tuples(version):
    """A block is the widest group, and the check at start-up counts 22 pages of each size for it."""
    request = {"max_model_len": 1048576, "max_num_batched_tokens": 8192, "settings": {"async_scheduling": False}, "available_bytes": 60 * GIB}
    answer = sized("vllm", version, V4, **request)
    taken = 4096 + 262 + 2051 + 1041
    assert answer.bytes_per_block == 21 * (ROW + INDEX) + 20 * HEAVY
    assert answer.needed_bytes == taken * 22 * (ROW + INDEX + HEAVY)
    assert answer.max_concurrency == (60 * GIB // answer.bytes_per_block) / taken


@pytest.mark.parametrize("version", ["0.29.0", "0.30.0", "0.31.0", "0.32.0"])
def test_since_0_29_groups_are_those_of_today(version):
    request = {"max_model_len": 1048576, "max_num_batched_tokens": 8192, "settings": {"async_scheduling": True}}
    assert sized("vllm", version, V4, **request).reserved == sized("vllm", "0.33.0", V4, **request).reserved == (4096 + 518 + 4099 + 2065) * 256 * 3915


@pytest.mark.parametrize(
    ("version", "request_", "missing"),
    [
        ("0.21.0", {}, "was not read"),
        ("0.33.0", {"cache_dtype": "int8"}, "refused"),
        ("0.33.0", {"speculative_tokens": 1}, "head that drafts"),
        ("0.33.0", {"settings": {"attention.backend": "FLASHINFER_MLA_SPARSE_DSV4"}}, "FlashInfer"),
        ("0.33.0", {"settings": {"setting.disable_hybrid_kv_cache_manager": True}}, "hybrid manager"),
    ],
)
def test_what_is_not_worked_out(version, request_, missing):
    answer = ask("vllm", version, V4, **request_)
    assert isinstance(answer, Unknown) and missing in answer.reason


def test_cross_attention_is_a_group_of_its_own():
    # 32 layers of 20 heads: 16 tokens are 2.5 MiB, 448 of them 28 blocks, 1,500 positions 94; start-up counts 2,048 of these: 128 blocks
    answer = allocate(engine("vllm"), "0.33.0", Request(derive(WHISPER), max_num_batched_tokens=2048, max_model_len=448, available_bytes=4 * GIB))
    page = 32 * 16 * 20 * 2 * 64 * 2
    assert isinstance(answer, Allocation) and answer.bytes_per_block == page
    assert answer.resident(448) == (28 + 94) * page
    assert answer.reserved == (28 + 128) * page
    assert answer.capacity_tokens == int(4 * GIB // page / 156 * 448)


def test_without_a_batch_cross_attention_is_not_counted():
    answer = allocate(engine("vllm"), "0.33.0", Request(derive(WHISPER), max_model_len=448))
    assert isinstance(answer, Allocation) and answer.missing == ("max_num_batched_tokens",)
    assert isinstance(allocate(engine("vllm"), "0.32.0", Request(derive(WHISPER))), Unknown)


SPARSE = {
    "model_type": "minimax_m3_vl_text",
    "architectures": ["MiniMaxM3SparseForCausalLM"],
    "num_hidden_layers": 60,
    "num_attention_heads": 64,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "hidden_size": 6144,
    "sparse_attention_config": {"use_sparse_attention": True, "sparse_index_dim": 128, "sparse_attention_freq": [0] * 3 + [1] * 57},
    "max_position_embeddings": 1048576,
}


@pytest.mark.parametrize(
    ("request_", "token"),
    [
        ({}, 60 * 4 * 256 * 2 + 57 * 128 * 2),
        ({"tensor_parallel": 4, "cache_dtype": "fp8"}, 60 * 256 + 57 * 128 * 2),
        ({"settings": {"setting.indexer_kv_dtype": "fp8"}}, 60 * 4 * 256 * 2 + 57 * 128),
    ],
)
def test_index_keys_beside_heads_are_one_group_with_them(request_, token):
    """60 layers of 4 heads of 128; 57 of them also keep an index key of 128 in bf16, whole on every rank, in blocks of 128 tokens."""
    answer = allocate(engine("vllm"), "0.33.0", Request(derive(SPARSE), max_model_len=131072, available_bytes=100 * GIB, **request_))
    assert isinstance(answer, Allocation), answer
    assert (answer.block_size, answer.bytes_per_block) == (128, 128 * token)
    assert answer.capacity_tokens == 100 * GIB // (128 * token) * 128
    assert answer.resident(128) == 128 * token


@pytest.mark.parametrize(
    ("version", "settings", "missing"),
    [
        ("0.26.0", {}, "was not read"),
        ("0.33.0", {"hardware.class": "gfx950"}, "kept apart"),
        ("0.33.0", {"setting.indexer_kv_dtype": "mxfp4"}, "mxfp4"),
    ],
)
def test_index_keys_that_are_not_worked_out(version, settings, missing):
    answer = allocate(engine("vllm"), version, Request(derive(SPARSE), settings=settings))
    assert isinstance(answer, Unknown) and missing in answer.reason
