"""Grades: worked out from evidence by hand. Code opened at a pin is worth 0.95, documentation 0.7, what nobody opened 0.3."""

from __future__ import annotations

import pytest

from catalogs import TODAY
from infercompat.join import Grade, Hop, Source
from infercompat.join.claims import Statement
from infercompat.join.grade import confidence_of, days_between, grade

CODE = Source("code", "L1", 5, "code", pinned=True, opened="2026-02-02")
OLD_CODE = Source("old", "L1", 5, "code", pinned=True, opened="2025-08-01")
UNOPENED = Source("unopened", "L1", 5, "code", pinned=True, opened=None)
BRANCH = Source("branch", "L1", 5, "code", pinned=False, opened="2026-02-02")
DOCS = Source("docs", "", 3, "documentation", pinned=False, opened="2026-02-02")
MORE_DOCS = Source("more-docs", "", 3, "documentation", pinned=False, opened="2026-02-02")
CONFIG = Source("config", "", 3, "config", pinned=True, opened="2026-02-02")
ARTICLE = Source("article", "", 1, "article", pinned=False, opened=None)
OPPOSITE = (Statement(None, "unsupported", DOCS),)


def hop(*sources: Source, **more) -> Hop:
    return Hop("architecture", "holds", "It holds.", sources=sources, **more)


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        (hop(CODE), 0.95),
        (hop(DOCS), 0.7),
        (hop(BRANCH), 0.8),
        (hop(UNOPENED), 0.3),
        (hop(OLD_CODE), 0.8),
        (hop(CODE, DOCS), 0.97),
        (hop(DOCS, CODE), 0.97),
        (hop(DOCS, MORE_DOCS), 0.8),
        (hop(CODE, CODE), 0.95),
        (hop(OLD_CODE, CODE), 0.97),
        (hop(UNOPENED, DOCS), 0.8),
        (hop(CODE, how="carried"), 0.85),
        (hop(CODE, how="interpolated"), 0.85),
        (hop(CODE, how="same-minor"), 0.95),
        (hop(CODE, against=OPPOSITE), 0.75),
        (hop(OLD_CODE, how="carried", against=OPPOSITE), 0.5),
        (hop(CONFIG, basis="official"), 0.95),
        (hop(CONFIG, basis="mirror"), 0.9),
        (hop(CONFIG, basis="class-default"), 0.2),
        (hop(ARTICLE, how="carried", against=OPPOSITE), 0.05),
        (hop(), 0),
    ],
)
def test_confidence(tiny, given, confidence):
    assert confidence_of(given, tiny.catalog, TODAY) == pytest.approx(confidence)


@pytest.mark.parametrize(
    ("hops", "word", "confidence"),
    [
        ([hop(CODE), hop(CODE)], "verified", 0.95),
        ([hop(CODE), hop(DOCS)], "unverified", 0.7),
        ([hop(DOCS, MORE_DOCS)], "verified", 0.8),
        ([hop(DOCS, ARTICLE)], "unverified", 0.8),
        ([hop(CODE), hop(CONFIG)], "verified", 0.95),
        ([hop(UNOPENED)], "unverified", 0.3),
        ([hop(CODE), hop(OLD_CODE)], "stale", 0.8),
        ([hop(OLD_CODE, CODE)], "verified", 0.97),
        ([hop(CODE, stale=True, how="carried")], "stale", 0.85),
        ([hop(OLD_CODE), hop(CODE, against=OPPOSITE)], "contested", 0.75),
        ([], "unverified", 0),
    ],
)
def test_an_answer_is_as_weak_as_its_weakest_hop(tiny, hops, word, confidence):
    found = grade(hops, tiny.catalog, TODAY)
    assert (found.word, found.confidence) == (word, pytest.approx(confidence))


@pytest.mark.parametrize(("opened", "word"), [("2025-09-02", "verified"), ("2025-09-01", "stale")])
def test_evidence_is_stale_after_180_days(tiny, opened, word):
    source = Source("code", "L1", 5, "code", pinned=True, opened=opened)
    assert grade([hop(source)], tiny.catalog, TODAY).word == word


@pytest.mark.parametrize(
    ("confidence", "text"),
    [
        (0.95, "verified, high · 0.95"),
        (0.8, "verified, high · 0.80"),
        (0.799, "verified, medium · 0.80"),
        (0.6, "verified, medium · 0.60"),
        (0.3, "verified, low · 0.30"),
    ],
)
def test_a_grade_in_words(confidence, text):
    assert str(Grade("verified", confidence)) == text


@pytest.mark.parametrize(("earlier", "later", "days"), [("2026-01-01", "2026-03-01", 59), ("2026-03-01", "2026-02-28", -1), ("2024-02-28", "2024-03-01", 2)])
def test_days_between(earlier, later, days):
    assert days_between(earlier, later) == days
