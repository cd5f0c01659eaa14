"""MLC LLM's table of models."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.mlcllm import read

from .trees import grow, said, small

FILE = "python/mlc_llm/model/model.py"
TABLE = """\
MODEL_PRESETS = {"preset": 1}

MODELS: Dict[str, Model] = {  # noqa
    "llama": Model(
        name="llama",
        source={"awq": loader.awq},
    ),
    "phi-msft": Model(name="phi-msft"),
    **MORE,
}
"""


@pytest.mark.parametrize("place", [FILE, "mlc_llm/model/model.py"])
def test_keys_of_the_table(tmp_path, place):
    found = list(read(grow(tmp_path, {place: TABLE})))
    assert said(found) == ["llama native L4", "phi-msft native L8"]
    assert {name for item in found for name, _ in item.about} == {"model_type"}


def test_a_renamed_table_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"model/model\.py: there is no MODELS"):
        list(read(grow(tmp_path, {FILE: TABLE.replace("MODELS: Dict", "MODEL_TABLE: Dict")})))


def test_an_empty_table_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("mlc-llm").claims(grow(tmp_path, {FILE: "MODELS = {}\n"}))
