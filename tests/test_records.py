"""Records and documents: folders, names, whether a record is live, and walking plain data."""

from __future__ import annotations

import pytest

from infercompat.records import FOLDER_OF_KIND, KIND_OF_FOLDER, KINDS, Document, Record, dotted, walk


def record(path: str, **data) -> Record:
    return Record("x", "engine", data, Document(path, data, {}, {}, {}, ()))


@pytest.mark.parametrize(
    ("path", "folder"),
    [("catalog/engines/x.yaml", ""), ("catalog/models/google/x.yaml", "google"), ("catalog/citations/a/b/x.yaml", "b")],
)
def test_folder(path, folder):
    assert record(path).folder == folder


@pytest.mark.parametrize(("data", "name"), [({"name": "N", "title": "T"}, "N"), ({"title": "T"}, "T"), ({}, "x"), ({"name": ""}, "x")])
def test_name(data, name):
    assert record("catalog/engines/x.yaml", **data).name == name


@pytest.mark.parametrize(("data", "live"), [({}, True), ({"withdrawn": {}}, False), ({"moved_to": "y"}, False)])
def test_live(data, live):
    assert record("catalog/engines/x.yaml", **data).live is live


def test_walk_goes_through_all_nodes_parents_first():
    assert list(walk({"a": [1, {"b": None}], "c": "x"})) == [
        ((), {"a": [1, {"b": None}], "c": "x"}),
        (("a",), [1, {"b": None}]),
        (("a", 0), 1),
        (("a", 1), {"b": None}),
        (("a", 1, "b"), None),
        (("c",), "x"),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [((), ""), (("a",), "a"), (("claims", 3, "about", "requirement"), "claims[3].about.requirement"), ((0, "a"), "[0].a"), (("a", 0, 1), "a[0][1]")],
)
def test_dotted(path, text):
    assert dotted(path) == text


def test_kinds_and_folders_are_one_to_one():
    assert {FOLDER_OF_KIND[kind] for kind in KINDS} == set(KIND_OF_FOLDER)
    assert all(KIND_OF_FOLDER[FOLDER_OF_KIND[kind]] == kind for kind in KINDS)
