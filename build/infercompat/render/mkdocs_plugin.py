"""The mkdocs plugin `infercompat`: what is HTML already in our pages need not be read as Markdown.

Without it every page is parsed twice to come out as it went in, which takes most of a build.
"""

from __future__ import annotations

import re
from typing import Any

from mkdocs.plugins import BasePlugin

HEADING = re.compile(r"^(#{1,6} .+)$", re.MULTILINE)
"""Headings stay in Markdown, which makes the table of contents of them."""


class WholePages(BasePlugin):
    """Takes the HTML between headings out before Markdown is converted, and puts it back in its place."""

    def on_page_markdown(self, markdown: str, page: Any, **_: Any) -> str:
        page.bodies = []
        return "".join(self._without(part, page.bodies) for part in HEADING.split(markdown))

    def on_page_content(self, html: str, page: Any, **_: Any) -> str:
        for place, body in enumerate(page.bodies):
            html = html.replace(_mark(place), body)
        return html

    def _without(self, part: str, bodies: list[str]) -> str:
        body = part.strip()
        if not (body.startswith('<div class="ic') and body.endswith("</div>")):
            return part
        bodies.append(body)
        return f"\n\n{_mark(len(bodies) - 1)}\n\n"


def _mark(place: int) -> str:
    return f"<!-- body {place} -->"
