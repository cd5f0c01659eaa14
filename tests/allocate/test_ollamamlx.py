"""Ollama's runner on MLX: arrays and rings, by the NewCaches of each model's file. Sizes by hand."""

import pytest

from .configs import ask, sized

AT = "0.32.15"


def test_arrays_grow_in_steps_of_256():
    answer = sized("ollama-mlx", AT, "llama-3.1-8b")
    assert (answer.resident(1), answer.resident(257), answer.reserved) == (256 * 131072, 512 * 131072, 0)


@pytest.mark.parametrize(("model", "full", "windowed"), [("gemma-3-27b", 10, 52), ("gemma-4-e4b", 4, 20)])
def test_windowed_layers_keep_rings_and_sharing_ones_nothing(model, full, windowed):
    counts = {True: 0, False: 0}
    for group in sized("ollama-mlx", AT, model).groups:
        counts[group.most is None] += group.layers
    assert counts == {True: full, False: windowed}


def test_states_of_gated_delta_net_and_mamba_2_are_of_four_bytes():
    assert sized("ollama-mlx", AT, "qwen3.5-9b").state_bytes == 24 * (8192 * 3 * 2 + 32 * 128 * 128 * 4)
    nemotron = sized("ollama-mlx", AT, "nemotron-nano-9b-v2")
    assert nemotron.state_bytes == sized("mlx-lm", "0.32.2", "nemotron-nano-9b-v2").state_bytes


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3", {}, "no file"),
        ("deepseek-v3.2", {}, "index keys"),
        ("llama-3.1-8b", {"cache_dtype": "q8_0"}, "no cache of q8_0"),
    ],
)
def test_what_the_runner_has_not_is_unknown(model, request_, missing):
    assert missing in ask("ollama-mlx", AT, model, **request_).reason
