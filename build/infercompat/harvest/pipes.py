"""Tables of Markdown pages, also those that are indented below a tab, row by row with their lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from markdown_it import MarkdownIt
from msgspec import Struct

from infercompat.harvest.base import File, Refused

_PARSER = MarkdownIt("commonmark").enable("table")
_HEADING = re.compile(r"(#+)\s+(.*?)\s*#*")


class Row(Struct, frozen=True):
    """A row of a table: its cells by the heads of their columns, as the page prints them, its line, and the heading above."""

    cells: dict[str, str]
    line: int
    heading: str

    def cell(self, name: str) -> str:
        return self.cells.get(name, "")


def rows(file: File, first: str) -> Iterator[Row]:
    """The rows of every table whose first column has a head.

    Raises Refused where there is none: the page has changed its shape.
    """
    found, heading, block = False, "", []
    for number, line in enumerate([*file.lines, ""], start=1):
        if line.lstrip().startswith("|"):
            block.append(line)
            continue
        if block:
            for row in _rows(block, number - len(block), heading):
                if next(iter(row.cells)) == first:
                    found = True
                    yield row
            block = []
        if matched := _HEADING.fullmatch(line.strip()):
            heading = matched[2]
    if not found:
        raise Refused(f"{file.path}: there is no table whose first column is '{first}'")


def _rows(block: list[str], start: int, heading: str) -> Iterator[Row]:
    """The rows below the head of one table, whose first line is `start`."""
    tokens = _PARSER.parse(textwrap.dedent("\n".join(block)))
    heads: list[str] = []
    for index, token in enumerate(tokens):
        if token.type != "tr_open":
            continue
        cells = []
        for inner in tokens[index + 1 :]:
            if inner.type == "tr_close":
                break
            if inner.type == "inline":
                cells.append(_text(inner))
        if heads:
            yield Row(dict(zip(heads, cells, strict=True)), start + token.map[0], heading)
        heads = heads or cells


def _text(inline) -> str:
    """A cell's words, without the addresses of its links."""
    return " ".join("".join(" " if child.type in ("softbreak", "html_inline") else child.content for child in inline.children).split())
