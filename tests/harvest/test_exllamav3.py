"""ExLlamaV3's architectures: from the list of model classes to the string of each one's config class."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.exllamav3 import older, read

from .trees import grow, said, small

EXL = {
    "exllamav3/architecture/architectures.py": """\
from .llama import LlamaModel
from .gemma import GemmaModel, GemmaTextModel as TextModel
from .child import ChildModel

ARCHITECTURES = {
    m.config_class.arch_string: {
        "config_class": m.config_class,
    } for m in [
        LlamaModel,
        GemmaModel,
        TextModel,
        ChildModel,
    ]
}
""",
    "exllamav3/architecture/llama.py": """\
from ..model.config import Config
from ..model.model import Model

class LlamaConfig(Config):
    arch_string = "LlamaForCausalLM"

class LlamaModel(Model):
    config_class = LlamaConfig

class UnlistedConfig(Config):
    arch_string = "UnlistedForCausalLM"
""",
    "exllamav3/architecture/gemma.py": """\
class GemmaConfig(Config):
    arch_string = "GemmaForConditionalGeneration"
class GemmaTextConfig(GemmaConfig):
    arch_string = "GemmaForCausalLM"
class GemmaModel(Model):
    config_class = GemmaConfig
class GemmaTextModel(GemmaModel):
    config_class = GemmaTextConfig
""",
    "exllamav3/architecture/child.py": """\
from .llama import LlamaModel, LlamaConfig
class ChildConfig(LlamaConfig):
    arch_string = "ChildForCausalLM"
class BaseModel(Model):
    config_class = ChildConfig
class ChildModel(BaseModel):
    pass
""",
}
LIST = "exllamav3/architecture/architectures.py"


def test_each_listed_class_leads_to_its_string(tmp_path):
    found = list(read(grow(tmp_path, EXL)))
    assert said(found) == [
        "LlamaForCausalLM native llama.py L5",
        "GemmaForConditionalGeneration native gemma.py L2",
        "GemmaForCausalLM native gemma.py L4",
        "ChildForCausalLM native child.py L3",
    ]
    assert {item.about[0][0] for item in found} == {"architecture"}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({LIST: "ARCHS = {}\n"}, "there is no ARCHITECTURES made from a list"),
        ({LIST: "ARCHITECTURES = {}\n"}, "there is no ARCHITECTURES made from a list"),
        ({LIST: "ARCHITECTURES = {m: m for m in find()}\n"}, r"architectures\.py:1: ARCHITECTURES is not made from a list"),
        ({LIST: "ARCHITECTURES = {m: m for m in [make('a')]}\n"}, r"architectures\.py:1: ARCHITECTURES is not made from a list"),
        ({LIST: "ARCHITECTURES = {m: m for m in [GoneModel]}\n"}, r"architectures\.py:1: nobody knows where GoneModel is made"),
        ({"exllamav3/architecture/llama.py": "class LlamaModel(Model):\n    pass\n"}, r"architectures\.py:9: LlamaModel has no config class"),
        (
            {"exllamav3/architecture/llama.py": "class C:\n    arch_string = None\nclass LlamaModel(Model):\n    config_class = C\n"},
            "LlamaModel has no config class",
        ),
    ],
)
def test_a_list_that_cannot_be_followed_is_refused(tmp_path, files, told):
    with pytest.raises(Refused, match=told):
        list(read(grow(tmp_path, EXL | files)))


def test_an_empty_list_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("exllamav3").claims(grow(tmp_path, {LIST: "ARCHITECTURES = {m: m for m in []}\n"}))


def test_the_folder_had_another_name(tmp_path):
    before = {path.replace("/architecture/", "/models/"): text for path, text in EXL.items()}
    assert len(list(read(grow(tmp_path / "before", before)))) == 4
    assert older(grow(tmp_path / "before", before)).endswith("/{tag}/exllamav3/models")
    assert older(grow(tmp_path / "now", EXL)) is None
