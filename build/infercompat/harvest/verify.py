"""Reads each cited line again and compares its digest: the same, moved within its file, changed, or dead with its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from posixpath import normpath
from typing import Any

from msgspec import Struct

from infercompat.harvest.base import File, Refused, Tree
from infercompat.link import Catalog
from infercompat.records import Record

_PLACE = re.compile(r"(?:(?P<file>[\w./-]+\.\w+) )?L(?P<line>\d+)(?:-L?\d+)?")
_URL = re.compile(r"https://github\.com/[^/]+/[^/]+/(?P<form>blob|tree)/[^/]+(?:/(?P<path>[^#?]*))?")

Obtain = Callable[[str, str], AbstractContextManager[Tree]]
"""Gives the released tree of an engine at a version, or raises Refused where it cannot be had."""


class Verified(Struct, frozen=True):
    """What became of one claim's line. `state`: same, moved, changed, dead, or skipped with the reason."""

    state: str
    snapshot: str
    about: str
    at: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.state:<8} {self.snapshot}  {self.about}  {self.at}{f': {self.detail}' if self.detail else ''}"


def verify(catalog: Catalog, snapshots: list[Record], obtain: Obtain) -> Iterator[Verified]:
    """Every claim with a digest of these snapshots, read again in the tree of its engine and version."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for snapshot in snapshots:
        groups.setdefault((snapshot.data["engine"], snapshot.data["version"]), []).append(snapshot)
    for (engine, version), members in groups.items():
        try:
            with obtain(engine, version) as tree:
                for snapshot in members:
                    yield from _snapshot(catalog, snapshot, tree)
        except Refused as error:
            for snapshot in members:
                count = sum("sha256" in claim for claim in snapshot.data["claims"])
                if count:
                    yield Verified("skipped", snapshot.id, f"{count} claims", "all", str(error))


def _snapshot(catalog: Catalog, snapshot: Record, tree: Tree) -> Iterator[Verified]:
    owner = "/".join(catalog.records[snapshot.data["engine"]].data["repository"].split("/")[3:5])
    for claim in snapshot.data["claims"]:
        if "sha256" in claim:
            about = ", ".join(str(value) for value in claim["about"].values())
            own = claim.get("cites")
            cite = (own or snapshot.data["cites"])[0]
            at = cite.get("at", claim["at"]) if own else claim["at"]
            state, detail = _look(catalog, claim, cite["id"], at, owner, tree)
            yield Verified(state, snapshot.id, about, at, detail)


def _look(catalog: Catalog, claim: dict[str, Any], cite: str, at: str, owner: str, tree: Tree) -> tuple[str, str]:
    citation = catalog.follow(cite)
    url = _URL.match(citation.data["url"]) if citation else None
    place = _PLACE.match(claim["at"]) or _PLACE.match(at)
    if url is None or f"github.com/{owner}/" not in citation.data["url"]:
        return "skipped", "its source is no file of the engine's repository"
    if place is None:
        return "skipped", "its place is no line"
    path = (url["path"] or "").rstrip("/")
    if url["form"] == "tree" or (place["file"] and not path.endswith(place["file"])):
        folder = path if url["form"] == "tree" else path.rpartition("/")[0]
        path = normpath(f"{folder}/{place['file'] or ''}".strip("/"))
    files = _files(tree, path)
    if not files:
        held = any((tree.root / part).is_dir() for part in _shortened(path.rpartition("/")[0]) if part)
        return ("dead", f"{path} is gone") if held else ("skipped", f"{path} is not in the released package")
    line, wanted = int(place["line"]), claim["sha256"]
    if any(line <= len(file.lines) and file.digest(line) == wanted for file in files):
        return "same", ""
    found = [number for file in files for number in range(1, len(file.lines) + 1) if file.digest(number) == wanted]
    if found:
        nearest = min(found, key=lambda number: abs(number - line))
        return "moved", f"now L{nearest}"
    return "changed", f"{path} has no such line"


def _shortened(path: str) -> list[str]:
    """A repository's path, and what is left of it in a package: python/sglang/srt -> sglang/srt."""
    parts = path.split("/")
    return ["/".join(parts[skipped:]) for skipped in range(min(3, len(parts)))]


def _files(tree: Tree, path: str) -> list[File]:
    """The file of a path; where only its folder is known, every file of that name below, such as a model and a template called alike."""
    for candidate in _shortened(path):
        if candidate and tree.has(candidate):
            return [tree.file(candidate)]
    name = Path(path).name
    folder = next((part for part in _shortened(path.rpartition("/")[0]) if part and (tree.root / part).is_dir()), None)
    nested = sorted((tree.root / folder).rglob(name)) if folder and name else []
    return [tree.file(found.relative_to(tree.root).as_posix()) for found in nested if found.is_file()]
