"""Entries of a record that hold for a span of versions and were read at some of them, such as cache policies and builds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infercompat.versions.carry import Carried, carry
from infercompat.versions.order import compare, parse_version


def reach(engine: Mapping[str, Any], entry: Mapping[str, Any], version: str) -> Carried | None:
    """How an entry of an engine's record reaches a version from those in its `seen_at`; None where the version lies outside its span."""
    if not within(engine, entry, version):
        return None
    scheme, dates = engine["scheme"], _dates(engine)
    read = [(text, dates.get(text), "native") for text in entry["seen_at"]]
    return carry(scheme, read, version, dates.get(version))


def _dates(engine: Mapping[str, Any]) -> dict[str, str | None]:
    return {release["version"]: release.get("date") for release in engine.get("releases", ())}


def within(engine: Mapping[str, Any], entry: Mapping[str, Any], version: str, date: str | None = None) -> bool:
    """Whether a version lies from `since` on and before `until`; bounds that cannot be ordered with it do not exclude it.

    `date` is the day of a build that the record does not list.
    """
    scheme, dates = engine["scheme"], _dates(engine)
    wanted = parse_version(scheme, version, date or dates.get(version))
    bounds = {name: parse_version(scheme, entry[name], dates.get(entry[name])) for name in ("since", "until") if name in entry}
    orders = {name: compare(wanted, bound) for name, bound in bounds.items() if bound and wanted}
    return orders.get("since") != "less" and orders.get("until") not in ("equal", "greater")
