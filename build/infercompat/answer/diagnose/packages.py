"""Versions of packages: `pip freeze`, `pip list`, `uv pip list`, `pip show`, what is installed, and the lines of environment reports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.link import Catalog

_NAME = r"([A-Za-z][\w.-]{0,80})"
FROZEN = re.compile(rf"\s*(?:\[(?:pip3?|conda)\]\s+)?{_NAME}(?:\[[\w,-]+\])?===?(\d[\w.+!-]*)(?:\s*[;#].*)?\s*$")
ROW = re.compile(rf"\s*(?:\[(?:pip3?|conda)\]\s+)?{_NAME}\s+(\d[\w.+!-]*)(?:\s+[\w./:-]+){{0,2}}\s*$")
RULED = re.compile(r"\s*-{3,}\s+-{3,}")
HEAD = re.compile(r"\s*Package\s+Version\b")
SHOWN = re.compile(rf"(Name|Version):\s+(?:{_NAME}|(\d[\w.+!-]*))\s*$")
LABELLED = re.compile(r"\s*([A-Za-z][\w. /-]{1,30}?)\s*(?:[Vv]ersion|版本)?\s*[:\uff1a]\s*v?(\d[\w.+!-]*)")
HEADED = re.compile(r"#{2,5}\s+([A-Za-z][\w. -]{1,30}?)\s+[Vv]ersion\s*$")
BARE = re.compile(r"\s*v?(\d+(?:\.\d+)+[\w.+-]*)\s*$")
INSTALLED = re.compile(r"\b(?:pip3?|uv|uvx|poetry|conda|mamba)\b.*?\s(?:install|add|--with|--from)\b")
PINNED = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]{0,80})(?:\[[\w,-]+\])?==(\d[\w.+!]*)")
LABELS = {"pytorch": "torch", **{name: name for name in ("vllm", "sglang", "transformers", "triton", "flashinfer-python", "lmdeploy", "torch")}}
"""How environment reports call packages; their other labels are none."""
LABEL_WORDS = (
    *("ytorch", "yTorch", "YTORCH", "llm", "LLM", "glang", "GLang", "GLANG", "ransformers", "RANSFORMERS", "riton", "RITON", "torch", "mdeploy", "MDeploy"),
    *("lashinfer", "lashInfer", "LASHINFER"),
)
"""What a line with a label holds."""


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The versions of the packages that the catalog knows, and the lines that list packages."""
    known = components(catalog)
    seen: dict[tuple[str, str], Seen] = {}
    taken: set[int] = set()
    table = False
    name = ""
    first: dict[str, bool] = {}
    labelled = holding(lines, LABEL_WORDS)
    for number, line in enumerate(lines, 1):
        if len(line) > 400 or not line.strip():
            table = False
            continue
        table = ("Package" in line and bool(HEAD.match(line))) or (table and bool(ROW.match(line) or RULED.match(line)))
        word = line.split(None, 1)[0]
        if word not in first:
            first[word] = normal(word) in known
        found, listed = _package(line, table or first[word], number - 1 in labelled)
        if line.startswith(("Name:", "Version:")) and (shown := SHOWN.match(line)):
            found = [(name, shown[3])] if shown[3] and name else []
            name = shown[2] or ""
        for id, version in _known(found, known):
            seen.setdefault((id, version), Seen("component", id, version, number))
        if table or listed:
            taken.add(number)
    for place in sorted(holding(lines, ("ersion",))):
        if (match := HEADED.match(lines[place])) and normal(match[1]) in known:
            below = next(((at, line) for at, line in enumerate(lines[place + 1 : place + 4], place + 2) if line.strip()), None)
            if below and (version := BARE.match(below[1])):
                id = known[normal(match[1])]
                seen.setdefault((id, version[1]), Seen("component", id, version[1], below[0]))
    for place in sorted(holding(lines, ("install", "add ", "--with", "--from"))):
        line = lines[place]
        if len(line) < 2000 and "==" in line and place + 1 not in taken and INSTALLED.search(line):
            for id, version in _known(PINNED.findall(line), known):
                seen.setdefault((id, version), Seen("component", id, version, place + 1))
    return reading(seen.values(), taken)


def _package(line: str, table: bool, labelled: bool) -> tuple[list[tuple[str, str]], bool]:
    """The package and version of a line, and whether the line is one of a list of packages. `table`: in one, or begun by a package's name."""
    if "==" in line and (match := FROZEN.match(line)):
        return [(match[1], match[2])], True
    if labelled and (match := LABELLED.match(line)) and normal(match[1]) in LABELS:
        return [(LABELS[normal(match[1])], match[2])], True
    if table or line.lstrip().startswith(("[pip", "[conda")):
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
