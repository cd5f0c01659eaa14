"""Where something was written; every later stage points back through this."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of one file. Lines and columns count from 1; the end column is the first one past the text."""

    path: str
    line: int
    column: int
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"
