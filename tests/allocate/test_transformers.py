"""Transformers: the tensors of one sequence, growing or of full length."""

import pytest

from infercompat.allocate import Allocation, Request, allocate
from infercompat.derive import derive

from .configs import ask, engine, sized

STATIC = {"setting.cache_implementation": "static"}


def test_a_growing_cache_keeps_a_window_but_its_newest_token():
    answer = sized("transformers", "5.24.0", "gemma-3-27b")
    assert answer.reserved == 0
    assert answer.resident(8192) == (10 * 8192 + 52 * 1023) * 16 * 256 * 2


def test_a_static_cache_is_allocated_for_the_whole_length():
    answer = sized("transformers", "5.24.0", "gemma-3-27b", max_model_len=8192, settings=STATIC)
    assert answer.reserved == answer.resident(8192) == (10 * 8192 + 52 * 1024) * 16 * 256 * 2
    short = sized("transformers", "5.24.0", "gemma-3-27b", max_model_len=512, settings=STATIC)
    assert short.reserved == 62 * 512 * 16 * 256 * 2


def test_layers_that_share_keep_nothing():
    assert sum(group.layers for group in sized("transformers", "5.24.0", "gemma-4-e4b").groups) == 24


def test_a_latent_and_its_index_key_are_in_the_type_of_the_model():
    assert sized("transformers", "5.24.0", "deepseek-v3", tensor_parallel=8).resident(10) == 10 * 61 * 576 * 2
    assert sized("transformers", "5.24.0", "deepseek-v3.2").resident(10) == 10 * 61 * (576 + 128) * 2


def test_fewer_heads_than_ranks_are_kept_by_several():
    assert sized("transformers", "5.24.0", "llama-3.1-8b", tensor_parallel=16).resident(1) == 32 * 256 * 2


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("qwen3.5-9b", {}, "recurrent states"),
        ("deepseek-v4-flash", {}, "compressed"),
        ("llama-3.1-8b", {"settings": {"setting.cache_implementation": "quantized"}}, "quantized"),
        ("llama-3.1-8b", {"cache_dtype": "fp8"}, "quantized"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "evenly"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    answer = ask("transformers", "5.24.0", model, **request_)
    assert missing in " ".join((answer.reason, *answer.missing))


def test_what_is_attended_across_is_kept_whole():
    # 4 layers of 6 heads of 64, which attend to 1,500 positions besides
    config = {"model_type": "whisper", "d_model": 384, "decoder_attention_heads": 6, "decoder_layers": 4, "encoder_layers": 4}
    whisper = derive(config | {"max_source_positions": 1500, "max_target_positions": 448})
    answer = allocate(engine("transformers"), "5.24.0", Request(whisper))
    assert isinstance(answer, Allocation) and answer.resident(448) == 4 * 6 * 128 * 2 * (1500 + 448)
    assert "static" in allocate(engine("transformers"), "5.24.0", Request(whisper, settings={"setting.cache_implementation": "static"})).reason
