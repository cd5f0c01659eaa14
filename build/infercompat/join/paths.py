"""Engines with several paths to a model, and paths that run models in another engine.

A question to an engine of which others are a part takes the best of its paths and names it. A path that runs models in another
engine asks that one, at the version its release bundles, for what it has no source of its own on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from infercompat.join.asked import features
from infercompat.join.binary import binary
from infercompat.join.claims import Ledger
from infercompat.join.gates import Gate, gates
from infercompat.join.hops import Hop, Joiner, Release, newest_release
from infercompat.join.stack import Stack, defaults_of
from infercompat.link import Catalog
from infercompat.records import Record


def parts(catalog: Catalog, engine: Record) -> list[Record]:
    """The engines that are one path of this one, by id."""
    return sorted((other for other in catalog.of_kind("engine") if other.data.get("part_of") == engine.id), key=lambda other: other.id)


def speaks(ledger: Ledger, engine: Record) -> bool:
    """Whether some source says what an engine supports, or what one of its paths does."""
    return bool(ledger.snapshots(engine.id)) or any(ledger.snapshots(part.id) for part in parts(ledger.catalog, engine))


def joiner_for(ledger: Ledger, engine: Record, release: Release, stack: Stack, demanded: Iterable[str], asked: tuple[str, ...] = ()) -> Joiner:
    """The joiner of an engine's best path for one model: the one with the fewest hops that fail, then that are unknown, then with a gap.

    An engine without parts is its own only path. Of equal paths the engine's own comes first, then the first by id. `asked`: ids of features.
    """
    paths = [_joiner(ledger, engine, release)] if ledger.snapshots(engine.id) or not parts(ledger.catalog, engine) else []
    for part in parts(ledger.catalog, engine):
        at = _release_of(part, engine, release)
        if at is not None and ledger.snapshots(part.id):
            paths.append(Through(_joiner(ledger, part, at), Joiner(ledger, engine, release)))
    if len(paths) < 2:
        return paths[0] if paths else Joiner(ledger, engine, release)
    wanted = tuple(demanded)
    return min(paths, key=lambda path: _rank(path, stack, wanted, asked))


def path_gates(catalog: Catalog, engine: Record, release: Release, joiner: Joiner, stack: Stack, today: str, almost: bool = False) -> list[Gate]:
    """The gotchas of an engine and of the path that was taken, each once."""
    found = gates(catalog, engine, release, stack, today, almost)
    if joiner.engine.id != engine.id:
        known = {gate.gotcha.id for gate in found}
        found += [gate for gate in gates(catalog, joiner.engine, joiner.release, stack, today, almost) if gate.gotcha.id not in known]
    return found


class Through(Joiner):
    """A part's joiner, for a question to the whole: it says which path it is."""

    def __init__(self, path: Joiner, whole: Joiner):
        super().__init__(path.ledger, path.engine, path.release)
        self.path, self.whole = path, whole

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self.whole.settings, **self.path.settings}

    def architecture(self, stack: Stack) -> Hop:
        hop = self.path.architecture(stack)
        return replace(hop, finding=f"through {self.engine.data['name']}: {hop.finding}")

    def requirement(self, requirement: str, stack: Stack, architecture: Hop | None = None) -> Hop:
        return self.path.requirement(requirement, stack, architecture)

    def weights(self, stack: Stack) -> Hop | None:
        return self.path.weights(stack)

    def hardware(self, stack: Stack) -> Hop | None:
        return self.path.hardware(stack)

    def model_there(self, stack: Stack) -> Hop | None:
        return self.path.model_there(stack)

    def feature(self, offer: str, name: str, stack: Stack) -> Hop | None:
        return self.path.feature(offer, name, stack) or self.whole.feature(offer, name, stack)

    def backend_offer(self, requirement: str, backend: str, stack: Stack) -> str | None:
        return self.path.backend_offer(requirement, backend, stack)


