"""ik_llama.cpp's copy of the converter, which is no limit to what it runs."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused, snapshot
from infercompat.read import parse

from .trees import grow, said, small

SCRIPT = '@Model.register("LlamaForCausalLM", "MistralForCausalLM")\nclass LlamaModel(Model): ...\n'


def test_the_script_is_read_as_llama_cpp_s(tmp_path):
    assert said(small("ik-llama.cpp").claims(grow(tmp_path, {"convert_hf_to_gguf.py": SCRIPT}))) == [
        "LlamaForCausalLM native convert_hf_to_gguf.py L1",
        "MistralForCausalLM native convert_hf_to_gguf.py L1",
    ]


def test_the_list_does_not_say_that_it_is_whole(tmp_path):
    files = snapshot.records(small("ik-llama.cpp"), grow(tmp_path, {"convert_hf_to_gguf.py": SCRIPT}), "8337e4cd3", "2026-11-29", "a tree")
    record = "support/ik-llama.cpp/ik-llamacpp-8337e4cd3-conversion.yaml"
    assert "complete" not in parse(record, files[record].encode(), []).data


@pytest.mark.parametrize(("files", "why"), [({"a.py": ""}, "none of convert_hf_to_gguf.py"), ({"convert_hf_to_gguf.py": "x = 1\n"}, "only 0 claims")])
def test_another_tree_is_refused(tmp_path, files, why):
    with pytest.raises(Refused, match=why):
        small("ik-llama.cpp").claims(grow(tmp_path, files))
