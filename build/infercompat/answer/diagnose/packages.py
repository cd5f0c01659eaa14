"""Versions of packages: `pip freeze`, `pip list`, `uv pip list`, `pip show`, and the lines of environment reports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.answer.diagnose.seen import Lines, Reading, Seen, reading
from infercompat.link import Catalog

_NAME = r"([A-Za-z][\w.-]{0,80})"
FROZEN = re.compile(rf"\s*(?:\[(?:pip3?|conda)\]\s+)?{_NAME}(?:\[[\w,-]+\])?===?(\d[\w.+!-]*)(?:\s*[;#].*)?\s*$")
ROW = re.compile(rf"\s*(?:\[(?:pip3?|conda)\]\s+)?{_NAME}\s+(\d[\w.+!-]*)(?:\s+[\w./:-]+){{0,2}}\s*$")
RULED = re.compile(r"\s*-{3,}\s+-{3,}")
HEAD = re.compile(r"\s*Package\s+Version\b")
SHOWN = re.compile(rf"(Name|Version):\s+(?:{_NAME}|(\d[\w.+!-]*))\s*$")
LABELLED = re.compile(r"\s*([A-Za-z][\w. /-]{1,30}?)\s*(?:[Vv]ersion)?\s*:\s+v?(\d[\w.+!-]*)")
LABELS = {"pytorch": "torch", **{name: name for name in ("vllm", "sglang", "transformers", "triton", "flashinfer-python")}}
"""How environment reports call packages; their other labels are none."""


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The versions of the packages that the catalog knows, and the lines that list packages."""
    known = components(catalog)
    seen: dict[tuple[str, str], Seen] = {}
    taken: set[int] = set()
    table = False
    name = ""
    for number, line in enumerate(lines, 1):
        if len(line) > 400 or not line.strip():
            table = False
            continue
        table = ("Package" in line and bool(HEAD.match(line))) or (table and bool(ROW.match(line) or RULED.match(line)))
        found, listed = _package(line, table, known)
        if line.startswith(("Name:", "Version:")) and (shown := SHOWN.match(line)):
            found = [(name, shown[3])] if shown[3] and name else []
            name = shown[2] or ""
        for id, version in _known(found, known):
            seen.setdefault((id, version), Seen("component", id, version, number))
        if table or listed:
            taken.add(number)
    return reading(seen.values(), taken)


def _package(line: str, table: bool, known: dict[str, str]) -> tuple[list[tuple[str, str]], bool]:
    """The package and version of a line, and whether the line is one of a list of packages."""
    if "==" in line and (match := FROZEN.match(line)):
        return [(match[1], match[2])], True
    if ":" in line and (match := LABELLED.match(line)) and normal(match[1]) in LABELS:
        return [(LABELS[normal(match[1])], match[2])], True
    if table or line.lstrip().startswith("[") or normal(line.split(None, 1)[0]) in known:
        match = ROW.match(line)
        return ([(match[1], match[2])], True) if match else ([], False)
    return [], False


def _known(found: list[tuple[str, str]], known: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((known[normal(name)], version) for name, version in found if normal(name) in known)


def normal(name: str) -> str:
    """A package's name as package indexes compare it."""
    return re.sub(r"[\s_.-]+", "-", name.strip()).lower()


def components(catalog: Catalog) -> dict[str, str]:
    """Package name to component: engines and libraries of the catalog with their aliases, what releases bundle, what gotchas name.

    Also the packages that the vocabulary lists, whose versions conditions compare.
    """
    names = {normal(name): name for name in catalog.words("component")}
    names |= {"torch": "torch", "transformers": "transformers", "triton": "triton", "mlx": "mlx"}
    for engine in catalog.of_kind("engine"):
        for release in engine.data["releases"]:
            names |= {normal(name): name for name in release.get("bundles", {})}
    for gotcha in catalog.of_kind("gotcha"):
        entries = next(iter(gotcha.data["affects"].values()))
        names |= {normal(entry["component"]): entry["component"] for entry in entries if "component" in entry}
    for engine in catalog.of_kind("engine"):
        names |= {normal(name): engine.id for name in (engine.id, *engine.aliases)}
    return names
