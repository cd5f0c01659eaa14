"""The state of the catalog: shares, ages and gaps, counted by hand on the small catalog."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from catalogs import ENGINE, MODEL, OFFERS, changed
from infercompat.join import Matrix
from infercompat.render.state import ages, by_engine, by_family, counts, evidence, gaps, known_by_downloads, share, unopened


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
    assert (gap.hop, [model.id for model in gap.models], [model.id for model in gap.alone]) == ("sliding-window", ["tiny-model"], ["tiny-model"])
    assert gap.downloads == 0
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


def with_downloads(name: str, count: int) -> dict[str, str]:
    return changed(name, ("checkpoints:\n", f"downloads: {{count: {count}, cites: [{{id: enga-cache}}]}}\ncheckpoints:\n"))


def test_what_decides_models_with_more_downloads_is_asked_first(make):
    """Without its offers enga waits for the window of one model; engb waits for every architecture, and for that window as well."""
    plain = "models/acme/plain-model.yaml"
    few, many = with_downloads(plain, 40) | with_downloads(MODEL, 2), with_downloads(plain, 7) | with_downloads(MODEL, 30)
    found = [[(gap.engine.id, gap.hop, gap.downloads) for gap in gaps(Matrix(make({OFFERS: None} | files)))] for files in (few, many)]
    assert found[0] == [("engb", "architecture", 40), ("enga", "sliding-window", 2), ("engb", "sliding-window", 0)]
    assert found[1] == [("enga", "sliding-window", 30), ("engb", "architecture", 7), ("engb", "sliding-window", 0)]


def test_a_gap_lists_the_models_with_the_most_downloads_first(make):
    [gap] = [gap for gap in gaps(Matrix(make(with_downloads(MODEL, 30)))) if gap.hop == "architecture"]
    assert [model.id for model in gap.models] == ["tiny-model", "plain-model"]


def test_the_share_by_downloads(make):
    """On enga both are known and on engb none is; a model on no list does not count, and without any there is no share."""
    assert known_by_downloads(Matrix(make({}))) == 0
    assert known_by_downloads(Matrix(make(with_downloads(MODEL, 30)))) == 0.5
    plain = with_downloads("models/acme/plain-model.yaml", 90)
    assert known_by_downloads(Matrix(make({OFFERS: None} | with_downloads(MODEL, 30) | plain))) == 90 / 240


def test_nothing_is_asked_of_what_is_known(tiny):
    assert [gap for gap in gaps(Matrix(tiny)) if gap.engine.id == "enga"] == []
