"""OpenVINO GenAI: the sizes that its released package reported for small models on a processor."""

import pytest

from infercompat.allocate import Allocation, Request, allocate
from infercompat.derive import derive

from .configs import GIB, ask, engine, sized

GENAI = ("openvino-genai", "2026.4.1.0")
SMALL = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_size": 512,
    "head_dim": 128,
    "vocab_size": 300,
    "max_position_embeddings": 4096,
}
"""The model of two layers that was compiled."""


def small(**request) -> Allocation:
    settings = {"platform": "cpu"} | request.pop("settings", {})
    answer = allocate(engine(GENAI[0]), GENAI[1], Request(derive(SMALL), settings=settings, **request))
    assert isinstance(answer, Allocation), answer
    return answer


@pytest.mark.parametrize(
    ("dtype", "block"),
    [
        (None, 37888),  # keys of 2 x 40 x 128 bytes and values of 2 x 32 x 136, in two layers
        ("u8", 37888),
        ("f16", 65536),
        ("fp32", 131072),
    ],
)
def test_a_block_is_what_the_inputs_of_the_compiled_model_show(dtype, block):
    assert small(cache_dtype=dtype).bytes_per_block == block


@pytest.mark.parametrize(("tokens", "reported"), [(25, 37888), (120, 151552), (320, 378880)])
def test_requests_hold_what_the_pipeline_reported(tokens, reported):
    assert small(cache_dtype="u8").resident(tokens) == reported


def test_a_named_size_is_filled_with_blocks():
    assert small(cache_dtype="u8", settings={"setting.cache_size": 1}).reserved == 1073708032
    assert small(cache_dtype="u8", settings={"setting.num_kv_blocks": 10, "setting.cache_size": 1}).reserved == 378880


def test_without_a_named_size_nothing_is_set_aside():
    answer = small(available_bytes=GIB)
    assert (answer.reserved, answer.blocks, answer.capacity_tokens) == (None, 28339, 28339 * 32)
    assert any("256 tokens at a time" in note for note in answer.notes)


def test_windows_do_not_shorten_the_cache():
    answer = sized(*GENAI, "gemma-3-27b", cache_dtype="f16", settings={"platform": "cpu"})
    assert answer.resident(8192) == 8192 * 62 * 16 * 256 * 2


def test_a_default_says_what_it_rests_on():
    assert any("exported without compression" in note for note in small().notes)
    assert not any("exported without compression" in note for note in small(cache_dtype="u8").notes)


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("llama-3.1-8b", {}, "device"),
        ("llama-3.1-8b", {"settings": {"platform": "xpu"}}, "plugin for GPUs"),
        ("llama-3.1-8b", {"settings": {"platform": "cpu"}, "cache_dtype": "int4"}, "int4"),
        ("llama-3.1-8b", {"settings": {"platform": "cpu", "attention.backend": "SDPA"}}, "without blocks"),
        ("llama-3.1-8b", {"settings": {"platform": "cpu", "setting.use_cache_eviction": True}}, "drops tokens"),
        ("llama-3.1-8b", {"settings": {"platform": "cpu"}, "tensor_parallel": 2}, "several devices"),
        ("deepseek-v3", {"settings": {"platform": "cpu"}}, "latents"),
        ("qwen3.5-9b", {"settings": {"platform": "cpu"}}, "states"),
        ("gemma-4-e4b", {"settings": {"platform": "cpu"}}, "share"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask(*GENAI, model, **request_).reason
