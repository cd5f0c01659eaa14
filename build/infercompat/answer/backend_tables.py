"""The tables of attention backends on record, by version, and how they reach the version in question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from infercompat.join import Joiner
from infercompat.versions import BACKENDS, SELECTION, Carried, Observation, carry, names_cited, table, versions_of


class Table(Struct, frozen=True):
    """The backends of one version by name, and its orders.

    `elsewhere` are names that only tables of other versions have, and `listed` where all names of this one stand.
    """

    version: str
    backends: Mapping[str, Mapping[str, Any]]
    selection: list[Mapping[str, Any]]
    elsewhere: frozenset[str]
    listed: Mapping[str, Any]


def read(joiner: Joiner) -> Carried:
    """How the lists of backends that were read reach the version in question: from one of them, or from two on both sides of it.

    Each is taken whole, as something that holds. So none is carried back: what the oldest lacks may have been removed.
    """
    engine, release = joiner.engine.data, joiner.release
    thresholds = {name: joiner.thresholds[name] for name in ("carry_minor_releases", "carry_days")}
    seen = [Observation(version, joiner.dates.get(version), "native") for version in versions_of(engine)]
    return carry(engine["scheme"], seen, release.version, release.date, **thresholds)


def tables(joiner: Joiner, basis: Iterable[str]) -> list[Table]:
    """The tables of versions, in that order."""
    engine = joiner.engine.data
    every = {entry["name"] for entry in engine[BACKENDS]}
    found = []
    for version in basis:
        backends = {entry["name"]: entry for entry in table(engine, BACKENDS, version)}
        found.append(Table(version, backends, table(engine, SELECTION, version), frozenset(every - backends.keys()), {"cites": names_cited(engine, version)}))
    return found
