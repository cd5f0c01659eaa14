"""Change sets: what changed between two commits of the catalog, grouped by cause, as files that are kept and never rewritten."""

from __future__ import annotations

import errno
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from infercompat.answer.diff import Change, changes
from infercompat.join import VERDICTS, Matrix
from infercompat.revisions import Commit

FOLDER = "changes"
"""Beside the catalog's folder."""
SCHEMA_VERSION = 1
_COUNTED = {
    "verdicts": ("verdict", "verdicts"),
    "grades": ("grade", "grades"),
    "versions": ("newest release", "newest releases"),
    "caches": ("cache", "caches"),
    "gotchas": ("gotcha with another status", "gotchas with another status"),
    "hardware": ("product", "products"),
}
SECTIONS = ("before", "after", "verdicts", "grades", "versions", "caches", "gotchas", "met", "met_no_more", "added", "removed")
"""What every file holds."""
_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-\d{2}\Z")


class ChangeSet(Struct, frozen=True):
    """One file: its id is the day of the newer commit and a number within that day; its data is as `between` makes it."""

    id: str
    data: dict[str, Any]

    @property
    def time(self) -> str:
        """When the newer commit was made, RFC 3339 in UTC."""
        return self.data["after"]["time"]

    @property
    def moment(self) -> str:
        """The same to the minute, for people."""
        return f"{self.time[:10]} {self.time[11:16]}"

    @property
    def revision(self) -> str:
        """The newer commit."""
        return self.data["after"]["revision"]

    def counts(self) -> dict[str, int]:
        """How many answers of each kind changed, and how many records of each kind came and went; what there is none of is left out."""
        data = self.data
        found = {
            **{section: sum(len(group["models"]) for group in data[section]) for section in ("verdicts", "grades")},
            **{section: len(data[section]) for section in ("versions", "caches", "gotchas")},
            **{f"{kind}-added": len(ids) for kind, ids in data["added"].items()},
            **{f"{kind}-removed": len(ids) for kind, ids in data["removed"].items()},
        }
        return {what: number for what, number in found.items() if number}

    def summary(self) -> list[str]:
        """The same in words: 12 verdicts, 1 gotcha added."""
        return [f"{number:,} {_words(what, number)}" for what, number in self.counts().items()]


def _words(what: str, number: int) -> str:
    kind, _, happened = what.partition("-")
    one, many = _COUNTED.get(what) or _COUNTED.get(kind) or (kind, f"{kind}s")
    return f"{one if number == 1 else many} {happened}".strip()


def change_sets(catalog: Path) -> list[ChangeSet]:
    """Those kept beside a catalog's folder, the newest first; none where there is no such folder. Raises OSError for a file that is none."""
    files = sorted((catalog.parent / FOLDER).glob("*.json"), reverse=True)
    return [ChangeSet(file.stem, _read(file)) for file in files if _NAME.match(file.stem)]


def _read(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_bytes())
    except json.JSONDecodeError as error:
        raise OSError(errno.EINVAL, f"no change set: {error.msg}", f"{file}:{error.lineno}:{error.colno}") from error
    except ValueError as error:
        raise OSError(errno.EINVAL, "no change set: it is not UTF-8", f"{file}:1:1") from error
    missing = [name for name in SECTIONS if name not in data] if isinstance(data, dict) else SECTIONS
    if missing:
        raise OSError(errno.EINVAL, f"no change set: it lacks {', '.join(missing)}", f"{file}:1:1")
    return data


def next_file(catalog: Path, day: str) -> Path:
    """Where the next change set of a day goes."""
    taken = [int(found.id[-2:]) for found in change_sets(catalog) if found.id.startswith(day)]
    return catalog.parent / FOLDER / f"{day}-{max(taken, default=0) + 1:02}.json"


def between(before: Matrix, after: Matrix, commits: tuple[Commit, Commit]) -> dict[str, Any]:
    """What a file holds. Cells that moved alike for one reason stand together, and so do gotchas that the same models meet."""
    found: dict[str, list[Change]] = defaultdict(list)
    for change in changes(before, after):
        found[change.kind].append(change)
    return {
        "schema_version": SCHEMA_VERSION,
        **{name: _side(matrix, commit) for name, matrix, commit in zip(("before", "after"), (before, after), commits, strict=True)},
        "verdicts": _cells(found["verdict"]),
        "grades": _cells(found["grade"]),
        "versions": [{"engine": engine, "before": old, "after": new} for engine, old, new in _each((c.engine, c.before, c.after) for c in found["version"])],
        "caches": [{"model": change.about, "before": change.before, "after": change.after} for change in found["cache"]],
        "gotchas": [{"gotcha": c.about, "field": c.kind, "before": c.before, "after": c.after} for kind in ("status", "severity") for c in found[kind]],
        "met": _meetings((change.engine, change.after, change.about) for change in found["gotcha"] if change.after),
        "met_no_more": _meetings((change.engine, change.before, change.about) for change in found["gotcha"] if change.before),
        "added": _by_kind(after, found["added"]),
        "removed": _by_kind(before, found["removed"]),
    }


def as_text(data: dict[str, Any]) -> str:
    """A change set as its file has it: one line a group, so that the file reads well in a review."""
    lines = []
    for name, value in data.items():
        if isinstance(value, list) and value:
            lines.append(f"{json.dumps(name)}: [\n    " + ",\n    ".join(_json(group) for group in value) + "\n  ]")
        else:
            lines.append(f"{json.dumps(name)}: {_json(value)}")
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def is_empty(data: dict[str, Any]) -> bool:
    """Whether no answer differs."""
    return not any(value for name, value in data.items() if name not in ("schema_version", "before", "after"))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _side(matrix: Matrix, commit: Commit) -> dict[str, Any]:
    verdicts = Counter(cell.verdict for cell in matrix.cells.values())
    return {"revision": commit.revision, "time": commit.time, "cells": {verdict: verdicts[verdict] for verdict in VERDICTS}}


def _each(found: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    return iter(dict.fromkeys(found))


def _cells(found: list[Change]) -> list[dict[str, Any]]:
    """Changes of cells, those of one engine with the same words and reason together."""
    groups: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for change in found:
        groups[change.engine, change.before, change.after, change.why].append(change.about)
    named = [dict(zip(("engine", "before", "after", "why"), key, strict=True)) | {"models": models} for key, models in groups.items()]
    return sorted(named, key=lambda group: (group["engine"], group["before"], group["after"], -len(group["models"]), group["why"]))


def _meetings(found: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """(engine, gotcha, model) as groups of gotchas that the same models of one engine meet."""
    models: dict[tuple[str, str], list[str]] = defaultdict(list)
    for engine, gotcha, model in found:
        models[engine, gotcha].append(model)
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (engine, gotcha), met in sorted(models.items()):
        groups[engine, tuple(met)].append(gotcha)
    return [{"engine": engine, "gotchas": gotchas, "models": list(met)} for (engine, met), gotchas in groups.items()]


def _by_kind(matrix: Matrix, found: list[Change]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for change in found:
        grouped[matrix.products.catalog.records[change.about].kind].append(change.about)
    return dict(grouped)
