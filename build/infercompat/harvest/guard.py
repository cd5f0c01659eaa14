"""Whether a source still has what it had: a dict, list or table that is empty, or has lost most of its entries, is an error and no removal.

The last snapshot does not say which dict a claim stood in, so what is gone is counted to the one whose surviving entries stood around it,
or to an empty one between them.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from infercompat.harvest.base import Claim, File, Refused, Subject, Tree, subject
from infercompat.records import Record

MANY = 8
"""How many entries of the last snapshot make the loss of more than half of them suspicious."""

ROW = 12
"""How many neighbouring lines with entries are never gone at once: between any two releases on record it was six at most where a page kept its shape."""

_PLACE = re.compile(r"(?:(?P<file>\S+) )?L(?P<line>\d+)")
_HEADING = re.compile(r"#+\s+(.*?)\s*#*")
_OPENS = re.compile(r"(?P<indent>\s*)\S.*[{(\[]\s*(?://.*)?")
_CALLED = re.compile(r"([A-Za-z_]\w*)\W*$")


class Section(Struct, frozen=True):
    """A dict, list, table or block of a file, from its first line to its last, and whether nothing is written in it."""

    name: str
    first: int
    last: int
    empty: bool


def sections(file: File) -> list[Section]:
    """The named places of a file that hold entries, in order: what a module assigns, tables of a page, blocks at the margin."""
    if file.path.endswith(".py"):
        return list(_assigned(file))
    return list(_tables(file) if file.path.endswith((".md", ".mdx")) else _blocks(file))


def _assigned(file: File) -> Iterator[Section]:
    for node in file.module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        name = next((target.id for target in targets if isinstance(target, ast.Name)), "")
        value = node.value if targets else None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            name, value = ast.unparse(node.value.func.value), next(iter(node.value.args), None)
        if name and isinstance(value, (ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Call)):
            yield Section(name, node.lineno, node.end_lineno or node.lineno, _is_empty(value))


def _is_empty(value: ast.expr) -> bool:
    """Whether a value is written as a dict, list, tuple or set with nothing in it."""
    if isinstance(value, ast.Call):
        made = ast.unparse(value.func).rpartition(".")[2].lower()
        return made.endswith(("dict", "list", "tuple", "set")) and not value.keywords and all(map(_is_empty, value.args))
    return not (value.keys if isinstance(value, ast.Dict) else getattr(value, "elts", [value]))


def _tables(file: File) -> Iterator[Section]:
    heading, first = "", 0
    for number, line in enumerate([*file.lines, ""], start=1):
        if line.lstrip().startswith("|"):
            first = first or number
        elif first:
            yield Section(f"the table below {heading}" if heading else "the table", first, number - 1, number - first <= 2)
            first = 0
        if found := _HEADING.fullmatch(line.strip()):
            heading = found[1]


def _blocks(file: File) -> Iterator[Section]:
    name, first = "", 0
    for number, line in enumerate(file.lines, start=1):
        if not first and (found := _OPENS.fullmatch(line)) and not found["indent"]:
            words = _CALLED.search(line.partition("=")[0].partition("(")[0])
            name, first = words[1] if words else line.strip(), number
        elif first and line[:1] in ("}", ")", "]"):
            yield Section(name, first, number, number == first + 1)
            first = 0


def believed(before: Record | None, claims: list[Claim], extra: list[dict[str, Any]], tree: Tree) -> None:
    """Raises Refused where a source has lost what nobody loses at once, against its last snapshot; without one there is nothing to lose."""
    told = list(dict.fromkeys(_losses(before, claims, extra, tree))) if before else []
    if told:
        more = f"; and {len(told) - 4} more like it" if len(told) > 4 else ""
        raise Refused(f"{'; '.join(told[:4])}{more}: a source that has changed its shape. If upstream has indeed no more: --accept-fewer")


def _losses(before: Record, claims: list[Claim], extra: list[dict[str, Any]], tree: Tree) -> Iterator[str]:
    ours = [claim for claim in before.data["claims"] if "sha256" in claim and "by_hand" not in claim and "cites" not in claim]
    there = {item.subject for item in claims} | {subject(item) for item in extra}
    yield from _by_section(before, ours, claims, there, tree)
    kept, had = Counter(), Counter()
    for claim in (claim for claim in ours if "*" not in claim["about"].values()):
        for kind in _kinds(claim["about"], claim["holds"]):
            had[kind] += 1
            kept[kind] += subject(claim) in there
    for kind, count in had.items():
        if count >= MANY and kept[kind] * 2 < count:
            yield f"{kind}: {kept[kind]} of the {count} in {before.id} are left"
    if any("*" in claim["about"].values() for claim in ours) and not any("*" in item["about"].values() for item in extra):
        yield f"what {before.id} falls back on is gone"


def _kinds(about: dict[str, Any], holds: str) -> Iterator[str]:
    """The columns that a claim stands in: what it is keyed by, with the feature of an entry, the hardware of a feature, the status of a name."""
    keys = " and ".join(about)
    if len(about) == 1:
        yield f"claims on {keys} that say {holds}"
    yield f"claims on {keys}"
    for key in ("feature", "requirement", "platform"):
        if key in about and (key == "platform") != bool({"architecture", "model_type", "backend"} & set(about)):
            yield f"claims on {keys} with {key} {about[key]}"


def _by_section(before: Record, ours: list[dict[str, Any]], claims: list[Claim], there: set[Subject], tree: Tree) -> Iterator[str]:
    paths = {item.file: item.path for item in claims}
    now: dict[str, list[Claim]] = defaultdict(list)
    for item in claims:
        now[item.path].append(item)
    then: dict[str, list[tuple[int, Subject]]] = defaultdict(list)
    for claim in (claim for claim in ours if "*" not in claim["about"].values()):
        place = _PLACE.match(claim["at"])
        if place and (place["file"] or "") in paths:
            then[paths[place["file"] or ""]].append((int(place["line"]), subject(claim)))
    for path, entries in then.items():
        if len(entries) < MANY:
            continue
        entries.sort(key=lambda entry: entry[0])
        yield from _in_a_row(path, [(line, about, about in there) for line, about in entries])
        parts = sections(tree.file(path))
        held = {item.subject: _within(parts, item.line) for item in now[path]}
        sizes = Counter(place for place in held.values() if place is not None)
        had = Counter(_counted([held.get(about) if about in there else LOST for _, about in entries], parts))
        for index, count in sorted(had.items()):
            if count >= MANY and sizes[index] * 2 < count:
                said = "is empty" if not sizes[index] else f"has {sizes[index]} entries"
                yield f"{path}:{parts[index].first}: {parts[index].name} {said}, and {before.id} has {count}"


LOST = -1
"""Stands for the section of an entry that is in none any more."""


def _in_a_row(path: str, entries: list[tuple[int, Subject, bool]]) -> Iterator[str]:
    """What stood together in the last snapshot and is gone as a whole."""
    row: list[tuple[int, Subject]] = []
    for line, about, kept in [*entries, (0, ((), ""), True)]:
        if not kept:
            row.append((line, about))
            continue
        if len({line for line, _ in row}) >= ROW:
            (first, one), (last, other) = row[0], row[-1]
            yield f"{path}: all {len(row)} entries from {_named(one)} to {_named(other)} are gone, once L{first} to L{last}"
        row = []


def _named(about: Subject) -> str:
    return " ".join(str(value) for _, value in about[0])


def _counted(places: list[int | None], parts: list[Section]) -> Iterator[int]:
    """The section of each entry of the last snapshot, in the order of its lines: its own, or for one that is lost that of its neighbours."""
    last, waiting = None, 0
    for place in [*(place for place in places if place is not None), None]:
        if place == LOST:
            waiting += 1
            continue
        if waiting and (home := _between(last, place, parts)) is not None:
            yield from [home] * waiting
        if place is not None:
            yield place
        last, waiting = place, 0


def _between(last: int | None, following: int | None, parts: list[Section]) -> int | None:
    """Where entries between those of two sections stood: in the one that is empty now, else with those before them."""
    if last == following:
        return last
    inner = range(0 if last is None else last + 1, len(parts) if following is None else following)
    return next((index for index in inner if parts[index].empty), following if last is None else last)


def _within(parts: list[Section], line: int) -> int | None:
    """The section that a line stands in."""
    at = bisect_right([part.first for part in parts], line) - 1
    return at if at >= 0 and line <= parts[at].last else None
