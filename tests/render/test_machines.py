"""What runs on a class of hardware, its relatives, and near misses: what is known there and not here."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, GOTCHA, changed
from infercompat.render import machines

BACKENDS = """attention_backends:
  - {name: FAST, classes: [sm90, sm100], cite_list}
  - {name: SLOW, classes: [cuda], cite_list}
""".replace("cite_list", "kinds: [full], cites: [{id: enga-registry}]")
LIST = "hardware: {scope: list, seen_on: [card-base]}"


@pytest.fixture
def catalog(make):
    """EngA with a backend for some classes and one for all of the platform."""
    products = make(changed(ENGINE, ("releases:\n", BACKENDS + "releases:\n")))
    assert products.diagnostics == []
    return products.catalog


def test_backends_of_a_class_and_of_its_whole_platform(catalog):
    engine = catalog.records["enga"]
    assert [backend["name"] for backend in machines.backends(engine, "sm100")] == ["FAST", "SLOW"]
    assert [backend["name"] for backend in machines.backends(engine, "sm120")] == ["SLOW"]
    assert machines.backends(engine, "gfx942") == []
    assert machines.backends_by_class(catalog, engine)["FAST", "SLOW"] == ["sm90", "sm100"]


def test_relatives_are_neighbours_and_those_of_one_generation(real):
    """sm100, sm103 and sm120 are all Blackwell by name; sm90 and sm110 stand beside them."""
    assert machines.relatives(real.catalog, "sm100") == ["sm90", "sm103", "sm120"]
    assert machines.relatives(real.catalog, "sm120") == ["sm100", "sm103", "sm110", "sm121"]
    assert machines.relatives(real.catalog, "gfx942") == ["gfx90a", "gfx950"]
    assert machines.relatives(real.catalog, "tpu") == []


def test_a_backend_that_only_a_relative_has_is_a_near_miss(catalog):
    [(engine, missed)] = machines.only_on_relatives(catalog, "sm103") or [(None, {})]
    assert (engine.id, missed.keys()) == ("enga", {"FAST"})
    assert machines.only_on_relatives(catalog, "sm100") == []


def test_an_engine_runs_where_its_documents_name_the_platform(catalog):
    assert [(engine.id, names) for engine, names in machines.runs_here(catalog, "sm120")] == [("enga", ["SLOW"])]
    assert machines.runs_here(catalog, "tpu") == []


def test_an_engine_whose_build_has_no_code_for_a_class_does_not_run_there(make):
    builds = 'builds:\n  - {platform: cuda, seen_at: ["1.1.0"], classes: [sm90], cites: [{id: enga-registry}]}\n'
    catalog = make(changed(ENGINE, ("releases:\n", builds + "releases:\n"))).catalog
    assert machines.runs_here(catalog, "sm120") == []
    assert [(engine.id, build["classes"]) for engine, build in machines.without_code(catalog, "sm120")] == [("enga", ["sm90"])]
    assert [engine.id for engine, _ in machines.runs_here(catalog, "sm90")] == ["enga"]
    assert machines.without_code(catalog, "gfx942") == []


def product(catalog, hardware_class: str):
    """The tiny catalog's product as if it were of another class, and another id."""
    card = catalog.records["card-base"]
    return type(card)("other-card", "hardware", card.data | {"class": hardware_class}, card.document)


def test_a_gotcha_seen_on_a_relative_is_near_and_not_here(make):
    catalog = make(changed(GOTCHA, (LIST, "hardware: {scope: list, seen_on: [sm100]}"))).catalog
    assert [gotcha.id for gotcha in machines.gotchas_here(catalog, product(catalog, "sm100"))] == ["enga-wrong-past-window"]
    other = product(catalog, "sm103")
    assert machines.gotchas_here(catalog, other) == []
    assert {word: [gotcha.id for gotcha in found] for word, found in machines.near_misses(catalog, other).items()} == {"sm100": ["enga-wrong-past-window"]}


def test_where_it_was_looked_for_in_vain_it_is_neither(make):
    catalog = make(changed(GOTCHA, (LIST, "hardware: {scope: list, seen_on: [sm100], clean_on: [sm103]}"))).catalog
    other = product(catalog, "sm103")
    assert machines.near_misses(catalog, other) == {}
    assert [gotcha.id for gotcha in machines.clean_here(catalog, other)] == ["enga-wrong-past-window"]
    touched = machines.touched_classes(catalog, catalog.records["enga-wrong-past-window"])
    assert "sm100" in touched and "sm120" in touched
    assert not {"sm103", "gfx942"} & set(touched)


def test_a_gotcha_seen_on_a_product_touches_classes_of_its_maker(tiny):
    """The card is of sm100; other makers' kernels are others."""
    touched = machines.touched_classes(tiny.catalog, tiny.catalog.records["enga-wrong-past-window"])
    assert {"sm100", "sm120"} <= set(touched)
    assert not {"gfx942", "apple-gpu"} & set(touched)


def test_a_gotcha_of_any_hardware_touches_all(make):
    catalog = make(changed(GOTCHA, (LIST, "hardware: {scope: any}"))).catalog
    assert machines.touched_classes(catalog, catalog.records["enga-wrong-past-window"]) == ["*"]
    assert machines.gotchas_here(catalog, product(catalog, "sm100")) == []


def test_a_gotcha_of_any_hardware_is_no_near_miss_wherever_it_was_seen(make):
    catalog = make(changed(GOTCHA, (LIST, "hardware: {scope: any, seen_on: [sm100]}"))).catalog
    assert machines.near_misses(catalog, product(catalog, "sm103")) == {}
    assert [gotcha.id for gotcha in machines.gotchas_here(catalog, product(catalog, "sm100"))] == ["enga-wrong-past-window"]
