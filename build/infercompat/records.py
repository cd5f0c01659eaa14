"""Records and documents: what reading makes and every later stage passes on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from infercompat.span import Span

Path = tuple[str | int, ...]
"""The way from a document's root to a node: mapping keys and list indexes."""

KIND_OF_FOLDER = {
    "models": "model",
    "engines": "engine",
    "support": "support",
    "requirements": "requirement",
    "gotchas": "gotcha",
    "hardware": "hardware",
    "measurements": "measurement",
    "recipes": "recipe",
    "citations": "citation",
}
FOLDER_OF_KIND = {kind: folder for folder, kind in KIND_OF_FOLDER.items()}
KINDS = tuple(FOLDER_OF_KIND)

_WRITTEN = {"'": re.compile("''|."), '"': re.compile(r"\\x..|\\u.{4}|\\U.{8}|\\.|.")}
"""How one character is written inside each kind of quotes."""


class Document(Struct, frozen=True):
    """One YAML file: its plain data, and the span of every key and value in it.

    `spans` leads from a node's path to the span of its value, `key_spans` to the span of the key that names it,
    `raw` to how a string was written (plain, quoted or literal), which decides the columns inside it.
    """

    path: str
    data: Any
    spans: dict[Path, Span]
    key_spans: dict[Path, Span]
    styles: dict[Path, str]
    lines: tuple[str, ...]

    def span(self, path: Path = ()) -> Span:
        """The span of a node, or of the nearest node above it that has one."""
        while path and path not in self.spans:
            path = path[:-1]
        return self.spans.get(path) or Span(self.path, 1, 1)

    def key_span(self, path: Path) -> Span:
        return self.key_spans.get(path) or self.span(path)

    def span_inside(self, path: Path, start: int, end: int) -> Span:
        """The span of characters start to end of the string at a path, for pointing into prose."""
        base, text = self.span(path), self.data
        for step in path:
            text = text[step]
        if self.styles.get(path) == "|":
            above, line_start = text.count("\n", 0, start), text.rfind("\n", 0, start) + 1
            row = base.line + 1 + above
            indent = len(self.lines[row - 1]) - len(text.split("\n")[above])
            column = indent + start - line_start + 1
            return Span(self.path, row, column, row, column + end - start)
        first, last = (base.column + self._written_offset(path, base, offset) for offset in (start, end))
        return Span(self.path, base.line, first, base.line, last)

    def _written_offset(self, path: Path, base: Span, offset: int) -> int:
        """How far into the written string a character stands: quotes and escapes take columns and are no characters."""
        pieces = _WRITTEN.get(self.styles.get(path, ""))
        if pieces is None:
            return offset
        inside = self.lines[base.line - 1][base.column :]
        return 1 + sum(len(piece) for piece in pieces.findall(inside)[:offset])


class Record:
    """One record of the catalog. Its id is its file's stem, its kind its folder's."""

    def __init__(self, id: str, kind: str, data: dict[str, Any], document: Document):
        self.id, self.kind, self.data, self.document = id, kind, data, document

    @cached_property
    def path(self) -> str:
        return self.document.path

    @property
    def folder(self) -> str:
        """The folder below the kind's own: a publisher, an engine or a host; empty where there is none."""
        parts = PurePosixPath(self.path).parts
        return parts[-2] if len(parts) > 3 else ""

    @property
    def name(self) -> str:
        return self.data.get("name") or self.data.get("title") or self.id

    @cached_property
    def aliases(self) -> Sequence[str]:
        """Other words for it that the catalog takes."""
        return self.data.get("aliases", ())

    @cached_property
    def engine(self) -> str | None:
        """The engine that a snapshot, gotcha, recipe or measurement is of."""
        return self.data.get("engine")

    @cached_property
    def affected(self) -> Sequence[str]:
        """The engines that a gotcha's `affects` names."""
        entries = next(iter(self.data.get("affects", {}).values()), ())
        return [entry["engine"] for entry in entries if "engine" in entry]

    @cached_property
    def live(self) -> bool:
        """Whether it was neither withdrawn nor moved."""
        return "withdrawn" not in self.data and "moved_to" not in self.data

    @cached_property
    def _claims(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for claim in self.data.get("claims", ()):
            found.setdefault(subject_of(claim["about"]), []).append(claim)
        return found

    def subjects(self) -> Iterable[str]:
        """What a snapshot's claims are about, each once."""
        return self._claims.keys()

    def claims_on(self, subject: str) -> Sequence[dict[str, Any]]:
        """A snapshot's claims on one subject, as `subject_of` names it."""
        return self._claims.get(subject, ())


_SUBJECTS = ("requirement", "quantization", "feature", "backend", "platform", "architecture", "model_type")


def subject_of(about: Mapping[str, str]) -> str:
    """The one thing under which a claim is found, such as "requirement sliding-window"; what else its `about` says narrows it."""
    key = next(key for key in _SUBJECTS if key in about)
    return f"{key} {about[key]}"


class Files(Struct, frozen=True):
    """What reading made: records (shape not yet checked), the vocabulary and exceptions, and how many files were read."""

    records: tuple[Record, ...]
    extras: dict[str, Document]
    count: int


def walk(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every node of plain data with its path, parents first."""
    yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from walk(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from walk(value, (*path, index))


def dotted(path: Path) -> str:
    """A path for people: claims[3].about.requirement"""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else str(step))
    return text
