"""Tables of several versions in one record: what each version has, with the sources that were read there."""

from __future__ import annotations

from infercompat.versions import BACKENDS, SELECTION, names_cited, newest_backends, table, versions_of

A, B, C = ([{"id": word}] for word in "abc")
ENGINE = {
    "scheme": "pep440",
    "releases": [{"version": "1.2.0"}, {"version": "1.1.0"}, {"version": "1.0.0"}],
    "attention_tables": [{"version": "1.2.0", "cites": A}, {"version": "1.1.0", "cites": B}, {"version": "1.0.0", "cites": C}],
    "attention_backends": [
        {"name": "NEW", "cites": A},
        {"name": "SAME", "cites": A, "also": [{"version": "1.1.0", "cites": B}, {"version": "1.0.0", "cites": C}]},
        {"name": "OLD", "version": "1.1.0", "cites": B, "also": [{"version": "1.0.0", "cites": C}]},
    ],
    "attention_selection": [{"order": ["NEW", "SAME"], "cites": A}, {"order": ["OLD"], "version": "1.1.0", "cites": B}],
}


def test_entries_without_a_version_are_of_the_first_table():
    assert versions_of(ENGINE) == ("1.2.0", "1.1.0", "1.0.0")
    assert [entry["name"] for entry in newest_backends(ENGINE)] == ["NEW", "SAME"]


def test_a_newer_release_leaves_the_tables_at_the_versions_that_were_read():
    later = ENGINE | {"releases": [{"version": "1.3.0"}, *ENGINE["releases"]]}
    assert versions_of(later) == ("1.2.0", "1.1.0", "1.0.0")
    assert [entry["name"] for entry in newest_backends(later)] == ["NEW", "SAME"]


def test_without_a_list_of_tables_there_is_one_of_the_newest_release():
    plain = {"releases": [{"version": "1.0"}], "attention_backends": [{"name": "ONE", "cites": A}]}
    assert (versions_of(plain), names_cited(plain, "1.0")) == (("1.0",), [])
    assert [entry["name"] for entry in newest_backends(plain)] == ["ONE"]


def test_where_all_names_of_a_version_stand():
    assert (names_cited(ENGINE, "1.1.0"), names_cited(ENGINE, "0.9")) == (B, [])


def test_each_version_has_its_entries_with_its_own_sources():
    assert [(entry["name"], entry["cites"]) for entry in table(ENGINE, BACKENDS, "1.1.0")] == [("SAME", B), ("OLD", B)]
    assert [(entry["name"], entry["cites"]) for entry in table(ENGINE, BACKENDS, "1.0.0")] == [("SAME", C), ("OLD", C)]
    assert [entry["order"] for entry in table(ENGINE, SELECTION, "1.1.0")] == [["OLD"]]
    assert table(ENGINE, SELECTION, "1.0.0") == []


def test_an_engine_without_tables_has_none():
    assert (versions_of({"releases": [{"version": "1.0"}]}), newest_backends({"releases": [{"version": "1.0"}]})) == ((), [])


def test_every_table_on_record_is_whole(real):
    """Entries are of a version that is listed, a name stands once in a version, and orders name what the version has."""
    for engine in real.catalog.of_kind("engine"):
        versions = versions_of(engine.data)
        entries = [*engine.data.get(BACKENDS, ()), *engine.data.get(SELECTION, ())]
        assert {at for entry in entries for at in [entry.get("version"), *(one["version"] for one in entry.get("also", ()))] if at} <= set(versions)
        for version in versions:
            names = [entry["name"] for entry in table(engine.data, BACKENDS, version)]
            ordered = {name for entry in table(engine.data, SELECTION, version) for name in entry["order"]}
            assert (len(names), ordered - set(names)) == (len(set(names)), set()), (engine.id, version)
