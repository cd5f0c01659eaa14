"""Text Generation Inference: blocks by the attention in use, as its launcher and its server's files say."""

import pytest

from infercompat.allocate import Request, allocate
from infercompat.derive import derive

from .configs import CONFIGS, GIB, ask, engine, sized


def tgi(model, **request):
    return sized("tgi", "3.3.7", model, **request)


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [({}, 1), ({"hardware.class": "sm75"}, 1), ({"attention.backend": "paged"}, 16), ({"attention.backend": "flashdecoding"}, 256)],
)
def test_the_size_of_a_block(settings, tokens):
    answer = tgi("llama-3.1-8b", settings=settings)
    assert (answer.block_size, answer.bytes_per_block) == (tokens, tokens * 131072)


def test_a_width_that_flashinfer_lacks_goes_to_another():
    config = dict(CONFIGS["llama-3.1-8b"], head_dim=80)
    asked = {"hopper": {"hardware.class": "sm90"}, "turing": {"hardware.class": "sm75"}}
    answers = {name: allocate(engine("tgi"), "3.3.7", Request(derive(config), settings=settings)) for name, settings in asked.items()}
    assert {name: answer.block_size for name, answer in answers.items()} == {"hopper": 256, "turing": 16}


def test_windows_do_not_shorten_the_cache():
    answer = tgi("gemma-3-27b", available_bytes=20 * GIB)
    assert answer.resident(8192) == 8192 * 62 * 16 * 256 * 2
    assert answer.capacity_tokens == 20 * GIB // (62 * 16 * 256 * 2)


def test_ranks_share_the_heads():
    assert tgi("llama-3.1-8b", tensor_parallel=4).resident(10) == 10 * 131072 // 4
    assert tgi("llama-3.1-8b", cache_dtype="fp8_e4m3fn").resident(10) == 10 * 131072 // 2


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3", {}, "latents"),
        ("gemma-4-31b", {}, "one width"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "evenly"),
        ("llama-3.1-8b", {"settings": {"attention.backend": "other"}}, "no attention"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("tgi", "3.3.7", model, **request_).reason
