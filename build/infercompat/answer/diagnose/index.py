"""The error-string index: which gotchas a log speaks of, by the patterns of their errors and of their detectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from infercompat.answer.diagnose.seen import alike, once
from infercompat.link import Catalog
from infercompat.records import Record

LONGEST_LINE, LONGEST_SEARCHED = 400, 4000


class Pattern(NamedTuple):
    """A pattern of a gotcha. `by` says what a match is: the `error` of a loud fault, or the `detector` of a silent one."""

    gotcha: Record
    by: str
    pattern: re.Pattern[str]
    words: str = ""
    """Words that are in every text in which the pattern is found."""


class Match(Struct, frozen=True):
    """A gotcha found in a log: where first, the line as written there, and how often it was found."""

    pattern: Pattern
    source: str
    line: int
    text: str
    count: int

    @property
    def gotcha(self) -> Record:
        return self.pattern.gotcha


def patterns(catalog: Catalog) -> tuple[Pattern, ...]:
    """Every pattern of the catalog's gotchas that compiles, by gotcha and in the order of the record."""
    written = [
        (gotcha, by, text)
        for gotcha in catalog.of_kind("gotcha")
        for by, texts in (("error", gotcha.data.get("error_patterns", ())), ("detector", (gotcha.data.get("detector", {}).get("pattern"),)))
        for text in texts
        if text
    ]
    return tuple(Pattern(gotcha, by, found, literal(text)) for gotcha, by, text in written if (found := compiled(text)) is not None)


def compiled(text: str) -> re.Pattern[str] | None:
    """A pattern as it is searched for; None where it is faulty, which validation tells of."""
    try:
        return re.compile(text)
    except re.error:
        return None


def literal(pattern: str) -> str:
    """The longest run of letters that every match of a pattern holds; empty where it is not plain to see."""
    if "|" in re.sub(r"\\.|\[[^\]]*\]|\([^()]*\)|\((?:[^()]|\([^()]*\))*\)", "", pattern) or "(?i" in pattern or "(?x" in pattern:
        return ""
    runs, run, at = [""], "", 0
    while at < len(pattern):
        letter, escaped = pattern[at], pattern[at] == "\\"
        at += 1
        if escaped:
            letter, at = pattern[at], at + 1
        if (escaped and not letter.isalnum()) or (not escaped and letter not in "[(.^$*?+{\n"):
            run += letter
            continue
        if not escaped and letter in "*?{":
            run = run[:-1]
        runs.append(run)
        run = ""
        if not escaped and letter in "[({":
            at = _closed(pattern, at, letter)
    return max((*runs, run), key=len)


def _closed(pattern: str, at: int, opened: str) -> int:
    """The place behind a class, a group or a count that was opened before a place."""
    depth, inside = 1, opened == "["
    if inside and pattern[at : at + 1] in ("]", "^"):
        at += 2 if pattern[at : at + 2] == "^]" else 1
    while at < len(pattern) and depth:
        letter = pattern[at]
        at += 2 if letter == "\\" else 1
        if inside:
            inside = letter != "]"
            depth -= not inside and opened == "["
        elif letter == "[":
            inside = True
        elif letter in "({":
            depth += 1
        elif letter in ")}":
            depth -= 1
    return at


def find(known: Sequence[Pattern], texts: Sequence[tuple[str, Sequence[str]]]) -> list[Match]:
    """The gotchas of which a pattern is found in the log lines, once each, at the first pattern and the first text that fit."""
    found: dict[str, Match] = {}
    for source, lines in texts:
        short = max(map(len, lines), default=0) <= LONGEST_SEARCHED
        text, there = "\n".join(lines if short else [line[:LONGEST_SEARCHED] for line in lines]), once(lines)
        for pattern in known:
            if pattern.gotcha.id not in found and alike(pattern.words) in there and (places := [match.end() for match in pattern.pattern.finditer(text)]):
                line = text.count("\n", 0, places[0]) + 1
                found[pattern.gotcha.id] = Match(pattern, source, line, _shortened(lines[line - 1]), len(places))
    return list(found.values())


def _shortened(line: str) -> str:
    line = line.strip()
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " …"
