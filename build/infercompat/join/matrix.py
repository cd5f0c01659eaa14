"""The serviceability matrix: every model against every engine that has models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from infercompat.derive import Unknown
from infercompat.join.cell import Cell, decide, deciding_hops
from infercompat.join.claims import Ledger
from infercompat.join.gates import Gate
from infercompat.join.grade import grade
from infercompat.join.hops import Hop, Joiner, Release, newest_release
from infercompat.join.paths import joiner_for, path_gates, speaks
from infercompat.join.stack import Stack, defaults_of
from infercompat.products import Products
from infercompat.records import Record


def join_cell(products: Products, ledger: Ledger, model: Record, engine: Record, release: Release | None = None) -> Cell:
    """A model on an engine's release, the newest in the catalog if none is named, at the engine's defaults, on hardware that nobody named."""
    catalog, today = products.catalog, products.today
    release = release or newest_release(engine)
    derived = products.derived[model.id]
    stack = Stack(model, derived, defaults_of(engine))
    demanded = () if isinstance(derived, Unknown) else derived.requirements
    joiner = joiner_for(ledger, engine, release, stack, demanded)
    hops = [joiner.architecture(stack)]
    if hops[0].state != "fails":
        hops.append(joiner.config(stack))
        hops += [joiner.requirement(requirement, stack, hops[0]) for requirement in demanded]
    found = tuple(hops)
    met: tuple[Gate, ...] = ()
    if found[0].state != "fails":
        met = tuple(path_gates(catalog, engine, release, joiner, Stack(model, derived, open_settings=True), today))
    verdict, reason, missing, conditions = decide(found, met)
    graded = None if verdict == "unknown" else grade(deciding_hops(found, verdict), catalog, today)
    return Cell(model, engine, release, derived, found, met, verdict, reason, graded, missing, conditions)


class History(Struct, frozen=True):
    """Releases at which some source was read whole, newest first, and by model the architecture's hop at each."""

    releases: list[Release]
    hops: dict[str, list[Hop]]

    def since(self, model: str) -> tuple[str, bool] | None:
        """The first release from which on the architecture is there, and whether that is the first one read, so that it may be there for longer.

        None where the newest release lacks it, or none was read.
        """
        held = list(takewhile(lambda pair: pair[1].state in ("holds", "gap"), zip(self.releases, self.hops.get(model, ()), strict=False)))
        return (held[-1][0].version, len(held) == len(self.releases)) if held else None


class Matrix(Struct, dict=True):
    """All cells, with models by family and name and engines in the order they are shown."""

    products: Products

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.products.catalog)

    @cached_property
    def engines(self) -> list[Record]:
        """Engines of which some source says what they support: those that serve first, references last.

        A path of an engine that is here itself is not: a question to the whole takes the best path and names it.
        """
        speaking = [engine for engine in self.products.catalog.of_kind("engine") if engine.data["role"] != "kernel-library" and speaks(self.ledger, engine)]
        whole = {engine.id for engine in speaking}
        found = [engine for engine in speaking if engine.data.get("part_of") not in whole]
        return sorted(found, key=lambda engine: (engine.data["role"] == "reference", engine.data["name"].lower()))

    @cached_property
    def families(self) -> dict[str, list[Record]]:
        """Models by family, in the vocabulary's order of families, newest name last."""
        models = self.products.catalog.of_kind("model")
        grouped = {word: sorted((m for m in models if m.data["family"] == word), key=lambda m: m.id) for word in self.products.catalog.words("family")}
        return {word: found for word, found in grouped.items() if found}

    @cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        return {(model.id, engine.id): self.cell(model, engine) for models in self.families.values() for model in models for engine in self.engines}

    @cached_property
    def _joined(self) -> dict[tuple[str, str], Cell]:
        """The cells that somebody asked for so far: a page of one model needs its own and not the thousands of all."""
        return {}

    @cached_property
    def touched(self) -> dict[str, list[tuple[Cell, Gate]]]:
        """The cells that meet each gotcha, by its id, each with the gate."""
        found: dict[str, list[tuple[Cell, Gate]]] = {}
        for cell in self.cells.values():
            for gate in cell.gates:
                found.setdefault(gate.gotcha.id, []).append((cell, gate))
        return found

    @cached_property
    def histories(self) -> dict[str, History]:
        """What each engine's registry said of each model's architecture, release by release."""
        return {engine.id: self._history(engine) for engine in self.engines}

    def _history(self, engine: Record) -> History:
        read = {snapshot.data["version"] for snapshot in self.ledger.snapshots(engine.id) if snapshot.data.get("complete")}
        releases = [Release(entry["version"], entry["date"]) for entry in engine.data["releases"] if entry["version"] in read]
        joiners = [Joiner(self.ledger, engine, release) for release in releases]
        models = [model for found in self.families.values() for model in found] if releases else []
        stacks = {model.id: Stack(model, self.products.derived[model.id]) for model in models}
        return History(releases, {id: [joiner.architecture(stack) for joiner in joiners] for id, stack in stacks.items()})

    def cell(self, model: Record, engine: Record) -> Cell:
        key = (model.id, engine.id)
        if key not in self._joined:
            self._joined[key] = join_cell(self.products, self.ledger, model, engine)
        return self._joined[key]

    def of_model(self, model: Record) -> Iterator[Cell]:
        return (self.cell(model, engine) for engine in self.engines)

    def of_engine(self, engine: Record) -> Iterator[Cell]:
        return (self.cells[key] for key in self.cells if key[1] == engine.id)
