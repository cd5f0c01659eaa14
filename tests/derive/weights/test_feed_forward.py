"""Which layers have experts, and what they store."""

import pytest

from infercompat.derive.config import Config
from infercompat.derive.weights.anatomy import BY_NAME
from infercompat.derive.weights.feed_forward import feed_forward

BASE = {"hidden_size": 8, "intermediate_size": 32, "moe_intermediate_size": 4, "num_experts": 6, "num_experts_per_tok": 2}


def sparse_layers(model_type, count=8, **fields):
    config = Config(BASE | fields)
    found = [any(t.part == "experts" for t in feed_forward(config, BY_NAME[model_type], index, count)) for index in range(count)]
    assert config.missing == []
    return [index for index, sparse in enumerate(found) if sparse]


@pytest.mark.parametrize(
    ("model_type", "fields", "layers"),
    [
        ("mixtral", {}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ("deepseek_v3", {"first_k_dense_replace": 3}, [3, 4, 5, 6, 7]),
        ("deepseek_v3", {"first_k_dense_replace": 1, "moe_layer_freq": 2}, [2, 4, 6]),
        ("qwen3_moe", {"decoder_sparse_step": 2}, [1, 3, 5, 7]),
        ("qwen3_moe", {"decoder_sparse_step": 1, "mlp_only_layers": [0, 5]}, [1, 2, 3, 4, 6, 7]),
        ("llama4", {"interleave_moe_layer_step": 2}, [1, 3, 5, 7]),
        ("llama4", {"interleave_moe_layer_step": 1, "moe_layers": [2, 6]}, [2, 6]),
        ("ernie4_5_moe", {"moe_layer_start_index": 1, "moe_layer_end_index": 6, "moe_layer_interval": 1}, [1, 2, 3, 4, 5, 6]),
        ("ernie4_5_moe", {"moe_layer_start_index": 1, "moe_layer_end_index": -1}, [1, 2, 3, 4, 5, 6, 7]),
        ("glm4_moe", {"mlp_layer_types": ["dense"] + ["sparse"] * 7}, [1, 2, 3, 4, 5, 6, 7]),
        ("glm4_moe", {"moe_layer_freq": [0, 1, 1, 0, 0, 0, 0, 1]}, [1, 2, 7]),
        ("qwen3", {"num_experts": 0}, []),
    ],
)
def test_layers_with_experts(model_type, fields, layers):
    assert sparse_layers(model_type, **fields) == layers


def test_a_dense_layer_of_llama_4_is_wider_than_its_experts():
    config = Config(BASE | {"intermediate_size_mlp": 64, "interleave_moe_layer_step": 2, "moe_intermediate_size": None})
    dense = {t.name: t.shape for t in feed_forward(config, BY_NAME["llama4"], 0, 8)}
    sparse = {t.name: t.shape for t in feed_forward(config, BY_NAME["llama4"], 1, 8)}
    assert dense["layers.0.feed_forward.gate_proj"] == (64, 8)
    assert sparse["layers.1.feed_forward.experts.0.gate_proj"] == (32, 8)
    assert sparse["layers.1.feed_forward.shared_expert.down_proj"] == (8, 32)


def test_experts_are_copies_of_which_a_token_uses_some():
    [expert, *_] = [t for t in feed_forward(Config(BASE), BY_NAME["qwen3_moe"], 0, 1) if t.part == "experts"]
    assert (expert.copies, expert.active, expert.elements) == (6, 2, 6 * 4 * 8)


def test_a_list_of_a_wrong_length_is_missed():
    config = Config(BASE | {"mlp_layer_types": ["sparse"]})
    list(feed_forward(config, BY_NAME["glm4_moe"], 0, 3))
    assert config.missing == ["mlp_layer_types (1 entries for 3 layers)"]
