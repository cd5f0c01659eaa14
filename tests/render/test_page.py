"""Pages as values."""

from __future__ import annotations

from infercompat.render import Page


def test_a_page_is_a_value():
    assert Page("a/", "A", "a.md.j2") == Page("a/", "A", "a.md.j2", {}, "", ("navigation",))
    assert Page("a/", "A", "a.md.j2").context is not Page("a/", "A", "a.md.j2").context
