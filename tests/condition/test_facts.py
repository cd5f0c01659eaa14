"""The registry of facts: what is declared, and how names are looked up."""

import pytest
from packaging.version import Version

from infercompat.condition.facts import FACTS, SETTING, component_of, lookup, nearest, read_version, spellings
from infercompat.condition.values import MISSING, Range


def test_every_declaration_is_complete():
    assert len(FACTS) > 50
    for name, fact in FACTS.items():
        assert fact.meaning.endswith("."), name
        assert not SETTING.match(name), name
        assert fact.part_of in ("", *FACTS), name
        assert set(fact.up_to) <= FACTS.keys(), name
        assert not fact.part_of or FACTS[fact.part_of].absent is not MISSING, name
        if fact.absent is not MISSING:
            assert fact.read(fact.absent) == fact.absent, name


def test_optional_features_left_out_are_off():
    off = {name: fact.absent for name, fact in FACTS.items() if fact.absent is not MISSING and fact.kind != "workload"}
    assert off == {
        "speculation.method": "none",
        "speculation.tokens": 0,
        "speculation.query_length": 1,
        "speculation.draft_kind": "none",
        "lora": False,
        "disaggregation": "none",
        "kv_connector": "none",
        "kv_offload": False,
        "flashinfer-cubin.version": None,
        "flashinfer-jit-cache.version": None,
    }


@pytest.mark.parametrize("name", ["prefix_caching", "cuda_graphs", "async_scheduling", "max_num_seqs", "tensor_parallel"])
def test_everything_else_is_not_off_by_absence(name):
    assert FACTS[name].absent is MISSING


def test_spellings_go_from_the_most_to_the_least_particular():
    assert list(spellings("draft.cache.k.dtype.resolved")) == [
        "draft.cache.k.dtype.resolved",
        "draft.cache.k.dtype",
        "cache.k.dtype.resolved",
        "cache.k.dtype",
    ]
    assert list(spellings("cache.k.dtype")) == ["cache.k.dtype"]
    assert list(spellings("decode.tensor_parallel")) == ["decode.tensor_parallel", "tensor_parallel"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("cache.k.dtype", "cache.k.dtype"),
        ("draft.cache.k.dtype", "cache.k.dtype"),
        ("attention.backend.requested", "attention.backend"),
        ("prefill.attention.backend.resolved", "attention.backend"),
        ("setting.disable_flashinfer_q_quantization", "setting.disable_flashinfer_q_quantization"),
    ],
)
def test_lookup(name, found):
    assert lookup(name).name == found


@pytest.mark.parametrize("name", ["", "cache", "tensor_paralel", "setting.", "setting.CamelCase", "other.lora", "draft.target.cache.dtype"])
def test_lookup_of_what_is_not_declared(name):
    assert lookup(name) is None


def test_nearest():
    assert nearest("tensor_paralel")[0] == "tensor_parallel"
    assert nearest("draft.cache.dtyp")[0] == "draft.cache.dtype"
    assert nearest("zzzz") == []


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("tensor_parallel", 2, ""),
        ("tensor_parallel", "two", 'tensor_parallel is a whole number, not "two"'),
        ("tensor_parallel", 2.5, "tensor_parallel is a whole number, not 2.5"),
        ("tensor_parallel", True, "tensor_parallel is a whole number, not true"),
        ("gpu_memory_utilization", 0.9, ""),
        ("gpu_memory_utilization", 1, ""),
        ("prefix_caching", True, ""),
        ("prefix_caching", "on", 'prefix_caching is true or false, not "on"'),
        ("prefix_caching", 1, "prefix_caching is true or false, not 1"),
        ("cache.dtype", "fp8_e4m3", ""),
        ("cache.dtype", 8, "cache.dtype is a word, not 8"),
        ("phase", "decode", ""),
        ("phase", "idle", 'phase is never "idle"; it is one of prefill, decode'),
        ("cuda.version", "12.8", ""),
        ("cuda.version", 12.8, 'cuda.version is a quoted version such as "12.8", not 12.8'),
        ("cuda.version", "twelve", 'cuda.version is a quoted version such as "12.8", not "twelve"'),
        ("setting.anything", 1, ""),
        ("setting.anything", False, ""),
        ("setting.anything", None, "setting.anything is a word, a number, true or false, not None"),
    ],
)
def test_complaint(name, value, complaint):
    assert lookup(name).complaint(value) == complaint


def test_a_vocabulary_closes_a_fact():
    assert lookup("platform").complaint("cudda") == ""
    assert lookup("platform").complaint("cudda", ("cuda", "rocm")) == 'platform is never "cudda"; it is one of cuda, rocm'


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("block_size", 16, 16),
        ("block_size", "auto", MISSING),
        ("block_size", True, MISSING),
        ("prefix_caching", "auto", MISSING),
        ("cache.dtype", "auto", "auto"),
        ("model.window", None, None),
        ("model.head_dim", (256, 512), (256, 512)),
        ("model.head_dim", (256, "?"), MISSING),
        ("sequence_length", Range(1, 8), Range(1, 8)),
        ("cuda.version", "12.10", Version("12.10")),
        ("cuda.version", "?", MISSING),
    ],
)
def test_read(name, value, expected):
    assert lookup(name).read(value) == expected


@pytest.mark.parametrize(
    ("name", "type", "component"),
    [
        ("flashinfer.version", "version", "flashinfer"),
        ("flashinfer-cubin.version", "version", None),
        ("flash-attn.version", "version", "flash-attn"),
        ("llama.cpp.version.resolved", "version", "llama.cpp"),
        ("decode.vllm.version", "version", "vllm"),
        ("vllm.has_pr", "int", "vllm"),
        ("cuda.version", "version", None),
        ("rocm.version", "version", None),
        ("setting.version", "any", None),
    ],
)
def test_what_is_told_of_components(name, type, component):
    assert lookup(name).type == type
    assert component_of(name) == component
    assert lookup(name).told is name.endswith(".has_pr")


@pytest.mark.parametrize("name", ["version", ".version", "Vllm.version", "vllm.versions", "has_pr", "vllm.has_prs"])
def test_what_is_told_of_nothing(name):
    assert lookup(name) is None and component_of(name) is None


@pytest.mark.parametrize(("one", "other"), [("2.11.0+cu130", "2.11"), ("v0.33.0", "0.33"), ("b10488", "10488"), ("0.30.0-rc1", "0.30rc1")])
def test_versions_that_are_the_same(one, other):
    assert read_version(one) == read_version(other)


def test_a_list_has_no_value_of_its_own():
    assert FACTS["model.linears"].complaint(3) == "model.linears is a list, of which a relation asks any(…) or all(…), not 3"
    assert FACTS["model.linears"].read("a list") is MISSING
