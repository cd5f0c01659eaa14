"""What docs/13 and the compatibility page show: the same rows, before any text or markup."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct, field

from infercompat.allocate import Request, allocate
from infercompat.condition import AllOf, Condition, HasLayer, Requires, leaves, lookup, parse, words
from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Hop, Matrix, Source, newest_release
from infercompat.records import Record

CONTEXTS = (8192, 32768, 131072)
CACHE_DEMANDS = ("sliding-window", "kv-sharing", "chunked-attention")


class Citer(Struct):
    """Numbers citations in the order in which they are first used."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, id: str) -> int:
        return self.numbers.setdefault(id, len(self.numbers) + 1)


class CacheAt(NamedTuple):
    """A model's cache at a context, in bytes of one sequence, and naive over ideal."""

    tokens: int
    naive: int
    ideal: int
    ratio: float


class OverpayRow(Struct, frozen=True):
    """One model's cache at CONTEXTS (None beyond its own), and the engines that hold the naive amount for a part of it.

    `held` is what each engine of the matrix holds by its cache policy, over what is needed, at the longest of these contexts.
    """

    model: Record
    reach: int
    at: tuple[CacheAt | None, ...]
    holders: tuple[tuple[Cell, Hop], ...]
    held: tuple[float | None, ...]

    @property
    def longest(self) -> CacheAt:
        return [point for point in self.at if point][-1]


def overpay_rows(matrix: Matrix) -> list[OverpayRow]:
    """Models whose layers need less cache than the naive amount at a context they reach, worst ratio first."""
    rows = []
    for models in matrix.families.values():
        for model in models:
            derived = matrix.products.derived[model.id]
            if isinstance(derived, Unknown):
                continue
            reach = derived.context.native or CONTEXTS[-1]
            at = tuple(cache_at(derived, tokens) if tokens <= reach else None for tokens in CONTEXTS)
            if not any(point and point.ratio > 1 for point in at):
                continue
            holders = tuple(
                (cell, hop)
                for cell in matrix.of_model(model)
                for hop in cell.hops
                if hop.name in CACHE_DEMANDS and hop.state in ("gap", "fails") and hop.consequence in ("memory-overpay", "wrong-output")
            )
            longest = [point for point in at if point][-1]
            held = (resident(derived, model, engine, longest.tokens) for engine in matrix.engines)
            ratios = tuple(None if bytes_held is None else bytes_held(longest.tokens) / longest.ideal for bytes_held in held)
            rows.append(OverpayRow(model, reach, at, holders, ratios))
    return sorted(rows, key=lambda row: (-max(point.ratio for point in row.at if point), row.model.id))


def resident(derived: Derived, model: Record, engine: Record, longest: int) -> Callable[[int], int] | None:
    """What an engine's newest release holds for so many tokens of one sequence, on one rank; None where no policy is known."""
    request = Request(derived, architecture=model.data["architecture"], max_model_len=longest, cache_dtype="bf16")
    answer = allocate(engine.data, newest_release(engine).version, request)
    return None if isinstance(answer, Unknown) else answer.resident


def cache_at(derived: Derived, tokens: int) -> CacheAt:
    """The cache of a model at a context, in bf16."""
    cost = derived.cost()
    return CacheAt(tokens, cost.naive_bytes(tokens), cost.ideal_bytes(tokens), float(cost.overpay(tokens) or 1))


class FeatureRow(Struct, frozen=True):
    """One architecture in a feature column of an engine's own table, with the word printed there."""

    architecture: str
    word: str
    status: str
    source: Source
    models: tuple[Record, ...]


def feature_column(matrix: Matrix, engine: str, feature: str) -> list[FeatureRow]:
    """A column of an engine's feature table, in its order, with the catalog's models beside it."""
    models = matrix.products.catalog.of_kind("model")
    return [
        FeatureRow(
            statement.claim["about"].get("architecture", ""),
            str(statement.claim.get("value", statement.status)),
            statement.status,
            statement.source,
            tuple(model for model in models if model.data["architecture"] == statement.claim["about"].get("architecture")),
        )
        for statement in matrix.ledger.on_feature(engine, feature)
    ]


class Blocker(Struct, frozen=True):
    """A blocker with the models that can meet it and its conditions in words."""

    gotcha: Record
    models: tuple[Record, ...]
    conditions: str
    hardware: str


def blockers(matrix: Matrix, severity: str = "blocker") -> list[Blocker]:
    """Every gotcha of one severity, with the models of the catalog that can meet it, by engine."""
    touched: dict[str, dict[str, Record]] = {}
    for cell in matrix.cells.values():
        for gate in cell.gates:
            touched.setdefault(gate.gotcha.id, {})[cell.model.id] = cell.model
    found = [gotcha for gotcha in matrix.products.catalog.of_kind("gotcha") if gotcha.data["severity"] == severity]
    return [
        Blocker(gotcha, tuple(touched.get(gotcha.id, {}).values()), condition_text(gotcha), hardware_text(gotcha.data["hardware"]))
        for gotcha in sorted(found, key=lambda gotcha: (gotcha.data["engine"], gotcha.id))
    ]


def condition_text(record: Record, key: str = "when") -> str:
    """A gotcha's conditions in words; empty where it has none."""
    if key not in record.data:
        return ""
    parsed, _ = parse(record.data[key])
    return words(parsed) if parsed else ""


DECIDERS = {
    "given": "whoever starts it",
    "resolved": "a setting, or the engine's own choice",
    "derived": "what follows from model, hardware and settings",
    "workload": "the requests",
}
"""Who decides a fact, by its kind."""


def condition_rows(record: Record) -> list[tuple[str, str]]:
    """A gotcha's conditions one by one, in words, each with who decides it; all have to hold."""
    parsed, _ = parse(record.data["when"]) if "when" in record.data else (None, [])
    if parsed is None:
        return []
    return [(words(part), "; ".join(dict.fromkeys(_deciders(part)))) for part in (parsed.parts if isinstance(parsed, AllOf) else (parsed,))]


def _deciders(condition: Condition) -> Iterator[str]:
    for leaf in leaves(condition):
        if isinstance(leaf, Requires | HasLayer):
            yield "the model"
        for fact in leaf.facts:
            found = lookup(fact)
            yield DECIDERS["resolved" if found is None or "setting." in fact else found.kind]


def hardware_text(hardware: dict) -> str:
    """Where a gotcha was seen, in words."""
    if hardware["scope"] == "any":
        seen = f", seen on {', '.join(hardware['seen_on'])}" if hardware.get("seen_on") else ""
        return f"any hardware{seen}"
    text = f"seen on {', '.join(hardware['seen_on'])}" if hardware.get("seen_on") else f"from {hardware.get('min')}"
    if hardware.get("max"):
        text += f" to {hardware['max']}"
    return text + (f"; clean on {', '.join(hardware['clean_on'])}" if hardware.get("clean_on") else "")


def cell_sources(cell: Cell, limit: int = 3) -> list[Source]:
    """The few sources a matrix cell shows, one an entry: the architecture's, then those of what is missing, then the others."""
    hops = sorted(cell.hops[1:], key=lambda hop: hop.state == "holds")
    first = {hop.sources[0].id: hop.sources[0] for hop in reversed((*cell.hops[:1], *hops)) if hop.sources}
    return list(reversed(first.values()))[:limit]
