"""Linking: ids and aliases, clashes, moved and withdrawn records, references both ways, the graph and what rests on a record."""

from __future__ import annotations

import subprocess
import sys

import pytest

from catalogs import text_of
from infercompat.link import Catalog, Reference, graph, impact

CITATION = "title: A\nurl: https://example.com/a\ntype: paper\npublisher: acme\nretrieved: 2026-02-03\n"
CONCEPT = "name: Idea\nsummary: An idea.\nconcept: true\ncites: [{id: window-paper}]\n"


def moved(to: str) -> str:
    return f"moved_to: {to}\nmoved_on: 2026-02-01\n"


@pytest.mark.parametrize(
    ("target", "id"),
    [("tiny-model", "tiny-model"), ("old/tiny", "tiny-model"), ("enga", "enga"), ("old/Tiny", None), ("Tiny", None), ("", None), ("acme/tiny-it", None)],
)
def test_ids_and_aliases_resolve(tiny, target, id):
    found = tiny.catalog.resolve(target)
    assert (found.id if found else None) == id


def test_records_stand_in_canonical_order(tiny):
    assert list(tiny.catalog.records)[:6] == ["plain-model", "tiny-model", "enga", "engb", "enga-1-1-0-offers", "enga-1-1-0-registry"]
    assert [record.id for record in tiny.catalog.of_kind("requirement")] == ["logit-softcap", "sliding-window", "windowing"]


def test_an_id_is_unique_over_all_kinds(make):
    catalog = make({"hardware/enga.yaml": text_of("hardware/card-base.yaml")}).catalog
    assert catalog.records["enga"].kind == "engine"
    [clash] = catalog.clashes
    assert (clash.word, clash.alias, clash.first.path, clash.second.path) == ("enga", False, "catalog/engines/enga.yaml", "catalog/hardware/enga.yaml")


@pytest.mark.parametrize("alias", ["enga", "old/tiny"])
def test_an_alias_is_no_other_id_or_alias(make, alias):
    catalog = make({"requirements/idea.yaml": CONCEPT + f"aliases: [fresh, {alias}]\n"}).catalog
    [clash] = catalog.clashes
    assert (clash.word, clash.alias) == (alias, True)
    assert (clash.second.path, clash.second.line, clash.second.column) == ("catalog/requirements/idea.yaml", 5, 18)
    assert catalog.resolve("fresh").id == "idea"
    assert catalog.resolve(alias).id != "idea"


def test_moves_are_followed_to_their_end(make):
    files = {"requirements/a.yaml": moved("b"), "requirements/b.yaml": moved("c"), "requirements/c.yaml": CONCEPT}
    catalog = make(files).catalog
    assert catalog.resolve("a").id == "a"
    assert catalog.follow("a").id == "c"
    assert [record.id for record in catalog.of_kind("requirement")] == ["c", "logit-softcap", "sliding-window", "windowing"]


@pytest.mark.parametrize(("files", "end"), [({"a": "b", "b": "a"}, {"a", "b"}), ({"a": "a"}, {"a"}), ({"a": "gone"}, {None})])
def test_moves_that_lead_nowhere_end(make, files, end):
    catalog = make({f"requirements/{id}.yaml": moved(to) for id, to in files.items()}).catalog
    found = catalog.follow("a")
    assert (found.id if found else None) in end


def test_withdrawn_records_resolve_and_do_not_count(make):
    catalog = make({"requirements/idea.yaml": CONCEPT + "withdrawn: {on: 2026-02-01, because: It was wrong.}\n"}).catalog
    assert catalog.resolve("idea").id == "idea"
    assert "idea" not in [record.id for record in catalog.of_kind("requirement")]


def references_from(catalog: Catalog, id: str) -> list[Reference]:
    return [reference for reference in catalog.references if reference.source == id]


def test_references_know_their_field_and_place(tiny):
    found = [(reference.source, reference.field, reference.span.line, reference.span.column) for reference in tiny.catalog.references_to("enga-registry")]
    assert found == [("enga", "cites[0].id", 7, 14), ("enga-1-1-0-registry", "cites[0].id", 5, 14)]
    assert tiny.catalog.references_to("plain-model") == []


