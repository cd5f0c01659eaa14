"""TGI's model types: members of ModelType, and the types of the Transformers release that its lock file names."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.tgi import FILE, LOCK, TRANSFORMERS, read

from .trees import grow, said, small

MODELS = """\
class ModelType(enum.Enum):
    '''Types.'''

    LLAMA = {
        "type": "llama",
        "name": "Llama",
    }
    PHI_MOE = {"type": "phimoe"}


def get_model():
    if model_type in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return
"""
LOCKED = '[[package]]\nname = "transformers-extra"\nversion = "1.0"\n\n[[package]]\nname = "transformers"\nversion = "4.51.0"\n'
TGI = {FILE: MODELS, LOCK: LOCKED}


def test_members_and_what_is_left_to_transformers(tmp_path):
    found = small("tgi").claims(grow(tmp_path, TGI))
    assert said(found)[:2] == ["llama native L5", "phimoe native L8"]
    assert {item.holds for item in found[2:]} == {"fallback"}
    assert {item.line for item in found[2:]} == {12}
    names = {item.about[0][1] for item in found[2:]}
    # From modeling_auto.py of Transformers at v4.51.0: L584, L547 and L551; glm4 came with v4.51.3, gpt_oss later.
    assert {"qwen3", "jamba", "llama4_text"} <= names
    assert not {"llama", "phimoe", "glm4", "gpt_oss"} & names


def test_the_list_is_as_long_as_that_of_the_release():
    # modeling_auto.py of Transformers at v4.51.0 has 108 keys in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.
    assert {version: len(types) for version, types in TRANSFORMERS.items()} == {"4.51.0": 108}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({FILE: MODELS.replace("class ModelType", "class Types")}, "there is no class ModelType"),
        ({FILE: MODELS.replace('"type": "phimoe"', '"kind": "phimoe"')}, r"__init__\.py:8: a member of ModelType without a type"),
        ({FILE: MODELS.replace('"type": "phimoe"', '"type": PHI')}, r"__init__\.py:8: a member of ModelType without a type"),
        ({FILE: MODELS.replace("model_type in modeling_auto", "kind in modeling_auto")}, "nothing asks whether a type is in"),
        ({LOCK: LOCKED.replace("4.51.0", "4.60.0")}, r"uv\.lock:7: nobody has read which types Transformers 4\.60\.0 has classes for"),
        ({LOCK: ""}, "it names no version of transformers"),
        ({LOCK: 'name = "transformers"'}, "it names no version of transformers"),
    ],
)
def test_a_tree_that_changed_is_refused(tmp_path, files, told):
    with pytest.raises(Refused, match=told):
        list(read(grow(tmp_path, TGI | files)))
