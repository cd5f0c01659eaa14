"""The facts of one question: what a model's record and layers say, what was given, and what nobody knows."""

from __future__ import annotations

import pytest

from catalogs import MODEL, changed
from infercompat.condition import MISSING, Range
from infercompat.join.stack import Stack


def stack(products, model: str = "tiny-model", **more) -> Stack:
    return Stack(products.catalog.records[model], products.derived[model], **more)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model.id", "tiny-model"), ("model.architecture", "TinyForCausalLM"), ("model.family", "gemma"), ("model.layers", 4), ("model.window", 1024),
        ("model.kv_heads", 2), ("model.heads", 4), ("model.head_dim", 64), ("model.context", 8192),
        ("sequence_length", Range(1, 8192)), ("cache.dtype", MISSING),
        ("hardware.class", MISSING), ("model.nothing", MISSING),
    ],
)  # fmt: skip
def test_facts_of_a_model(tiny, name, value):
    assert stack(tiny).get(name) == value


def test_a_model_without_windows_has_none(tiny):
    assert stack(tiny, "plain-model").get("model.window") is None


def test_layers_of_several_widths_give_several_values(make):
    values = {"model_type: gemma2": "model_type: gemma4", "    head_dim: 64\n": "    head_dim: 64\n    global_head_dim: 128\n"}
    assert stack(make(changed(MODEL, *values.items()))).get("model.head_dim") == (64, 128)


def test_query_heads_of_real_models(real):
    """Qwen3.6 27B states 24 in its text part; Falcon 40B says n_head: 128 (config.json of both); a plain Mamba has none."""
    found = {model: stack(real, model).get("model.heads") for model in ("qwen3.6-27b", "falcon-40b", "mamba-2.8b")}
    assert found == {"qwen3.6-27b": 24, "falcon-40b": 128, "mamba-2.8b": MISSING}


def test_what_was_given_wins(tiny):
    given = stack(tiny, given={"model.window": 7, "cache.dtype": "fp8"})
    assert (given.get("model.window"), given.get("cache.dtype")) == (7, "fp8")


def test_names_and_requirements(tiny):
    assert stack(tiny).names == {"architecture": "TinyForCausalLM", "model_type": "gemma2"}
    assert stack(tiny).requires("sliding-window") is True
    assert stack(tiny).requires("logit-softcap") is False
    assert len(stack(tiny).layers()) == 4


def test_nothing_is_assumed_of_a_model_that_cannot_be_read(make):
    unread = stack(make(changed(MODEL, ("    sliding_window: 1024\n", ""))))
    assert unread.requires("sliding-window") is None
    assert unread.layers() is None
    assert [unread.get(name) for name in ("model.window", "model.layers", "sequence_length")] == [MISSING] * 3
    assert unread.get("model.architecture") == "TinyForCausalLM"


def test_a_model_type_that_is_no_word_is_no_name(make):
    odd = stack(make(changed(MODEL, ("model_type: gemma2", "model_type: [gemma2]"))))
    assert odd.names["model_type"] == ""


def test_linear_layers_are_those_of_the_config(real):
    """Olmo 3 7B: 100,278 tokens by 4,096. Mamba's layers are not worked out, its 50,280 tokens by 2,560 are known."""
    found = stack(real, "olmo-3-7b").linears()
    assert [(one.n, one.k) for one in found if one.part == "output"] == [(100278, 4096)]
    assert {one.part for one in found} == {"attention", "mlp", "output"}
    partly = stack(real, "mamba-2.8b").linears()
    assert [(one.n, one.k) for one in partly if one.n is not MISSING] == [(50280, 2560)]


def test_a_model_that_cannot_be_read_has_no_linear_layers(make, tiny):
    assert stack(make(changed(MODEL, ("    sliding_window: 1024\n", "")))).linears() is None
    assert stack(tiny).linears() is None  # it does not say how wide its networks are


@pytest.mark.parametrize(
    ("model", "layers"),
    [
        ("glm-4.5", 1),  # num_nextn_predict_layers of its config.json
        ("qwen3.5-27b", 1),  # mtp_num_hidden_layers
        ("kimi-k2", 0),  # says none
        ("gpt-oss-20b", 0),  # 20,914,757,184 numbers, all of them the decoder's
        ("qwen3-8b", 0),
        ("qwen3-next-80b-a3b", MISSING),  # in the weights and not in the config
        ("minimax-text-01", MISSING),
    ],
)
def test_layers_for_mtp(real, model, layers):
    assert Stack(real.catalog.records[model], real.derived[model]).get("model.mtp_layers") == layers