class Hosted(Joiner):
    """The joiner of a path that runs models in another engine."""

    def __init__(self, ledger: Ledger, engine: Record, release: Release, inner: Joiner):
        super().__init__(ledger, engine, release)
        self.inner = inner

    def architecture(self, stack: Stack) -> Hop:
        """What its own registry takes, else what the other engine takes in a file that was made ready elsewhere."""
        own = super().architecture(stack)
        if own.state == "holds":
            return own
        inner = self.inner.architecture(self._inside(stack))
        if inner.state == "fails":
            return own if own.state == "fails" else inner
        where = f"{self.inner.engine.data['name']} {self.inner.release.version}"
        return replace(inner, finding=f"{own.finding}. A file made ready for {where} is another way: {inner.finding}")

    def hardware(self, stack: Stack) -> Hop | None:
        return super().hardware(stack) or self.inner.hardware(self._inside(stack))

    def model_there(self, stack: Stack) -> Hop | None:
        return super().model_there(stack) or self.inner.model_there(self._inside(stack))

    def feature(self, offer: str, name: str, stack: Stack) -> Hop | None:
        """What it hands on, if the other engine does not refuse it then."""
        own, inner = super().feature(offer, name, stack), self.inner.feature(offer, name, self._inside(stack))
        refused = own is not None and own.state in ("holds", "gap") and inner is not None and inner.state == "fails"
        return replace(inner, finding=f"{self.inner.engine.data['name']}: {inner.finding}") if refused else own or inner

    def _offered(self, requirement: str, data: dict, stack: Stack) -> Hop:
        own = super()._offered(requirement, data, stack)
        return own if own.state != "unknown" or own.sources else self.inner._offered(requirement, data, self._inside(stack))

    def _inside(self, stack: Stack) -> Stack:
        """The same question with the other engine's defaults where nothing is said."""
        return replace(stack, given={**defaults_of(self.inner.engine), **stack.given})


def _joiner(ledger: Ledger, engine: Record, release: Release) -> Joiner:
    runs = ledger.catalog.resolve(engine.data["runs"]) if "runs" in engine.data else None
    bundled = _bundled(engine, release, runs.id) if runs else None
    if bundled is None:
        return Joiner(ledger, engine, release)
    # A build that the other engine's record has no date for is no younger than the release that brings it.
    dates = {entry["version"]: entry["date"] for entry in runs.data["releases"]}
    return Hosted(ledger, engine, release, Joiner(ledger, runs, Release(bundled, dates.get(bundled, release.date), release.assumed)))


def _release_of(part: Record, engine: Record, release: Release) -> Release | None:
    """The release of a part that goes with a release of the whole: of the same version, else bundled, else the newest if none was named."""
    entries = {entry["version"]: entry["date"] for entry in part.data["releases"]}
    version = release.version if release.version in entries else _bundled(engine, release, part.id)
    if version is not None:
        return Release(version, entries.get(version), release.assumed)
    if release.assumed:
        return newest_release(part)
    return release if part.data["scheme"] == engine.data["scheme"] and part.data["repository"] == engine.data["repository"] else None


def _bundled(engine: Record, release: Release, name: str) -> str | None:
    return next((entry.get("bundles", {}).get(name) for entry in engine.data["releases"] if entry["version"] == release.version), None)


def _rank(path: Joiner, stack: Stack, demanded: tuple[str, ...], asked: tuple[str, ...]) -> tuple[bool, int, int]:
    """How far a path is from a plain yes: by whether something fails, how many hops are unknown, and how many have a gap."""
    hops = [path.architecture(stack)]
    if hops[0].state != "fails":
        hops += [path.requirement(requirement, stack, hops[0]) for requirement in demanded]
        hops += [hop for hop in (binary(path, stack), path.model_there(stack), path.weights(stack)) if hop is not None]
        hops += features(path, asked, stack)
    states = [hop.state for hop in hops if not hop.optional]
    return "fails" in states, states.count("unknown"), states.count("gap")
