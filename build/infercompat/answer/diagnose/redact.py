"""Takes secrets out of pasted text before anything else looks at it, so that none can reach an answer.

Every rule keeps the number of lines, so that line numbers stay those of the paste. What names a person or a machine (addresses, hosts,
user names, home folders) goes, too; what anybody may know (loopback, well-known hosts, version numbers) stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, AnyStr

from msgspec.structs import replace

from infercompat.answer.diagnose import below
from infercompat.answer.diagnose.masks import GIVEN, LINE_RULES, MASK, NAMED, NAMES, NAMES_NEAR, TAKEN, Rule
from infercompat.answer.diagnose.seen import Seen, alike

BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
UNSEEN = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
SPELT = {**dict.fromkeys(BLANKS, " "), **dict.fromkeys(UNSEEN, ""), "\u201c": '"', "\u201d": '"', "\u201e": '"', "\uff02": '"', "\uff1d": "=", "\uff1a": ":"}
"""What word processors and web pages make of a command, and what was typed."""
DASHES = re.compile(r"(?<![\w\u2014\u2013-])(?:\u2014{1,2}|\u2013{1,2}|\u2212{2})(?=[a-z][\w-])")
"""What they make of two hyphens in front of a flag."""
SINGLE = re.compile(r"[\u2018\u201a\u201b]([^\u2018\u2019\n]{1,500})\u2019")
MOST_NAMES = 200
_SPELT = str.maketrans(SPELT)


def redact(text: str) -> str:
    """The text without secrets, line by line as it was."""
    if not text.isascii():
        text = SINGLE.sub(r"'\1'", DASHES.sub("--", text.translate(_SPELT)))
    lines = text.split("\n")
    folded = alike(text).split(b"\n")
    once = {line: line.decode("utf-8", "surrogatepass").lower() for line in dict.fromkeys(folded)}
    each, joined = list(once), "\n".join(once.values())
    suspect = {each[place] for hint in below.HINTS for place in _holding(joined, hint, "\n")}
    if suspect:
        naming = {line for line in suspect if NAMES_NEAR.search(once[line])}
        opening = {line for line in suspect if below.opens(once[line])}
        _mask_given(lines, [place for place, line in enumerate(folded) if line in naming] if naming else [])
        below.mask_below(lines, [place for place, line in enumerate(folded) if line in opening] if opening else [])
    rules = dict(zip(once, _rules(once), strict=True))
    for place, line in enumerate(folded):
        for rule in rules[line]:
            lines[place] = rule.pattern.sub(rule.change, lines[place])
    return "\n".join(lines)


def clean(seen: Seen) -> Seen:
    """A thing seen without the secrets that variables may have brought into it."""
    if seen.kind in ("command", "options"):
        return replace(seen, value=tuple(clean(part) for part in seen.value))
    return replace(seen, value=cleaned(seen.value, "image" if seen.name == "container" else seen.name))


def cleaned(value: Any, name: str = "") -> Any:
    """A value without secrets, as if its name stood in front of it."""
    if isinstance(value, str):
        return redact(f"{name}={value}").removeprefix(f"{name}=") if name else redact(value)
    if isinstance(value, Mapping):
        return {key: cleaned(inner, str(key)) for key, inner in value.items()}
    return [cleaned(inner, name) for inner in value] if isinstance(value, list) else value


def _mask_given(lines: list[str], places: list[int]) -> None:
    """Masks what is set to variables that a secret is taken from, in place."""
    near = (f"{lines[place]}\n{lines[place + 1] if place + 1 < len(lines) else ''}" for place in places)
    names = {match[1] or match[2] for pair in near for match in NAMED.finditer(pair)}
    if not names:
        return
    taken = [(match[1], match[2]) for line in lines if "$" in line for match in TAKEN.finditer(line)]
    for _ in range(5):
        names |= {source for name, source in taken if name in names}
    given = re.compile(GIVEN.replace(NAMES, "|".join(sorted(names)[:MOST_NAMES])))
    for place, line in enumerate(lines):
        if "=" in line or ":" in line or "ENV" in line:
            lines[place] = given.sub(rf"\1{MASK}", line)


def _rules(once: Mapping[bytes, str]) -> list[tuple[Rule, ...]]:
    """The rules that are tried on each line, which has a zero for each digit; in lower case, too."""
    exact, lowered = b"\n".join(once), "\n".join(once.values())
    held = [0] * len(once)
    for number, hint in enumerate(_BY_HINT):
        text, word, end = (exact, hint.encode(), b"\n") if hint != hint.lower() else (lowered, hint, "\n")
        for place in _holding(text, word, end):
            held[place] |= 1 << number
    known: dict[int, tuple[Rule, ...]] = {0: ()}
    found = []
    for hints, line in zip(held, once.values(), strict=True):
        if hints not in known:
            places = {place for number, places in enumerate(_BY_HINT.values()) if hints >> number & 1 for place in places}
            known[hints] = tuple(LINE_RULES[place] for place in sorted(places))
        rules = known[hints] if len(line) > 3 else ()
        if rules:
            near = {pattern for pattern in {rule.near for rule in rules} if pattern is None or pattern.search(line)}
            rules = tuple([rule for rule in rules if rule.near in near])
        found.append(rules)
    return found


def _holding(text: AnyStr, word: AnyStr, end: AnyStr) -> Iterator[int]:
    """The places of the lines that hold a word."""
    place, counted, at = 0, 0, text.find(word)
    while at >= 0:
        place += text.count(end, counted, at)
        yield place
        counted = text.find(end, at)
        at = text.find(word, counted) if counted >= 0 else -1


def _by_hint() -> dict[str, list[int]]:
    """The places of the rules that are tried where a hint is, zeros for digits."""
    found: dict[str, list[int]] = {}
    for place, rule in enumerate(LINE_RULES):
        for hint in rule.hints:
            found.setdefault(hint.translate(str.maketrans("123456789", "0" * 9)), []).append(place)
    return found


_BY_HINT = _by_hint()
