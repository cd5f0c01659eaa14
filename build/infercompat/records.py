"""Records and documents: what reading makes and every later stage passes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

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
    "citations": "citation",
}
FOLDER_OF_KIND = {kind: folder for folder, kind in KIND_OF_FOLDER.items()}
KINDS = tuple(FOLDER_OF_KIND)


@dataclass(frozen=True)
class Document:
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
        before = text[:start]
        if self.styles.get(path) == "|":
            row = base.line + 1 + before.count("\n")
            indent = _literal_indent(self.lines, base.line, base.end_line)
            column = indent + 1 + start - (before.rfind("\n") + 1)
            return Span(self.path, row, column, row, column + end - start)
        shift = self._written_offset(base, text[start:end], before)
        return Span(self.path, base.line, base.column + shift, base.line, base.column + shift + end - start)

    def _written_offset(self, base: Span, piece: str, before: str) -> int:
        # A quoted scalar may hold escapes, so the piece is looked for in the source line and the text before it is only a fallback.
        if base.line <= len(self.lines):
            written = self.lines[base.line - 1][base.column - 1 :]
            skip = before.count(piece) if piece else 0
            at = -1
            for _ in range(skip + 1):
                at = written.find(piece, at + 1)
                if at < 0:
                    break
            if at >= 0:
                return at
        return len(before)


def _literal_indent(lines: tuple[str, ...], first: int, last: int) -> int:
    for line in lines[first : max(last, first + 1)]:
        if line.strip():
            return len(line) - len(line.lstrip(" "))
    return 0


@dataclass(frozen=True)
class Record:
    """One record of the catalog. Its id is its file's stem, its kind its folder's."""

    id: str
    kind: str
    data: dict[str, Any]
    document: Document

    @property
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

    @property
    def live(self) -> bool:
        """Whether it was neither withdrawn nor moved."""
        return "withdrawn" not in self.data and "moved_to" not in self.data


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
