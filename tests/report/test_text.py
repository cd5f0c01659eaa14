"""Diagnostics for people: place, rule, message, the line with a caret below what is meant, and what to do."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from infercompat.diagnostic import WARNING, Diagnostic
from infercompat.report import print_diagnostics
from infercompat.span import Span


def printed(diagnostic: Diagnostic, line: str = "", width: int = 80) -> list[str]:
    out = io.StringIO()
    print_diagnostics([diagnostic], lambda span: line, Console(file=out, width=width, highlight=False))
    return out.getvalue().splitlines()


def test_all_that_there_is_to_say():
    other = ("first here", Span("catalog/b.yaml", 1, 2))
    found = Diagnostic("ABC001", "is wrong", Span("catalog/a.yaml", 3, 7, 3, 12), help="Mend it.", related=(other,))
    assert printed(found, "name: wrong  # x") == [
        "catalog/a.yaml:3:7  ABC001  is wrong",
        "    name: wrong  # x",
        "          ^^^^^",
        "    first here: catalog/b.yaml:1:2",
        "    Mend it.",
    ]


def test_a_warning_says_so():
    assert printed(Diagnostic("ABC001", "is odd", Span("a", 1, 1), WARNING)) == ["a:1:1  ABC001  warning: is odd"]


def test_errors_come_last():
    out = io.StringIO()
    found = [Diagnostic("ABC001", "is wrong", Span("a", 1, 1)), Diagnostic("ABC002", "is odd", Span("b", 1, 1), WARNING)]
    print_diagnostics([*found, Diagnostic("ABC003", "is worse", Span("c", 1, 1))], lambda span: "", Console(file=out, highlight=False))
    assert [line.split()[1] for line in out.getvalue().splitlines()] == ["ABC002", "ABC001", "ABC003"]


@pytest.mark.parametrize(
    ("span", "line", "caret"),
    [
        (Span("a", 1, 1, 1, 4), "name: x", "^^^"),
        (Span("a", 1, 1, 1, 1), "name: x", "^"),
        (Span("a", 1, 3, 2, 1), "name: x", "  ^^^^^"),
        (Span("a", 1, 3), "name: x", "  ^^^^^"),
        (Span("a", 1, 7, 1, 40), "name: x", "      ^"),
        (Span("a", 1, 9, 1, 9), "name: x", "        ^"),
    ],
)
def test_the_caret(span, line, caret):
    assert printed(Diagnostic("ABC001", "m", span), line)[1:] == [f"    {line}", f"    {caret}"]


def test_a_line_that_is_empty_or_gone_is_not_shown():
    for line in ("", "   "):
        assert len(printed(Diagnostic("ABC001", "m", Span("a", 1, 1)), line)) == 1


@pytest.mark.parametrize(("start", "width"), [(500, 6), (170, 6), (100, 6), (1, 2000)])
def test_a_long_line_is_cut_around_the_place(start, width):
    line = "".join(chr(97 + index % 26) for index in range(2000))
    _, shown, caret = printed(Diagnostic("ABC001", "m", Span("a", 1, start, 1, start + width)), line)
    shown, first, marks = shown[4:], len(caret) - len(caret.lstrip()) - 4, caret.count("^")
    assert len(shown) <= 160
    assert marks == min(width, len(shown) - first)
    assert line[start - 1 : start - 1 + marks] == shown[first : first + marks]


def test_nothing_in_a_message_is_markup():
    found = printed(Diagnostic("ABC001", "[bold]x[/bold] leads to [[y]]", Span("a", 1, 1, 1, 2), help="[link=x]"), "[red]")
    assert found == ["a:1:1  ABC001  [bold]x[/bold] leads to [[y]]", "    [red]", "    ^", "    [link=x]"]


def test_nothing_is_wrapped():
    message = "a long message " * 20
    assert printed(Diagnostic("ABC001", message.strip(), Span("a", 1, 1)), width=40) == [f"a:1:1  ABC001  {message.strip()}"]
