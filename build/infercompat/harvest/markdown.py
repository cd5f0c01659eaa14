"""Markdown tables of an upstream page, with the line of each row; read by markdown-it, so that fences and escapes are what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from markdown_it import MarkdownIt
from msgspec import Struct

from infercompat.harvest.base import File, Refused

_READER = MarkdownIt("commonmark", {"html": True}).enable("table")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"<[^>]+>")
_NOTE = re.compile(r"\[\^([^\]]+)\]")
_CODE = re.compile(r"`([^`]+)`")


class Cell(Struct, frozen=True):
    """One cell: as written, in plain words, and the footnotes that it names."""

    raw: str

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(_NOTE.findall(self.raw))

    @property
    def code(self) -> tuple[str, ...]:
        """What stands in backticks: names, as pages print them."""
        return tuple(_CODE.findall(self.raw))

    @property
    def text(self) -> str:
        """The words without links, marks and footnotes."""
        plain = _TAG.sub("", _NOTE.sub("", _LINK.sub(r"\1", self.raw)))
        return " ".join(unescape(plain).replace("`", "").replace("\\", "").replace("*", "").replace("\ufe0e", "").replace("\ufe0f", "").split())


class Table(Struct, frozen=True):
    """A table below a heading. `headers` are plain words; a row is its line and its cells, as many as there are headers."""

    section: str
    line: int
    headers: tuple[str, ...]
    rows: tuple[tuple[int, tuple[Cell, ...]], ...]


def tables(file: File) -> Iterator[Table]:
    """Every table of a page, in order. A row is cut or filled to the width of its head, as readers show it."""
    section, head, rows, row, line = "", [], [], [], 0
    tokens = _READER.parse(_without_front_matter(file.text))
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            section = Cell(tokens[index + 1].content).text
        elif token.type == "table_open":
            line, head, rows = token.map[0] + 1, [], []
        elif token.type == "tr_open":
            row = []
            place = token.map[0] + 1
        elif token.type in ("th_open", "td_open"):
            row.append(Cell(tokens[index + 1].content))
        elif token.type == "tr_close":
            if not head:
                head = row
            else:
                rows.append((place, tuple(row)))
        elif token.type == "table_close":
            yield Table(section, line, tuple(cell.text for cell in head), tuple(rows))


def column(file: File, table: Table, *names: str) -> int:
    """Where a column stands. Raises Refused when it is there under none of its names."""
    for name in names:
        if name in table.headers:
            return table.headers.index(name)
    raise Refused(f"{file.path}:{table.line}: the table has no column {' or '.join(names)}: it has {', '.join(table.headers)}")


def _without_front_matter(text: str) -> str:
    """A page whose first block between --- lines is blanked, so that lines keep their numbers."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---", 4)
    return "\n" * text.count("\n", 0, end + 1) + text[end + 4 :] if end > 0 else text


def slug(words: str) -> str:
    """Words as an id: EAGLE-3 — Linear -> eagle-3-linear."""
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.") or "unnamed"
