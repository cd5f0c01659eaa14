"""What the lists of quantization_config mean, in the dialects that published configs use."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.derive.weights.names import Names


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("lm_head", ["lm_head"], ["layers.0.self_attn.q_proj"]),
        ("gate", ["layers.0.block_sparse_moe.gate"], ["layers.0.mlp.gate_proj"]),
        ("model.layers.1", ["layers.1.mlp.gate"], ["layers.11.mlp.gate", "layers.0.mlp.gate"]),
        ("model.layers.*.self_attn", ["layers.3.self_attn.q_proj"], ["layers.3.mlp.router"]),
        ("model.language_model.layers.0.self_attn*", ["layers.0.self_attn.k_proj"], ["layers.1.self_attn.k_proj"]),
        ("language_model.model.layers.0*", ["layers.0.mlp.up_proj"], ["layers.10.mlp.up_proj"]),
        ("*.mlp.shared_expert.*", ["layers.7.mlp.shared_expert.up_proj"], ["layers.7.mlp.shared_expert_gate"]),
        ("re:.*self_attn.*", ["layers.0.self_attn.o_proj"], ["layers.0.mlp.gate_proj"]),
        (r"re:.*mlp\.(gate|up|gate_up|down)_proj.*", ["layers.0.mlp.up_proj"], ["layers.1.mlp.experts.0.up_proj"]),
        ("re:^model.layers.0.mlp", ["layers.0.mlp.gate"], ["layers.1.mlp.gate"]),
        ("vision_tower", [], ["lm_head", "layers.0.self_attn.q_proj"]),
    ],
)
def test_a_pattern_means(pattern, names, others):
    listed = Names([pattern])
    assert [name for name in names if name not in listed] == []
    assert [name for name in others if name in listed] == []


def test_what_is_no_pattern_is_passed_over():
    assert Names([None, 3, "", "lm_head"]).all == ("lm_head",)


@pytest.mark.parametrize("pattern", ["re:(", "re:(a+)+$", "re:" + "a" * 300, "re:.*.*.*.*.*x", "*a*a*a*a*a*", "re:a{99999999999}"])
def test_a_pattern_that_cannot_be_read_is_kept(pattern):
    start = time.monotonic()
    listed = Names([pattern])
    assert "layers.0." + "a" * 60 not in listed
    assert len(listed.unread) == 1
    assert time.monotonic() - start < 1


@given(st.lists(st.text(max_size=12) | st.text(max_size=12).map("re:{}".format), max_size=4), st.text(max_size=12))
def test_any_text_is_a_pattern_or_unread(patterns, name):
    assert (name in Names(patterns)) in (True, False)
