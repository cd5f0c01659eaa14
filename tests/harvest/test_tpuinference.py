"""vLLM's TPU plugin: JAX classes, architectures for which vLLM's class is preferred, and tested checkpoints."""

from __future__ import annotations

import pytest

from infercompat.harvest import SOURCES, Refused
from infercompat.harvest.tpuinference import LOADER, PAGE, read, read_tested

from .trees import grow, said

LOADING = """\
_MODEL_REGISTRY = {}
_VLLM_PREFERRED_ARCHITECTURES: frozenset[str] = frozenset({
    "GptOssForCausalLM",
})


def _get_model_architecture(config):
    _MODEL_REGISTRY["LlamaForCausalLM"] = LlamaForCausalLM
    _MODEL_REGISTRY[
        "Qwen2_5_VLForConditionalGeneration"] = Qwen2_5_VLForConditionalGeneration
    _MODEL_REGISTRY["GptOssForCausalLM"] = GptOss
    other["X"] = 1
"""
TABLE = """\
| Model | Type | Unit&nbsp;Test | Correctness&nbsp;Test |
| --- | --- | --- | --- |
| [zai-org/GLM-5](https://huggingface.co/zai-org/GLM-5) | Text | <span title="x">❓</span> | <span title="x">❓</span> |
| [Qwen/Qwen3-32B](https://huggingface.co/Qwen/Qwen3-32B) | Text | <span title="x">✅</span> | <span title="x">❌</span> |
| [Qwen/Qwen3-4B](https://huggingface.co/Qwen/Qwen3-4B) | Text | <span title="x">❌</span> | <span title="x">✅</span> |
"""


def test_classes_and_preferences(tmp_path):
    tree = grow(tmp_path, {LOADER: LOADING})
    assert said(read(tree)) == [
        "GptOssForCausalLM fallback L3",
        "LlamaForCausalLM native L8",
        "Qwen2_5_VLForConditionalGeneration native L10",
        "GptOssForCausalLM native L11",
    ]
    [source, _] = SOURCES["tpu-inference"]
    assert not source.complete
    with pytest.raises(Refused, match="only 3 claims"):
        source.claims(tree)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LOADING.replace("_MODEL_REGISTRY[", "_MODELS["), "nothing is put into _MODEL_REGISTRY"),
        (LOADING.replace("_VLLM_PREFERRED", "_PREFERRED"), "there is no _VLLM_PREFERRED_ARCHITECTURES"),
    ],
)
def test_a_loader_that_changed_is_refused(tmp_path, text, told):
    with pytest.raises(Refused, match=told):
        list(read(grow(tmp_path, {LOADER: text})))


def test_tested_checkpoints_those_that_pass_first(tmp_path):
    assert said(read_tested(grow(tmp_path, {PAGE: TABLE}))) == [
        "Qwen3ForCausalLM native L5",
        "Qwen3ForCausalLM known-issues L4",
        "GlmMoeDsaForCausalLM untested L3",
    ]


@pytest.mark.parametrize(("old", "new"), [("Correctness&nbsp;Test", "Accuracy"), ("❓</span> |\n", "?</span> |\n")])
def test_a_result_that_cannot_be_read_is_refused(tmp_path, old, new):
    with pytest.raises(Refused, match=r"model_support\.md:3: no result of a correctness test"):
        list(read_tested(grow(tmp_path, {PAGE: TABLE.replace(old, new)})))
