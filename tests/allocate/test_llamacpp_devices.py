"""llama.cpp: layers over devices, by hand and as one log has them."""

import pytest

from .configs import sized

MIB = 1 << 20
AT = "0c1e57098"


@pytest.mark.parametrize(
    ("settings", "layers"),
    [
        ({"setting.tensor_split": "3,1"}, {"0": 25, "1": 7}),
        ({"setting.tensor_split": "1,1,0"}, {"0": 17, "1": 15}),
        ({"setting.tensor_split": "3,1", "setting.gpu_layers": 10}, {"0": 8, "1": 1, "host": 23}),
        ({"setting.tensor_split": "1,1", "setting.no_kv_offload": True}, {"host": 32}),
    ],
)
def test_the_cache_is_where_its_layer_is(settings, layers):
    # 32 layers and the output are 33; three quarters of these end after the 25th, the half after the 17th
    answer = sized("llama.cpp", AT, "llama-3.1-8b", max_model_len=4096, settings=settings)
    assert answer.devices == {device: count * 16 * MIB for device, count in layers.items()}


def test_the_split_of_a_log_over_sixteen_devices():
    # https://github.com/ikawrakow/ik_llama.cpp/pull/239, which splits alike: 61 layers; the first 13 buffers are of four layers, that of CUDA7 of three
    request = {"max_model_len": 4096, "settings": {"setting.tensor_split": ",".join(["1"] * 16)}}
    devices = sized("llama.cpp", AT, "deepseek-v3", **request).devices
    layer = 4096 * 576 * 2
    assert [devices[str(device)] // layer for device in range(13)] == [4, 4, 4, 4, 4, 4, 4, 3, 4, 4, 4, 4, 4]
    assert sum(devices.values()) == 61 * layer


def test_windows_and_states_are_shared_out_with_their_layers():
    request = {"architecture": "Gemma3ForConditionalGeneration", "max_model_len": 32768, "max_num_seqs": 1, "settings": {"setting.tensor_split": "1,1"}}
    answer = sized("llama.cpp", AT, "gemma-3-27b", **request)
    # layers 0 to 31 on the first, five of them full (5, 11, 17, 23, 29); 1,536 cells in the others
    cell = 16 * 128 * 2 * 2
    assert answer.devices == {"0": cell * (5 * 32768 + 27 * 1536), "1": cell * (5 * 32768 + 25 * 1536)}
    assert sum(answer.devices.values()) == answer.reserved


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"setting.devices": 2}, "memory that each device has free"),
        ({"setting.tensor_split": "odd"}, "no list of proportions"),
        ({"setting.tensor_split": "1,1", "setting.split_mode": "tensor"}, "tensor"),
        ({"setting.tensor_split": "1,1", "setting.gpu_layers": "many"}, "no number"),
    ],
)
def test_why_devices_are_not_told_apart(settings, reason):
    answer = sized("llama.cpp", AT, "llama-3.1-8b", max_model_len=4096, settings=settings)
    assert answer.devices is None and any(reason in note for note in answer.notes)
