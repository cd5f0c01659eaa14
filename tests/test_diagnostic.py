"""Diagnostics as values: sorted by place and never told twice."""

from __future__ import annotations

from infercompat.diagnostic import ERROR, Diagnostic, tidy
from infercompat.span import Span


def test_tidy_sorts_by_place_and_drops_what_is_told_twice():
    late, early = Diagnostic("ABC001", "m", Span("b", 1, 1)), Diagnostic("ABC002", "m", Span("a", 9, 3))
    same_place = [Diagnostic("ABC003", "n", Span("a", 9, 3)), Diagnostic("ABC002", "l", Span("a", 9, 3))]
    again = Diagnostic("ABC001", "m", Span("b", 1, 1))
    assert tidy([late, early, again, *same_place]) == [same_place[1], early, same_place[0], late]


def test_a_diagnostic_is_an_error_unless_it_says_otherwise():
    assert Diagnostic("ABC001", "m", Span("a", 1, 1)).severity == ERROR
