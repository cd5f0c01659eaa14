"""What readers make of pasted text: things seen, each with the line that says it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

Lines = Sequence[str]
"""The lines of one text. Those that an earlier reader took are empty, so that numbers stay what they are."""


class Seen(Struct, frozen=True):
    """One thing that a text says.

    kind: `command` or `options` of an engine (its value: what they say), `engine` (its value: how firmly, the lower the firmer), `model`,
    `component` (name and version), `device` (its value a Device), `fact` (name and value), `flag` (one that no fact stands behind), `log`
    (a finding: what and value) or `note`.
    """

    kind: str
    name: str
    value: Any
    line: int
    source: str = ""

    def within(self, source: str) -> Seen:
        """The same, of a named text."""
        inner = tuple(part.within(source) for part in self.value) if self.kind in ("command", "options") else self.value
        return replace(self, value=inner, source=source)


class Reading(Struct, frozen=True):
    """What one reader saw, and the numbers of the lines that it took: nobody else needs to look at them."""

    seen: tuple[Seen, ...] = ()
    taken: frozenset[int] = field(default_factory=frozenset)


_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)


def alike(text: str) -> bytes:
    """A text with every digit a zero: the lines of a log that differ in numbers alone are the same then, and are looked at once."""
    return text.encode("utf-8", "surrogatepass").translate(_ZEROS)


@functools.lru_cache(2)
def _zeroed(text: str) -> tuple[list[bytes], dict[bytes, None], bytes]:
    """The lines of a text with zeros for digits, and each of them once, also as one. Readers that follow one another ask of the same text."""
    lines = alike(text).split(b"\n")
    each = dict.fromkeys(lines)
    return lines, each, b"\n".join(each)


def holding(lines: Lines, words: Iterable[str]) -> set[int]:
    """The places of the lines that hold any of some words."""
    zeroed, each, there = _zeroed("\n".join(lines))
    wanted = [(word, zeros) for word in words if (zeros := alike(word)) in there]
    known: set[bytes] = set()
    for _, zeros in wanted:
        known.update([line for line in each if zeros in line])
    if not known:
        return set()
    return {place for place, line in enumerate(zeroed) if line in known and any(word in lines[place] for word, _ in wanted)}


def once(lines: Lines) -> bytes:
    """The lines of a text, digits as zeros, each once: what is not in it is in no line."""
    return _zeroed("\n".join(lines))[2]


def reading(seen: Iterable[Seen], taken: Iterable[int] = ()) -> Reading:
    return Reading(tuple(seen), frozenset(taken))
