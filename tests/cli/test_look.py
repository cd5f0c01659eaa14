"""`show` and `search`: any way to name a record, and the nearest where there is none."""

from __future__ import annotations

import json

import pytest

from catalogs import TINY
from infercompat.pipeline import load


@pytest.mark.parametrize("id", sorted(load(TINY).catalog.records))
def test_every_record_is_shown_in_words_and_as_data(run, id):
    words, data = run("show", id), run("show", id, "--json")
    assert (words.exit_code, data.exit_code) == (0, 0)
    assert f" {id}, catalog/" in words.stdout.splitlines()[0]
    found = json.loads(data.stdout)
    assert (found["schema_version"], found["id"]) == (1, id)
    assert found["path"].endswith(f"/{id}.yaml")


@pytest.mark.parametrize(
    ("target", "nearest"),
    [
        ("enga-regstry", "enga-registry"),
        ("tiny-mdoel", "tiny-model"),
        ("acme/tiny-i", "acme/tiny-it"),
        ("old/tin", "old/tiny"),
        ("slidingwindow", "sliding-window"),
        ("card", "card-page"),
    ],
)
def test_an_id_that_is_a_slip_names_the_nearest(run, target, nearest):
    for command in (["show", target], ["show", target, "--json"], ["impact", target]):
        result = run(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"infercompat: there is no record {target}; nearest: ")
        assert nearest in result.stderr


ODD = ["", " ", ".", "..", "/", "\n", "*", "[x]", "a" * 5000, "ü", "\udcff", "@", "%s", "{0}"]


@pytest.mark.parametrize("target", ODD, ids=ascii)
def test_odd_words_are_no_traceback(run, target):
    assert run("show", target).exit_code == 2
    assert run("impact", target).exit_code == 2
    assert run("search", target).exit_code in (0, 1)


def test_search_says_kind_id_and_name(run):
    [line] = run("search", "tinyforcausallm").stdout.splitlines()
    assert line.split() == ["model", "tiny-model", "Tiny"]


def test_words_may_stand_apart_or_together(run):
    apart, together = run("search", "wrong", "past", "gotcha").stdout, run("search", "wrong past").stdout
    assert apart == ""
    assert {line.split()[1] for line in together.splitlines()} == {"enga-wrong-past-window", "enga-issue-1"}
