"""Element counts of layers with a state of fixed size, by hand."""

import pytest

from infercompat.derive.config import Config
from infercompat.derive.layers import Layer
from infercompat.derive.readers import states


def test_mamba1():
    layer = states.mamba1(Config({"mamba_d_conv": 4, "mamba_d_state": 16}), 8192)
    assert (layer.conv_elements, layer.state_elements) == (8192 * 3, 8192 * 16)


def test_mamba2():
    layer = states.mamba2(Config({"conv_kernel": 4, "ssm_state_size": 128, "n_groups": 8}), 128, 64)
    assert (layer.conv_elements, layer.state_elements) == ((8192 + 2 * 8 * 128) * 3, 128 * 64 * 128)


def test_gated_delta_net():
    fields = {"num_key_heads": 16, "num_value_heads": 32, "key_head_dim": 128, "value_head_dim": 96, "conv_kernel_dim": 4}
    layer = states.gated_delta_net(Config({f"linear_{name}": value for name, value in fields.items()}))
    assert (layer.conv_elements, layer.state_elements) == ((2 * 16 * 128 + 32 * 96) * 3, 32 * 96 * 128)


def test_kimi_delta_attention_is_fp32():
    assert states.kimi_delta(32, 128, 4) == Layer("recurrent", conv_elements=3 * 4096 * 3, state_elements=32 * 128 * 128, state_dtype="fp32")


def test_lightning_and_short_convolutions():
    assert states.lightning(64, 128).state_elements == 64 * 128 * 128
    assert states.short_convolution(2048, 3) == Layer("convolution", conv_elements=4096)


@pytest.mark.parametrize(("word", "dtype"), [("float32", "fp32"), ("bfloat16", "bf16"), ("float16", "fp16"), ("auto", None), (None, None), (32, None)])
def test_the_configs_word_for_the_state(word, dtype):
    assert states.state_dtype(Config({"mamba_ssm_dtype": word})) == dtype
