"""Carrying a claim from the versions at which sources were read to the version that somebody asks about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from infercompat.versions.order import Order, Version, compare, days_between, is_main_build, minor, parse_version, placed


class Observation(NamedTuple):
    """What a snapshot says of one proposition: the claim status it holds at a version."""

    version: str
    date: str | None
    status: str


How = Literal["exact", "same-minor", "interpolated", "carried", "carried-back", "changed", "before", "none"]

CARRIES_FORWARD = frozenset({"native", "fallback", "plugin", "redirected", "rewritten", "partial", "known-issues"})
CARRIES_BACK = frozenset({"unsupported"})


class Carried(Struct, frozen=True):
    """A status at the wanted version, None where it is unknown.

    `between`: the snapshots (A, B) on both sides, where it took two; with `changed`, it changed in (A, B]. `basis`: the versions whose
    snapshots decided, and have to be cited.
    """

    status: str | None
    how: How
    reason: str
    stale: bool = False
    between: tuple[str, str] | None = None
    basis: tuple[str, ...] = ()


def carry(
    scheme: str,
    observations: Iterable[Observation | tuple[str, str | None, str]],
    version: str,
    date: str | None = None,
    *,
    carry_minor_releases: int = 3,
    carry_days: int = 120,
) -> Carried:
    """What observations of one proposition say about a version: at it, in its X.Y, between two, or near enough to one.

    The caller settles conflicts within a version by source rank; those that are left make it unknown.
    """
    wanted = parse_version(scheme, version, date)
    if wanted is None:
        return Carried(None, "none", f"{version} is no {scheme} version")
    seen = [(at, status) for text, day, status in observations if (at := parse_version(scheme, text, day))]
    exact = [(at, status) for at, status in seen if compare(at, wanted) == "equal"]
    if exact:
        return _settle(exact, "exact", f"read at {exact[0][0].text}")
    line = _line(wanted)
    own = [(at, status) for at, status in seen if line and _line(at) == line]
    lower, upper = _neighbours(own or seen, wanted)
    if lower and upper:
        return _between(lower, upper, "same-minor" if own else "interpolated")
    if own:
        near = lower or upper
        return _settle(near, "same-minor", f"read at {near[0][0].text}, of the same X.Y")
    if lower:
        return _forward(lower, wanted, carry_minor_releases, carry_days)
    if upper:
        return _back(upper)
    return Carried(None, "none", f"none of the versions on record can be placed before or after {version}" if seen else "no source on record speaks of it")


Seen = list[tuple[Version, str]]


def _neighbours(seen: Seen, wanted: Version) -> tuple[Seen, Seen]:
    """The observations at the version next below the wanted one and next above it; empty where there is none."""
    below = [(at, status) for at, status in seen if placed(at, wanted) == "less"]
    above = [(at, status) for at, status in seen if placed(at, wanted) == "greater"]
    return _outermost(below, "greater"), _outermost(above, "less")


def _outermost(seen: Seen, side: Order) -> Seen:
    best: Seen = []
    for at, status in seen:
        order = compare(at, best[0][0]) if best else side
        if order == side:
            best = [(at, status)]
        elif order == "equal":
            best.append((at, status))
    return best


def _line(version: Version) -> tuple | None:
    # Builds of the main branch share X.Y with a release that was cut before them, and not its content.
    numbers = minor(version)
    return numbers and (*numbers, is_main_build(version))


def _settle(seen: Seen, how: How, reason: str, **more: Any) -> Carried:
    """One status out of observations at one version, or none where they disagree."""
    texts = tuple(dict.fromkeys(at.text for at, _ in seen))
    statuses = sorted({status for _, status in seen})
    if len(statuses) > 1:
        return Carried(None, "none", f"sources of {texts[0]} disagree: {', '.join(statuses)}", basis=texts)
    return Carried(statuses[0], how, reason, basis=texts, **more)


def _between(lower: Seen, upper: Seen, how: How) -> Carried:
    a, b = (_settle(side, "exact", "") for side in (lower, upper))
    pair, basis = (lower[0][0].text, upper[0][0].text), a.basis + b.basis
    if a.status is None or b.status is None:
        return a if a.status is None else b
    if a.status == b.status:
        return Carried(a.status, how, f"the same at {pair[0]} and {pair[1]}", between=pair, basis=basis)
    reason = f"{a.status} at {pair[0]}, {b.status} at {pair[1]}: changed in ({pair[0]}, {pair[1]}]"
    return Carried(None, "changed", reason, between=pair, basis=basis)


def _forward(lower: Seen, wanted: Version, most_minors: int, most_days: int) -> Carried:
    newest = _settle(lower, "exact", "")
    at = lower[0][0]
    if newest.status is None:
        return newest
    if newest.status not in CARRIES_FORWARD:
        return Carried(None, "none", f"{newest.status} at {at.text}, the latest version on record; whether later ones have it is not known", basis=newest.basis)
    minors, days = minors_between(at, wanted), days_between(at.date, wanted.date)
    distance = ", ".join(f"{count} {unit}" for count, unit in ((minors, "minor releases"), (days, "days")) if count is not None)
    reason = f"last read at {at.text}, {distance or 'an unknown time'} before"
    if (minors is not None and minors <= most_minors) or (days is not None and days <= most_days):
        return Carried(newest.status, "carried", reason, stale=True, basis=newest.basis)
    return Carried(None, "none", f"{reason}, which is too long ago to say", basis=newest.basis)


def _back(upper: Seen) -> Carried:
    oldest = _settle(upper, "carried-back", f"read at {upper[0][0].text}, the earliest version on record")
    if oldest.status is None or oldest.status in CARRIES_BACK:
        return oldest
    reason = f"{oldest.status} at {upper[0][0].text}, the earliest version on record; of earlier ones it is not known"
    return Carried(None, "before", reason, basis=oldest.basis)


def minors_between(old: Version, new: Version) -> int | None:
    """How many minor releases one version lies before another; None where X differs, for then nobody knows how many lie between."""
    a, b = minor(old), minor(new)
    return b[1] - a[1] if a and b and a[0] == b[0] else None
