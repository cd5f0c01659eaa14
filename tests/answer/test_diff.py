"""Answers that changed between two catalogs: verdicts, caches, statuses, records; and none where only words did."""

from __future__ import annotations

import pytest

from catalogs import GOTCHA, MODEL, OFFERS, changed
from infercompat.answer.diff import Change, changes
from infercompat.join import Matrix


@pytest.fixture
def between(make, tiny):
    return lambda files: changes(Matrix(tiny), Matrix(make(files)))


def test_the_same_catalog_has_no_changes(tiny):
    assert changes(Matrix(tiny), Matrix(tiny)) == []


def test_other_words_are_no_change(between):
    assert between(changed(MODEL, ("notes: |\n", "notes: |\n  Another sentence.\n"))) == []


def test_a_verdict_that_changes_is_told_with_both(between):
    found = [change for change in between({OFFERS: None}) if change.kind == "verdict"]
    assert [(change.about, change.engine) for change in found] == [("tiny-model", "enga")]
    assert (found[0].before, found[0].after) == ("yes", "unknown")
    assert found[0].why.startswith("1.1.0: sliding-window: no source")
    assert str(found[0]).startswith("verdict  tiny-model on enga: yes -> unknown (1.1.0: sliding-window")


def test_a_yes_says_what_stood_in_the_way_before(make, tiny):
    [found] = [change for change in changes(Matrix(make({OFFERS: None})), Matrix(tiny)) if change.kind == "verdict"]
    assert (found.before, found.after) == ("unknown", "yes")
    assert found.why.startswith("1.1.0: before, sliding-window: no source")


def test_a_gotcha_that_a_cell_meets_now_is_named_once(make, tiny):
    """It needs a window; without the demand for one it touches nobody, and the plain model has none."""
    before = make(changed(GOTCHA, ("requires: sliding-window", "requires: logit-softcap")))
    found = [change for change in changes(Matrix(before), Matrix(tiny)) if change.kind == "gotcha"]
    assert found == [Change("gotcha", "tiny-model", "enga", "", "enga-wrong-past-window")]


def test_a_cache_that_changes_is_told_in_bytes(between):
    """Two of four layers keep a window of 1,024: at 32,768 tokens 2 x 512 x 32,768 + 2 x 512 x 1,024 bytes; with half the window less."""
    [cache] = [change for change in between(changed(MODEL, ("sliding_window: 1024", "sliding_window: 512"))) if change.kind == "cache"]
    assert cache == Change("cache", "tiny-model", "", "34,603,008 bytes at 32,768 tokens", "34,078,720 bytes at 32,768 tokens")


def test_a_record_that_leaves_is_named(between):
    assert Change("removed", "plain-model", "", "", "") in between({"models/acme/plain-model.yaml": None})


def test_a_status_that_changes_is_named(between):
    found = between(changed(GOTCHA, ("status: open", "status: wontfix")))
    assert [(change.about, change.before, change.after) for change in found if change.kind == "status"] == [("enga-wrong-past-window", "open", "wontfix")]
