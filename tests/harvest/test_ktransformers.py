"""KTransformers' built-in models, by the architecture of each repository."""

from __future__ import annotations

import pytest

from infercompat.harvest import HARVESTERS, Refused
from infercompat.harvest.ktransformers import FILE, PLACES, read

from .trees import grow, said, small

REGISTRY = """\
BUILTIN_MODELS: list[ModelInfo] = [
    ModelInfo(
        name="DeepSeek-V3-0324",
        hf_repo="deepseek-ai/DeepSeek-V3-0324",
    ),
    ModelInfo(name="DeepSeek-R1-0528", hf_repo="deepseek-ai/DeepSeek-R1-0528"),
    ModelInfo(name="MiniMax-M3", hf_repo="MiniMaxAI/MiniMax-M3-MXFP8"),
]
"""


@pytest.mark.parametrize("place", PLACES)
def test_models_by_their_architecture(tmp_path, place):
    tree = grow(tmp_path, {place: REGISTRY})
    assert said(small("ktransformers").claims(tree)) == ["DeepseekV3ForCausalLM native L4", "MiniMaxM3SparseForConditionalGeneration native L7"]
    assert [dict(item.fields)["value"] for item in read(tree)][1] == "deepseek-ai/DeepSeek-R1-0528"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (REGISTRY.replace("BUILTIN_MODELS", "MODELS"), "there is no list BUILTIN_MODELS"),
        (REGISTRY.replace("hf_repo=", "repo="), r"model_registry\.py:2: a built-in model without a repository"),
        (REGISTRY.replace('"MiniMaxAI/MiniMax-M3-MXFP8"', "M3"), r"model_registry\.py:7: a built-in model without a repository"),
        (REGISTRY.replace("MiniMaxAI/MiniMax-M3-MXFP8", "nobody/knows"), r"model_registry\.py:7: nobody has said which architecture 'nobody/knows' is"),
    ],
)
def test_a_list_that_changed_is_refused(tmp_path, text, told):
    with pytest.raises(Refused, match=told):
        list(read(grow(tmp_path, {FILE: text})))


def test_it_is_no_whole_registry():
    assert not HARVESTERS["ktransformers"].complete
