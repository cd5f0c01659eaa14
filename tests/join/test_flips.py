"""Defaults that flipped: found in what an engine's record says of its settings by version, and told by gotchas."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, GOTCHA, changed, text_of
from infercompat.condition import parse
from infercompat.join.claims import condition_words
from infercompat.join.flips import flips, models_of, split

RISEN = 'defaults: [{when: {enga.version: {below: "1.1.0"}}, value: 8}, {value: 16}]'
GAP = 'defaults: [{when: {enga.version: {max: "1.0.0"}}, value: false}, {when: {enga.version: {min: "1.2.0"}}, value: true}]'
ON_SM75 = 'defaults: [{when: {hardware.class: sm75}, value: 4}, {when: {enga.version: {below: "1.1.0"}}, value: 8}, {value: 16}]'
THERE_ALONE = 'defaults: [{when: {all: [{enga.version: {below: "1.1.0"}}, {requires: sliding-window}]}, value: 8}, {value: 16}]'
TOLD = 'default: {fact: setting.blocks, was: 8, is: 16, since: "1.1.0", cites: [{id: enga-issue-1}]}\n'


@pytest.fixture
def found(make):
    """The flips of the tiny catalog's engine with a setting of such defaults, and a gotcha that says so."""

    def of(defaults: str, gotcha: str = "", older: str = ""):
        setting = f"settings:\n  setting.blocks:\n    flag: --blocks\n    default: 16\n    {defaults}\n    cites: [{{id: enga-registry}}]\n"
        files = changed(ENGINE, ("releases:\n", setting + "releases:\n" + older)) | {GOTCHA: text_of(GOTCHA) + gotcha}
        products = make(files)
        assert products.diagnostics == []
        return flips(products.catalog)

    return of


def test_a_default_by_version(found):
    [flip] = found(RISEN)
    assert (flip.engine.id, flip.fact, flip.was, flip.now, flip.since, flip.last, flip.date) == (
        "enga",
        "setting.blocks",
        8,
        16,
        "1.1.0",
        "1.0.0",
        "2026-02-01",
    )
    assert (flip.where, flip.but, flip.gotchas, flip.cites) == (None, (), (), ({"id": "enga-registry"},))


def test_a_gap_between_the_two_that_were_read(found):
    """The last with the old one stays the last that is known."""
    [flip] = found(GAP, older='  - {version: "1.2.0", date: 2026-02-20}\n')
    assert (flip.was, flip.now, flip.last, flip.since, flip.date) == (False, True, "1.0.0", "1.2.0", "2026-02-20")


def test_where_it_is_not_true(found):
    [flip] = found(ON_SM75)
    assert [condition_words({"when": rest}) for rest in flip.but] == ["hardware.class is sm75"]


def test_on_some_stacks_alone(found):
    [flip] = found(THERE_ALONE)
    assert (flip.was, flip.now, flip.where) == (8, 16, {"requires": "sliding-window"})


def test_the_gotcha_that_tells_of_it(found):
    """Once, with the sources of both; one of a setting whose defaults have no versions is a flip by itself."""
    [flip] = found(RISEN, TOLD)
    assert [gotcha.id for gotcha in flip.gotchas] == ["enga-wrong-past-window"]
    assert flip.cites == ({"id": "enga-registry"}, {"id": "enga-issue-1"})
    [alone] = found("values: [8, 16]", TOLD)
    assert (alone.was, alone.now, alone.since, alone.cites) == (8, 16, "1.1.0", ({"id": "enga-issue-1"},))
    [about] = found("values: [8, 16]", TOLD.replace('since: "1.1.0"', "around: 2026-01-20"))
    assert (about.since, about.date) == (None, "2026-01-20")


def test_none_without_a_version(found):
    assert found("defaults: [{when: {platform: cuda}, value: 8}, {value: 16}]") == []


def test_the_version_is_split_off():
    version, other = {"enga.version": {"below": "1.1.0"}}, {"platform": "cuda"}
    assert split({"all": [version, other]}, "enga.version") == ([version], other)
    assert split({"all": [version, other, {"lora": True}]}, "enga.version") == ([version], {"all": [other, {"lora": True}]})
    assert split(None, "enga.version") == ([], None)
    assert parse(split(other, "enga.version")[1])[1] == []


def test_the_models_that_a_condition_names(make):
    products = make()
    models = [(model, products.derived[model.id]) for model in products.catalog.of_kind("model")]
    assert models_of({"platform": "cuda"}, models) is None
    assert models_of(None, models) is None
    windowed = models_of({"all": [{"requires": "sliding-window"}, {"platform": "cuda"}]}, models)
    assert [model.id for model in windowed] == ["tiny-model"]
