"""A rendered page as plain Markdown, for readers that want text: tables, lists and links stay, drawings give their label.

It knows the tags that the templates here write, and no others; a library that knows all took a second a page.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

SKIPPED = frozenset({"script", "style", "form", "noscript"})
VOID = frozenset({"br", "hr", "input", "meta", "link"})
MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}
BLOCKS = frozenset({"p", "div", "section", "details", "ul", "ol", "dl", "dt", "dd", "caption", "aside", "pre"})


def plain(text: str) -> str:
    """Markdown without HTML from the text of a page's Markdown file; relative links hold from the page's own address."""
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    reader = _Reader()
    reader.feed(re.sub(r"^(#+ .*?) \{:[^}]*\}$", r"\1", body, flags=re.MULTILINE))
    reader.close()
    tidy = re.sub(r"[ \t]+\n", "\n", "".join(reader.out))
    return re.sub(r"\n{3,}", "\n\n", tidy).strip() + "\n"


class _Reader(HTMLParser):
    """Writes to `out`, or to the cell of the table that is open."""

    def __init__(self) -> None:
        super().__init__()
        self.out: list[str] = []
        self.depth = self.skipping = 0
        self.lists: list[str] = []
        self.links: list[str] = []
        self.rows: list[list[str]] | None = None
        self.cell: list[str] | None = None
        self.spans: dict[int, tuple[int, str]] = {}
        self.shape = (1, 1)
        self.verbatim = False

    def updatepos(self, i: int, j: int) -> int:
        """Lines and columns are not counted: nobody asks where a tag stood."""
        return j

    def write(self, text: str) -> None:
        (self.out if self.cell is None else self.cell).append(text)

    def block(self) -> None:
        self.write(" " if self.cell is not None else "\n\n")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.depth += tag not in VOID
        if self.skipping or tag in SKIPPED or tag == "svg":
            self.skipping += tag not in VOID
            if tag == "svg" and self.skipping == 1:
                self.write(f"({found.get('aria-label', 'a drawing')})")
        elif tag in MARKS and not self.verbatim:
            self.write(MARKS[tag])
        elif tag == "a":
            self.links.append(found.get("href", ""))
            self.write("[")
        elif re.fullmatch(r"h[1-6]", tag):
            self.write(f"\n\n{'#' * int(tag[1])} ")
        elif tag == "li":
            bullet = "1." if self.lists and self.lists[-1] == "ol" else "-"
            self.write("; " if self.cell is not None else f"\n{'  ' * (len(self.lists) - 1)}{bullet} ")
        elif tag == "br":
            self.write(" " if self.cell is not None else "\n")
        elif tag == "table":
            self.rows, self.spans = [], {}
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell, self.shape = [], (int(found.get("colspan", 1)), int(found.get("rowspan", 1)))
        elif tag in BLOCKS or tag == "summary":
            if tag in ("ul", "ol"):
                self.lists.append(tag)
            self.block()
            if tag == "pre":
                self.verbatim = True
                self.write("```\n")
            elif tag in ("summary", "dt"):
                self.write("**")

    def handle_endtag(self, tag: str) -> None:
        self.depth -= 1
        if self.skipping:
            self.skipping -= 1
        elif tag in MARKS and not self.verbatim:
            self.write(MARKS[tag])
        elif tag == "a":
            self.write(f"]({self.links.pop()})")
        elif tag in ("td", "th") and self.rows is not None and self.cell is not None:
            text = re.sub(r"\s+", " ", "".join(self.cell)).strip(" ;").replace("|", "\\|")
            self.cell = None
            self.place(text)
        elif tag == "table" and self.rows is not None:
            self.out.append(_table(self.rows))
            self.rows = None
        elif tag == "pre":
            self.verbatim = False
            self.write("\n```\n\n")
        elif tag in BLOCKS or tag == "summary" or re.fullmatch(r"h[1-6]", tag):
            if tag in ("ul", "ol"):
                self.lists.pop()
            elif tag in ("summary", "dt"):
                self.write("**")
            self.block()

    def place(self, text: str) -> None:
        """Puts a cell into the last row, after those that reach down into it."""
        columns, lines = self.shape
        row = (self.rows or [[]])[-1]
        while len(row) in self.spans:
            left, above = self.spans[len(row)]
            if left == 1:
                del self.spans[len(row)]
            else:
                self.spans[len(row)] = (left - 1, above)
            row.append(above)
        if lines > 1:
            self.spans[len(row)] = (lines - 1, text)
        row += [text, *[""] * (columns - 1)]

    def handle_data(self, data: str) -> None:
        if self.skipping:
            return
        if self.verbatim or not self.depth:
            self.write(data)
        elif data.strip() or self.cell is not None or self.rows is None:
            self.write(re.sub(r"\s+", " ", data).replace("<", "&lt;"))


def _table(rows: list[list[str]]) -> str:
    """The rows as a table, the first as its head; one whose rows are name and value has an empty head."""
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    head = [] if width == 2 else rows[0]
    lines = [head + [""] * (width - len(head)), ["---"] * width, *(row + [""] * (width - len(row)) for row in (rows[1:] if head else rows))]
    return "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n"
