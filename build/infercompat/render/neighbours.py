"""The neighbourhood of a record as a small drawing: what refers to it on the left, what it refers to on the right, by kind."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape
from msgspec import Struct

from infercompat.link import Catalog
from infercompat.records import FOLDER_OF_KIND, KINDS, Record

PLURALS = FOLDER_OF_KIND | {"support": "snapshots", "citation": "sources"}
MOST = 4
"""Records of a kind that are drawn; the lists below the drawing have all."""
WIDTH, SIDE, ROW, LETTERS = 640, 236, 24, 34
_LEFT, _RIGHT = 258, 382
"""Where the box in the middle begins and ends."""


class Neighbours(Struct, frozen=True):
    """Live records around one, by kind in the order of KINDS, each once and with the field of its first reference."""

    before: dict[str, list[tuple[Record, str]]]
    after: dict[str, list[tuple[Record, str]]]

    def __bool__(self) -> bool:
        return bool(self.before or self.after)


def neighbours(catalog: Catalog, record: Record) -> Neighbours:
    """What refers to a record, and what it refers to; itself is no neighbour, and a moved record counts as where it went."""
    incoming = [(catalog.records[reference.source], reference.field) for reference in catalog.references_to(record.id)]
    outgoing = [(catalog.follow(reference.id or ""), reference.field) for reference in catalog.references_from(record.id)]
    return Neighbours(_by_kind(incoming, record), _by_kind(outgoing, record))


def _by_kind(found: Sequence[tuple[Record | None, str]], own: Record) -> dict[str, list[tuple[Record, str]]]:
    grouped: dict[str, dict[str, tuple[Record, str]]] = {kind: {} for kind in KINDS}
    for other, field in found:
        if other and other.live and other.id != own.id:
            grouped[other.kind].setdefault(other.id, (other, field))
    return {kind: list(entries.values()) for kind, entries in grouped.items() if entries}


def drawing(record: Record, around: Neighbours, href: Callable[[Record], str]) -> Markup:
    """The SVG, its entries links and its label what a sighted reader takes in at a glance; empty where nothing is around."""
    if not around:
        return Markup("")
    left, left_height = _column(around.before, 0, "#referenced-by", href)
    right, right_height = _column(around.after, WIDTH - SIDE, "#refers-to", href)
    lines = textwrap.wrap(record.name, 17, max_lines=3, placeholder=" …")
    height = max(left_height, right_height, ROW * (len(lines) + 1))
    middle = height / 2
    top = middle - 8 * len(lines)
    words = "".join(f'<text x="{(_LEFT + _RIGHT) / 2:g}" y="{top + 12 + 16 * place:g}">{escape(line)}</text>' for place, line in enumerate(lines))
    box = f'<g class="ic-near-own"><rect x="{_LEFT}" y="{top - 6:g}" width="{_RIGHT - _LEFT}" height="{16 * len(lines) + 12}" rx="4"/>{words}</g>'
    edges = [_edge(SIDE, y, _LEFT, middle) for y in left.tops] + [_edge(_RIGHT, middle, WIDTH - SIDE, y) for y in right.tops]
    return Markup(
        f'<svg class="ic-near" viewBox="0 0 {WIDTH} {height:g}" role="group" aria-label="{escape(_label(record, around))}">'
        f'<g aria-hidden="true">{"".join(edges)}</g>{left.text}{box}{right.text}</svg>'
    )


class _Column(Struct, frozen=True):
    text: str
    tops: list[float]
    """Where the edge of each kind ends, at its heading."""


def _column(groups: dict[str, list[tuple[Record, str]]], x: int, more: str, href: Callable[[Record], str]) -> tuple[_Column, int]:
    parts, tops, y = [], [], 0
    for kind, entries in groups.items():
        tops.append(y + ROW / 2)
        parts.append(f'<text class="ic-near-kind" x="{x + 4}" y="{y + 16}">{escape(_count(kind, len(entries)))}</text>')
        y += ROW
        drawn = entries if len(entries) == MOST + 1 else entries[:MOST]
        for other, _ in drawn:
            parts.append(_link(href(other), other.name, x, y))
            y += ROW
        if len(entries) > len(drawn):
            parts.append(_link(more, f"and {len(entries) - len(drawn)} more {PLURALS[kind]}", x, y))
            y += ROW
    return _Column("".join(parts), tops), y


def _count(kind: str, number: int) -> str:
    word = PLURALS[kind]
    return f"1 {word.removesuffix('s')}" if number == 1 else f"{number} {word}"


def _link(target: str, text: str, x: int, y: int) -> str:
    short = text if len(text) <= LETTERS else f"{text[: LETTERS - 1].rstrip()}…"
    title = f"<title>{escape(text)}</title>" if short != text else ""
    return f'<a href="{escape(target)}">{title}<rect x="{x}" y="{y}" width="{SIDE}" height="{ROW}"/><text x="{x + 12}" y="{y + 16}">{escape(short)}</text></a>'


def _edge(x: float, y: float, to_x: float, to_y: float) -> str:
    """A curve with an arrow's head at its end."""
    half = (x + to_x) / 2
    return f'<path d="M{x:g},{y:g} C{half:g},{y:g} {half:g},{to_y:g} {to_x:g},{to_y:g} m-5,-3 l5,3 l-5,3"/>'


def _label(record: Record, around: Neighbours) -> str:
    """The drawing in a sentence."""
    sides = [", ".join(_count(kind, len(entries)) for kind, entries in groups.items()) or "nothing" for groups in (around.before, around.after)]
    return f"Neighbourhood of {record.name}: referred to by {sides[0]}; refers to {sides[1]}"
