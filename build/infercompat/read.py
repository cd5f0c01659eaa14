"""Reads the catalog's YAML files into documents and records, with the span of every key and value.

PyYAML's event stream is used rather than its nodes, since nodes no longer show anchors, aliases and tags, which are
refused. Plain scalars follow YAML 1.2's core schema, so that no, 12:30 and dates stay what the author wrote.
"""

from __future__ import annotations

import math
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Any

import yaml
from msgspec import Struct, field

from infercompat.diagnostic import Diagnostic
from infercompat.records import KIND_OF_FOLDER, Document, Files, Path, Record
from infercompat.span import Span

MAX_BYTES = 1 << 20
MAX_DEPTH = 40

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    text: value for word, value in (("true", True), ("false", False)) for text in (word, word.title(), word.upper())
}


class _Fault(Exception):
    """Leaves the parsing of one file; never leaves this module."""

    def __init__(self, diagnostic: Diagnostic):
        self.diagnostic = diagnostic


def plain_scalar(text: str) -> Any:
    """What an unquoted scalar means under YAML 1.2's core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        if len(text) > 40:
            return text
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


class _Builder(Struct, dict=True):
    """Turns one file's events into data and spans."""

    path: str
    text: str
    diagnostics: list[Diagnostic]
    lines: tuple[str, ...] = ()
    spans: dict[Path, Span] = field(default_factory=dict)
    key_spans: dict[Path, Span] = field(default_factory=dict)
    styles: dict[Path, str] = field(default_factory=dict)

    def build(self) -> Document:
        self.lines = tuple(line.rstrip("\r") for line in self.text.split("\n"))
        self.events = self._events()
        event = next(self.events)
        while isinstance(event, (yaml.StreamStartEvent, yaml.DocumentStartEvent)):
            event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            raise self._fault("YAML001", Span(self.path, 1, 1), "the file is empty")
        data = self._node(event, (), 0)
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                raise self._fault("YAML001", self._span(event), "a second document starts here", "One file holds one record; remove the --- line.")
        return Document(self.path, data, self.spans, self.key_spans, self.styles, self.lines)

    def _events(self) -> Iterator[yaml.Event]:
        try:
            yield from yaml.parse(self.text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            span = Span(self.path, mark.line + 1, mark.column + 1) if mark else Span(self.path, 1, 1)
            raise self._fault("YAML001", span, error.problem or "not YAML", _hint(error, self.lines, span)) from None
        except yaml.YAMLError as error:
            raise self._fault("YAML001", Span(self.path, 1, 1), f"not YAML: {str(error).splitlines()[0]}") from None

    def _node(self, event: yaml.Event, path: Path, depth: int) -> Any:
        span = self._span(event)
        self.spans[path] = span
        if depth > MAX_DEPTH:
            raise self._fault("YAML005", span, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.AliasEvent):
            self._report("YAML003", span, f"the alias *{event.anchor} is refused", "Write the value out.")
            return None
        self._refuse_marks(event, span)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path, span)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path, depth)
        return self._mapping(path, depth)

    def _refuse_marks(self, event: yaml.NodeEvent, span: Span) -> None:
        if event.anchor is not None:
            self._report("YAML003", span, f"the anchor &{event.anchor} is refused", "Write the value out where it is needed.")
        if event.tag is not None:
            self._report("YAML003", span, f"the tag {event.tag} is refused", "Write the value plain or quoted.")

    def _sequence(self, path: Path, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(event, (*path, len(items)), depth + 1))
        return items

    def _mapping(self, path: Path, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        first: dict[str, Span] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            span = self._span(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise self._fault("YAML001", span, "a key must be a word", "An unquoted [[id]] reads as nested lists: quote it, or write the bare id.")
            self._refuse_marks(event, span)
            key = event.value
            if key == "<<":
                self._report("YAML003", span, "the merge key << is refused", "Write the fields out.")
            if key in first:
                self._report("YAML002", span, f"the key {key} stands twice in one mapping", "Keep one of the two.", (("first here", first[key]),))
                self._node(next(self.events), (*path, f"{key} (again)"), depth + 1)
                continue
            first[key] = span
            self.key_spans[(*path, key)] = span
            mapping[key] = self._node(next(self.events), (*path, key), depth + 1)
        return mapping

    def _scalar(self, event: yaml.ScalarEvent, path: Path, span: Span) -> Any:
        style = event.style or ""
        self.styles[path] = style
        if style == ">":
            self._report("YAML004", span, "a folded string (>) is refused", "Use a literal block: | keeps lines as they are, so that a column can be told.")
        elif style != "|" and event.end_mark.line > event.start_mark.line:
            self._report("YAML004", span, "a string runs over several lines", "Put it on one line, or use a literal block: |")
        return plain_scalar(event.value) if event.implicit[0] and not style else event.value

    def _span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _report(self, rule: str, span: Span, message: str, help: str = "", related: tuple = ()) -> None:
        self.diagnostics.append(Diagnostic(rule, message, span, help=help, related=related))

    def _fault(self, rule: str, span: Span, message: str, help: str = "") -> _Fault:
        return _Fault(Diagnostic(rule, message, span, help=help))


def _hint(error: yaml.MarkedYAMLError, lines: tuple[str, ...], span: Span) -> str:
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    if "\t" in line[: max(span.column, 1)]:
        return "YAML refuses tabs at the start of a line; use spaces."
    if "mapping values are not allowed" in (error.problem or ""):
        return "A plain string may not hold ': '; put it in double quotes."
    return "Strings that hold : # [ ] { } or start with a sign want quotes."


def parse(path: str, content: bytes, diagnostics: list[Diagnostic]) -> Document | None:
    """One file's document; None when its faults leave no data. Faults are added to `diagnostics`."""
    if len(content) > MAX_BYTES:
        diagnostics.append(Diagnostic("YAML005", f"the file has {len(content):,} bytes, more than {MAX_BYTES:,}", Span(path, 1, 1)))
        return None
    try:
        text = content.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        place = Span(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
        diagnostics.append(Diagnostic("YAML001", "the file is not UTF-8", place))
        return None
    found: list[Diagnostic] = []
    try:
        document = _Builder(path, text, found).build()
    except _Fault as fault:
        document, found = None, [*found, fault.diagnostic]
    diagnostics.extend(found)
    return None if found else document


def read_catalog(folder: FilePath, diagnostics: list[Diagnostic]) -> Files:
    """Reads every YAML file below a catalog folder, in path order. Paths in spans start with the folder's own name."""
    records: list[Record] = []
    extras: dict[str, Document] = {}
    count = 0
    for file in sorted(_yaml_files(folder), key=lambda file: file.relative_to(folder).as_posix()):
        inner = PurePosixPath(file.relative_to(folder).as_posix())
        path = f"{folder.name}/{inner}"
        count += 1
        try:
            content = file.read_bytes()
        except OSError as error:
            diagnostics.append(Diagnostic("YAML001", f"cannot be read: {error.strerror}", Span(path, 1, 1)))
            continue
        kind = KIND_OF_FOLDER.get(inner.parts[0]) if len(inner.parts) > 1 else None
        if kind is None and len(inner.parts) > 1:
            known = ", ".join(sorted(KIND_OF_FOLDER))
            diagnostics.append(Diagnostic("YAML006", f"{inner.parts[0]}/ is no folder of records", Span(path, 1, 1), help=f"Records stand below: {known}."))
            continue
        if file.suffix != ".yaml":
            diagnostics.append(Diagnostic("YAML006", "a record's file ends in .yaml", Span(path, 1, 1), help=f"Rename it to {inner.stem}.yaml."))
            continue
        document = parse(path, content, diagnostics)
        if document is None:
            continue
        if kind is None:
            extras[inner.name] = document
        else:
            records.append(Record(inner.name.removesuffix(".yaml"), kind, document.data, document))
    return Files(tuple(records), extras, count)


def _yaml_files(folder: FilePath) -> Iterator[FilePath]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            if name.endswith((".yaml", ".yml")) and not name.startswith("."):
                yield FilePath(parent, name)
