"""A release that an engine's record does not list yet: its day, as the package index or the tag has it, and its place in the list."""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infercompat.harvest.base import Harvester, Refused
from infercompat.harvest.releases import Ask, run_client
from infercompat.records import Record
from infercompat.versions import compare, parse_version

_PAGE = re.compile(r"(?:Getting page|analyzing links:) (https?://\S+)")
_FORM = "application/vnd.pypi.simple.v1+json"
_FILE = re.compile(r"[A-Za-z0-9_.]+?-(?P<version>[0-9][^-]*?)(?:-.*\.whl|\.tar\.gz|\.zip)")
_ENTRY = re.compile(r"  - .*\n(?:(?:    .*)?\n)*")


def listed(engine: Record, version: str) -> bool:
    """Whether an engine's record has a release."""
    return any(entry["version"] == version for entry in engine.data["releases"])


def place(engine: Record, version: str, date: str) -> int:
    """Where a release stands in the list, newest first: before the first that is older by version, or by its day where they have no order."""
    ours = parse_version(engine.data["scheme"], version)
    for index, entry in enumerate(engine.data["releases"]):
        theirs = parse_version(engine.data["scheme"], entry["version"])
        order = compare(ours, theirs) if ours is not None and theirs is not None else ""
        if order == "greater" or (order not in ("less", "equal") and entry["date"] <= date):
            return index
    return len(engine.data["releases"])


def with_release(engine: Record, version: str, date: str) -> Record:
    """The engine as if its record listed a release."""
    releases: list[dict[str, Any]] = list(engine.data["releases"])
    releases.insert(place(engine, version, date), {"version": version, "date": date})
    return Record(engine.id, engine.kind, engine.data | {"releases": releases}, engine.document)


def written(text: str, engine: Record, version: str, date: str, citation: str) -> str:
    """The text of an engine's record with a release more, as a person would add it."""
    head, _, rest = text.partition("\nreleases:\n")
    at, entry = 0, f'  - {{version: "{version}", date: {date}, cites: [{{id: {citation}}}]}}\n'
    for _ in range(place(engine, version, date)):
        found = _ENTRY.match(rest, at)
        if found is None:
            raise Refused(f"{engine.path}: its releases are not written one below the other; add {version} there by hand")
        at = found.end()
    return f"{head}\nreleases:\n{rest[:at]}{entry}{rest[at:]}"


def fetched(url: str) -> dict[str, Any]:
    """A page of the package index in the form that it has for programs."""
    request = urllib.request.Request(url, headers={"Accept": _FORM})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def published_on(package: str, version: str, ask: Ask = run_client, fetch: Callable[[str], dict[str, Any]] = fetched) -> str:
    """The day of a release's first file on the package index that pip is set up with; empty where it tells none."""
    try:
        page = _PAGE.search(ask([sys.executable, "-m", "pip", "index", "versions", "-v", "-v", "--pre", package]))
        files = fetch(page[1]).get("files", []) if page else []
    except (Refused, OSError, ValueError):
        return ""
    days = [
        file["upload-time"][:10] for file in files if "upload-time" in file and (found := _FILE.fullmatch(file["filename"])) and found["version"] == version
    ]
    return min(days, default="")


def tagged_on(root: Path, tag: str, ask: Ask = run_client) -> str:
    """The day of a repository's tag, or of the commit that is checked out; empty where the tree is no repository."""
    if not (root / ".git").exists():
        return ""
    git = ["git", "-C", str(root)]
    try:
        day = ask([*git, "for-each-ref", "--format=%(creatordate:short)", f"refs/tags/{tag}"]).strip()
        return day or ask([*git, "log", "-1", "--format=%cs"]).strip()
    except Refused:
        return ""


def day_of(harvester: Harvester, version: str, root: Path) -> str:
    """The day of a release: of its tag where the tree is a repository, else of its files on the package index."""
    day = tagged_on(root, harvester.tag.format(version=version))
    package = harvester.package or harvester.sdist
    return day or (published_on(package, version) if package else "")
