"""Prose in records: finds [[links]] and {{ placeholders }}, and renders it as clean HTML or plain text.

Contributed text can run nothing: a placeholder is a dotted name that is looked up and one filter from a fixed list.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

from infercompat.units import FILTERS, format_thousands

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#([^\[\]|\n]+))?(?:\|([^\[\]\n]+))?\]\]")
_PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_NAME = re.compile(r"[a-z][a-z0-9_+]*(?:\.[a-z0-9][a-z0-9_+]*)*\Z")
_CODE = re.compile(r"```.*?(?:```|\Z)|(?<!`)(``?)(?!`)[^\n]*?(?<!`)\1(?!`)", re.DOTALL)


class Link(Struct, frozen=True):
    """A [[target#part|text]] and where it stands in its string."""

    target: str
    part: str
    text: str
    start: int
    end: int


class Placeholder(Struct, frozen=True):
    """A {{ name | filter }} and where it stands. `fault` says what is wrong with its form, if anything."""

    name: str
    filter: str
    start: int
    end: int
    fault: str = ""


def _outside_code(text: str, start: int) -> bool:
    return not any(match.start() <= start < match.end() for match in _CODE.finditer(text))


def links(text: str) -> list[Link]:
    """The wiki-links of a text, code spans left out."""
    return [
        Link(match[1].strip(), (match[2] or "").strip(), (match[3] or "").strip(), match.start(), match.end())
        for match in _LINK.finditer(text)
        if _outside_code(text, match.start())
    ]


def placeholders(text: str) -> list[Placeholder]:
    """The placeholders of a text, well formed or not, code spans left out."""
    found = []
    for match in _PLACEHOLDER.finditer(text):
        if not _outside_code(text, match.start()):
            continue
        name, _, filter_name = (part.strip() for part in match[1].partition("|"))
        fault = ""
        if not _NAME.match(name):
            fault = f"'{match[1]}' is no dotted name; a placeholder is looked up, nothing in it is computed"
        elif filter_name and filter_name not in FILTERS:
            fault = f"there is no filter {filter_name}; the filters are {', '.join(FILTERS)}"
        found.append(Placeholder(name, filter_name, match.start(), match.end(), fault))
    return found


def show(value: object, filter_name: str) -> str:
    """A looked-up value through a filter; numbers without one get thousands separators."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return FILTERS.get(filter_name, format_thousands)(value)


Lookup = Callable[[str], object]
Linker = Callable[[Link], tuple[str, str]]
"""Leads from a link to its href and its text."""

_TAGS = {
    "p",
    "a",
    "em",
    "strong",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "br",
    "h3",
    "h4",
    "h5",
    "hr",
    "sup",
}


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 0.1 s to import, and answering a question renders nothing

    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")


def clean(markup: str) -> str:
    """HTML with nothing in it but text-level tags and https links."""
    import nh3

    return nh3.clean(markup, tags=_TAGS, attributes={"a": {"href", "class"}, "th": {"align"}, "td": {"align"}}, url_schemes={"https"}, link_rel="noopener")


def _substitute(text: str, linker: Linker, lookup: Lookup | None, link_form: Callable[[str, str], str]) -> str:
    pieces, at = [], 0
    marks: list[Link | Placeholder] = sorted([*links(text), *placeholders(text)], key=lambda mark: mark.start)
    for mark in marks:
        if mark.start < at:
            continue  # inside the one before
        pieces.append(text[at : mark.start])
        if isinstance(mark, Link):
            href, label = linker(mark)
            pieces.append(link_form(quote(href, safe="/#:%"), _filled(label, lookup)))
        else:
            pieces.append(_value(mark, lookup))
        at = mark.end
    return "".join(pieces) + text[at:]


def _value(mark: Placeholder, lookup: Lookup | None) -> str:
    value = None if mark.fault or lookup is None else lookup(mark.name)
    return "unknown" if value is None else show(value, mark.filter)


def _filled(label: str, lookup: Lookup | None) -> str:
    for mark in reversed(placeholders(label)):
        label = label[: mark.start] + _value(mark, lookup) + label[mark.end :]
    return label


def to_html(text: str, linker: Linker, lookup: Lookup | None = None) -> str:
    """Prose as sanitised HTML, links and placeholders resolved."""
    return clean(_markdown().render(_substitute(text, linker, lookup, lambda href, label: f"[{_escape(label)}]({href})")))


def to_inline_html(text: str, linker: Linker, lookup: Lookup | None = None) -> str:
    """One line of prose as sanitised HTML without a paragraph around it."""
    return clean(_markdown().renderInline(_substitute(text, linker, lookup, lambda href, label: f"[{_escape(label)}]({href})")))


def to_text(text: str, linker: Linker, lookup: Lookup | None = None) -> str:
    """Prose as plain text: links become their text."""
    return _substitute(text, linker, lookup, lambda _href, label: label)


def escape(text: object) -> str:
    return html.escape(str(text), quote=True)


def _escape(label: str) -> str:
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", label)
