"""What a model's page shows: its layers and cache, the join requirement by requirement, and the gates."""

from __future__ import annotations

from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Hop, Matrix
from infercompat.records import Record
from infercompat.render import compatibility
from infercompat.render.curves import Series, cost_curves
from infercompat.render.strip import layer_strip


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
    context["gates"] = sorted(gates.values(), key=lambda row: (severities.index(row["gate"].severity), row["gate"].gotcha.id))
    if not isinstance(derived, Unknown):
        reach = derived.context.native
        lengths = [tokens for tokens in compatibility.CONTEXTS if not reach or tokens <= reach] or [reach]
        context |= {
            "strip": layer_strip(derived.layers),
            "cache": [compatibility.cache_at(derived, tokens) for tokens in lengths],
            "reach": reach,
            "curves": cost_curves(_series(matrix, model, derived, lengths[-1]), lengths[-1]),
        }
    return context


def _series(matrix: Matrix, model: Record, derived: Derived, longest: int) -> list[Series]:
    """The two bounds, and what each engine holds by its policy where it supports the model."""
    cost = derived.cost()
    series = [Series("every layer full", "naive", cost.naive_bytes), Series("what layers need", "ideal", cost.ideal_bytes)]
    for cell in matrix.of_model(model):
        held = compatibility.resident(derived, model, cell.engine, longest) if cell.verdict != "no" else None
        if held is not None:
            series.append(Series(cell.engine.data["name"], "engine", held))
    return series


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
