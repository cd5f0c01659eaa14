"""The condition in plain words, and its leaves."""

import pytest

from infercompat.condition import ALWAYS, leaves, parse, words


def read(data):
    condition, faults = parse(data)
    assert faults == []
    return condition


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            {"all": [{"cache.k.dtype": ["fp8_e4m3"]}, {"speculation.query_length": 8}, {"relation": "sequence_length > model.window"}]},
            "all of: cache.k.dtype is fp8_e4m3; speculation.query_length is 8; sequence_length > model.window",
        ),
        ({"cache.dtype": ["fp8_e4m3", "fp8_e5m2"]}, "cache.dtype is fp8_e4m3 or fp8_e5m2"),
        ({"lora": True}, "lora is true"),
        ({"max_num_seqs": {"min": 4, "below": 9}}, "max_num_seqs is at least 4 and less than 9"),
        ({"cuda.version": {"above": "12.8"}}, "cuda.version is more than 12.8"),
        ({"requires": "sliding-window"}, "the model requires sliding-window"),
        ({"layer": {"kind": "sliding", "head_dim": {"min": 257}}}, "one layer has kind sliding and head_dim at least 257"),
        ({"not": {"cache.dtype": "bf16"}}, "cache.dtype is not bf16"),
        ({"not": {"requires": "mla"}}, "not (the model requires mla)"),
        ({"any": [{"lora": True}, {"all": [{"tensor_parallel": 1}, {"phase": "decode"}]}]},
         "any of: lora is true; (all of: tensor_parallel is 1; phase is decode)"),
        ({"all": [{"lora": True}]}, "lora is true"),
    ],
)  # fmt: skip
def test_words(data, text):
    assert words(read(data)) == text


def test_always():
    assert words(ALWAYS) == "always"


def test_leaves_in_order_with_the_facts_they_read():
    tree = read(
        {
            "all": [
                {"lora": True},
                {"not": {"any": [{"relation": "max_model_len > sequence_length * 2"}, {"requires": "mla"}]}},
                {"layer": {"kind": "full"}},
            ]
        }
    )
    assert [leaf.facts for leaf in leaves(tree)] == [("lora",), ("max_model_len", "sequence_length"), (), ()]


def test_nodes_know_where_they_were_written():
    tree = read({"all": [{"lora": True}, {"not": {"requires": "mla"}}]})
    assert tree.path == ("all",)
    assert [leaf.path for leaf in leaves(tree)] == [("all", 0, "lora"), ("all", 1, "not", "requires")]
