"""Qwen's window counts only with its flag, and each generation has its own rule for which layers slide."""

import pytest

from infercompat.derive import derive

QWEN = {
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "num_key_value_heads": 2,
    "hidden_size": 1536,
    "head_dim": 128,
    "sliding_window": 4096,
    "max_window_layers": 4,
}


def kinds(model_type, **fields):
    return "".join(layer.kind[0] for layer in derive(QWEN | {"model_type": model_type} | fields).layers)


@pytest.mark.parametrize("model_type", ["qwen2", "qwen3", "qwen2_moe", "qwen3_moe", "mimo", "qwen2_5_vl"])
def test_without_the_flag_all_layers_are_full(model_type):
    assert kinds(model_type) == kinds(model_type, use_sliding_window=False) == "ffffff"


@pytest.mark.parametrize(
    ("model_type", "expected"),
    [("qwen2", "ffffss"), ("qwen3", "ffffss"), ("mimo", "ffffss"), ("qwen2_moe", "sfsfff"), ("qwen3_moe", "ssssss")],
)
def test_with_the_flag_each_family_slides_by_its_own_rule(model_type, expected):
    assert kinds(model_type, use_sliding_window=True) == expected


def test_a_flag_without_a_window_slides_nothing():
    assert kinds("qwen2", use_sliding_window=True, sliding_window=None) == "ffffff"
    assert kinds("qwen3_moe", use_sliding_window=True, sliding_window=None) == "ffffff"


def test_a_list_of_types_wins():
    words = ["sliding_attention", *["full_attention"] * 5]
    assert kinds("qwen3", use_sliding_window=True, layer_types=words) == "sfffff"
