"""A GGUF file as a config and as weights; and whatever a file holds, a clear answer."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infercompat.derive import Derived, Unknown, derive
from infercompat.derive.gguf import Unreadable, config_of_gguf, read_header, weights_of_header
from infercompat.derive.weights import Weights

from . import configs
from .gguf import files

TENSORS = {
    "token_embd.weight": ((32, 256), "Q4_K"),
    "blk.0.attn_q.weight": ((256, 256), "Q4_K"),
    "blk.0.ffn_down.weight": ((256, 512), "Q6_K"),
    "output_norm.weight": ((256,), "F32"),
}


def test_a_file_becomes_a_config(tmp_path):
    path = files.write(tmp_path / "llama.gguf", "llama", files.LLAMA_3_1_8B, TENSORS, tokens=7000)
    config = config_of_gguf(path)
    assert config == {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "num_hidden_layers": 32,
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 14336,
        "max_position_embeddings": 131072,
        "vocab_size": 7000,
        "tie_word_embeddings": True,
    }
    assert derive(config).cost() == derive(configs.LLAMA_3_1_8B).cost()


@pytest.mark.parametrize(
    ("architecture", "keys", "config"),
    [
        ("gemma4", files.GEMMA_4_31B, configs.GEMMA_4_31B),
        ("nemotron_h", files.NEMOTRON_H_8B, configs.NEMOTRON_H_8B),
        ("kimi-linear", files.KIMI_LINEAR_48B, configs.KIMI_LINEAR_48B),
    ],
)
def test_lists_survive_the_file(tmp_path, architecture, keys, config):
    derived = derive(config_of_gguf(files.write(tmp_path / "model.gguf", architecture, keys)))
    assert derived.layers == derive(config).layers


def test_rope_scaling_and_experts(tmp_path):
    derived = derive(config_of_gguf(files.write(tmp_path / "model.gguf", "gpt-oss", files.GPT_OSS_120B)))
    assert (derived.context.method, derived.context.extended) == ("yarn", 131072)
    assert derived.requirements["moe"] == "128 experts, 4 for each token"
    assert "attention-sinks" in derived.requirements


def test_weights_are_summed_by_type(tmp_path):
    path = files.write(tmp_path / "model.gguf", "llama", files.LLAMA_3_1_8B, TENSORS)
    q4, q6, f32 = (32 + 256) * 144, 256 * 2 * 210, 256 * 4
    assert weights_of_header(read_header(path)) == Weights(
        *(q4 + q6 + f32,) * 2, "header", (f"{q6:,} bytes of Q6_K", f"{q4:,} bytes of Q4_K", f"{f32:,} bytes of F32")
    )


def test_a_part_of_a_split_file_says_so(tmp_path):
    path = files.write(tmp_path / "model.gguf", "llama", {"split.count": 3}, TENSORS)
    assert weights_of_header(read_header(path)).notes[-1] == "this file is one of 3; the others are not counted"


def test_a_tensor_of_an_unknown_type_is_unknown(tmp_path):
    path = files.write(tmp_path / "model.gguf", "llama", {}, {"odd.weight": ((2, 32), "Q8_0")})
    content = bytearray(path.read_bytes())
    at = content.index(b"odd.weight") + len(b"odd.weight") + 4 + 16
    content[at] = 99
    path.write_bytes(content)
    answer = weights_of_header(read_header(path))
    assert isinstance(answer, Unknown)
    assert answer.missing == ("the size of odd.weight",)


@pytest.mark.parametrize(("architecture", "missing"), [("rwkv7", "keys of the architecture rwkv7"), ("clip", "keys of the architecture clip")])
def test_other_architectures_are_named(tmp_path, architecture, missing):
    assert config_of_gguf(files.write(tmp_path / "model.gguf", architecture, {})).missing == (missing,)


def test_no_architecture(tmp_path):
    path = tmp_path / "empty.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 16)
    assert config_of_gguf(path).missing == ("general.architecture",)


def test_what_is_no_gguf_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("{}", "utf-8")
    assert config_of_gguf(path) == Unreadable(str(path), "not a GGUF file: it does not begin with GGUF")


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gguf")
    keys = files.GEMMA_3N_E2B | {"rope.scaling.type": "linear", "rope.scaling.factor": 8.0}
    return folder / "fuzz.gguf", files.write(folder / "model.gguf", "gemma3n", keys, TENSORS, tokens=40).read_bytes()


@settings(max_examples=300, deadline=2000)
@given(st.integers(0, 1 << 32), st.integers(1, 12), st.booleans())
def test_any_bytes_are_a_config_or_an_answer(contents, seed, flips, cut):
    path, original = contents
    chance, content = random.Random(seed), bytearray(original)
    header = len(content) - 32 * 1024
    for _ in range(flips):
        at = chance.randrange(max(header, 4000) if chance.random() < 0.9 else len(content))
        content[at] = chance.choice([0, 1, 127, 255, chance.randrange(256)])
    path.write_bytes(content[: chance.randrange(len(content))] if cut else content)
    answer = config_of_gguf(path)
    assert isinstance(answer, (dict, Unknown, Unreadable))
    if isinstance(answer, dict):
        assert isinstance(derive(answer), (Derived, Unknown))
    header = read_header(path)
    assert isinstance(header, Unreadable) or isinstance(weights_of_header(header), (Weights, Unknown))
