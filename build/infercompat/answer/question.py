"""One person's question: a model on an engine, with whatever else was said about the stack."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from infercompat.condition import lookup, nearest
from infercompat.derive import Derived, Unknown
from infercompat.join import Release
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import parse_version, select


class Refused(Exception):
    """A question that cannot be asked as it stands: the message says what to change."""


@dataclass(frozen=True)
class Question:
    """What is asked. `given` maps fact names to values; those in `required` stay as they are in every repair."""

    model: Record
    derived: Derived | Unknown
    engine: Record
    release: Release
    hardware: Record | None = None
    gpus: int = 1
    given: Mapping[str, Any] = field(default_factory=dict)
    required: frozenset[str] = frozenset()

    def changed(self, changes: Mapping[str, Any], drop: frozenset[str] = frozenset()) -> Question:
        """The same question with some facts set and others taken back."""
        given = {name: value for name, value in self.given.items() if name not in drop}
        return replace(self, given={**given, **changes})

    @property
    def context(self) -> int | None:
        """The longest sequence asked for, else the model's own."""
        if "max_model_len" in self.given:
            return self.given["max_model_len"]
        return None if isinstance(self.derived, Unknown) else self.derived.context.native


def release_of(engine: Record, wanted: str | None) -> Release:
    """The release that ENGINE@wanted names. A version outside the catalog is taken as written; one that is none is refused."""
    releases = engine.data["releases"]
    found = select(engine.data["scheme"], wanted, releases)
    if found is not None:
        dates = {entry["version"]: entry["date"] for entry in releases}
        return Release(found.version, dates.get(found.version), assumed=found.assumed)
    if wanted and parse_version(engine.data["scheme"], wanted) is not None:
        return Release(wanted, None, assumed=False)
    known = ", ".join(entry["version"] for entry in releases[:6])
    raise Refused(f"'{wanted}' is no {engine.data['scheme']} version of {engine.id}; releases in the catalog: {known}")


def read_setting(text: str) -> tuple[str, Any]:
    """A fact and its value from `name=value`. Raises Refused for an unknown fact or a value it cannot have."""
    name, equals, value = text.partition("=")
    name = name.strip()
    fact = lookup(name)
    if not equals or not name:
        raise Refused(f"--set and --require take fact=value, not '{text}'")
    if fact is None:
        close = nearest(name)
        raise Refused(f"there is no fact {name}" + (f"; nearest: {', '.join(close)}" if close else "; infercompat explain facts lists them"))
    read = _typed(value.strip(), fact.type)
    complaint = fact.complaint(read)
    if complaint:
        raise Refused(complaint)
    return name, read


def _typed(value: str, type: str) -> Any:
    if type in ("bool", "any") and value.lower() in ("true", "false", "on", "off"):
        return value.lower() in ("true", "on")
    if type in ("int", "float", "any"):
        for read in (int, float):
            try:
                return read(value.replace("_", ""))
            except ValueError:
                continue
    return value


def engine_named(catalog: Catalog, wanted: str) -> tuple[Record, str | None]:
    """The engine and version of ENGINE[@VERSION]. Raises Refused with the nearest ids."""
    name, _, version = wanted.partition("@")
    found = catalog.follow(name) or catalog.follow(name.lower())
    if found is None or found.kind != "engine":
        known = [engine.id for engine in catalog.of_kind("engine")]
        close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.4)
        raise Refused(f"there is no engine {name}" + (f"; nearest: {', '.join(close)}" if close else f"; known: {', '.join(known)}"))
    if found.data["role"] == "kernel-library":
        raise Refused(f"{found.data['name']} is a kernel library: it gates engines and serves no model itself")
    return found, version or None


def hardware_of(catalog: Catalog, wanted: str) -> Record:
    """A hardware record by id or alias. Raises Refused with the nearest ids."""
    found = catalog.follow(wanted) or catalog.follow(wanted.lower().replace(" ", "-"))
    if found is not None and found.kind == "hardware":
        return found
    known = [record.id for record in catalog.of_kind("hardware")]
    close = difflib.get_close_matches(wanted.lower(), known, n=3, cutoff=0.4)
    raise Refused(f"there is no hardware {wanted}" + (f"; nearest: {', '.join(close)}" if close else f"; known: {', '.join(known)}"))

