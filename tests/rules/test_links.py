"""Rules about ids and links, beyond their own examples: what the help says and what is let pass."""

from __future__ import annotations

import pytest

from catalogs import text_of
from infercompat import rules
from infercompat.rules.links import nearest_ids

CONCEPT = "name: Idea\nsummary: An idea.\nconcept: true\ncites: [{id: window-paper}]\n"


def found(make, files, code):
    return [diagnostic for diagnostic in rules.check(make(files)) if diagnostic.rule == code]


@pytest.mark.parametrize(
    ("target", "kinds", "nearest"),
    [
        ("tiny-modell", ("model",), "tiny-model"),
        ("old/tinny", ("model",), "old/tiny"),
        ("enga-regstry", ("citation",), "enga-registry"),
        ("enga", ("hardware", "measurement"), None),
        ("zzzzzz", ("model", "engine"), None),
    ],
)
def test_nearest_ids_are_of_the_kinds_that_fit(tiny, target, kinds, nearest):
    near = nearest_ids(tiny.catalog, target, kinds)
    assert (near[0] if near else None) == nearest
    assert {tiny.catalog.resolve(id).kind for id in near} <= set(kinds)
    assert len(near) <= 3


@pytest.mark.parametrize(
    ("notes", "message", "help"),
    [
        ("See [[tiny-modle]].", "[[tiny-modle]] leads to no record", "Nearest: tiny-model"),
        ("See [[zzzz]].", "[[zzzz]] leads to no record", "Add the record, or mend the link."),
    ],
)
def test_a_dangling_link_names_what_is_near(make, notes, message, help):
    [diagnostic] = found(make, {"requirements/idea.yaml": f"{CONCEPT}notes: |\n  {notes}\n"}, "LNK001")
    assert diagnostic.message == message
    assert help in diagnostic.help
    assert (diagnostic.span.line, diagnostic.span.column) == (6, 7)


def test_a_dangling_field_says_how_to_add_the_record(make):
    [diagnostic] = found(make, {"requirements/idea.yaml": CONCEPT.replace("window-paper", "zzzz")}, "LNK001")
    assert diagnostic.message == "cites[0].id: zzzz leads to no record"
    assert "infercompat new citation zzzz" in diagnostic.help


def test_links_in_code_and_by_alias_are_let_pass(make):
    notes = "notes: |\n  Written `[[nobody]]`, see [[old/tiny]] and [[tiny-model#cache|its cache]].\n"
    assert rules.check(make({"requirements/idea.yaml": CONCEPT + notes})) == []


def test_the_wrong_kind_is_named(make):
    text = text_of("measurements/tiny-at-8k.yaml").replace("model: tiny-model", "model: enga")
    [diagnostic] = found(make, {"measurements/tiny-at-8k.yaml": text}, "LNK002")
    assert diagnostic.message == "model: enga is an engine, where a model is meant"


def test_a_link_to_a_moved_record_names_its_end(make):
    stub = "moved_to: {}\nmoved_on: 2026-02-01\n"
    files = {
        "requirements/a.yaml": stub.format("b"),
        "requirements/b.yaml": stub.format("idea"),
        "requirements/idea.yaml": CONCEPT,
        "requirements/windowing.yaml": text_of("requirements/windowing.yaml").replace("tiny-model|the tiny model", "a"),
    }
    [diagnostic] = found(make, files, "LNK004")
    assert (diagnostic.message, diagnostic.help) == ("a moved", "Write idea.")
    assert diagnostic.span.path == "catalog/requirements/windowing.yaml"


def test_moves_in_a_circle_are_told(make):
    stub = "moved_to: {}\nmoved_on: 2026-02-01\n"
    diagnostics = found(make, {"requirements/a.yaml": stub.format("b"), "requirements/b.yaml": stub.format("a")}, "LNK001")
    assert [(diagnostic.span.path, diagnostic.message) for diagnostic in diagnostics] == [
        ("catalog/requirements/a.yaml", "moved_to leads round in a circle"),
        ("catalog/requirements/b.yaml", "moved_to leads round in a circle"),
    ]


def test_a_move_to_nowhere_is_a_dangling_link(make):
    [diagnostic] = found(make, {"requirements/a.yaml": "moved_to: gone\nmoved_on: 2026-02-01\n"}, "LNK001")
    assert (diagnostic.span.line, diagnostic.span.column) == (1, 11)


def test_a_withdrawn_record_says_why_it_went(make):
    text = text_of("requirements/windowing.yaml") + "withdrawn: {on: 2026-02-01, because: It was wrong.}\n"
    [diagnostic] = found(make, {"requirements/windowing.yaml": text}, "LNK003")
    assert (diagnostic.span.path, diagnostic.message) == ("catalog/models/acme/tiny-model.yaml", "windowing was withdrawn")
    assert "It was wrong." in diagnostic.help


def test_a_withdrawn_model_is_told_once_by_each_that_rests_on_it(make):
    text = text_of("models/acme/tiny-model.yaml") + "withdrawn: {on: 2026-02-01, because: It was wrong.}\n"
    found = rules.check(make({"models/acme/tiny-model.yaml": text}))
    assert [(diagnostic.rule, diagnostic.span.path) for diagnostic in found] == [
        ("LNK003", "catalog/measurements/tiny-at-8k.yaml"),
        ("LNK003", "catalog/requirements/windowing.yaml"),
    ]


def test_a_clash_points_at_both_files(make):
    [diagnostic] = found(make, {"hardware/enga.yaml": text_of("hardware/card-base.yaml")}, "IDS001")
    assert [str(span) for _, span in diagnostic.related] == ["catalog/engines/enga.yaml:1:1"]
    assert "rename" in diagnostic.help


@pytest.mark.parametrize(
    ("name", "better"),
    [("Card_A", "card-a"), ("card a", "card-a"), ("xÉ", "x"), ("-a", "a"), ("é", "an-id")],
)
def test_a_bad_id_comes_with_a_better_one(make, name, better):
    [diagnostic] = found(make, {f"hardware/{name}.yaml": text_of("hardware/card-base.yaml")}, "IDS002")
    assert diagnostic.help == f"Rename the file to {better}.yaml."


@pytest.mark.parametrize("name", ["llama.cpp", "mistral-7b-v0.1", "0x", "a"])
def test_good_ids(make, name):
    assert found(make, {f"hardware/{name}.yaml": text_of("hardware/card-base.yaml")}, "IDS002") == []
