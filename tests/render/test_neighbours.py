"""The neighbourhood of a record: who is around, each once, and a drawing whose links and words are all there."""

from __future__ import annotations

import re

from infercompat.render.neighbours import LETTERS, MOST, Neighbours, drawing, neighbours


def ids(groups) -> dict[str, list[str]]:
    return {kind: [other.id for other, _ in entries] for kind, entries in groups.items()}


def href(record) -> str:
    return f"to/{record.id}/"


def test_who_refers_to_an_engine_each_once(tiny):
    found = neighbours(tiny.catalog, tiny.catalog.records["enga"])
    assert {kind: [(other.id, field) for other, field in entries] for kind, entries in found.before.items()} == {
        "support": [("enga-1-1-0-offers", "engine"), ("enga-1-1-0-registry", "engine")],
        "gotcha": [("enga-wrong-past-window", "engine")],
    }


def test_what_a_model_refers_to_and_who_to_it(tiny):
    """Its notes name the page on windows, its config cites a file; that page names it in turn, and one figure is about it."""
    found = neighbours(tiny.catalog, tiny.catalog.records["tiny-model"])
    assert ids(found.after) == {"requirement": ["windowing"], "citation": ["tiny-config"]}
    assert ids(found.before) == {"requirement": ["windowing"], "measurement": ["tiny-at-8k"]}


def test_the_drawing_has_the_record_its_neighbours_as_links_and_a_label(tiny):
    record = tiny.catalog.records["tiny-model"]
    svg = str(drawing(record, neighbours(tiny.catalog, record), href))
    assert re.findall(r'<a href="([^"]+)">', svg) == ["to/windowing/", "to/tiny-at-8k/", "to/windowing/", "to/tiny-config/"]
    label = "Neighbourhood of Tiny: referred to by 1 requirement, 1 measurement; refers to 1 requirement, 1 source"
    assert f'role="group" aria-label="{label}"' in svg
    assert ">Tiny</text>" in svg
    assert svg.count("<path ") == 4


def test_many_of_a_kind_are_capped_with_what_is_left(tiny):
    record, others = tiny.catalog.records["tiny-model"], tiny.catalog.of_kind("citation")
    assert len(others) >= MOST + 2
    entries = [(other, "cites") for other in others]
    svg = str(drawing(record, Neighbours({}, {"citation": entries}), href))
    assert svg.count('<a href="to/') == MOST
    assert f'<a href="#refers-to"><rect x="404" y="120" width="236" height="24"/><text x="416" y="136">and {len(others) - MOST} more sources</text>' in svg
    assert f"referred to by nothing; refers to {len(others)} sources" in svg


def test_one_more_than_fits_is_drawn_rather_than_counted(tiny):
    record, others = tiny.catalog.records["tiny-model"], tiny.catalog.of_kind("citation")[: MOST + 1]
    svg = str(drawing(record, Neighbours({"citation": [(other, "cites") for other in others]}, {}), href))
    assert svg.count('<a href="to/') == MOST + 1
    assert "more" not in svg


def test_a_long_name_is_cut_and_kept_whole_in_its_title_and_markup_stays_text(tiny, make):
    from catalogs import changed

    name = "<b>" + "x" * LETTERS
    catalog = make(changed("requirements/windowing.yaml", ("name: Windowing", f'name: "{name}"'))).catalog
    record = catalog.records["tiny-model"]
    svg = str(drawing(record, neighbours(catalog, record), href))
    assert f"<title>&lt;b&gt;{'x' * LETTERS}</title>" in svg
    assert f">&lt;b&gt;{'x' * (LETTERS - 4)}…</text>" in svg
    assert "<b>" not in svg


def test_a_record_alone_has_no_drawing(tiny):
    assert drawing(tiny.catalog.records["tiny-model"], Neighbours({}, {}), href) == ""
