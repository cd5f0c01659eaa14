"""The vectors in tests/vectors: the program reproduces each, and they ask what they are meant to ask."""

from __future__ import annotations

import json
import os
import sys

import pytest

from catalogs import ROOT
from infercompat.answer.check import Assessor

FOLDER = ROOT / "tests" / "vectors"
sys.path.insert(0, str(FOLDER))
import configs  # noqa: E402
import make  # noqa: E402


@pytest.fixture(scope="module")
def assessor(real) -> Assessor:
    return Assessor(real)


@pytest.mark.parametrize("name", make.NAMES)
def test_every_question_of_today_s_catalog_is_there(real, name):
    asked = [[model, engine, options] for model, engine, options in make.questions(real, name)]
    assert [vector["ask"] for vector in make.kept(name)] == json.loads(json.dumps(asked)), "run: make vectors, and read what it changes"


@pytest.mark.parametrize("name", make.NAMES)
def test_answers_are_those_of_the_vectors(assessor, name):
    """A part of each file, spread over it; `.ci/run` and `make vectors` ask all."""
    wrong = [vector["ask"] for vector in make.kept(name, 11) if make.answer(assessor, *vector["ask"]) != vector["answer"]]
    assert wrong == [], "run: make vectors, and read what it changes"


def test_the_vectors_hold_every_kind_of_answer():
    answers = [vector["answer"] for name in make.NAMES for vector in make.kept(name)]
    assert {answer["verdict"] for answer in answers} == {"yes", "no", "only-with", "unknown"}
    for part in ("gap", "fails", "unknown", "hit", "maybe", "memory", "argv", "repairs", "missing", "provided"):
        assert sum(part in answer for answer in answers) > 10, part


CONFIG = ("of", "config", "set", "drop")


def derivations() -> list[dict]:
    return make.kept("configs")


def test_every_config_of_the_catalog_is_among_the_vectors(real):
    wanted = {one["of"]: one["config"] for one in derivations() if "config" in one}
    ours = {model.id: json.loads(json.dumps(model.data["config"]["values"])) for model in real.catalog.of_kind("model")}
    assert {id: wanted.get(id) for id in ours} == ours, "run: make vectors, and read what it changes"


def test_configs_are_derived_as_the_vectors_have_it():
    """One in four of each whole config and its variations, since weights take their time; `.ci/run` and `make vectors` ask all."""
    whole, different, asked = {}, [], 0
    one_in = 1 if make.EVERY in os.environ else 4
    for place, one in enumerate(derivations()):
        if "config" in one:
            whole[one["of"]] = one["config"]
        if place % one_in == 0:
            config, words = one.get("config"), (configs.WORDS,) if "config" in one else ()
            config = configs.changed(whole[one["of"]], one.get("set", {}), one.get("drop", [])) if config is None else config
            asked += 1
            if json.loads(json.dumps(configs.told(config, *words))) != {name: value for name, value in one.items() if name not in CONFIG}:
                different.append(one["of"])
    assert asked > 500
    assert different == [], "run: make vectors, and read what it changes"


def test_questions_about_configs_are_answered_as_the_vectors_have_it(real):
    wanted = (FOLDER / "foreign.jsonl").read_text("utf-8")
    assert "".join(configs.foreign(real)) == wanted, "run: make vectors, and read what it changes"
