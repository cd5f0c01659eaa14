"""LMDeploy's two paths: the map that is filled piece by piece, the removed families, and TurboMind's list of keywords."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.lmdeploy import LIST, MAP, read_pytorch, read_turbomind

from .trees import grow, said, small

PYTORCH = """\
PATH = 'lmdeploy.pytorch.models'
MODULE_MAP = dict()
ASCEND_MODULE_MAP = dict()
DEVICE_SPECIAL_MODULE_MAP = dict(ascend=ASCEND_MODULE_MAP)
REMOVED_MODEL_MAP = {
    'QWenLMHeadModel': 'Qwen',
}
MODULE_MAP.update({
    'LlamaForCausalLM':
    f'{PATH}.llama.LlamaForCausalLM',
})
MODULE_MAP.update({'A': f'{PATH}.a.A', 'B': f'{PATH}.b.B'})
CUSTOM_MODULE_MAP = dict()
print('MODULE_MAP.update')
"""
TURBOMIND = """\
SUPPORTED_ARCHS = dict(
    # Qwen2
    Qwen2ForCausalLM='qwen2',
    LlamaForCausalLM='llama',
)
"""


def test_the_map_of_the_pytorch_path(tmp_path):
    assert said(read_pytorch(grow(tmp_path, {MAP: PYTORCH}))) == [
        "QWenLMHeadModel removed L6",
        "LlamaForCausalLM native L9",
        "A native L12",
        "B native L12",
    ]


def test_a_release_that_has_removed_nothing(tmp_path):
    assert said(read_pytorch(grow(tmp_path, {MAP: "MODULE_MAP = {'A': 'a'}\n"}))) == ["A native L1"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PYTORCH.replace("MODULE_MAP.update", "MODELS.update"), "nothing is put into MODULE_MAP"),
        (PYTORCH + "ASCEND_MODULE_MAP.update({'C': 'c'})\n", r"module_map\.py:15: ASCEND_MODULE_MAP has entries of its own"),
        ("", "nothing is put into MODULE_MAP"),
    ],
)
def test_a_map_that_changed_is_refused(tmp_path, text, told):
    with pytest.raises(Refused, match=told):
        list(read_pytorch(grow(tmp_path, {MAP: text})))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (TURBOMIND, ["Qwen2ForCausalLM native L3", "LlamaForCausalLM native L4"]),
        ("SUPPORTED_ARCHS = {\n    'A': 'a',\n}\n", ["A native L2"]),
    ],
)
def test_the_list_of_turbomind(tmp_path, text, lines):
    assert said(read_turbomind(grow(tmp_path, {LIST: text}))) == lines


@pytest.mark.parametrize("text", ["SUPPORTED = dict(A='a')\n", "SUPPORTED_ARCHS = dict()\n", "SUPPORTED_ARCHS = load()\n"])
def test_a_list_that_names_nothing_is_refused(tmp_path, text):
    with pytest.raises(Refused, match="there is no SUPPORTED_ARCHS that names architectures"):
        list(read_turbomind(grow(tmp_path, {LIST: text})))


def test_an_empty_dict_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("lmdeploy-turbomind").claims(grow(tmp_path, {LIST: "SUPPORTED_ARCHS = {}\n"}))
