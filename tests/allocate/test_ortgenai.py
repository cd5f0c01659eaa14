"""ONNX Runtime GenAI: buffers of max_length, of the window on CUDA and of 16 tokens more on the processor."""

import pytest

from .configs import ask, sized


def ort(model, platform="cuda", length=8192, **settings):
    return sized("onnxruntime-genai", "0.18.0", model, max_model_len=length, settings={"platform": platform} | settings)


def test_a_buffer_has_its_length_from_the_start():
    answer = ort("llama-3.1-8b")
    assert answer.resident(1) == answer.resident(8192) == answer.reserved == 8192 * 131072


@pytest.mark.parametrize(("platform", "window"), [("cuda", 1024), ("cpu", 1040)])
def test_windowed_layers_have_short_buffers(platform, window):
    assert ort("gemma-3-27b", platform).reserved == (10 * 8192 + 52 * window) * 16 * 256 * 2


def test_without_the_option_every_buffer_is_long():
    assert ort("gemma-3-27b", **{"setting.windowed_kv_cache": False}).reserved == 62 * 8192 * 16 * 256 * 2


def test_a_window_is_no_longer_than_the_buffer():
    assert ort("gemma-3-27b", "cpu", 512).reserved == 62 * 512 * 16 * 256 * 2


def test_models_quantized_for_the_processor_have_activations_of_four_bytes():
    assert ort("llama-3.1-8b", "cpu", **{"setting.precision": "int4"}).reserved == 8192 * 262144
    assert ort("llama-3.1-8b", "cuda", **{"setting.precision": "int4"}).reserved == 8192 * 131072


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3", {}, "latents"),
        ("gemma-4-e4b", {}, "share"),
        ("gemma-3-27b", {}, "written for"),
        ("mistral-7b-v0.1", {"settings": {"platform": "cuda"}}, "layer_types"),
        ("llama-3.1-8b", {"tensor_parallel": 2}, "one device"),
        ("llama-3.1-8b", {"cache_dtype": "int8"}, "scales"),
        ("llama-3.1-8b", {"settings": {"setting.use_paged_attention": True}}, "continuous"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("onnxruntime-genai", "0.18.0", model, **request_).reason
