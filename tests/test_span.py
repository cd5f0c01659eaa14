"""Places: how one is printed, and that it sorts by file, line and column."""

from __future__ import annotations

from infercompat.span import Span


def test_a_place_prints_as_editors_read_it():
    assert str(Span("catalog/a.yaml", 3, 5, 3, 9)) == "catalog/a.yaml:3:5"


def test_places_sort_by_file_line_and_column():
    places = [Span("a", 10, 1), Span("a", 9, 2), Span("a", 9, 1), Span("b", 1, 1)]
    assert sorted(places) == [places[2], places[1], places[0], places[3]]
