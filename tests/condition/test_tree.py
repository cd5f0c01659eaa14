"""Parsing: every fault once, at its path, and none beside it."""

import pytest

from infercompat.condition import AllOf, Between, Fault, HasLayer, Is, Not, OneOf, Requires, parse


def faults(data, **more):
    condition, found = parse(data, ("when",), **more)
    assert (condition is None) is bool(found)
    return [(fault.path[1:], fault.message) for fault in found]


def test_a_sound_tree():
    data = {"all": [{"cache.k.dtype": ["fp8_e4m3"]}, {"not": {"requires": "mla"}}, {"layer": {"head_dim": {"min": 257}}}]}
    condition, found = parse(data)
    assert found == []
    assert condition == AllOf(
        (
            Is("cache.k.dtype", OneOf(("fp8_e4m3",)), ("all", 0, "cache.k.dtype")),
            Not(Requires("mla", ("all", 1, "not", "requires")), ("all", 1, "not")),
            HasLayer((("head_dim", Between(min=257)),), ("all", 2, "layer")),
        ),
        ("all",),
    )


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({"tensor_paralel": 2}, ("tensor_paralel",), "there is no fact tensor_paralel"),
        ({1: 2}, (1,), "there is no fact 1"),
        ({"all": [{"lora": True}, {"not": {"loras": True}}]}, ("all", 1, "not", "loras"), "there is no fact loras"),
        ({"tensor_parallel": "two"}, ("tensor_parallel",), 'tensor_parallel is a whole number, not "two"'),
        ({"tensor_parallel": [1, "two"]}, ("tensor_parallel", 1), 'tensor_parallel is a whole number, not "two"'),
        ({"tensor_parallel": None}, ("tensor_parallel",), "tensor_parallel is a whole number, not None"),
        ({"tensor_parallel": []}, ("tensor_parallel",), "an empty list matches nothing"),
        ({"cache.dtype": {"min": 4}}, ("cache.dtype",), "cache.dtype has no order, so a range cannot hold it"),
        ({"lora": {"min": 0}}, ("lora",), "lora has no order, so a range cannot hold it"),
        ({"block_size": {"min": "4"}}, ("block_size", "min"), 'block_size is a whole number, not "4"'),
        ({"block_size": {"from": 4}}, ("block_size", "from"), "a range has no from"),
        ({"block_size": {}}, ("block_size",), "a range has one lower end, one upper end, or both"),
        ({"block_size": {"min": 4, "above": 3}}, ("block_size",), "a range has one lower end, one upper end, or both"),
        ({"block_size": {"min": 5, "max": 4}}, ("block_size",), "no value of block_size lies in this range"),
        ({"block_size": {"above": 4, "below": 5}}, ("block_size",), "no value of block_size lies in this range"),
        ({"cuda.version": {"max": 12}}, ("cuda.version", "max"), 'cuda.version is a quoted version such as "12.8", not 12'),
        ({"setting.x": {"min": "4"}}, ("setting.x", "min"), "the end of a range is a number, not '4'"),
        ({"layer": {"heads": 4}}, ("layer", "heads"), "a layer has no property heads"),
        ({"layer": {"head_dim": "wide"}}, ("layer", "head_dim"), 'head_dim is a whole number, not "wide"'),
        ({"layer": {}}, ("layer",), "layer: takes a mapping of properties"),
        ({"layer": "sliding"}, ("layer",), "layer: takes a mapping of properties"),
        ({"requires": ["mla"]}, ("requires",), "requires: takes the id of one requirement"),
        ({"all": []}, ("all",), "all: takes a list of conditions"),
        ({"any": {"lora": True}}, ("any",), "any: takes a list of conditions"),
        ({"lora": True, "disaggregation": True}, (), "a condition is a mapping with one key"),
        ({}, (), "a condition is a mapping with one key"),
        ("lora", (), "a condition is a mapping with one key"),
        ({"all": ["lora"]}, ("all", 0), "a condition is a mapping with one key"),
        ({"relation": 3}, ("relation",), "relation: takes a text such as sequence_length > model.window"),
        ({"relation": "lora lora"}, ("relation",), "column 6: expected a comparison (<= >= == != < >), found 'lora'"),
    ],
)
def test_faults(data, path, message):
    assert faults(data) == [(path, message)]


def test_all_faults_come_at_once():
    data = {"any": [{"lorra": True}, {"layer": {"width": 1, "window": "no"}}, {"phase": ["idle", "prefill"]}]}
    assert [path for path, _ in faults(data)] == [
        ("any", 0, "lorra"),
        ("any", 1, "layer", "width"),
        ("any", 1, "layer", "window"),
        ("any", 2, "phase", 0),
    ]


def test_help():
    def help(data):
        return parse(data)[1][0].help

    assert help({"tensor_paralel": 2}).startswith("did you mean tensor_parallel")
    assert help({"draft.cache.dtyp": "bf16"}).startswith("did you mean draft.cache.dtype")
    assert "setting.some_name" in help({"zzzz": 1})
    assert help({"tensor_parallel": "two"}) == "tensor_parallel: The ranks that share each layer."
    assert help({"layer": {"heads": 4}}) == "it has kind, head_dim, window, kv_heads, k_width, v_width"


VERSION = "a version is compared with another, or with one that is written out"


