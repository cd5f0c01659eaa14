"""llama.cpp's converter: the names in its decorators, those of remote code left out, in a folder or in the one script of older releases."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.llamacpp import older, read

from .trees import LLAMACPP, grow, said, small

CLAIMS = [
    "LLaMAForCausalLM native {} L1",
    "LlamaForCausalLM native {} L1",
    "Gemma3ForConditionalGeneration native {} L7",
    "Gemma3TextModel native {} L10",
]


def test_decorators_with_several_names_and_dotted_ones(tmp_path):
    assert said(read(grow(tmp_path, LLAMACPP))) == [line.format("llama.py") for line in CLAIMS]


@pytest.mark.parametrize("script", ["convert_hf_to_gguf.py", "convert-hf-to-gguf.py"])
def test_the_script_of_older_releases(tmp_path, script):
    tree = grow(tmp_path, {script: LLAMACPP["conversion/llama.py"]})
    assert said(read(tree)) == [line.format(script) for line in CLAIMS]
    assert older(tree) == f"https://github.com/ggml-org/llama.cpp/blob/{{tag}}/{script}"


def test_the_folder_wins_and_needs_no_other_address(tmp_path):
    tree = grow(tmp_path, LLAMACPP | {"convert_hf_to_gguf.py": '@ModelBase.register("Old")\nclass A: ...\n'})
    assert "Old" not in " ".join(said(read(tree)))
    assert older(tree) is None


@pytest.mark.parametrize(
    ("decorator", "names"),
    [
        ('@ModelBase.register("A")', ["A"]),
        ('@Model.register("A")', ["A"]),
        ("@ModelBase.register()", []),
        ("@ModelBase.register", []),
        ("@ModelBase.register(NAME, *NAMES, 'A')", ["A"]),
        ("@ModelBase.register('A', 1, None, 'b c', '', '4Bit', 'x.y')", ["A"]),
        ("@ModelBase.register(name='A')", []),
    ],
)
def test_what_a_decorator_registers(tmp_path, decorator, names):
    assert [item.about[0][1] for item in read(grow(tmp_path, {"conversion/a.py": f"{decorator}\nclass A: ...\n"}))] == names


def test_an_empty_folder_is_an_error(tmp_path):
    tree = grow(tmp_path, {"conversion/__init__.py": ""})
    with pytest.raises(Refused, match="only 0 claims"):
        small("llama.cpp").claims(tree)
    with pytest.raises(Refused, match=r"none of convert_hf_to_gguf\.py, convert-hf-to-gguf\.py is there"):
        list(read(grow(tmp_path / "elsewhere", {"README.md": ""})))
