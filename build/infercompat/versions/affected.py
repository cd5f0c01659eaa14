"""Whether a version has a fault, from the versions at which it was observed, introduced and fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from infercompat.condition.truth import Truth, decided, maybe
from infercompat.versions.order import Unordered, Version, compare, date_of_build, days_between, days_of, is_main_build, parse_version, placed
from infercompat.versions.told import holds_change


class Affected(Struct, frozen=True):
    """Whether a version has a fault; `stale` where that is carried from an older observation."""

    truth: Truth
    stale: bool = False


def affected(
    scheme: str,
    component: Mapping[str, Any],
    status: str,
    read_on: str,
    version: str | None,
    date: str | None = None,
    *,
    today: str,
    dates: Mapping[str, str] | None = None,
    stale_days: int = 180,
    reported: str | None = None,
    changes: tuple[int, ...] = (),
    repository: str | None = None,
) -> Affected:
    """Whether a version of one entry of a gotcha's `affects` has the fault, from what was observed, introduced and fixed.

    status, read_on: the gotcha's, and the day its thread was last read; an open thread counts for `stale_days`. version, date: the
    component's in the stack, None where not known. `dates`: the days of the component's known versions, which place nightlies.
    `reported`: the day of the first report, which stands for an observation of the newest release of that day where no version is named.
    `changes`: numbers of merged changes of the component's `repository` that the build is told to hold, whatever its version.
    Reasons name the fact `<component>.version`.
    """
    name = component.get("engine") or component["component"]
    fact, dates = f"{name}.version", dates or {}
    held = {what for what in ("introduced", "fixed") if holds_change(changes, (component.get(what) or {}).get("pr"), repository)}
    if "fixed" in held:
        return Affected(decided(False, f"{f'{name} {version}' if version else f'this build of {name}'} holds the change that mended it", fact))
    if version is None:
        return Affected(maybe(f"the version of {name}", fact))
    wanted = parse_version(scheme, version, date or _date(version, dates))
    reported = reported and max((day for day in dates.values() if day <= reported), default=reported)
    if wanted is None:
        return Affected(maybe(f"{name} {version} is no {scheme} version", fact, "untested"))
    age = days_between(read_on, today)
    still_open = status in ("open", "wontfix") and age is not None and age <= stale_days
    value, because, stale = _is_affected(wanted, component, partial(_read, scheme, dates), still_open, reported, "introduced" in held)
    text = f"{name} {version} {because}"
    return Affected(maybe(text, fact, "untested") if value is None else decided(value, text, fact), stale)


Reader = Callable[[str | None], Version | None]


def _read(scheme: str, dates: Mapping[str, str], text: str | None) -> Version | None:
    return parse_version(scheme, text, _date(text, dates)) if text else None


def _date(text: str, dates: Mapping[str, str]) -> str | None:
    return dates.get(text) or date_of_build(text, dates)


def _is_affected(
    wanted: Version, component: Mapping[str, Any], read: Reader, still_open: bool, reported: str | None, brought: bool
) -> tuple[bool | None, str, bool]:
    """The value, the reason as the end of a sentence, and whether it is stale. `brought`: the build holds what introduced it."""
    observed = [at for text in component.get("observed", ()) if (at := read(text))]
    introduced = read((component.get("introduced") or {}).get("version"))
    mended = _mended(wanted, component.get("fixed") or {}, read)
    orders = {placed(at, wanted) for at in (*observed, introduced) if at} | ({"less"} if brought else set())
    if any(compare(at, wanted) == "equal" for at in observed):
        return True, "is where it was observed", False
    if introduced and not brought and not _nightly(wanted) and placed(wanted, introduced) == "less":
        return False, f"is before {introduced.text}, which brought it", False
    if mended:
        return False, "holds the fix", False
    if not orders and reported and wanted.date and wanted.date >= reported:
        if mended is False:
            return True, "was released between the report and the fix", False
        if still_open:
            return True, "was released after the report, and the thread is open", True
    if not orders:
        return None, "may have it: nobody says at which version it was seen", False
    if not orders & {"less", "equal"}:
        if reported and wanted.date and wanted.date >= reported and mended is False:
            return True, "was released between the report and the fix", False
        return None, "is before the first observation" if "greater" in orders else "cannot be ordered with the observations", False
    if mended is False:
        return True, "is from before the fix", False
    if "greater" in orders:
        return True, "lies between two observations", False
    if "equal" in orders:
        return True, "brought it", False
    if still_open:
        return True, "is after the last observation, and the thread is open", True
    return None, "is after the last observation", False


def _nightly(version: Version) -> bool:
    """Whether a change may be inside before the release that is numbered for it."""
    return is_main_build(version) or (isinstance(version, Unordered) and version.scheme != "commit")


def _mended(wanted: Version, fixed: Mapping[str, Any], read: Reader) -> bool | None:
    """Whether a version holds the fix; None where the dates and numbers there are do not tell."""
    first, merged = read(fixed.get("first_release")), fixed.get("merged")
    order = placed(wanted, first) if first else None
    if order in ("equal", "greater"):
        return True
    if merged and wanted.date and days_of(wanted.date)[1] < merged:
        return False
    on_main = is_main_build(wanted) or wanted.scheme == "commit"
    if merged and wanted.date and days_of(wanted.date)[0] > merged and on_main:
        return True
    return False if order == "less" and not on_main and not _nightly(wanted) else None
