"""The states of the RWKV generations, by hand from the code that allocates them."""

import pytest

from infercompat.derive import Unknown, derive

FIFTH = {"model_type": "rwkv5", "architectures": ["RwkvForCausalLM"], "num_hidden_layers": 32, "hidden_size": 2560, "head_size": 64}
SEVENTH = {"model_type": "rwkv7", "num_hidden_layers": 24, "hidden_size": 2048, "head_dim": 64, "num_heads": None, "attn": None}


def test_rwkv_4_keeps_two_inputs_and_three_sums():
    derived = derive({"model_type": "rwkv", "num_hidden_layers": 2, "hidden_size": 4096})
    assert (derived.layers[0].conv_elements, derived.layers[0].state_elements) == (2 * 4096, 3 * 4096)
    assert derived.cost().ideal.state_bytes_per_sequence == 2 * 4096 * (2 * 2 + 3 * 4)


def test_rwkv_5_keeps_two_inputs_and_a_matrix_a_head():
    derived = derive(FIFTH)
    assert derived.counts() == {"recurrent": 32}
    assert derived.cost().ideal.state_bytes_per_sequence == 32 * (2 * 2560 * 2 + 40 * 64 * 64 * 4)
    assert derived.cost().ideal.growing_bytes_per_token == 0
    assert "rwkv" in derived.requirements


def test_rwkv_5_has_heads_of_64_unless_told():
    without = {name: value for name, value in FIFTH.items() if name != "head_size"}
    assert derive(without).cost() == derive(FIFTH).cost()
    assert derive(FIFTH | {"head_size": 100}) == Unknown(("head_size",), "the heads do not fill hidden_size")


@pytest.mark.parametrize("heads", [{}, {"head_dim": None, "num_heads": 32}])
def test_rwkv_7_keeps_two_inputs_and_a_matrix_a_head(heads):
    derived = derive(SEVENTH | heads)
    assert derived.cost().ideal.state_bytes_per_sequence == 24 * (2 * 2048 * 2 + 32 * 64 * 64 * 4)


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"attn": {"layers": [1], "num_heads": 32}}, "attn"),
        ({"value_dim": [4096] * 24}, "value_dim"),
        ({"head_dim": 100}, "head_dim"),
        ({"head_dim": None}, "num_heads"),
        ({"hidden_size": None}, "hidden_size"),
    ],
)
def test_rwkv_7_says_what_is_not_worked_out(change, missing):
    read = derive(SEVENTH | change)
    assert isinstance(read, Unknown) and read.missing == (missing,)
