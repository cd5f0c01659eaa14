"""mlx-lm: rings where the model's file makes them, else arrays that grow by 256 tokens."""

import pytest

from .configs import ask, sized


def mlx(model, **settings):
    return sized("mlx-lm", "0.32.2", model, settings={f"setting.{name}": value for name, value in settings.items()})


def test_arrays_grow_in_steps():
    answer = mlx("llama-3.1-8b")
    assert (answer.resident(1), answer.resident(257), answer.reserved) == (256 * 131072, 512 * 131072, 0)


def test_windowed_layers_keep_a_ring():
    answer = mlx("gemma-3-27b")
    assert answer.resident(131072) == 131072 * 10 * 16 * 256 * 2 + 1024 * 52 * 16 * 256 * 2


@pytest.mark.parametrize("model", ["gemma-2-2b", "mistral-7b-v0.1"])
def test_files_that_make_no_ring_keep_every_token(model):
    answer = mlx(model)
    assert [group.most for group in answer.groups] == [None]
    assert answer.because == ("windows do not shorten the cache: the model's file makes no rings",)


def test_shared_layers_have_no_cache():
    assert sum(group.layers for group in mlx("gemma-4-e4b").groups) == 24


def test_a_ring_for_all_layers_where_the_file_leaves_it_open():
    ring, ignored = mlx("qwen3-235b-a22b", max_kv_size=4096), mlx("gemma-3-27b", max_kv_size=4096)
    assert ring.resident(131072) == 4096 * 94 * 4 * 256 * 2
    assert ignored.resident(131072) == mlx("gemma-3-27b").resident(131072)
    assert "ignored" in ignored.because[0]


@pytest.mark.parametrize(("bits", "group", "bytes_of_64"), [(8, 64, 68), (4, 64, 36), (4, 32, 40)])
def test_converted_arrays_carry_scale_and_bias(bits, group, bytes_of_64):
    answer = mlx("llama-3.1-8b", kv_bits=bits, kv_group_size=group)
    assert answer.resident(256) == 256 * 32 * 2048 * bytes_of_64 // 64


def test_a_ring_cannot_be_converted():
    answer = ask("mlx-lm", "0.32.2", "gemma-3-27b", settings={"setting.kv_bits": 4})
    assert "ring" in answer.reason


def test_latents_are_kept_as_such_in_some_files_only():
    assert mlx("deepseek-v3").resident(256) == 256 * 61 * 576 * 2
    assert mlx("deepseek-v2").resident(256) == 256 * 27 * 16 * (192 + 128) * 2
    assert mlx("deepseek-v3.2").resident(256) == 256 * 61 * (576 + 256) * 2


def test_states_of_gated_delta_net():
    assert mlx("qwen3.5-9b").state_bytes == 24 * (8192 * 3 * 2 + 32 * 128 * 128 * 4)


def test_states_of_mamba_2_and_kimi_delta():
    # convolutions in the model's type, states in fp32: 27 layers of 12,288 channels and 128 heads of 80 by 128; 20 of 3 x 4,096 and 32 heads of 128
    assert mlx("nemotron-nano-9b-v2").state_bytes == 27 * ((10240 + 2 * 8 * 128) * 3 * 2 + 128 * 80 * 128 * 4)
    assert mlx("kimi-linear-48b").state_bytes == 20 * (3 * 4096 * 3 * 2 + 32 * 128 * 128 * 4)
    assert mlx("kimi-linear-48b").resident(256) == mlx("kimi-linear-48b").state_bytes + 256 * 7 * 576 * 2


def test_what_cannot_be_told_is_unknown():
    assert "not worked out" in ask("mlx-lm", "0.32.2", "deepseek-v4-flash").reason
