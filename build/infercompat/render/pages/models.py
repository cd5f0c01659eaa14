"""What a model's page shows: its layers and cache, the join requirement by requirement, and the gates."""

from __future__ import annotations

from collections.abc import Callable

from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Hop, Matrix
from infercompat.measure import weights_of
from infercompat.records import Record
from infercompat.render import compatibility
from infercompat.render.curves import Series, cost_curves
from infercompat.render.machines import touched_classes
from infercompat.render.strip import layer_strip

BEST = 5
"""Engines named at a glance: those that say yes on the best evidence."""


def of_model(matrix: Matrix, model: Record) -> dict:
    """The context of one model's page."""
    derived = matrix.products.derived[model.id]
    cells = list(matrix.of_model(model))
    context = {"derived": derived, "known": not isinstance(derived, Unknown), "cells": cells, "join": _serviceability(matrix, cells)}
    context["recipes"] = [recipe for recipe in matrix.products.catalog.of_kind("recipe") if model.id in recipe.data["models"]]
    gates: dict[str, dict] = {}
    for cell in cells:
        for gate in cell.gates:
            gates.setdefault(gate.gotcha.id, {"gate": gate, "engines": []})["engines"].append(cell.engine)
    severities = list(matrix.products.catalog.words("severity"))
    for row in gates.values():
        row["classes"] = touched_classes(matrix.products.catalog, row["gate"].gotcha)
    context["since"] = [(cell.engine, found) for cell in cells if (history := matrix.histories.get(cell.engine.id)) and (found := history.since(model.id))]
    context["weights"] = [(checkpoint, weights_of(model, checkpoint["hub"], checkpoint["format"])) for checkpoint in model.data["checkpoints"]]
    context["gated_unknown"] = sum("gated" not in checkpoint for checkpoint in model.data["checkpoints"])
    context["gates"] = sorted(gates.values(), key=lambda row: (severities.index(row["gate"].severity), row["gate"].gotcha.id))
    founded = [cell for cell in cells if cell.verdict == "yes" and cell.grade]
    context["best"] = sorted(founded, key=lambda cell: -cell.grade.confidence)[:BEST]
    if not isinstance(derived, Unknown):
        reach = derived.context.native
        lengths = [tokens for tokens in compatibility.CONTEXTS if not reach or tokens <= reach] or [reach]
        held = _held(matrix, model, derived, lengths[-1])
        context |= {
            "lengths": lengths,
            "held": [(cell, [resident(tokens) for tokens in lengths]) for cell, resident in held],
            "strip": layer_strip(derived.layers),
            "cache": [compatibility.cache_at(derived, tokens) for tokens in lengths],
            "reach": reach,
            "curves": cost_curves(_series(derived, held), lengths[-1]),
        }
    return context


def _held(matrix: Matrix, model: Record, derived: Derived, longest: int) -> list[tuple[Cell, Callable[[int], int]]]:
    """Engines that are not known to refuse the model and whose cache policy is known, with what one sequence of so many tokens holds there."""
    found = ((cell, compatibility.resident(derived, model, cell.engine, longest)) for cell in matrix.of_model(model) if cell.verdict != "no")
    return [(cell, held) for cell, held in found if held is not None]


def _series(derived: Derived, held: list[tuple[Cell, Callable[[int], int]]]) -> list[Series]:
    """The two bounds, and what each engine holds by its policy."""
    cost = derived.cost()
    bounds = [Series("every layer full", "naive", cost.naive_bytes), Series("what layers need", "ideal", cost.ideal_bytes)]
    return bounds + [Series(cell.engine.data["name"], "engine", resident) for cell, resident in held]


def _serviceability(matrix: Matrix, cells: list[Cell]) -> list[dict]:
    """Requirement by requirement: its record, why this model has it, and each engine's hop."""
    derived = cells[0].derived if cells else None
    if derived is None or isinstance(derived, Unknown):
        return []
    rows = []
    for requirement, reason in derived.requirements.items():
        hops: list[tuple[Cell, Hop | None]] = [(cell, next((hop for hop in cell.hops if hop.name == requirement), None)) for cell in cells]
        rows.append({"id": requirement, "record": matrix.products.catalog.resolve(requirement), "reason": reason, "hops": hops})
    return rows
