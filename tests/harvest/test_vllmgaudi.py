"""vLLM's plugin for Gaudi: the classes that it registers, and its validated models."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.vllmgaudi import CLASSES, PAGE, read, read_classes

from .trees import grow, said

TEXT = """\
| Model   | Datatype |
|:---    |:---:    |
| [google/gemma-4-31B-it](https://huggingface.co/google/gemma-4-31B-it)     | BF16 |
| [bielik-11b-v2.6-instruct](https://huggingface.co/x/y) | BF16 |
| [Qwen/Qwen2.5-7B-Instruct](https://huggingface.co/Qwen/Qwen2.5-7B-Instruct) | BF16 |
"""


def test_validated_models(tmp_path):
    found = list(read(grow(tmp_path, {PAGE: TEXT})))
    assert said(found) == ["Gemma4ForConditionalGeneration native L3", "Qwen2ForCausalLM native L5"]
    assert {dict(item.fields)["value"] for item in found} == {"validated"}


def test_a_new_name_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"validated_models\.md:3: nobody has said which architecture 'google/gemma-9' is"):
        list(read(grow(tmp_path, {PAGE: TEXT.replace("[google/gemma-4-31B-it]", "[google/gemma-9]")})))


def test_classes(tmp_path):
    assert said(read_classes(grow(tmp_path, {CLASSES: '\nModelRegistry.register_model("Ovis", "x:Ovis")\n'}))) == ["Ovis native L2"]
