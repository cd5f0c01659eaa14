"""The memory part of a model's file for the page that answers `check`, on a model of two layers whose numbers are counted by hand."""

from math import prod

import pytest

from infercompat.export.check_memory import memory_of_model
from infercompat.records import Record

CONFIG = {
    "model_type": "llama", "num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 128,
    "intermediate_size": 512, "vocab_size": 256, "tie_word_embeddings": False, "torch_dtype": "bfloat16", "num_nextn_predict_layers": 1,
}  # fmt: skip
# Two layers of queries and output 2·65,536, keys and values 2·32,768, network 3·131,072 and norms 2·256; embedding and output 2·65,536; a norm.
LAYER, ENDS = 131_072 + 65_536 + 393_216 + 512, 131_072 + 256
CHECKPOINTS = [
    {"hub": "acme/tiny", "format": "bf16"},
    {"hub": "acme/tiny-fp8", "format": "fp8", "quantization": {"values": {"quant_method": "fp8", "weight_block_size": [128, 128]}}},
    {"hub": "acme/tiny-gguf", "format": "gguf", "bytes": {"value": 800_000, "digits": 500, "counts": "files"}},
]


@pytest.fixture
def part():
    data = {"checkpoints": CHECKPOINTS, "config": {"values": CONFIG}, "parameters": {"total": 2 * LAYER + ENDS}}
    return memory_of_model(Record("tiny", "model", data, None), ["fp16", "gguf"])


def elements(part, triples):
    return sum(copies * prod(shape) for _, copies, _, _, shape in (part["shapes"][index] for index, *_ in triples))


def test_facts_that_layers_do_not_tell(part):
    assert part["facts"] == {"model.draft_layers": 1}


def test_every_tensor_is_there_once_a_layer(part):
    plain = part["checkpoints"][0]
    assert plain["layers"] == [0, 0]
    assert elements(part, plain["kinds"][0]) == LAYER
    assert {place: elements(part, triples) for place, triples in plain["outside"].items()} == {"input": 65_536, "last": 65_536 + 256}
    assert list(plain["decoder"]) == list(plain["actual"]) == [2 * (2 * LAYER + ENDS)] * 2
    assert {light for _, light, _ in plain["kinds"][0]} == {-1}


def test_formats_are_listed_once(part):
    # 8 bits, and a scale of two or four bytes for blocks of 128 by 128: of the seven matrices of a layer, not of its norms.
    assert part["formats"] == [(8, 128, 128, 2, 4, 0, 0, 0, 0)]
    assert [light for _, light, _ in part["checkpoints"][1]["kinds"][0]] == [0] * 7 + [-1]


def test_what_is_cut_evenly_or_not_known(part):
    assert part["checkpoints"][2] == {"even": [799_500, 800_500]}
    assert part["words"]["gguf"]["missing"] == ["the header of the GGUF file"]


def test_another_format_than_that_of_a_checkpoint(part):
    assert part["words"]["fp16"] == part["words"][""] == part["checkpoints"][0]
