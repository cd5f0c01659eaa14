"""Mamba families: which layers attend, and how states are sized."""

import pytest

from infercompat.derive import Layer, derive

from ..configs import JAMBA_V0_1, NEMOTRON_H_8B


def attending(values):
    return [index for index, layer in enumerate(derive(values).layers) if layer.attends]


def test_mamba_channels_are_stated_or_expanded():
    values = {"model_type": "mamba", "num_hidden_layers": 24, "hidden_size": 768, "state_size": 16, "conv_kernel": 4, "expand": 2}
    assert derive(values).layers == (Layer("recurrent", conv_elements=1536 * 3, state_elements=1536 * 16),) * 24
    assert derive(values | {"intermediate_size": 2048}).layers[0].state_elements == 2048 * 16
    assert derive(values).requirements == {"mamba1": "a state of fixed size on 24 of 24 layers"}


def test_mamba2_names_its_heads_as_attention_does():
    values = {"model_type": "mamba2", "num_hidden_layers": 64, "num_heads": 128, "head_dim": 64, "state_size": 128, "n_groups": 8}
    derived = derive(values | {"conv_kernel": 4})
    assert derived.layers[0] == Layer("recurrent", conv_elements=(8192 + 2048) * 3, state_elements=128 * 64 * 128)
    assert derived.kv_heads is None


def test_jamba_attends_by_period_and_offset():
    assert attending(JAMBA_V0_1) == [4, 12, 20, 28]
    assert derive(JAMBA_V0_1).requirements == {"mamba1": "a state of fixed size on 28 of 32 layers"}


def test_nemotron_h_spells_its_layers():
    derived = derive(NEMOTRON_H_8B)
    assert attending(NEMOTRON_H_8B) == [index for index, letter in enumerate(NEMOTRON_H_8B["hybrid_override_pattern"]) if letter == "*"]
    assert derived.counts() == {"full": 4, "recurrent": 24, "none": 24}
    assert "mamba_ssm_cache_dtype=float32 (NemotronHConfig)" in derived.defaults_used


def test_nemotron_h_names_its_layers_without_counting_them():
    newer = {key: value for key, value in NEMOTRON_H_8B.items() if key not in ("hybrid_override_pattern", "num_hidden_layers")}
    derived = derive(newer | {"layers_block_type": ["mamba", "moe", "attention", "mlp"], "mamba_ssm_cache_dtype": "bfloat16"})
    assert [layer.kind for layer in derived.layers] == ["recurrent", "none", "full", "none"]
    assert derived.cost().state_dtypes == ("bf16",)


@pytest.mark.parametrize("pattern", ["M-X*", "M-*"])
def test_nemotron_h_patterns_must_fit(pattern):
    assert derive(NEMOTRON_H_8B | {"num_hidden_layers": 4, "hybrid_override_pattern": pattern}).missing


GRANITE = {
    "model_type": "granitemoehybrid",
    "num_hidden_layers": 4,
    "num_attention_heads": 12,
    "num_key_value_heads": 4,
    "hidden_size": 1536,
    "mamba_n_heads": 48,
    "mamba_d_head": "auto",
    "mamba_d_state": 128,
    "mamba_d_conv": 4,
    "mamba_n_groups": 1,
    "mamba_expand": 2,
}


def test_granite_lists_its_layers_or_is_all_mamba():
    derived = derive(GRANITE | {"layer_types": ["mamba", "mamba", "attention", "mamba"]})
    assert [layer.kind for layer in derived.layers] == ["recurrent", "recurrent", "full", "recurrent"]
    assert derived.layers[0].state_elements == 48 * 64 * 128
    assert derive(GRANITE).counts() == {"recurrent": 4}


def test_granite_may_be_all_attention():
    without_mamba = {key: value for key, value in GRANITE.items() if not key.startswith("mamba_")}
    derived = derive(without_mamba | {"layer_types": ["attention"] * 4})
    assert derived.counts() == {"full": 4}
    assert derived.requirements == {}


def test_bamba_attends_where_it_says():
    assert attending(GRANITE | {"model_type": "bamba", "attn_layer_indices": [1, 3]}) == [1, 3]


def test_falcon_h1_does_both_on_every_layer():
    values = GRANITE | {"model_type": "falcon_h1", "mamba_d_ssm": 1536, "mamba_d_head": 64, "mamba_n_heads": 24, "head_dim": 64}
    derived = derive(values)
    assert derived.counts() == {"recurrent+full": 4}
    assert derived.layers[0] == Layer("recurrent+full", 4, 64, 64, conv_elements=(1536 + 256) * 3, state_elements=24 * 64 * 128)


def test_zamba2_hybrid_layers_are_twice_as_wide():
    values = {
        "model_type": "zamba2",
        "num_hidden_layers": 3,
        "layers_block_type": ["mamba", "hybrid", "mamba"],
        "hidden_size": 2560,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "kv_channels": 80,
        "mamba_expand": 2,
        "n_mamba_heads": 8,
        "mamba_d_state": 64,
        "mamba_d_conv": 4,
        "mamba_ngroups": 1,
    }
    derived = derive(values)
    assert derived.counts() == {"recurrent": 2, "recurrent+full": 1}
    assert derived.head_dim == 160
    assert derived.layers[0].state_elements == derived.layers[1].state_elements == 8 * 640 * 64
    assert derive(values | {"model_type": "zamba"}).layers[0].state_elements == 5120 * 64
