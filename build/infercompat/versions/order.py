"""Reading versions and ordering them, within a scheme or by date."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date as Day
from functools import cache
from typing import Any, Literal

from msgspec import Struct
from packaging.version import InvalidVersion
from packaging.version import Version as PythonVersion

SCHEMES = ("pep440", "semver", "build", "commit")

# What a build tool writes when it finds no tag: 0.1.devN, 0.0.0.devN. It says nothing about the code inside.
_UNTAGGED = {(0,), (0, 0), (0, 0, 0), (0, 1)}
_NUMBER = r"(0|[1-9]\d*)"
_SEMVER = re.compile(rf"v?{_NUMBER}\.{_NUMBER}(?:\.{_NUMBER})?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_PRERELEASE = re.compile(rf"{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*")
# A name that no scheme orders: letters with a digit (0.1.dev20073), or an image (vllm-openai:gptoss). Words alone are slips.
_NAME = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9:/])[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
# The numbered builds of a project that is otherwise known by its commits.
_NUMBERED = re.compile(r"b(\d{1,5})")
# Names that mean another commit every day, so that only a date tells two apart.
_MOVING = {"main", "master", "trunk", "head", "latest", "nightly", "dev", "stable"}
_BRANCH = {"main", "master", "trunk", "head", "nightly"}
"""Those that are the main branch, which holds whatever was merged the day before."""
MOST_CHARACTERS = 200
"""Longer texts are no versions; Python itself refuses to read numbers of some thousand digits."""

PATTERN = re.compile(r"v?(\d+(?:\.\d+)*)\.[*x]")


class Version(Struct, frozen=True):
    """A version as it was written, with the day it was published where that is known (YYYY-MM-DD).

    Of a build between two that are dated, `date` has the days of both: 2026-08-15/2026-08-21.
    """

    scheme: str
    text: str
    date: str | None = None


class Ordered(Version, frozen=True):
    """A version that its scheme orders. `release` are its leading numbers, `final` is false before a release, `main` on the main branch."""

    key: Any = None
    release: tuple[int, ...] = ()
    final: bool = True
    main: bool = False


class Unordered(Version, frozen=True):
    """A nightly without a tag, a custom image, a fork or a commit: only a date places it."""


Order = Literal["less", "equal", "greater"]


@cache
def parse_version(scheme: str, text: str, date: str | None = None) -> Version | None:
    """The version that a text names; None where it names none, such as a range, a pattern or a slip like `0..11`."""
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        return None
    read: Callable[[str], dict | None] = {"pep440": _pep440, "semver": _semver, "build": _build, "commit": _commit}[scheme]
    order = read(text)
    if order:
        return Ordered(scheme, text, date, **order)
    named = _COMMIT.fullmatch(text) or text.lower() in _MOVING or (_NAME.fullmatch(text) and not PATTERN.fullmatch(text))
    return Unordered(scheme, text, date) if named else None


def _pep440(text: str) -> dict | None:
    if _COMMIT.fullmatch(text) and not text.isdigit():
        return None  # PEP 440 would read the commit 4b12345 as a beta
    try:
        version = PythonVersion(text)
    except InvalidVersion:
        return None
    if version.is_devrelease and version.pre is None and version.release in _UNTAGGED:
        return None
    # A local label (+cu128) names a build of the same source, so it does not order.
    public, release = PythonVersion(version.public), (version.major, version.minor, version.micro, *version.release[3:])
    main = version.is_devrelease and version.pre is not None
    return {"key": public, "release": release, "final": not version.is_prerelease, "main": main}


def _semver(text: str) -> dict | None:
    match = _SEMVER.fullmatch(text)
    if match is None:
        return None
    release = tuple(int(number or 0) for number in match.groups()[:3])
    parts = match[4].split(".") if match[4] else []
    if not all(_PRERELEASE.fullmatch(part) for part in parts):
        return None
    # semver.org 11: a pre-release comes before its release; numbers compare as numbers and come before words.
    order = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts)
    return {"key": (release, not parts, order), "release": release, "final": not parts}


def _build(text: str) -> dict | None:
    match = re.fullmatch(r"b?(\d+)", text)
    return {"key": int(match[1])} if match else None


def _commit(text: str) -> dict | None:
    return None


def date_of_build(text: str, dates: Mapping[str, str]) -> str | None:
    """The days between which a numbered build was made, from those of builds whose `dates` are known; None for any other version."""
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return None
    known = sorted((int(other[1]), day) for name, day in dates.items() if (other := _NUMBERED.fullmatch(name)))
    before = [day for number, day in known if number < int(match[1])]
    after = [day for number, day in known if number > int(match[1])]
    return f"{before[-1] if before else '0001-01-01'}/{after[0] if after else '9999-12-31'}" if known else None


def days_of(date: str) -> tuple[str, str]:
    """The first and the last day that a date, or the two dates of a build between others, leave open."""
    first, _, last = date.partition("/")
    return first, last or first


def minor(version: Version) -> tuple[int, int] | None:
    """The X and Y of X.Y.Z; None where the scheme has none."""
    if isinstance(version, Ordered) and version.release:
        return version.release[0], version.release[1]
    return None


def is_main_build(version: Version) -> bool:
    """Whether it was built from the main branch between releases: X.Y.Zrc1.devN, or the branch itself on a day."""
    return version.main if isinstance(version, Ordered) else version.text.lower() in _BRANCH


def compare(one: Version, other: Version) -> Order | None:
    """How one stands to the other: by the scheme where both have an order in it, else by date; None where neither tells."""
    if isinstance(one, Ordered) and isinstance(other, Ordered) and one.scheme == other.scheme:
        return _order(one.key, other.key)
    numbers = [int(match[1]) for version in (one, other) if (match := _NUMBERED.fullmatch(version.text)) and version.scheme == "commit"]
    if len(numbers) == 2:
        return _order(*numbers)
    moving = one.text.lower() in _MOVING
    if one.scheme == other.scheme and _same_name(one.text, other.text) and (not moving or one.date == other.date is not None):
        return "equal"
    return _by_days(one.date, other.date) if one.date and other.date else None


def _by_days(one: str, other: str) -> Order | None:
    (first, last), (start, end) = days_of(one), days_of(other)
    return "less" if last < start else "greater" if first > end else None


def _order(one: Any, other: Any) -> Order:
    return "equal" if one == other else "less" if one < other else "greater"


def _same_name(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return one == other or (bool(_COMMIT.fullmatch(shorter) and _COMMIT.fullmatch(longer)) and longer.startswith(shorter))


def diverged(one: Version, other: Version) -> bool:
    """Whether one is a main build and the other a release of the same X.Y from that Z on.

    A patch release is cut from its release branch, so neither need hold what the other has, whatever their numbers say.
    """
    if is_main_build(one) is is_main_build(other) or minor(one) is None or minor(one) != minor(other):
        return False
    main, release = (one, other) if is_main_build(one) else (other, one)
    return release.release[2:] >= main.release[2:]


def placed(one: Version, other: Version) -> Order | None:
    """Like compare, and None for versions that diverged: whether what holds for one is in the other's past."""
    return None if diverged(one, other) else compare(one, other)


def is_day(text: str) -> bool:
    """Whether a text is a date of the calendar, as 2026-11-30 is and 2026-13-01 is not."""
    try:
        Day.fromisoformat(text)
    except ValueError:
        return False
    return True


def days_between(earlier: str | None, later: str | None) -> int | None:
    """Days from one date to another, by the first that each leaves open; None where one is unknown."""
    return (Day.fromisoformat(days_of(later)[0]) - Day.fromisoformat(days_of(earlier)[0])).days if earlier and later else None
