"""Tables of an engine's record that were read whole at some versions, such as its attention backends and the order that it tries them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

BACKENDS, SELECTION = "attention_backends", "attention_selection"


def attention_version(engine: Mapping[str, Any]) -> str:
    """The version that entries are of which name none."""
    return engine.get("attention_version") or engine["releases"][0]["version"]


def versions_of(engine: Mapping[str, Any], field: str = BACKENDS) -> tuple[str, ...]:
    """Every version at which a table was read, each once, that of entries which name none first."""
    own = attention_version(engine)
    found = dict.fromkeys(version for entry in engine.get(field) or () for version, _ in _read_at(entry, own))
    return tuple(sorted(found, key=lambda version: version != own))


def table(engine: Mapping[str, Any], field: str, version: str) -> list[Mapping[str, Any]]:
    """The entries of one version, in the order of the record, each with the sources that were read at that version."""
    own, found = attention_version(engine), []
    for entry in engine.get(field) or ():
        for at, cites in _read_at(entry, own):
            if at == version:
                found.append(entry if cites is entry["cites"] else {**entry, "cites": cites})
    return found


def newest_backends(engine: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The attention backends of the version that entries are of which name none."""
    return table(engine, BACKENDS, attention_version(engine))


def _read_at(entry: Mapping[str, Any], own: str) -> Iterator[tuple[str, Any]]:
    yield entry.get("version", own), entry["cites"]
    for other in entry.get("also", ()):
        yield other["version"], other["cites"]
