"""ONNX Runtime GenAI's builder: the names in its chain of branches, and chains of another shape refused."""

from __future__ import annotations

import pytest

from infercompat.harvest import HARVESTERS, Refused
from infercompat.harvest.onnxruntimegenai import TYPES, read, types

from .trees import grow, said, small

FILE = "onnxruntime_genai/models/builder.py"
BUILDER = """\
def create_model(config, config_only):
    if config.architectures[0] == "ChatGLMModel" or config.architectures[0] == "ChatGLMForConditionalGeneration":
        model = A(config)
        if config.num_hidden_layers == "MistakeForCausalLM":
            pass
    elif config.architectures[0] == "GemmaForCausalLM":
        model = B(config)
    elif config.architectures[0] == "Phi3ForCausalLM" and config.a == config.b:
        model = C(config)
    elif config.architectures[0] == "Phi3ForCausalLM" and config.a != config.b:
        model = D(config)
    elif config_only:
        model = E(config)
    else:
        raise NotImplementedError("not currently supported")


def other(config):
    if config.architectures[0] == "OtherForCausalLM":
        return 1
"""
# printf '    elif config.architectures[0] == "GemmaForCausalLM":' | sha256sum
DIGEST = "d486f6d7f2b4aa7ced606b73413f7eb6a6a23e69605d5f2eb8fea4f5013882bb"


@pytest.mark.parametrize("place", [FILE, "src/python/py/models/builder.py"])
def test_names_of_the_chain_and_no_others(tmp_path, place):
    found = list(read(grow(tmp_path, {place: BUILDER})))
    assert said(found) == [
        "ChatGLMModel native L2",
        "ChatGLMForConditionalGeneration native L2",
        "GemmaForCausalLM native L6",
        "Phi3ForCausalLM native L8",
        "Phi3ForCausalLM native L10",
    ]
    assert found[2].sha256 == DIGEST


def test_a_name_in_two_branches_is_one_claim(tmp_path):
    assert said(small("onnxruntime-genai").claims(grow(tmp_path, {FILE: BUILDER})))[-1] == "Phi3ForCausalLM native L8"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("def create_model", "def make_model", "there is no function create_model"),
        ("config.architectures[0]", "config.model_type", "create_model compares nothing with config.architectures"),
        ('raise NotImplementedError("not currently supported")', "model = F(config)", "the chain does not end by refusing"),
        ('config.architectures[0] == "GemmaForCausalLM"', 'config.architectures[0] in ("GemmaForCausalLM",)', r":6: .* gives no name"),
        ('config.architectures[0] == "GemmaForCausalLM"', "config.architectures[0] == GEMMA", r":6: .* gives no name"),
    ],
)
def test_another_shape_is_refused(tmp_path, old, new, why):
    assert old in BUILDER
    with pytest.raises(Refused, match=why):
        list(read(grow(tmp_path, {FILE: BUILDER.replace(old, new)})))


def test_too_few_names_are_an_error(tmp_path):
    with pytest.raises(Refused, match="only 4 claims were read, fewer than 15"):
        HARVESTERS["onnxruntime-genai"].claims(grow(tmp_path, {FILE: BUILDER}))


def test_a_missing_builder_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"none of onnxruntime_genai/models/builder\.py"):
        list(read(grow(tmp_path, {"onnxruntime_genai/__init__.py": ""})))


LISTS = """\
struct ModelType {
    static constexpr std::array<std::string_view, 2> LLM = {"gpt2", "gemma3_text"};
    static constexpr std::array<std::string_view, 1> VLM = {"gemma3"};
    return model_type == "gemma3";
"""


def test_types_of_the_runtime_with_the_list_that_has_them(tmp_path):
    found = list(types(grow(tmp_path, {TYPES: LISTS})))
    assert said(found) == ["genai-type.gpt2 native L2", "genai-type.gemma3-text native L2", "genai-type.gemma3 native L3"]
    assert [dict(item.fields)["value"] for item in found] == ["LLM", "LLM", "VLM"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [(", 2> LLM", ", 3> LLM", ":2: a list of types that cannot be read off"), ("std::array", "std::vector", "there is no list of types")],
)
def test_types_of_another_shape_are_refused(tmp_path, old, new, why):
    with pytest.raises(Refused, match=why):
        list(types(grow(tmp_path, {TYPES: LISTS.replace(old, new)})))
