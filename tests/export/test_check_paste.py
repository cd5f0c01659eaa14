"""The tables with which the page reads pasted text: patterns as a script has them, flags with the facts that they set, names of models."""

from __future__ import annotations

import re

import pytest

from infercompat.export.check_paste import VERSION, paste, script_pattern


@pytest.fixture(scope="module")
def tables(real):
    return paste(real.catalog)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (re.compile(r"(?i)any (?P<what>case)"), {"pattern": "any (?<what>case)", "flags": "i"}),
        (re.compile(r"a(.*)", re.S), {"pattern": "a(.*)", "flags": "s"}),
        (re.compile("for \n the [ab] eye", re.X), {"pattern": "forthe[ab]eye", "flags": ""}),
    ],
)
def test_patterns_as_a_script_has_them(pattern, wanted):
    assert script_pattern(pattern) == wanted


@pytest.mark.parametrize(
    ("text", "is_one"), [("0.33.0", True), ("0.7.2.post1", True), ("2.14.0+cu130", True), ("1.4.0rc1", True), ("auto", False), ("b9123", False)]
)
def test_what_a_version_is(text, is_one):
    assert bool(VERSION.fullmatch(text)) is is_one


def test_flags_lead_to_facts_with_what_they_can_hold(tables):
    vllm = tables["flags"]["engines"]["vllm"]
    assert vllm["targets"]["tp"] == "tensor_parallel"
    assert vllm["targets"]["enforce-eager"] == {"cuda_graphs": "none"}
    assert vllm["facts"]["tensor_parallel"] == {"type": "int", "words": []}
    assert "auto" in vllm["settings"]["cache.dtype"]["values"]


def test_rules_of_redaction_name_what_a_script_does_itself(tables):
    changes = {rule["change"] for rule in tables["redact"]["line"]}
    assert {"=address", "=host"} < changes
    assert all(isinstance(change, str) for change in changes)


def test_models_are_known_by_id_alias_and_checkpoint(tables):
    assert tables["models"]["ids"]["gemma-3-27b"] == "gemma-3-27b"
    assert tables["models"]["hubs"]["google/gemma-3-27b-it"] == ["gemma-3-27b", "bf16"]
    assert tables["models"]["names"]["gemma-3-27b-it"] == "gemma-3-27b"


def test_an_engine_without_ranks_takes_every_device(tables):
    assert "llama.cpp" in tables["takes_all"]
    assert "vllm" not in tables["takes_all"]
    assert "flashinfer" not in tables["engines"]
