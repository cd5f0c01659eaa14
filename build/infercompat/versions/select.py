"""Which release a person means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from infercompat.versions.order import PATTERN, Ordered, Version, compare, is_day, parse_version

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Selection(NamedTuple):
    """A version of the catalog, and whether the person left the choice open."""

    version: str
    assumed: bool


def select(scheme: str, wanted: str | None, releases: Sequence[Mapping[str, Any]]) -> Selection | None:
    """The release that a person means: an exact version, `0.11.*` (its newest), a date (the newest until then), or None (the newest).

    The newest is the highest final release, else the highest pre-release, else the latest date. None where no release is meant.
    """
    known = [version for entry in releases if (version := parse_version(scheme, entry["version"], entry.get("date")))]
    if wanted is None:
        return _newest(known, assumed=True)
    wanted = wanted.strip()
    if _DATE.fullmatch(wanted):
        return _newest([version for version in known if version.date and version.date <= wanted]) if is_day(wanted) else None
    if pattern := PATTERN.fullmatch(wanted):
        start = tuple(map(int, pattern[1].split(".")))
        return _newest([version for version in known if isinstance(version, Ordered) and version.release[: len(start)] == start])
    exact = parse_version(scheme, wanted)
    same = [version for version in known if version.text == wanted]
    same = same or [version for version in known if exact and compare(version, exact) == "equal"]
    # A commit's first digits may fit two; equal numbers are one release with and without a label.
    return Selection(same[0].text, False) if same and (len(same) == 1 or isinstance(exact, Ordered)) else None


def _newest(versions: Sequence[Version], assumed: bool = False) -> Selection | None:
    ordered = [version for version in versions if isinstance(version, Ordered)]
    best = [version for version in ordered if version.final] or ordered
    if best:
        return Selection(max(best, key=lambda version: version.key).text, assumed)
    dated = [version for version in versions if version.date]
    return Selection(max(dated, key=lambda version: version.date).text, assumed) if dated else None
