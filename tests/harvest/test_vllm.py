"""vLLM's registry: the sum says which lists hold models, so that a list under a new name is read and one of unknown meaning is refused."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.vllm import REGISTRY, fallback, read

from .trees import VLLM, grow, said, small


def tree(tmp_path, *pairs: tuple[str, str]):
    """The small tree with texts of its registry replaced, each of which has to be there."""
    text = VLLM[REGISTRY]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return grow(tmp_path, {REGISTRY: text})


def test_every_list_and_what_it_means_once_a_model(tmp_path):
    assert said(small("vllm").claims(tree(tmp_path))) == [
        "LlamaForCausalLM native L3",
        "BrokenForCausalLM native L4",
        "BertModel native L8",
        "GritLM native L11",
        "EagleModel speculative-draft native L14",
        "SmolLM3ForCausalLM fallback L16",
        "TransformersForCausalLM fallback L18",
        "PairForCausalLM removed L28",
        "BartForConditionalGeneration plugin L30",
    ]


def test_the_last_version_of_a_removed_model(tmp_path):
    fields = {item.about[0][1]: dict(item.fields) for item in read(tree(tmp_path)) if item.holds == "removed"}
    assert fields == {"BrokenForCausalLM": {"last_version": "0.9.2"}, "PairForCausalLM": {}}


@pytest.mark.parametrize("name", ["_GENERATIVE_MODELS", "TEXT_MODELS", "_TEXT2"])
def test_a_list_under_a_new_name_is_read(tmp_path, name):
    assert said(read(tree(tmp_path, ("_TEXT_GENERATION_MODELS", name))))[:2] == ["LlamaForCausalLM native L3", "BrokenForCausalLM native L4"]


def test_lists_as_ordered_dicts(tmp_path):
    old = '_SPECULATIVE_DECODING_MODELS = {"EagleModel": ("eagle", "Eagle")}'
    new = 'OTHER = OrderedDict([("AModel", ("a", "A"))])\n_SPECULATIVE_DECODING_MODELS = {}'
    found = said(read(tree(tmp_path, (old, new), ("**_EMBEDDING_MODELS", "**OTHER"), ("_EMBEDDING_MODELS:", "_EMBEDDINGS:"))))
    assert "AModel native L14" in found


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("_VLLM_MODELS", "_ALL")], "there is no _VLLM_MODELS that spreads the lists of models"),
        ([("_VLLM_MODELS = {", "_VLLM_MODELS = ChainMap(a, b)\n_X = {")], "there is no _VLLM_MODELS that spreads the lists of models"),
        ([("    **_EMBEDDING_MODELS,", "    **imported.MODELS,")], "registry.py:20: _VLLM_MODELS spreads imported.MODELS, which this file does not hold"),
        ([("_PREVIOUSLY_SUPPORTED_MODELS", "_RETIRED_MODELS")], "nobody knows what _RETIRED_MODELS lists: it is no part of _VLLM_MODELS"),
        ([("    **_EMBEDDING_MODELS,\n", "")], "nobody knows what _EMBEDDING_MODELS lists"),
        ([("_VLLM_MODELS = {", "_VLLM_MODELS = {\n")], None),
        ([("class _ModelRegistry", "class _ModelRegistry(")], "not Python that this version can read"),
    ],
)
def test_lists_that_cannot_be_told_apart_are_refused(tmp_path, pairs, told):
    if told is None:
        assert len(list(read(tree(tmp_path, *pairs)))) == 11
        return
    with pytest.raises(Refused) as refused:
        list(read(tree(tmp_path, *pairs)))
    assert told in str(refused.value)


def test_an_empty_registry_is_an_error_and_not_a_removal_of_everything(tmp_path):
    empty = {REGISTRY: "_TEXT_GENERATION_MODELS = {}\n_VLLM_MODELS = {**_TEXT_GENERATION_MODELS}\n"}
    with pytest.raises(Refused, match="only 0 claims were read"):
        small("vllm").claims(grow(tmp_path, empty))


def test_a_tree_without_the_file_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"none of vllm/model_executor/models/registry\.py is there"):
        list(read(grow(tmp_path, {"README.md": ""})))


@pytest.mark.parametrize("name", ["_try_resolve_transformers", "try_resolve_transformers", "_resolve_transformers"])
def test_the_fallback_stands_on_the_line_that_resolves_it(tmp_path, name):
    [found] = fallback(tree(tmp_path, ("_try_resolve_transformers", name)))
    assert (found["about"], found["holds"], found["at"]) == ({"architecture": "*"}, "fallback", "L34")
    assert found["when"]["all"][0] == {"transformers.backend_compatible": True}


def test_a_fallback_without_the_function_is_refused(tmp_path):
    with pytest.raises(Refused, match="no function that resolves to them"):
        fallback(tree(tmp_path, ("_try_resolve_transformers", "_pick")))


def test_a_release_without_a_fallback_has_none(tmp_path):
    without = (("_TRANSFORMERS_BACKEND_MODELS", "_DRAFTS"), ("_try_resolve_transformers", "_pick"))
    assert fallback(tree(tmp_path, *without)) == []
