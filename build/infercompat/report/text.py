"""Diagnostics for people: place, rule, message, the source line with a caret, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from infercompat.diagnostic import ERROR, Diagnostic
from infercompat.span import Span

LineOf = Callable[[Span], str]
"""Leads from a span to its source line."""

_WIDEST = 160


def print_diagnostics(diagnostics: Sequence[Diagnostic], line_of: LineOf, console: Console) -> None:
    """Prints each diagnostic as `path:line:column  RULE  message`, with its line, a caret and help below.

    Errors come last, where a terminal ends, so that no warnings bury them.
    """
    for diagnostic in sorted(diagnostics, key=lambda diagnostic: diagnostic.severity == ERROR):
        console.print(_headline(diagnostic), soft_wrap=True)
        for line in _excerpt(diagnostic.span, line_of(diagnostic.span)):
            console.print(line, soft_wrap=True)
        for label, span in diagnostic.related:
            console.print(Text(f"    {label}: {span}", style="dim"), soft_wrap=True)
        if diagnostic.help:
            console.print(Text(f"    {diagnostic.help}"), soft_wrap=True)


def _headline(diagnostic: Diagnostic) -> Text:
    style = "bold red" if diagnostic.severity == ERROR else "bold yellow"
    severity = "" if diagnostic.severity == ERROR else f"{diagnostic.severity}: "
    return Text.assemble((str(diagnostic.span), "bold"), "  ", (diagnostic.rule, style), "  ", severity, diagnostic.message)


def _excerpt(span: Span, line: str) -> list[Text]:
    if not line.strip():
        return []
    start = span.column - 1
    width = span.end_column - span.column if span.end_line == span.line else len(line) - start
    # A long line is shown around the place that is meant.
    cut = max(0, start - _WIDEST // 2) if start + width > _WIDEST else 0
    shown = line[cut : cut + _WIDEST]
    caret = " " * (start - cut) + "^" * max(1, min(width, len(shown) - (start - cut)))
    return [Text(f"    {shown}", style="dim"), Text(f"    {caret}", style="red")]
