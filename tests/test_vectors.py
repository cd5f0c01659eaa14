"""The vectors in tests/vectors: the program reproduces each, and they ask what they are meant to ask."""

from __future__ import annotations

import json
import sys

import pytest

from catalogs import ROOT
from infercompat.answer.check import Assessor

FOLDER = ROOT / "tests" / "vectors"
sys.path.insert(0, str(FOLDER))
import configs  # noqa: E402
import make  # noqa: E402


def vectors(name: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def assessor(real) -> Assessor:
    return Assessor(real)


@pytest.mark.parametrize("name", make.NAMES)
def test_every_question_of_today_s_catalog_is_there(real, name):
    asked = [[model, engine, options] for model, engine, options in make.questions(real, name)]
    assert [vector["ask"] for vector in vectors(name)] == json.loads(json.dumps(asked)), "run: make vectors, and read what it changes"


@pytest.mark.parametrize("name", make.NAMES)
def test_answers_are_those_of_the_vectors(assessor, name):
    """A part of each file, spread over it; `make vectors` asks all."""
    wrong = []
    for number, vector in enumerate(vectors(name)):
        if number % 11 == len(name) % 11 and make.answer(assessor, *vector["ask"]) != vector["answer"]:
            wrong.append(vector["ask"])
    assert wrong == [], "run: make vectors, and read what it changes"


def test_the_vectors_hold_every_kind_of_answer():
    answers = [vector["answer"] for name in make.NAMES for vector in vectors(name)]
    assert {answer["verdict"] for answer in answers} == {"yes", "no", "only-with", "unknown"}
    for part in ("gap", "fails", "unknown", "hit", "maybe", "memory", "argv", "repairs", "missing", "provided"):
        assert sum(part in answer for answer in answers) > 10, part


def test_every_config_is_derived_as_the_vectors_have_it(real):
    wanted = (FOLDER / "configs.jsonl").read_text("utf-8")
    assert "".join(configs.lines(real)) == wanted, "run: make vectors, and read what it changes"


def test_questions_about_configs_are_answered_as_the_vectors_have_it(real):
    wanted = (FOLDER / "foreign.jsonl").read_text("utf-8")
    assert "".join(configs.foreign(real)) == wanted, "run: make vectors, and read what it changes"
