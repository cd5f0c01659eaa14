"""SGLang's entry classes: one name or a list of them, and a file whose names cannot be read off is refused rather than left out."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.sglang import read, registry

from .trees import SGLANG, grow, said, small

MODELS = "sglang/srt/models"


def test_a_list_and_a_single_name(tmp_path):
    assert said(read(grow(tmp_path, SGLANG))) == [
        "LlamaForCausalLM native llama.py L5",
        "Phi3ForCausalLM native llama.py L6",
        "Qwen2ForCausalLM native qwen2.py L1",
    ]


def test_a_repository_holds_them_below_python(tmp_path):
    tree = grow(tmp_path, {f"python/{name}": text for name, text in SGLANG.items()})
    assert len(list(read(tree))) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("EntryClass = (A, B)\n", ["A", "B"]),
        ("EntryClass: list = [A]\n", ["A"]),
        ("EntryClass = []\n", []),
        ("EntryClass = A\nEntryClass = [A, B]\n", ["A", "B"]),
        ("\ufeffEntryClass = A\n", ["A"]),
        ("# EntryClass = A\n", []),
        ("print(other.EntryClass)\n", []),
        ("__all__ = ['EntryClass']\n", []),
    ],
)
def test_forms_of_the_entry_class(tmp_path, text, found):
    assert [item.about[0][1] for item in read(grow(tmp_path, {f"{MODELS}/a.py": text}))] == found


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("EntryClass = [A, other.B]\n", "a.py:1: EntryClass"),
        ("EntryClass = [A] + [B]\n", "a.py:1: EntryClass"),
        ("EntryClass = [A]\nEntryClass = classes()\n", "a.py:2: EntryClass"),
        ("EntryClass = [*OTHERS]\n", "a.py:1: EntryClass"),
        ("if cuda:\n    EntryClass = [A]\n", "a.py: EntryClass"),
        ("try:\n    EntryClass = A\nexcept ImportError:\n    pass\n", "a.py: EntryClass"),
        ("from .b import EntryClass\n", "a.py: EntryClass"),
        ("from .b import X as EntryClass\n", "a.py: EntryClass"),
        ("EntryClass = [A\n", "a.py:1: not Python"),
    ],
)
def test_names_that_cannot_be_read_off_are_refused(tmp_path, text, place):
    with pytest.raises(Refused) as refused:
        list(read(grow(tmp_path, {f"{MODELS}/a.py": text})))
    assert f"{MODELS}/{place}" in str(refused.value)


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("sglang").claims(grow(tmp_path, {f"{MODELS}/__init__.py": ""}))


def test_an_architecture_in_two_files_is_cited_in_the_first(tmp_path):
    tree = grow(tmp_path, {f"{MODELS}/b.py": "EntryClass = A\n", f"{MODELS}/a.py": "\nEntryClass = [A]\n"})
    assert said(small("sglang").claims(tree)) == ["A native a.py L2"]


def test_a_config_that_swaps_the_name_is_cited_beside_the_models(tmp_path):
    """As Olmo3Config does; the source names the folder of the models, so the place leads out of it."""
    text = 'class C:\n    def __init__(self, architectures):\n        architectures.remove("AForCausalLM")\n        architectures.append("BForCausalLM")\n'
    tree = grow(tmp_path, {"sglang/srt/models/b.py": "EntryClass = BForCausalLM\n", "sglang/srt/configs/a.py": text})
    assert said(registry(tree)) == ["BForCausalLM native b.py L1", "AForCausalLM rewritten ../configs/a.py L3"]
