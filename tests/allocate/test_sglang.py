"""SGLang: pools as its logs print them, whose GB are GiB."""

import pytest

from infercompat.allocate import Allocation, Request, allocate
from infercompat.derive import derive

from .configs import GIB, ask, engine, sized

MIMO = {"architecture": "MiMoV2FlashForCausalLM", "tensor_parallel": 4}
FULL, WINDOWED = 9 * 1 * 320 * 2, 39 * 2 * 320 * 2
"""Bytes of a token of MiMo V2 Flash on one of four ranks, in full and in windowed layers."""


def test_one_pool():
    # https://github.com/vllm-project/vllm/issues/21348: Qwen3-235B-A22B on four ranks
    answer = sized("sglang", "0.5.23", "qwen3-235b-a22b", tensor_parallel=4, available_bytes=367404 * 94 * 256 * 2)
    assert answer.capacity_tokens == 367404
    assert answer.log_lines()[1] == "#tokens: 367404, K size: 8.23 GB, V size: 8.23 GB"


def test_two_pools_of_as_many_tokens():
    # https://github.com/sgl-project/sglang/pull/15464
    settings = {"setting.swa_full_tokens_ratio": 1.0}
    answer = sized("sglang", "0.5.23", "mimo-v2-flash", available_bytes=1496958 * (FULL + WINDOWED), settings=settings, **MIMO)
    assert answer.log_lines()[2:] == (
        "#tokens: 1496958, K size: 41.76 GB, V size: 27.84 GB",
        "#tokens: 1496958, K size: 4.82 GB, V size: 3.21 GB",
    )


def test_the_windowed_pool_follows_by_the_ratio():
    # https://github.com/sgl-project/sglang/pull/18039, the log before the change: the pools that follow from 375,360 tokens
    answer = sized("sglang", "0.5.23", "mimo-v2-flash", block_size=64, available_bytes=int(375360 * (FULL + 0.8 * WINDOWED)), **MIMO)
    assert answer.figure("window_tokens") == 300288
    assert answer.log_lines()[2] == "#tokens: 300288, K size: 8.38 GB, V size: 5.59 GB"


def test_a_model_that_is_not_on_the_list_keeps_every_token():
    answer = sized("sglang", "0.5.23", "gemma-3-27b", architecture="Gemma3ForConditionalGeneration")
    assert answer.resident(131072) == 62 * 16 * 256 * 2 * 131072
    assert answer.because == ("windows do not shorten the cache: the architecture is not on the list",)


def test_the_list_can_be_switched_off():
    off = {"setting.disable_hybrid_swa_memory": True}
    answer = sized("sglang", "0.5.23", "gpt-oss-120b", architecture="GptOssForCausalLM", settings=off)
    assert answer.resident(8192) == 36 * 8 * 128 * 2 * 8192
    assert "--disable-hybrid-swa-memory" in answer.because[0]


def test_a_windowed_pool_demands_a_window_and_a_page():
    answer = sized("sglang", "0.5.23", "gemma-4-26b-a4b", architecture="Gemma4ForConditionalGeneration", block_size=1)
    assert answer.needed_bytes == 1283 * (5 * 2048 * 2 + 25 * 4096 * 2 * 4 // 5)
    assert answer.needed_bytes < answer.reserved


def test_layers_that_share_are_given_a_cache_all_the_same():
    answer = sized("sglang", "0.5.23", "gemma-4-e4b", architecture="Gemma4ForConditionalGeneration")
    assert [group.layers for group in answer.groups] == [7, 35]


def test_states_take_their_part_before_the_tokens():
    state = sized("sglang", "0.5.23", "qwen3.5-27b").state_bytes
    answer = sized("sglang", "0.5.23", "qwen3.5-27b", available_bytes=20 * GIB)
    assert state == 48 * (10240 * 3 * 2 + 48 * 128 * 128 * 4)
    slots = (20 * GIB * 9 // 19 - state) // state
    assert answer.capacity_tokens == (20 * GIB - (slots + 1) * state) // (16 * 2048 * 2)


@pytest.mark.parametrize(
    ("version", "model", "request_", "missing"),
    [
        ("0.5.23", "gemma-3-27b", {}, "architecture"),
        ("0.5.23", "gemma-4-31b", {"architecture": "Unlisted"}, "several"),
        ("0.5.23", "deepseek-v4-flash", {"architecture": "DeepseekV4ForCausalLM"}, "compressed"),
        ("0.5.20", "qwen3.5-27b", {}, "recurrent states"),
        ("0.5.23", "llama-3.1-8b", {"cache_dtype": "fp4_e2m1"}, "fp4_e2m1"),
    ],
)
def test_what_cannot_be_told_is_unknown(version, model, request_, missing):
    assert missing in ask("sglang", version, model, **request_).reason


def test_sparse_latents_in_fp8_carry_their_scales():
    plain, packed = (sized("sglang", "0.5.23", "deepseek-v3.2", cache_dtype=dtype) for dtype in ("bf16", "fp8_e4m3"))
    assert plain.resident(1) == 61 * (576 * 2 + 132)
    assert packed.resident(1) == 61 * (656 + 132)


def test_an_image_takes_room_in_every_layer():
    # two layers of text and one of an image, each of 2 heads of 16; (28 / 14)^2 + 1 tokens a tile, two tiles
    text = {"model_type": "mllama_text_model", "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 64}
    text |= {"cross_attention_layers": [1], "max_position_embeddings": 1024}
    config = {"model_type": "mllama", "text_config": text, "vision_config": {"image_size": 28, "patch_size": 14, "max_num_tiles": 2}}
    request = Request(derive(config), architecture="MllamaForConditionalGeneration")
    answer = allocate(engine("sglang"), "0.5.23", request)
    assert isinstance(answer, Allocation) and answer.resident(100) == 3 * 2 * 32 * 2 * (100 + 10)
    assert "not read" in allocate(engine("sglang"), "0.5.20", request).reason
