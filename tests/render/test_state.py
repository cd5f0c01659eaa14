"""The state of the catalog: shares, ages and gaps, counted by hand on the small catalog."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from catalogs import ENGINE, OFFERS, changed
from infercompat.join import Matrix
from infercompat.render.state import ages, by_engine, by_family, counts, evidence, gaps, share, unopened


def test_shares_of_the_matrix(make):
    """Without the offers the model with a window is unknown on the engine, and the plain one is not."""
    matrix = Matrix(make({OFFERS: None}))
    whole = share("all", matrix.cells.values())
    assert whole.cells == len(matrix.cells) == 2 * len(matrix.engines)
    [enga] = [row for row in by_engine(matrix) if row.label.id == "enga"]
    assert (enga.cells, enga.verdicts["unknown"], enga.known) == (2, 1, 0.5)
    assert sum(row.cells for row in by_family(matrix)) == whole.cells
    assert by_family(matrix)[0].known <= by_family(matrix)[-1].known


def test_ages_are_counted_from_today():
    found = ages(["2026-11-29", "2026-10-29", "2026-10-28", "2026-05-30", "2025-11-28", "2025-11-27"], "2026-11-29")
    assert found == {"within a month": 2, "within three months": 1, "within half a year": 1, "within a year": 1, "older": 1}


def test_every_dated_record_has_an_age(tiny):
    found = evidence(Matrix(tiny))
    assert sum(found["Gotchas, since their threads were read"].values()) == counts(Matrix(tiny))["gotcha"]
    opened = sum(found["Sources, since somebody opened them"].values())
    assert opened + unopened(Matrix(tiny)) == counts(Matrix(tiny))["citation"]


def test_a_gap_names_the_model_and_the_form(make):
    [gap] = [gap for gap in gaps(Matrix(make({OFFERS: None}))) if gap.engine.id == "enga"]
    assert (gap.hop, [model.id for model in gap.models], gap.alone) == ("sliding-window", ["tiny-model"], 1)
    form = urlsplit(gap.form("https://example.com/acme"))
    assert form.path == "/acme/issues/new"
    assert parse_qs(form.query)["title"] == ["Observation: tiny-model on enga 1.1.0 (sliding-window)"]


def test_a_gap_has_the_steps_and_the_command(make):
    cited = "cites: [{id: enga-cache}]"
    serve = f'serve: {{argv: [enga, serve, "{{name}}.own"], prepare: [{{argv: [make-own, "{{checkpoint}}"], why: Once., {cited}}}], {cited}}}\n'
    files = {OFFERS: None, ENGINE: changed(ENGINE, ("scheme: pep440\n", f"scheme: pep440\n{serve}"))[ENGINE]}
    [gap] = [gap for gap in gaps(Matrix(make(files))) if gap.engine.id == "enga"]
    assert gap.commands == ["make-own acme/tiny-it", "enga serve tiny-it.own"]
    assert parse_qs(urlsplit(gap.form("https://example.com/acme")).query)["ran"] == ["make-own acme/tiny-it\nenga serve tiny-it.own"]


def test_nothing_is_asked_of_what_is_known(tiny):
    assert [gap for gap in gaps(Matrix(tiny)) if gap.engine.id == "enga"] == []
