"""What changed between two versions of the catalog: answers, not lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Matrix

CONTEXT = 32768
"""Tokens at which a model's cache is compared."""


@dataclass(frozen=True)
class Change:
    """One answer that differs. `about` is the record whose answer it is: a model for cells and caches, a gotcha for its status.

    `kind` is added, removed, verdict, grade, version, gotchas, cache, or status; `before` and `after` are in words, empty where there is none.
    """

    kind: str
    about: str
    engine: str
    before: str
    after: str

    def __str__(self) -> str:
        place = f"{self.about} on {self.engine}" if self.engine else self.about
        if self.kind in ("added", "removed"):
            return f"{self.kind:<8} {place}"
        return f"{self.kind:<8} {place}: {self.before or 'none'} -> {self.after or 'none'}"


def changes(before: Matrix, after: Matrix) -> list[Change]:
    """Every answer that differs, in the order of the records."""
    return [*_records(before, after), *_cells(before, after), *_caches(before, after), *_statuses(before, after)]


def _records(before: Matrix, after: Matrix) -> Iterator[Change]:
    for kind in ("model", "engine", "gotcha", "requirement", "hardware"):
        old, new = ({record.id for record in matrix.products.catalog.of_kind(kind)} for matrix in (before, after))
        for id in sorted(old ^ new):
            yield Change("added" if id in new else "removed", id, "", "", "")


def _cells(before: Matrix, after: Matrix) -> Iterator[Change]:
    for key in sorted(before.cells.keys() & after.cells.keys()):
        old, new = before.cells[key], after.cells[key]
        for kind, was, became in _differences(old, new):
            yield Change(kind, key[0], key[1], was, became)


def _differences(old: Cell, new: Cell) -> Iterator[tuple[str, str, str]]:
    """A verdict that changed says all; else a grade's word, the version it is about, and the gotchas that left or arrived."""
    if old.verdict != new.verdict:
        yield "verdict", _verdict(old), _verdict(new)
        return
    words = [cell.grade.word if cell.grade else "" for cell in (old, new)]
    if words[0] != words[1]:
        yield "grade", words[0], words[1]
    if old.release.version != new.release.version:
        yield "version", old.release.version, new.release.version
    left, arrived = _gates(old) - _gates(new), _gates(new) - _gates(old)
    if left or arrived:
        yield "gotchas", ", ".join(f"{id} leaves" for id in sorted(left)), ", ".join(f"{id} arrives" for id in sorted(arrived))


def _verdict(cell: Cell) -> str:
    return f"{cell.verdict} ({cell.release.version}: {cell.reason[:160]})"


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
                yield Change("status", id, "", old[id][field], new[id][field])


def as_data(found: list[Change], names: tuple[str, str]) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "schema_version": 1,
        "before": names[0],
        "after": names[1],
        "changes": [{"kind": c.kind, "about": c.about, "engine": c.engine or None, "before": c.before, "after": c.after} for c in found],
    }


def print_changes(found: list[Change], names: tuple[str, str]) -> None:
    """The same for people, as lines that fit a pull request, too."""
    if not found:
        click.echo(f"No answer differs between {names[0]} and {names[1]}")
        return
    click.echo(f"{len(found)} answer{'' if len(found) == 1 else 's'} differ{'s' if len(found) == 1 else ''} between {names[0]} and {names[1]}:")
    for change in found:
        click.echo(f"  {change}")
