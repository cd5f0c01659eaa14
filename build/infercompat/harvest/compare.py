"""What upstream's claims would change: the claims of a snapshot, and with them cells of the matrix and answers at the version."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from infercompat.harvest.base import Claim, Harvester, Subject, Tree, overlaps, subject
from infercompat.harvest.newrelease import listed, with_release
from infercompat.harvest.snapshot import citation_id, slug, snapshot_id
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
    return in_record(harvester.claims(tree)) + harvester.extra(tree)


def in_record(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """Claims in the shape of a record's."""
    return [{"about": dict(item.about), "holds": item.holds} | dict(item.fields) | {"at": item.at, "sha256": item.sha256} for item in claims]


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


def updated(products: Products, harvester: Harvester, snapshot: Record, version: str, claims: list[dict[str, Any]]) -> Products:
    """The catalog as if upstream's claims stood in it: in the snapshot's place at its version, beside it, under its own name, at another one."""
    people = [claim for claim in snapshot.data["claims"] if "by_hand" in claim or "cites" in claim]
    merged = [claim for claim in claims if not any(overlaps(subject(claim), subject(hers)) for hers in people)] + people
    data, records = snapshot.data | {"version": version, "claims": merged}, dict(products.catalog.records)
    id = snapshot.id
    if snapshot.data["version"] != version:
        id, tag, source = snapshot_id(harvester, version), harvester.tag.format(version=version), citation_id(harvester, version)
        title = harvester.title.format(version=version)
        url = harvester.url.format(tag=tag, version=version)
        first = products.catalog.follow(snapshot.data["cites"][0]["id"])
        document = first.document if first else snapshot.document
        fields = {"title": title, "url": url, "type": harvester.type, "publisher": urlsplit(url).hostname, "retrieved": products.today, "pin": tag}
        records[source] = Record(source, "citation", fields, document)
        data |= {"title": title, "cites": [{"id": source}], "read_on": products.today}
    records[id] = Record(id, snapshot.kind, data, snapshot.document)
    return _with(products, records)


def released(products: Products, engine: str, version: str, date: str) -> Products:
    """The catalog as if an engine's record listed a release."""
    record = products.catalog.records[engine]
    if listed(record, version):
        return products
    return _with(products, products.catalog.records | {engine: with_release(record, version, date)})


def _with(products: Products, records: dict[str, Record]) -> Products:
    changed = replace(products, catalog=replace(products.catalog, records=records, memo={}))
    changed.__dict__["derived"] = products.derived  # what models ask for does not depend on what engines support
    return changed


def moved(products: Products, after: Products, engine: str, version: str, same: Products | None = None) -> Iterator[Moved]:
    """Cells of an engine's newest release that change, and answers at the version harvested where that is another one.

    A release that is news is compared with the newest one before it. With the catalog as if its sources said the `same` as before,
    answers that turn out otherwise there, too, are told as aged: what else was read of the older release does not speak of the new one.
    """
    record, later = products.catalog.records[engine], after.catalog.records[engine]
    newest = newest_release(record)
    ledgers = Ledger(products.catalog), Ledger(after.catalog)
    unchanged = Ledger(same.catalog) if same else None
    titles = sorted({s.name for side in (products, after) for s in side.catalog.of_kind("support") if s.engine == engine}, key=len, reverse=True)
    for surface, old, new in _asked(record, later, version, newest):
        for model in products.catalog.of_kind("model"):
            cells = join_cell(products, ledgers[0], model, record, old), join_cell(after, ledgers[1], model, later, new)
            if (told := _told(*cells, titles)) is not None:
                aged = same is not None and _told(join_cell(same, unchanged, model, same.catalog.records[engine], new), cells[1], titles) is None
                yield Moved("aged" if aged else surface, model.id, engine, new.version, *told)


def _asked(record: Record, later: Record, version: str, newest: Release) -> Iterator[tuple[str, Release, Release]]:
    """What is asked before and after: a surface, and the release on either side."""
    if listed(record, version):
        yield "cell", newest, newest
        if version != newest.version:
            at = next(_release(entry) for entry in record.data["releases"] if entry["version"] == version)
            yield "answer", at, at
        return
    order = [entry["version"] for entry in later.data["releases"]]
    at = order.index(version)
    if at:
        yield "cell", newest, newest
    entries = {entry["version"]: entry for entry in later.data["releases"]}
    before = order[at + 1] if at + 1 < len(order) else version
    yield "answer", _release(entries[before]), _release(entries[version])


def _release(entry: dict[str, Any]) -> Release:
    return Release(entry["version"], entry["date"])


def about_what_moves(found: Difference, models: list[Record]) -> int:
    """How near a claim is to the answers that move, nearest first: it names a class or type of their models, no model at all, or others."""
    about = dict(found.subject[0])
    named = [about[key] for key in ("architecture", "model_type") if key in about]
    if not named:
        return 1
    return 0 if any(name in (model.data["architecture"], model.data["config"]["values"].get("model_type")) for model in models for name in named) else 2


def _told(old: Cell, new: Cell, titles: list[str]) -> tuple[str, str] | None:
    """Two cells in words, or None where they say the same. How that was found out, how long ago and at which version, is not compared."""
    if old.verdict == new.verdict and _plain(old, titles) == _plain(new, titles):
        return None
    return tuple(f"{cell.verdict}{f', {cell.grade.word}' if cell.grade else ''} ({cell.reason})" for cell in (old, new))


def _plain(cell: Cell, titles: list[str]) -> str:
    """A reason without the sources and the version that it speaks of."""
    reason = cell.reason
    for word in (*titles, cell.release.version, slug(cell.release.version)):
        reason = reason.replace(word, "")
    return reason
