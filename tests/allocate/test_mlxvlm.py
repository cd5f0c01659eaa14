"""MLX-VLM: arrays and rings as the make_cache of each model's file has them."""

import pytest

from .configs import ask, sized


def mlx(model, **settings):
    return sized("mlx-vlm", "0.7.10", model, settings={f"setting.{name}": value for name, value in settings.items()})


def test_arrays_grow_in_steps_of_256():
    answer = mlx("llama-3.1-8b")
    assert (answer.resident(1), answer.resident(257), answer.reserved) == (256 * 131072, 512 * 131072, 0)


@pytest.mark.parametrize(("model", "full", "windowed"), [("gemma-3-27b", 10, 52), ("gemma-4-e4b", 4, 20)])
def test_windowed_layers_keep_rings(model, full, windowed):
    counts = {group.most is None: 0 for group in mlx(model).groups}
    for group in mlx(model).groups:
        counts[group.most is None] += group.layers
    assert counts == {True: full, False: windowed}


@pytest.mark.parametrize("model", ["gemma-2-2b", "mistral-7b-v0.1"])
def test_files_that_make_no_ring_keep_every_token(model):
    assert [group.most for group in mlx(model).groups] == [None]


def test_latents_are_kept_as_such_but_for_deepseek_v2():
    assert mlx("deepseek-v3").resident(256) == 256 * 61 * 576 * 2
    assert mlx("deepseek-v2").resident(256) == 256 * 27 * 16 * (192 + 128) * 2


def test_states_of_gated_delta_net_are_of_four_bytes():
    assert mlx("qwen3.5-9b").state_bytes == 24 * (8192 * 3 * 2 + 32 * 128 * 128 * 4)


@pytest.mark.parametrize(
    ("model", "settings", "missing"),
    [
        ("deepseek-v3.2", {}, "index keys"),
        ("nemotron-nano-9b-v2", {}, "states"),
        ("llama-3.1-8b", {"setting.kv_bits": 3.5, "setting.kv_quant_scheme": "turboquant"}, "turboquant"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, settings, missing):
    assert missing in ask("mlx-vlm", "0.7.10", model, settings=settings).reason
