"""What changed between two versions of the catalog: answers, not lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import asdict

from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Matrix

CONTEXT = 32768
"""Tokens at which a model's cache is compared."""
COUNTED = ("model", "engine", "gotcha", "requirement", "hardware", "recipe", "measurement")
"""Kinds whose records are told when they come and go; citations and snapshots show in the answers that rest on them."""
REASON = 160
"""Characters of a reason that are kept."""


class Change(Struct, frozen=True):
    """One answer that differs. `about` is the record whose answer it is: a model for cells and caches, a gotcha for its status.

    `kind` is added, removed, verdict, grade, version, gotcha, cache, status, or severity; `before` and `after` are in words, empty where there
    is none: for a gotcha that a cell no longer meets, or meets now, its id. `why` is the reason of a verdict, with the release it is about.
    """

    kind: str
    about: str
    engine: str
    before: str
    after: str
    why: str = ""

    def __str__(self) -> str:
        place = f"{self.about} on {self.engine}" if self.engine else self.about
        if self.kind in ("added", "removed"):
            return f"{self.kind:<8} {place}"
        return f"{self.kind:<8} {place}: {self.before or 'none'} -> {self.after or 'none'}{f' ({self.why})' if self.why else ''}"


def changes(before: Matrix, after: Matrix) -> list[Change]:
    """Every answer that differs, in the order of the records."""
    return [*_records(before, after), *_cells(before, after), *_caches(before, after), *_statuses(before, after)]


def _records(before: Matrix, after: Matrix) -> Iterator[Change]:
    for kind in COUNTED:
        old, new = ({record.id for record in matrix.products.catalog.of_kind(kind)} for matrix in (before, after))
        for id in sorted(old ^ new):
            yield Change("added" if id in new else "removed", id, "", "", "")


def _cells(before: Matrix, after: Matrix) -> Iterator[Change]:
    for key in sorted(before.cells.keys() & after.cells.keys()):
        yield from _differences(before.cells[key], after.cells[key])


def _differences(old: Cell, new: Cell) -> Iterator[Change]:
    """A verdict that changed says all; else a grade's word, the version it is about, and the gotchas that left or arrived."""
    cell = (new.model.id, new.engine.id)
    if old.verdict != new.verdict:
        yield Change("verdict", *cell, old.verdict, new.verdict, f"{new.release.version}: {_reason(old, new)}")
        return
    words = [version.grade.word if version.grade else "" for version in (old, new)]
    if words[0] != words[1]:
        yield Change("grade", *cell, *words)
    if old.release.version != new.release.version:
        yield Change("version", *cell, old.release.version, new.release.version)
    met, meets = _gates(old), _gates(new)
    yield from (Change("gotcha", *cell, id, "") for id in sorted(met - meets))
    yield from (Change("gotcha", *cell, "", id) for id in sorted(meets - met))


def _reason(old: Cell, new: Cell) -> str:
    """Why the verdict is another one: where it is yes now, what stood in the way before."""
    return f"before, {old.reason[:REASON]}" if new.verdict == "yes" else new.reason[:REASON]


def _gates(cell: Cell) -> set[str]:
    return {gate.gotcha.id for gate in cell.gates}


def _caches(before: Matrix, after: Matrix) -> Iterator[Change]:
    for id in sorted(before.products.derived.keys() & after.products.derived.keys()):
        was, became = _cache(before.products.derived[id]), _cache(after.products.derived[id])
        if was != became:
            yield Change("cache", id, "", was, became)


def _cache(derived: Derived | Unknown) -> str:
    return "unknown" if isinstance(derived, Unknown) else f"{derived.cost().ideal_bytes(CONTEXT):,} bytes at {CONTEXT:,} tokens"


def _statuses(before: Matrix, after: Matrix) -> Iterator[Change]:
    old, new = ({gotcha.id: gotcha.data for gotcha in matrix.products.catalog.of_kind("gotcha")} for matrix in (before, after))
    for id in sorted(old.keys() & new.keys()):
        for field in ("status", "severity"):
            if old[id][field] != new[id][field]:
                yield Change(field, id, "", old[id][field], new[id][field])


def as_data(found: list[Change], names: tuple[str, str]) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "schema_version": 1,
        "before": names[0],
        "after": names[1],
        "changes": [asdict(change) | {"engine": change.engine or None} for change in found],
    }


def print_changes(found: list[Change], names: tuple[str, str]) -> None:
    """The same for people, as lines that fit a pull request, too."""
    if not found:
        click.echo(f"No answer differs between {names[0]} and {names[1]}")
        return
    click.echo(f"{len(found)} answer{'' if len(found) == 1 else 's'} differ{'s' if len(found) == 1 else ''} between {names[0]} and {names[1]}:")
    for change in found:
        click.echo(f"  {change}")
