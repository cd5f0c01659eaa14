"""Cells that people read by hand out of upstream against the snapshots that the harvest wrote: the same status, and the same line or a known reason."""

from __future__ import annotations

import re

import pytest
import yaml

from catalogs import ROOT

HERE = ROOT / "tests" / "harvest"
GROUPS = yaml.safe_load((HERE / "cells_runtimes.yaml").read_text("utf-8"))
DIFFERENCES = yaml.safe_load((HERE / "cells_runtimes_differences.yaml").read_text("utf-8"))
ONE_LINE_LESS = {"mlc-llm"}
ABOVE_THE_CLASS = {"optimum-intel"}
"""The two kinds of lines that differ, as the table of differences says; the third kind of engine has none."""


def claims_of(group: dict) -> dict[str, dict]:
    data = yaml.safe_load((ROOT / "catalog" / "support" / group["engine"] / f"{group['snapshot']}.yaml").read_text("utf-8"))
    return {name: claim for claim in data["claims"] for name in claim["about"].values()}


def read(cell: list[str]) -> tuple[str | None, str, str]:
    """A cell's key where it is another word than the class, its status, and its line."""
    words = list(cell)
    key = None if words[0] in ("native", "absent") else words.pop(0)
    return key, words[0], words[1] if len(words) > 1 else ""


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["engine"])
def test_every_cell_has_the_same_status(group):
    claims = claims_of(group)
    wrong = {}
    for architecture, cell in group["cells"].items():
        key, status, _ = read(cell)
        claim = claims.get(key or architecture)
        found = "absent" if claim is None else claim["holds"]
        if found != status:
            wrong[architecture] = (status, found)
    assert not wrong


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["engine"])
def test_lines_are_the_same_or_differ_as_the_table_says(group):
    claims = claims_of(group)
    for architecture, cell in group["cells"].items():
        key, status, place = read(cell)
        if status == "absent":
            continue
        at = claims[key or architecture]["at"]
        if group["engine"] in ONE_LINE_LESS | ABOVE_THE_CLASS:
            ours, theirs = (int(re.fullmatch(r"L(\d+)", text)[1]) for text in (at, place))
            assert theirs - ours == 1 if group["engine"] in ONE_LINE_LESS else 1 <= theirs - ours <= 20, architecture
        else:
            assert at == place, architecture


def test_all_cells_are_there():
    assert {group["engine"]: len(group["cells"]) for group in GROUPS} == {
        "onnxruntime-genai": 58,
        "openvino-genai": 52,
        "optimum-intel": 51,
        "ollama-mlx": 58,
        "ollama-gguf": 47,
        "mlc-llm": 60,
    }


def test_a_silent_list_and_a_silent_registry_are_kept_apart():
    whole = {
        group["engine"]: yaml.safe_load((ROOT / "catalog" / "support" / group["engine"] / f"{group['snapshot']}.yaml").read_text("utf-8")).get(
            "complete", False
        )
        for group in GROUPS
    }
    assert whole == {engine: engine != "openvino-genai" for engine in whole}


def test_the_table_of_differences_names_the_line_that_decides():
    for entry in DIFFERENCES:
        assert set(entry) == {"engine", "cells", "hand", "harvest", "decides", "because"}
        assert re.fullmatch(r"https://github\.com/[\w./-]+#L\d+", entry["decides"])
    assert {entry["engine"] for entry in DIFFERENCES} >= ONE_LINE_LESS | ABOVE_THE_CLASS


def test_llama_4_by_its_own_model_type_is_not_in_the_table():
    [group] = [group for group in GROUPS if group["engine"] == "mlc-llm"]
    assert "llama4" in claims_of(group)
    assert "llama4_text" not in claims_of(group)
