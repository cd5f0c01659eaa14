"""What is told of a build beside its version: the day it was made, and merged changes that it holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from infercompat.versions.order import is_day

_DATED = re.compile(r"(.+)@(\d{4}-\d\d-\d\d)")
_LABEL = re.compile(r"\+([0-9A-Za-z]+(?:[._-][0-9A-Za-z]+)*)")
_CHANGE = re.compile(r"pr(\d{1,9})")
_NUMBERS = re.compile(r"(?:#|pr)?(\d{1,9})")
_ADDRESS = re.compile(r"https://[^/\s]+/([^/\s]+/[^/\s]+)/(?:-/)?(?:pull|merge_requests)/(\d{1,9})(?:[/?#].*)?")


class Told(NamedTuple):
    """A version without what was told beside it, the day, and the numbers of changes; ("0.33.0", None, (57754,)) of 0.33.0+pr57754."""

    version: str
    date: str | None = None
    changes: tuple[int, ...] = ()


def told(text: str) -> Told:
    """What a version says of its build: `main@2026-11-20` its day, `0.33.0+cu130.pr57754` a change that it holds."""
    text, date = text.strip(), None
    if (dated := _DATED.fullmatch(text)) and is_day(dated[2]):
        text, date = dated[1], dated[2]
    head, plus, label = text.partition("+")
    if not plus or not _LABEL.fullmatch(plus + label):
        return Told(text, date)
    parts = re.split(r"([._-])", label)
    changes = tuple(int(match[1]) for part in parts[::2] if (match := _CHANGE.fullmatch(part.lower())))
    if not changes:
        return Told(text, date)
    left = [part for part in parts[::2] if not _CHANGE.fullmatch(part.lower())]
    return Told(f"{head}+{'.'.join(left)}" if left else head, date, tuple(sorted(set(changes))))


def changes_named(text: str) -> tuple[int, ...] | None:
    """The numbers in `57754`, `57754,57800` or addresses of pull requests; None where something else stands there."""
    found = [_ADDRESS.fullmatch(part) or _NUMBERS.fullmatch(part) for part in re.split(r"[\s,]+", text.strip())]
    return tuple(sorted({int(match[match.re.groups]) for match in found if match})) if found and all(found) else None


def holds_change(changes: tuple[int, ...], address: str | None, repository: str | None = None) -> bool:
    """Whether the change at an address is among those that a build is told to hold. Numbers are of the component's own `repository`."""
    match = _ADDRESS.fullmatch(address or "")
    if match is None or int(match[2]) not in changes:
        return False
    return repository is None or repository.rstrip("/").lower().endswith(f"/{match[1].lower()}")
