"""Features: which facts ask for one, and what the tables of engines call it."""

from __future__ import annotations

import pytest

from infercompat.condition import lookup
from infercompat.join.features import FEATURES, as_read, asked, offer_of, slip_of, words_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ()),
        ({"lora": True, "tensor_parallel": 4, "speculation.method": "eagle3"}, ("lora", "speculation", "tensor-parallel")),
        ({"lora": False, "tensor_parallel": 1, "speculation.method": "none", "prefix_caching": "off", "cuda_graphs": "none"}, ()),
        ({"prefix_caching": "on", "expert_parallel": True, "disaggregation": "decode"}, ("disaggregation", "expert-parallel", "prefix-caching")),
        ({"max_model_len": 4096, "cache.dtype": "fp8_e4m3"}, ()),
    ],
)
def test_what_facts_ask_for(given, expected):
    assert asked(given) == expected


def test_each_feature_is_asked_for_by_a_declared_fact():
    for feature in FEATURES.values():
        assert lookup(feature.fact) is not None, feature.id


@pytest.mark.parametrize(
    ("about", "offer"),
    [
        ({"feature": "lora"}, "features.lora"),
        ({"feature": "kv-cache-reuse", "architecture": "TinyForCausalLM"}, "features.prefix-caching"),
        ({"feature": "sd-with-lora"}, "features.lora+speculation"),
        ({"feature": "lora-with-sd"}, "features.lora+speculation"),
        ({"feature": "lora-with-beam-search"}, None),
        ({"feature": "beam-search"}, None),
        ({"feature": "speculative-draft"}, "features.speculation"),
        ({"feature": "speculative-draft", "architecture": "TinyEagleModel"}, None),
        ({"feature": "lora", "backend": "FLASH"}, None),
    ],
)
def test_names_of_tables(about, offer):
    claim = {"about": about, "holds": "native"}
    found = offer_of(about["feature"]) if as_read(claim) == claim else None
    assert found == offer
    assert offer is None or about["feature"] in words_of(offer)


def test_a_column_of_one_method_speaks_of_that_method_alone():
    plain = {"about": {"feature": "mtp"}, "holds": "native"}
    assert (offer_of("mtp"), as_read(plain)) == ("features.speculation", plain | {"when": {"speculation.method": "mtp"}})
    more = plain | {"when": {"task": "generate"}}
    assert as_read(more)["when"] == {"all": [{"speculation.method": "mtp"}, {"task": "generate"}]}


def test_words_of_two_together():
    words = words_of("features.chunked-prefill+speculation")
    assert {"chunked-prefill-with-speculation", "sd-with-cp", "cp-with-sd"} <= set(words)
    assert {offer_of(word) for word in words} == {"features.chunked-prefill+speculation"}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("lora-with-speculaton", "lora-with-speculation"),
        ("sd-with-prefix-cachnig", "sd-with-prefix-caching"),
        ("lora-whit-speculation", "lora-with-speculation"),
        ("lroa", "lora"),
        ("cuda_graphs", "cuda-graphs"),
        ("egale-3-linear", "eagle-3-linear"),
        ("speculative-drafts-with-mm", "speculative-draft-with-mm"),
    ],
)
def test_a_slip_of_a_feature_is_told(word, meant):
    assert slip_of(word) == meant


@pytest.mark.parametrize(
    "column",
    # Columns of vLLM's, SGLang's and TensorRT LLM's tables that no fact asks for, near to ones that a fact does.
    ["logp", "logp-with-lora", "mm", "async-output-with-sd", "helix-parallelism", "epd-disaggregated-serving", "cuda-graph-alone", "kv-connector"],
)
def test_a_column_that_no_fact_asks_for_is_no_slip(column):
    assert slip_of(column) is None


def test_no_name_is_a_slip_of_another():
    assert [word for id in FEATURES for word in words_of(f"features.{id}") if slip_of(word)] == []
