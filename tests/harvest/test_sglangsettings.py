"""SGLang's forced settings, and the names that its flags take."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.sglangsettings import choices, forced

from .trees import grow, said

SRT = "sglang/srt"
TREE = {
    f"{SRT}/arg_groups/model_overrides/gemma.py": """\
NAMES = ("CForCausalLM", "DForCausalLM")
@_register_for("AForCausalLM", "BForCausalLM")
def one(args): ...
@base._register_for(*NAMES)
def two(args): ...
@other("EForCausalLM")
def three(args): ...
""",
    f"{SRT}/arg_groups/choices.py": 'ATTENTION_BACKEND_CHOICES = [\n    "triton",\n    "trtllm_mla",\n]\nQUANTIZATION_CHOICES = ["awq"]\n',
    f"{SRT}/layers/attention/attention_registry.py": '@register_attention_backend("flashinfer")\ndef make(runner): ...\n',
}


def test_architectures_that_settings_are_forced_on(tmp_path):
    place = "arg_groups/model_overrides/gemma.py"
    assert said(forced(grow(tmp_path, TREE))) == [
        f"AForCausalLM forced-settings native {place} L2",
        f"BForCausalLM forced-settings native {place} L2",
        f"CForCausalLM forced-settings native {place} L4",
        f"DForCausalLM forced-settings native {place} L4",
    ]


def test_names_of_backends_and_formats(tmp_path):
    assert said(choices(grow(tmp_path, TREE))) == [
        "attention-backend.triton native arg_groups/choices.py L2",
        "attention-backend.trtllm-mla native arg_groups/choices.py L3",
        "quantization.awq native arg_groups/choices.py L5",
        "flashinfer native layers/attention/attention_registry.py L1",
    ]


def test_a_renamed_list_is_refused(tmp_path):
    name = f"{SRT}/arg_groups/choices.py"
    with pytest.raises(Refused, match="there is no ATTENTION_BACKEND_CHOICES"):
        list(choices(grow(tmp_path, TREE | {name: TREE[name].replace("ATTENTION_BACKEND_CHOICES", "BACKENDS")})))
