"""Pages as values: an address, a title and a template with its context. One module alone writes them to disk."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

WIDE = ("navigation", "toc")
"""What pages with wide tables do without, to leave the tables the room."""


class Page(Struct, frozen=True):
    """One page of the site. `address` is site-relative and ends in /, or is empty for the home page."""

    address: str
    title: str
    template: str
    context: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    hide: tuple[str, ...] = ("navigation",)
    feeds: tuple[tuple[str, str], ...] = ()
    """Feeds that tell what changes here, by address and title."""
