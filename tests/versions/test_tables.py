"""Tables of several versions in one record: what each version has, with the sources that were read there."""

from __future__ import annotations

from infercompat.versions import BACKENDS, SELECTION, attention_version, newest_backends, table, versions_of

A, B, C = ([{"id": word}] for word in "abc")
ENGINE = {
    "scheme": "pep440",
    "releases": [{"version": "1.2.0"}, {"version": "1.1.0"}, {"version": "1.0.0"}],
    "attention_backends": [
        {"name": "NEW", "cites": A},
        {"name": "SAME", "cites": A, "also": [{"version": "1.1.0", "cites": B}, {"version": "1.0.0", "cites": C}]},
        {"name": "OLD", "version": "1.1.0", "cites": B, "also": [{"version": "1.0.0", "cites": C}]},
    ],
    "attention_selection": [{"order": ["NEW", "SAME"], "cites": A}, {"order": ["OLD"], "version": "1.1.0", "cites": B}],
}


def test_entries_without_a_version_are_of_the_newest_release():
    assert attention_version(ENGINE) == "1.2.0"
    assert versions_of(ENGINE) == ("1.2.0", "1.1.0", "1.0.0")
    assert [entry["name"] for entry in newest_backends(ENGINE)] == ["NEW", "SAME"]


def test_the_record_says_of_which_version_they_are_where_a_newer_release_came():
    """A release that a harvest adds leaves the table at the version that it was read at."""
    later = ENGINE | {"attention_version": "1.2.0", "releases": [{"version": "1.3.0"}, *ENGINE["releases"]]}
    assert versions_of(later) == ("1.2.0", "1.1.0", "1.0.0")
    assert [entry["name"] for entry in newest_backends(later)] == ["NEW", "SAME"]


def test_each_version_has_its_entries_with_its_own_sources():
    assert [(entry["name"], entry["cites"]) for entry in table(ENGINE, BACKENDS, "1.1.0")] == [("SAME", B), ("OLD", B)]
    assert [(entry["name"], entry["cites"]) for entry in table(ENGINE, BACKENDS, "1.0.0")] == [("SAME", C), ("OLD", C)]
    assert [entry["order"] for entry in table(ENGINE, SELECTION, "1.1.0")] == [["OLD"]]
    assert table(ENGINE, SELECTION, "1.0.0") == []


def test_an_engine_without_tables_has_none():
    assert (versions_of({"releases": [{"version": "1.0"}]}), newest_backends({"releases": [{"version": "1.0"}]})) == ((), [])
