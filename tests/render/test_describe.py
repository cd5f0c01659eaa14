"""Sentences about pages: what they count, that they are plain, and no longer than what shows them takes."""

from __future__ import annotations

from infercompat.join import Matrix
from infercompat.records import KINDS
from infercompat.render.describe import MOST, describe


def test_a_model_says_where_it_runs(tiny):
    matrix = Matrix(tiny)
    assert describe(matrix, tiny.catalog.records["tiny-model"]).startswith("Tiny on 2 inference engines: yes on 1. ")


def test_a_gotcha_says_how_bad_and_where(tiny):
    found = describe(Matrix(tiny), tiny.catalog.records["enga-wrong-past-window"])
    assert found.startswith("Blocker on EngA, open: Wrong tokens past the window. ")


def test_links_in_a_summary_become_their_text(make):
    from catalogs import WINDOW, changed, text_of

    summary = next(line for line in text_of(WINDOW).splitlines() if line.startswith("summary:"))
    products = make(changed(WINDOW, (summary, 'summary: Like [[logit-softcap|capped]] "logits".')))
    assert describe(Matrix(products), products.catalog.records["sliding-window"]).endswith(": Like capped ”logits”.")


def test_every_page_of_a_record_has_a_short_plain_one(real_matrix):
    catalog = real_matrix.products.catalog
    found = [
        describe(real_matrix, record) for kind in KINDS for record in catalog.of_kind(kind) if kind in ("model", "engine", "gotcha", "requirement", "hardware")
    ]
    assert len(found) > 700
    assert [text for text in found if not 20 <= len(text) <= MOST or set('"<>\n') & set(text)] == []
