"""Real questions put to the real catalog. What a thread answered was typed from the thread and never from what the program answers."""

from __future__ import annotations

import json
import shlex

import pytest

from catalogs import ROOT
from infercompat.answer import held
from infercompat.answer.check import Assessor

DOCUMENT = held.questions()
ENTRIES = {entry["id"]: entry for entry in DOCUMENT["questions"]}
KNOWN_MISSES = frozenset(id for id, entry in ENTRIES.items() if "unmet" in entry)


@pytest.fixture(scope="module")
def answers(real) -> dict[str, held.Held]:
    return {one.id: one for one in held.held(Assessor(real), DOCUMENT)}


def test_there_are_68_and_at_most_8_are_not_met():
    assert len(DOCUMENT["questions"]) == len(ENTRIES) == 68
    assert len(KNOWN_MISSES) <= 8


@pytest.mark.parametrize("id", [id for id in ENTRIES if id not in KNOWN_MISSES])
def test_it_is_answered_as_the_thread_was(answers, id):
    for one in answers[id].asked:
        assert one.met, f"{one.line}\n{one.verdict}, and the thread says {one.wanted}: {one.reason}\n{one.figures}"


@pytest.mark.parametrize("id", sorted(KNOWN_MISSES))
def test_what_is_listed_as_not_met_is_not(answers, id):
    """Once it is met its explanation is wrong and has to go."""
    assert not answers[id].met, f"{id} is answered as its thread was: take its `unmet` away"
    assert len(ENTRIES[id]["unmet"]) > 80


@pytest.mark.parametrize("id", ENTRIES)
def test_every_question_has_its_thread_as_a_citation(real, id):
    """Opened where it decides: a thread that could not be opened may be cited, and its record then says so."""
    urls = {citation.data["url"]: citation for citation in real.catalog.of_kind("citation")}
    assert ENTRIES[id]["url"] in urls
    assert set(ENTRIES[id]) <= {"id", "url", "question", "thread", "answer", "asks", "unmet"}
    assert ENTRIES[id]["thread"] in DOCUMENT["words"]


NOT_OPENED = {"gemma4-26b-awq-3090-42k", "gemma4-26b-awq-3090-256k", "minimax-m3-fp8kv-mi300x"}


def test_the_threads_were_opened_but_for_a_few(real):
    opened = {citation.data["url"] for citation in real.catalog.of_kind("citation") if "retrieved" in citation.data}
    assert {id for id, entry in ENTRIES.items() if entry["url"] not in opened} <= NOT_OPENED


@pytest.mark.parametrize("id", ["gemma4-31b-kv-len1", "qwen15-32b-6xt4", "gptoss120b-h100-131k", "gemma4-26b-kv-128k"])
def test_the_command_answers_the_same(run, answers, id):
    for one in answers[id].asked:
        data = json.loads(run(*shlex.split(one.line), "--json", catalog=ROOT / "catalog").stdout)
        assert data.get("verdict", "bytes") == one.verdict
        assert [held._figure({"at": figure.at, "is": figure.thread, "unit": figure.unit}, data).ours for figure in one.figures] == [
            figure.ours for figure in one.figures
        ]
