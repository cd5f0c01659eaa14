"""Conditions as plain trees: a leaf has its words where the script cannot make them of the rest."""

from __future__ import annotations

import pytest

from infercompat.condition import parse
from infercompat.export.check_trees import tree_of


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ({"cache.dtype": "fp8"}, {"fact": "cache.dtype", "test": ["fp8"]}),
        ({"lora": [True, False]}, {"fact": "lora", "test": [True, False]}),
        ({"cuda.version": {"below": "13.0"}}, {"fact": "cuda.version", "test": {"below": "13.0"}, "text": "cuda.version is less than 13.0"}),
        ({"max_num_seqs": {"min": 2, "max": 8}}, {"fact": "max_num_seqs", "test": {"min": 2, "max": 8}}),
        ({"requires": "moe"}, {"requires": "moe"}),
        (
            {"gpu_memory_utilization": {"above": 0.5}},
            {"fact": "gpu_memory_utilization", "test": {"above": 0.5}, "text": "gpu_memory_utilization is more than 0.5"},
        ),
        (
            {"layer": {"kind": "sliding", "head_dim": {"above": 256}}},
            {"layer": {"kind": ["sliding"], "head_dim": {"above": 256}}},
        ),
        (
            {"relation": "model.heads % tensor_parallel != 0"},
            {
                "relation": {"left": ["%", "model.heads", "tensor_parallel"], "sign": "!=", "right": 0},
                "facts": ["model.heads", "tensor_parallel"],
                "text": "model.heads % tensor_parallel != 0",
            },
        ),
    ],
)
def test_a_leaf_as_plain_data(written, wanted):
    assert tree_of(parse(written)[0]) == wanted


def test_groups_keep_their_parts_in_order():
    condition, _ = parse({"any": [{"not": {"requires": "moe"}}, {"all": [{"lora": True}, {"os": "linux"}]}]})
    found = tree_of(condition)
    assert found["any"][0]["not"]["requires"] == "moe"
    assert [leaf["fact"] for leaf in found["any"][1]["all"]] == ["lora", "os"]
