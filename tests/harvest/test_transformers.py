"""Transformers' automatic maps: ordered pairs, values that are tuples, and each class on the line of the first map that names it."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.transformers import FILE, read

from .trees import TRANSFORMERS, grow, said, small

[AUTO] = TRANSFORMERS


def test_pairs_tuples_and_the_first_map(tmp_path):
    assert said(small("transformers").claims(grow(tmp_path, TRANSFORMERS))) == [
        "LlamaModel native L4",
        "FunnelModel native L5",
        "FunnelBaseModel native L5",
        "LlamaForCausalLM native L10",
        "VoxtralForConditionalGeneration native L15",
        "PlainForAudio native L19",
    ]


def test_a_repository_holds_the_file_below_src(tmp_path):
    assert len(list(read(grow(tmp_path, {FILE[1]: TRANSFORMERS[AUTO]})))) == 7


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:", "CAUSAL_LM_NAMES:", "there is no MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"),
        ("OrderedDict(\n", "OrderedDict(\n(", "not Python that this version can read"),
    ],
)
def test_a_map_that_moved_or_cannot_be_read_is_refused(tmp_path, old, new, told):
    text = TRANSFORMERS[AUTO]
    assert old in text
    with pytest.raises(Refused) as refused:
        list(read(grow(tmp_path, {AUTO: text.replace(old, new)})))
    assert told in str(refused.value)


@pytest.mark.parametrize("value", ["OrderedDict()", "OrderedDict([])", "{}", "build_map()"])
def test_an_empty_map_is_an_error(tmp_path, value):
    with pytest.raises(Refused, match="only 0 claims"):
        small("transformers").claims(grow(tmp_path, {AUTO: f"MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = {value}\n"}))
