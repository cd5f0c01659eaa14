"""Tables of an engine's record that were read whole at some versions, such as its attention backends and the order that it tries them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

BACKENDS, SELECTION = "attention_backends", "attention_selection"


def versions_of(engine: Mapping[str, Any]) -> tuple[str, ...]:
    """The versions at which tables were read, that of entries which name none first."""
    if not engine.get(BACKENDS):
        return ()
    return tuple(one["version"] for one in engine.get("attention_tables", ())) or (engine["releases"][0]["version"],)


def table(engine: Mapping[str, Any], field: str, version: str) -> list[Mapping[str, Any]]:
    """The entries of one version, in the order of the record, each with the sources that were read at that version."""
    own, found = versions_of(engine)[:1], []
    for entry in engine.get(field) or ():
        for at, cites in read_at(entry, own[0]):
            if at == version:
                found.append(entry if cites is entry["cites"] else {**entry, "cites": cites})
    return found


def names_cited(engine: Mapping[str, Any], version: str) -> list[Mapping[str, Any]]:
    """The sources in which the names of all backends of a version stand; none where the record does not say."""
    return next((one["cites"] for one in engine.get("attention_tables", ()) if one["version"] == version), [])


def newest_backends(engine: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The attention backends of the version that entries are of which name none."""
    return [entry for version in versions_of(engine)[:1] for entry in table(engine, BACKENDS, version)]


def read_at(entry: Mapping[str, Any], own: str) -> Iterator[tuple[str, Any]]:
    """The versions at which an entry was read, each with its sources; `own` is that of an entry which names none."""
    yield entry.get("version", own), entry["cites"]
    for other in entry.get("also", ()):
        yield other["version"], other["cites"]
