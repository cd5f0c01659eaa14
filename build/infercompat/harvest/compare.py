"""What upstream's claims would change: the claims of a snapshot, and with them cells of the matrix and answers at the version."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.harvest.base import Harvester, Subject, Tree, overlaps, subject
from infercompat.join import Cell, Ledger, join_cell
from infercompat.join.claims import condition_words
from infercompat.join.hops import Release, newest_release
from infercompat.products import Products
from infercompat.records import Record


class Difference(Struct, frozen=True):
    """One claim that upstream has and the snapshot lacks, or the other way round, or that holds something else."""

    change: str
    subject: Subject
    before: str
    after: str

    def __str__(self) -> str:
        words = ", ".join(value for _, value in self.subject[0])
        if self.subject[1]:
            words += f", if {condition_words({'when': json.loads(self.subject[1])})}"
        said = f"{self.before} -> {self.after}" if self.change == "changed" else self.before or self.after
        return f"{self.change:<8} {words}: {said}"


class Moved(Struct, frozen=True):
    """One answer that turns out otherwise: a cell of the matrix, or the answer at the version that was harvested."""

    surface: str
    model: str
    engine: str
    version: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.surface:<8} {self.model} on {self.engine} {self.version}: {self.before} -> {self.after}"


def read_claims(harvester: Harvester, tree: Tree) -> list[dict[str, Any]]:
    """A tree's claims in the shape of a record's."""
    claims = [{"about": dict(item.about), "holds": item.holds} | dict(item.fields) | {"at": item.at, "sha256": item.sha256} for item in harvester.claims(tree)]
    return claims + harvester.extra(tree)


def differences(snapshot: Record, claims: list[dict[str, Any]]) -> list[Difference]:
    """How upstream's claims differ from a snapshot, in order of what is told.

    Claims marked `by_hand`, with a source of their own, with a condition on one architecture that the harvester has on none, or about
    more than it reads are people's: what they are about is left alone.
    """
    fields, conditions = {tuple(claim["about"]) for claim in claims}, {_subject(claim)[1] for claim in claims}
    people = {
        _subject(claim)
        for claim in snapshot.data["claims"]
        if "by_hand" in claim or "cites" in claim or tuple(claim["about"]) not in fields or _subject(claim)[1] not in conditions | {""}
    }
    ours, upstream = _said(snapshot.data["claims"]), _said(claims)
    found = []
    for about in dict.fromkeys((*upstream, *ours)):
        before, after = ours.get(about, ""), upstream.get(about, "")
        if before != after and not any(overlaps(about, hers) for hers in people):
            found.append(Difference("changed" if before and after else "removed" if before else "added", about, before, after))
    return sorted(found, key=str)


def _subject(claim: dict[str, Any]) -> Subject:
    """A claim's subject; what a whole registry falls back on is one whatever its condition."""
    about, when = subject(claim)
    return about, "" if "*" in claim["about"].values() else when


def _said(claims: Iterable[dict[str, Any]]) -> dict[Subject, str]:
    """What is said of each subject: its status, with the printed word beside it where there is one."""
    words: dict[Subject, list[str]] = defaultdict(list)
    for claim in claims:
        more = claim.get("value", claim.get("loads_as", claim.get("last_version")))
        words[_subject(claim)].append(claim["holds"] if more is None else f"{claim['holds']} ({more})")
    return {about: " and ".join(sorted(set(found))) for about, found in words.items()}


def updated(products: Products, snapshot: Record, version: str, claims: list[dict[str, Any]]) -> Products:
    """The catalog as if upstream's claims stood in it: in the snapshot's place at its version, beside it at another one."""
    people = [claim for claim in snapshot.data["claims"] if "by_hand" in claim or "cites" in claim]
    merged = [claim for claim in claims if not any(overlaps(subject(claim), subject(hers)) for hers in people)] + people
    same = snapshot.data["version"] == version
    id = snapshot.id if same else f"{snapshot.id}-upstream"
    record = Record(id, snapshot.kind, snapshot.data | {"version": version, "claims": merged}, snapshot.document)
    catalog = replace(products.catalog, records=products.catalog.records | {record.id: record}, memo={})
    changed = replace(products, catalog=catalog)
    changed.__dict__["derived"] = products.derived  # what models ask for does not depend on what engines support
    return changed


def moved(products: Products, after: Products, engine: str, version: str) -> Iterator[Moved]:
    """Cells of an engine's newest release that change, and answers at the version harvested where that is another one."""
    record = products.catalog.records[engine]
    newest = newest_release(record)
    asked = [("cell", newest)]
    if version != newest.version:
        dates = {entry["version"]: entry["date"] for entry in record.data["releases"]}
        asked.append(("answer", Release(version, dates.get(version, products.today))))
    ledgers = Ledger(products.catalog), Ledger(after.catalog)
    for surface, release in asked:
        for model in products.catalog.of_kind("model"):
            old, new = (join_cell(side, ledger, model, record, release) for side, ledger in zip((products, after), ledgers, strict=True))
            if (told := _told(old, new)) is not None:
                yield Moved(surface, model.id, engine, release.version, *told)


def _told(old: Cell, new: Cell) -> tuple[str, str] | None:
    """Two cells in words, or None where they say the same. How they were found out is not compared."""
    if (old.verdict, old.reason, old.grade and old.grade.word) == (new.verdict, new.reason, new.grade and new.grade.word):
        return None
    return tuple(f"{cell.verdict}{f', {cell.grade.word}' if cell.grade else ''} ({cell.reason})" for cell in (old, new))
