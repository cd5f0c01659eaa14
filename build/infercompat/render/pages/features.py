"""Features by engine: what each serves besides the model itself, with the source of every word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from infercompat.join import Matrix, Statement
from infercompat.join.claims import NEGATIVE, POSITIVE, condition_words
from infercompat.join.features import FEATURE, FEATURES, Feature
from infercompat.join.paths import parts
from infercompat.join.phrases import says
from infercompat.records import Record
from infercompat.render.page import WIDE, Page


class Row(Struct, frozen=True):
    """Claims on a feature that say the same as a row: on which hardware and under which condition it holds, and in whose words."""

    statement: Statement
    where: tuple[str, ...]
    condition: str
    finding: str


class Spoken(Struct, frozen=True):
    """What is on record of one feature of one engine: the verdict in general, claims of any model, and how many classes have what status."""

    engine: Record
    verdict: str
    version: str | None
    rows: tuple[Row, ...]
    classes: dict[str, int]
    setting: dict[str, Any] | None


def feature_pages(matrix: Matrix) -> Iterator[Page]:
    """The table of all features by engine, and a page for each feature."""
    ledger = matrix.ledger
    engines = [path for engine in matrix.engines for path in ([engine] if ledger.snapshots(engine.id) else parts(ledger.catalog, engine))]
    found = {id: [_spoken(matrix, engine, feature) for engine in engines] for id, feature in FEATURES.items()}
    yield Page("reference/features/", "Features by engine", "index/features.md.j2", {"features": FEATURES, "found": found, "engines": engines}, hide=WIDE)
    for id, feature in FEATURES.items():
        title = feature.name[0].upper() + feature.name[1:]
        yield Page(f"reference/features/{id}/", f"{title} by engine", "feature.md.j2", {"feature": feature, "found": found[id]}, hide=WIDE)


def _spoken(matrix: Matrix, engine: Record, feature: Feature) -> Spoken:
    ledger, offer = matrix.ledger, FEATURE + feature.id
    statements = [
        Statement(snapshot, claim["holds"], ledger.source(snapshot, claim), claim)
        for snapshot in ledger.snapshots(engine.id)
        for claim in ledger.offer(snapshot, offer)
    ]
    order = [entry["version"] for entry in engine.data["releases"]]
    versions = sorted({one.version for one in statements if one.version in order}, key=order.index)
    newest = [one for one in statements if one.version == versions[0]] if versions else []
    general = [one for one in newest if not _names_class(one)]
    classes = Counter(one.status for one in newest if _names_class(one))
    setting = (engine.data.get("settings") or {}).get(feature.fact)
    return Spoken(engine, _verdict(general, setting), versions[0] if versions else None, tuple(_rows(general)), dict(classes.most_common()), setting)


def _names_class(statement: Statement) -> bool:
    return any(statement.claim["about"].get(key, "*") != "*" for key in ("architecture", "model_type"))


def _rows(statements: list[Statement]) -> Iterator[Row]:
    """Claims that differ by hardware alone are one row; those of any hardware come first."""
    same: dict[tuple[str, ...], list[Statement]] = {}
    for one in statements:
        condition = condition_words(one.claim) if "when" in one.claim else ""
        finding = one.claim.get("lacks") or one.claim.get("note") or says(one.status, one)
        same.setdefault((condition, one.status, finding, one.source.id, one.source.at), []).append(one)
    rows = [Row(group[0], tuple(sorted(one.claim["about"].get("platform", "") for one in group)), key[0], key[2]) for key, group in same.items()]
    yield from sorted(rows, key=lambda row: (row.where, row.condition))


def _verdict(general: list[Statement], setting: dict[str, Any] | None) -> str:
    """Yes or no where that holds anywhere and always; only-with where a place, a condition or a lack decides; unknown where nothing is on record."""
    statuses = {one.status for one in general if "platform" not in one.claim["about"] and "when" not in one.claim}
    if not general:
        return "only-with" if setting else "unknown"
    if statuses and statuses <= POSITIVE - {"partial", "known-issues"}:
        return "yes"
    if statuses and statuses <= NEGATIVE and all(one.status in NEGATIVE for one in general):
        return "no"
    return "only-with" if any(one.status in POSITIVE for one in general) else "no" if any(one.status in NEGATIVE for one in general) else "unknown"
