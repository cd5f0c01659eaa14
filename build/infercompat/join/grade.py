"""Grades are earned: worked out from the evidence that decides, and never typed by anybody."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from msgspec import Struct

from infercompat.join.claims import Source
from infercompat.join.hops import Hop
from infercompat.link import Catalog

HIGH, MEDIUM = 0.8, 0.6


class Grade(Struct, frozen=True):
    """How well an answer is founded: contested, stale, verified or unverified, and a confidence between 0 and 1."""

    word: str
    confidence: float

    @property
    def level(self) -> str:
        return "high" if self.confidence >= HIGH else "medium" if self.confidence >= MEDIUM else "low"

    def __str__(self) -> str:
        return f"{self.word}, {self.level} · {self.confidence:.2f}"


def days_between(earlier: str, later: str) -> int:
    """Days from one ISO date to another."""
    return (datetime.date.fromisoformat(later) - datetime.date.fromisoformat(earlier)).days


def confidence_of(hop: Hop, catalog: Catalog, today: str) -> float:
    """The confidence in one hop, from its best source: what its type is worth, less for what was carried, old or unopened.

    Code at a tag that somebody opened stands at 0.95; the weights are in the vocabulary.
    """
    penalties = catalog.vocabulary["confidence-penalty"]
    if not hop.sources:
        return 0.0
    value, best = max(((_worth(source, catalog, today), source) for source in hop.sources), key=lambda pair: pair[0])
    if len({source.id for source in hop.sources}) > 1:
        value += penalties["independent"] * (1 - value)
    if hop.how not in ("exact", "same-minor"):
        value -= penalties["carried"]
    if hop.contested:
        value -= penalties["contested"]
    if hop.basis:
        value = min(value, catalog.vocabulary["basis-confidence"][hop.basis])
    if not best.pinned or best.opened is None:
        value = min(value, HIGH)
    return max(0.05, round(value, 3))


def _worth(source: Source, catalog: Catalog, today: str) -> float:
    weights = catalog.vocabulary["source-confidence"]
    value = weights.get(source.type, 0.3)
    if source.opened is None:
        return min(value, weights["unopened"])
    old = days_between(source.opened, today) > catalog.vocabulary["thresholds"]["stale_days"]
    return value - catalog.vocabulary["confidence-penalty"]["old"] if old else value


def grade(hops: Sequence[Hop], catalog: Catalog, today: str) -> Grade:
    """The grade of an answer that these hops decide: as weak as the weakest of them."""
    confidence = min((confidence_of(hop, catalog, today) for hop in hops), default=0.0)
    if any(hop.contested for hop in hops):
        word = "contested"
    elif any(hop.stale or _old(hop, catalog, today) for hop in hops):
        word = "stale"
    elif hops and all(_verified(hop) for hop in hops):
        word = "verified"
    else:
        word = "unverified"
    return Grade(word, confidence)


def _old(hop: Hop, catalog: Catalog, today: str) -> bool:
    opened = [source.opened for source in hop.sources if source.opened]
    return bool(opened) and days_between(max(opened), today) > catalog.vocabulary["thresholds"]["stale_days"]


def _verified(hop: Hop) -> bool:
    at_pin = any(source.type in ("code", "config") and source.pinned and source.opened for source in hop.sources)
    return at_pin or len({source.id for source in hop.sources if source.opened}) > 1
