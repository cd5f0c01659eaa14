"""The JSON shapes of /api/v1: a record, what follows from it, and the cells of the matrix. Keys are added within v1, never renamed."""

from __future__ import annotations

from typing import Any

from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Gate, Hop, Ledger, Matrix
from infercompat.measure import weights_of
from infercompat.records import Record
from infercompat.render.address import address

CONTEXTS = (8192, 32768, 131072)


def record_of(record: Record) -> dict[str, Any]:
    """A record as it is written, with its id, its kind, and where its page and file are."""
    return {"id": record.id, "kind": record.kind, "page": address(record), "file": record.path, "record": dict(record.data)}


def derived_of(model: Record, derived: Derived | Unknown) -> dict[str, Any]:
    """What follows from a model's config; `known` is false, and `missing` says for want of what, where nothing does. Bytes are integers."""
    if isinstance(derived, Unknown):
        return {"known": False, "missing": list(derived.missing), "reason": derived.reason}
    cost, context = derived.cost(), derived.context
    return {
        "known": True,
        "layers": derived.counts(),
        "requirements": derived.requirements,
        "defaults_used": list(derived.defaults_used),
        "context": {name: getattr(context, name) for name in ("native", "method", "factor", "original", "extended")},
        "cache": {
            "dtype": "bf16",
            "naive": {"bytes_per_token": cost.naive.bytes_per_token, "at": {str(tokens): cost.naive_bytes(tokens) for tokens in CONTEXTS}},
            "ideal": {
                "growing_bytes_per_token": cost.ideal.growing_bytes_per_token,
                "window_bytes": cost.ideal.window_bytes,
                "state_bytes_per_sequence": cost.ideal.state_bytes_per_sequence,
                "at": {str(tokens): cost.ideal_bytes(tokens) for tokens in CONTEXTS},
            },
        },
    }


def weights_of_checkpoints(model: Record) -> list[dict[str, Any]]:
    """Bytes of each checkpoint's weights, at least and at most, and what the figure rests on; null where nothing tells."""
    rows = []
    for checkpoint in model.data["checkpoints"]:
        found = weights_of(model, checkpoint["hub"], checkpoint["format"])
        known = not isinstance(found, Unknown)
        rows.append(
            {
                "hub": checkpoint["hub"],
                "format": checkpoint["format"],
                "low_bytes": found.low if known else None,
                "high_bytes": found.high if known else None,
                "basis": found.basis if known else None,
                "missing": [] if known else list(found.missing),
            }
        )
    return rows


def cell_of(cell: Cell, ledger: Ledger) -> dict[str, Any]:
    """A cell of the matrix with its chain and its gates: at the newest release, at the defaults, on hardware that nobody named."""
    return brief_of(cell) | {
        "reason": cell.reason,
        "conditions": list(cell.conditions),
        "chain": [_hop(hop, ledger) for hop in cell.hops],
        "gates": [_gate(gate) for gate in cell.gates],
        "page": f"{address(cell.model)}#on-{cell.engine.id}",
    }


def brief_of(cell: Cell) -> dict[str, Any]:
    """The verdict of a cell and how well it is founded."""
    return {
        "model": cell.model.id,
        "engine": cell.engine.id,
        "version": cell.release.version,
        "verdict": cell.verdict,
        "grade": cell.grade.word if cell.grade else None,
        "confidence": cell.grade.confidence if cell.grade else None,
        "missing": list(cell.missing),
    }


def _hop(hop: Hop, ledger: Ledger) -> dict[str, Any]:
    cites = [{"id": source.id, "url": ledger.url(source), "at": source.at} for source in hop.sources]
    return {"hop": hop.name, "state": hop.state, "finding": hop.finding, "value": hop.value, "cites": cites}


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "id": gate.gotcha.id,
        "title": gate.gotcha.name,
        "severity": gate.severity,
        "symptom": gate.gotcha.data["symptom"],
        "state": gate.state,
        "proven": gate.proven,
        "needs": list(gate.needs),
    }


def over_time_of(matrix: Matrix, engine: Record) -> dict[str, Any]:
    """What an engine makes of each model's architecture, release by release, newest first; only releases whose registry was read whole."""
    history = matrix.histories.get(engine.id)
    if history is None:
        return {"versions": [], "cells": {}}
    cells = {id: [hop.value or "unknown" for hop in hops] for id, hops in history.hops.items()}
    return {"versions": [release.version for release in history.releases], "cells": cells}