def test_every_reference_of_a_gotcha(tiny):
    found = [(reference.field, reference.id, reference.kinds) for reference in references_from(tiny.catalog, "enga-wrong-past-window")]
    assert found == [
        ("engine", "enga", ("engine",)),
        ("affects.all[0].engine", "enga", ("engine",)),
        ("hardware.seen_on[0]", "card-base", ("hardware",)),
        ("when.all[0].requires", "sliding-window", ("requirement",)),
        ("evidence[0].id", "enga-issue-1", ("citation",)),
    ]


def test_links_in_prose_point_at_themselves(tiny):
    found = [reference for reference in references_from(tiny.catalog, "windowing") if reference.prose]
    assert [(reference.target, reference.id, reference.field) for reference in found] == [("tiny-model", "tiny-model", "notes")]
    span = found[0].span
    assert (span.path, span.line, span.column, span.end_column) == ("catalog/requirements/windowing.yaml", 6, 10, 39)


def test_config_values_hold_no_links(make):
    model = text_of("models/acme/plain-model.yaml") + '    note: "[[nobody]]"\n'
    assert [reference.target for reference in references_from(make({"models/acme/plain-model.yaml": model}).catalog, "plain-model")] == ["plain-config"]


@pytest.mark.parametrize(
    ("word", "reference"),
    [("sm100", False), ("apple-gpu", False), ("card-base", True), ("sm999", True)],
)
def test_hardware_words_are_no_references(make, word, reference):
    gotcha = text_of("gotchas/enga/enga-wrong-past-window.yaml").replace("[card-base]", f"[{word}]")
    catalog = make({"gotchas/enga/enga-wrong-past-window.yaml": gotcha}).catalog
    assert any(found.target == word for found in references_from(catalog, "enga-wrong-past-window")) is reference


def test_what_a_requirement_matters_with_is_a_reference(make):
    text = text_of("requirements/logit-softcap.yaml") + "matters_when: {requires: sliding-windo}\navoided_by: Nothing.\n"
    found = references_from(make({"requirements/logit-softcap.yaml": text}).catalog, "logit-softcap")
    assert [(reference.target, reference.id) for reference in found] == [("window-paper", "window-paper"), ("sliding-windo", None)]


def test_a_component_is_a_reference_only_where_it_has_a_record(make):
    text = text_of("gotchas/enga/enga-wrong-past-window.yaml")
    affects = 'affects: {all: [{engine: enga, observed: ["1.1.0"]}, {component: engb}, {component: torch}]}'
    text = text.replace('affects: {all: [{engine: enga, observed: ["1.1.0"]}]}', affects)
    found = references_from(make({"gotchas/enga/enga-wrong-past-window.yaml": text}).catalog, "enga-wrong-past-window")
    assert [reference.target for reference in found if ".component" in reference.field] == ["engb"]


def test_the_graph_carries_fields_and_places(tiny):
    made = graph(tiny.catalog)
    assert set(made.nodes) == set(tiny.catalog.records)
    assert made.nodes["enga"] == {"kind": "engine", "name": "EngA"}
    edges = [(data["field"], data["span"].line) for data in made.get_edge_data("enga-wrong-past-window", "enga").values()]
    assert edges == [("engine", 2), ("affects.all[0].engine", 7)]


@pytest.mark.parametrize(
    ("id", "rests"),
    [
        ("card-base", {"gotcha": ["enga-wrong-past-window"]}),
        (
            "window-paper",
            {
                "support": ["enga-1-1-0-offers"],
                "requirement": ["logit-softcap", "sliding-window", "windowing"],
                "gotcha": ["enga-wrong-past-window"],
            },
        ),
        ("tiny-at-8k", {}),
        ("plain-config", {"model": ["plain-model"]}),
    ],
)
def test_impact(tiny, id, rests):
    assert impact(tiny.catalog, id) == rests


def test_what_a_model_demands_carries_the_impact_and_prose_does_not(tiny):
    assert "model" not in impact(tiny.catalog, "sliding-window")
    found = impact(tiny.catalog, "sliding-window", [("tiny-model", "sliding-window")])
    assert (found["model"], found["measurement"]) == (["tiny-model"], ["tiny-at-8k"])
    assert impact(tiny.catalog, "tiny-model") == {"measurement": ["tiny-at-8k"]}


def test_the_newest_date_is_any_record_s(tiny, make):
    assert tiny.catalog.newest_date() == "2026-02-02"
    assert make({"citations/example.com/a.yaml": CITATION}).catalog.newest_date() == "2026-02-03"


def test_answering_does_not_import_networkx():
    code = "import sys, infercompat.cli, infercompat.join, infercompat.rules; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