@pytest.mark.parametrize(
    ("text", "message", "help", "inside"),
    [
        ("sequence_length > > model.window", "column 19: expected a fact or a number, found '>'", "", (18, 19)),
        ("sequence_length > model.windo", "column 19: there is no fact model.windo", "did you mean model.window?", (18, 29)),
        ("cache.dtype > 3", "column 1: cache.dtype is no quantity", "words are compared as one == other only", (0, 11)),
        ("block_size > lora", "column 14: lora is no quantity", "words are compared as one == other only", (13, 17)),
        ("cache.k.dtype == lora", "bool and word are never equal", "", None),
        ("cache.k.dtype == block_size", "number and word are never equal", "", None),
    ],
)
def test_faults_inside_a_relation(text, message, help, inside):
    assert parse({"relation": text})[1] == [Fault(("relation",), message, help, inside)]


@pytest.mark.parametrize(
    "text",
    ["tensor_parallel > model.kv_heads", "max_num_seqs > num_blocks", "cache.k.dtype != cache.v.dtype",
     "prefill.tensor_parallel != decode.tensor_parallel", "setting.kv_width / tensor_parallel % 32 != 0"],
)  # fmt: skip
def test_relations_that_hold_water(text):
    assert faults({"relation": text}) == []


def test_versions_are_compared_as_versions():
    condition, found = parse({"cuda.version": {"min": "12.9", "max": "12.10"}})
    assert found == [] and condition.test.min < condition.test.max


def test_a_vocabulary_closes_words():
    assert faults({"platform": "cudda"}) == []
    assert faults({"platform": ["cuda", "cudda"]}, vocabulary={"platform": {"cuda": "NVIDIA GPUs."}}) == [
        (("platform", 1), 'platform is never "cudda"; it is one of cuda')
    ]


@pytest.mark.parametrize(
    ("text", "message", "help", "inside"),
    [
        ("any(model.linear, k > 3)", "column 5: there is no list model.linear", "did you mean model.linears?", (4, 16)),
        ("any(weights.format, k > 3)", "column 5: there is no list weights.format", "lists are model.layers, model.linears", (4, 18)),
        ("any(model.linears, kk > 3)", "column 20: there is no fact kk", "did you mean k?", (19, 21)),
        ("any(model.linears, k / tp > 3)", "column 24: there is no fact tp", "did you mean tensor_parallel?", (23, 25)),
        ("any(model.linears, k / tensor_paralel > 3)", "column 24: there is no fact tensor_paralel", "did you mean tensor_parallel?", (23, 37)),
        ("any(model.linears, tensor_parallel > 3)", "nothing is asked of the items of model.linears", "they have n, k, name, part, cut", None),
        (
            "any(model.linears, part == 'expert')",
            'column 28: part is never "expert"; it is one of attention, mlp, experts, shared_experts, router, output, embedding',
            "",
            (27, 33),
        ),
        ("any(model.linears, part > 'mlp')", "column 20: part is no quantity", "words are compared as one == other only", (19, 23)),
        ("any(model.linears, n == 'x')", 'column 25: n is a whole number, not "x"', "", (24, 25)),
        ("any(model.linears, n + 'x' == k)", "column 24: words are compared as one == other only", "", (23, 24)),
        ("any(model.linears, cut == n)", "number and word are never equal", "", None),
        ("model.linears > 3", "column 1: model.linears is compared with nothing", "ask any(model.linears, …) or all(model.linears, …)", (0, 13)),
        ("flashinfr.version > 1.0", "column 1: there is no engine or component flashinfr", "did you mean flashinfer.version?", (0, 17)),
        ("dependency.torch >= 2.11", "column 1: there is no fact dependency.torch", "did you mean torch.version?", (0, 16)),
        ("torch.version > tensor_parallel", "column 17: tensor_parallel is no version", VERSION, (16, 31)),
        ("torch.version + 1 > 2", "column 1: torch.version is no quantity", "versions are compared, and not computed with", (0, 13)),
        ("torch.version > 1 + 2", "versions are compared, and not computed with", "", None),
        ("torch.version > 'new'", 'column 17: torch.version is a quoted version such as "12.8", not "new"', "", (16, 19)),
        ("torch.has_pr > 3", "column 1: torch.has_pr is compared with nothing", "it is a leaf of its own", (0, 12)),
    ],
)
def test_relations_over_lists_and_versions_that_cannot_be(text, message, help, inside):
    condition, [fault] = parse({"relation": text}, (), {"component": ["torch", "flashinfer"]})
    assert condition is None
    assert (fault.message, fault.help, fault.inside) == (message, help, inside)


def test_what_is_told_of_nobody_known():
    _, [fault] = parse({"flashinfr.version": {"below": "0.7"}}, (), {"component": ["flashinfer"]})
    assert (fault.message, fault.help) == ("there is no engine or component flashinfr", "did you mean flashinfer.version?")
    assert parse({"flashinfr.version": {"below": "0.7"}})[1] == []  # without the words nobody knows
    _, [fault] = parse({"zzz.has_pr": 3}, (), {"component": ["flashinfer"]})
    assert fault.help == "a package that is not known here is a word of the vocabulary's list component"


def test_a_list_is_no_leaf():
    assert parse({"model.linears": 3})[1][0].message == "model.linears is a list, of which a relation asks any(…) or all(…), not 3"
