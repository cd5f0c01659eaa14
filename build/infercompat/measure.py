"""Recomputes the figures that measurements hold, so that the error of our arithmetic is published rather than claimed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from infercompat.allocate import Allocation, Request, allocate
from infercompat.allocate.every import by_every_policy
from infercompat.allocate.request import FIELDS, facts_of_config
from infercompat.condition import lookup
from infercompat.derive import Derived, Unknown
from infercompat.products import Products
from infercompat.records import Record
from infercompat.units import ELEMENT_BYTES
from infercompat.weighing import checkpoint_of, rank_weights, split_of, weights_of

UNITS = {"B": 1, "B/token": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "MB": 10**6, "GB": 10**9, "tokens": 1, "blocks": 1, "x": 1}

GIVEN_MEMORY = frozenset({"engine.blocks", "engine.capacity_tokens", "engine.max_concurrency", "engine.longest"})
"""Figures that need the cache memory, which the same log has to state."""


class Computed(Struct, frozen=True):
    """What we compute in the measurement's unit, and the error against what was logged; None where either is not known.

    `low` and `high` are the figure at both ends of the printed memory's rounding. `rounding` says that the logged figure lies
    between them, or within its own last digit, so that no error is left to explain.
    """

    value: float | None
    error: float | None = None
    why: str = ""
    low: float | None = None
    high: float | None = None
    rounding: bool = False


def computed(products: Products, measurement: Record) -> Computed:
    """The figure of a measurement as this catalog derives it; worked out once for all pages that show it."""
    key = ("computed", measurement.id)
    if key not in products.catalog.memo:
        products.catalog.memo[key] = _computed(products, measurement)
    return products.catalog.memo[key]


def _computed(products: Products, measurement: Record) -> Computed:
    data = measurement.data
    if data["metric"] == "outcome":
        return Computed(None, why="an outcome is observed, not computed")
    model = products.catalog.follow(data["model"])
    if model and data["metric"].startswith("weights.") and data["unit"] in UNITS:
        return _of_weights(products, data, model, data["metric"].partition(".")[2])
    derived = products.derived.get(model.id) if model else None
    if derived is None or isinstance(derived, Unknown):
        return Computed(None, why="the model's config cannot be read into layers")
    if data["unit"] not in UNITS:
        return Computed(None, why=f"nothing is computed in {data['unit']}")
    scope, _, rest = data["metric"].partition(".")
    if scope == "cache":
        return _of_model(data, derived, rest)
    if scope == "engine":
        return _of_engine(products, data, model, derived, rest)
    return Computed(None, why="the overhead of an engine cannot be computed; these figures bound it")


def _of_weights(products: Products, data: dict[str, Any], model: Record, figure: str) -> Computed:
    """The checkpoint's weights in all, or those of the fullest rank as the engine cuts them; what a rank holds besides is not counted."""
    conditions = data.get("conditions", {})
    checkpoint = conditions.get("checkpoint")
    settings = conditions.get("settings", {})
    word = settings.get("setting.gguf_type") or settings.get("weights.format")
    if figure == "total_bytes":
        found = weights_of(model, checkpoint, word)
    else:
        entry, hardware = checkpoint_of(model, checkpoint), products.catalog.follow(data.get("hardware", ""))
        facts = {name: conditions[name] for name in ("tensor_parallel", "pipeline_parallel") if name in conditions}
        facts |= {"hardware.class": hardware.data["class"]} if hardware else {}
        facts |= {"weights.format": entry["format"]} if entry else {}
        found = rank_weights(model, split_of(data.get("engine", ""), facts | settings), checkpoint, word)
    if isinstance(found, Unknown):
        return Computed(None, why=f"unknown: {found.reason}")
    return _held_against(data, (found.low + found.high) / 2, found.low, found.high)


class Overhead(Struct, frozen=True):
    """What an engine took of a device beside weights and cache, in one log: activations, graphs, the driver's own."""

    measurement: Record
    bytes: int


def overheads(products: Products, engine: str) -> list[Overhead]:
    """The overheads that logs of an engine show, smallest first: share of the device, less the weights, less the cache memory."""
    found = []
    for measurement in products.catalog.of_kind("measurement"):
        if measurement.engine != engine or measurement.data["metric"] != "device.cache_bytes":
            continue
        data = measurement.data
        share = data.get("conditions", {}).get("settings", {}).get("gpu_memory_utilization")
        hardware = products.catalog.follow(data.get("hardware", ""))
        if not _is_number(share) or hardware is None:
            continue
        total = hardware.data.get("visible_bytes") or hardware.data.get("memory_bytes")
        weights, cache = _logged_weights(products, measurement), _logged_bytes(data)
        if total and weights is not None and cache is not None:
            found.append(Overhead(measurement, round(share * total - weights - cache)))
    return sorted(found, key=lambda overhead: overhead.bytes)


def _logged_weights(products: Products, measurement: Record) -> float | None:
    """The weights that the same log states: of the same model and engine, and of no other checkpoint or number of ranks."""
    cited, wanted = {cite["id"] for cite in measurement.data["cites"]}, measurement.data.get("conditions", {})
    for other in products.catalog.of_kind("measurement"):
        if other.engine != measurement.engine:
            continue
        data, conditions = other.data, other.data.get("conditions", {})
        same = data.get("model") == measurement.data.get("model") and cited & {cite["id"] for cite in data["cites"]}
        differs = any(conditions[name] != wanted[name] for name in ("checkpoint", "tensor_parallel") if name in conditions and name in wanted)
        if data["metric"] == "weights.bytes" and same and not differs and (stated := _logged_bytes(data)) is not None:
            return stated
    return None


def _logged_bytes(data: Mapping[str, Any]) -> float | None:
    """The bytes that a measurement logs; None for a derived one, which logs none, and for a word."""
    value = data.get("value")
    return value * UNITS[data["unit"]] if _is_number(value) and data["unit"] in UNITS else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _of_model(data: dict[str, Any], derived: Derived, quantity: str) -> Computed:
    conditions = data.get("conditions", {})
    dtype, tokens = conditions.get("cache_dtype", "bf16"), conditions.get("context")
    if dtype not in ELEMENT_BYTES:
        return Computed(None, why=f"nothing is computed for a {dtype} cache")
    cost = derived.cost(dtype)
    if quantity == "ideal.growing_bytes_per_token":
        return _held_against(data, float(cost.ideal.growing_bytes_per_token))
    if tokens is None and quantity != "naive.bytes_per_token":
        return Computed(None, why="the measurement names no context")
    name, _, form = quantity.partition(".")
    if name == "overpay":
        ratio = cost.overpay(tokens)
        return Computed(None, why="the layers need no cache") if ratio is None else _held_against(data, float(ratio))
    if tokens is None:
        return _held_against(data, float(cost.naive.bytes_per_token))
    value = float(cost.ideal_bytes(tokens) if name == "ideal" else cost.naive_bytes(tokens))
    return _held_against(data, value / tokens if form == "bytes_per_token" else value)


def _of_engine(products: Products, data: dict[str, Any], model: Record, derived: Derived, figure: str) -> Computed:
    engine = products.catalog.follow(data.get("engine", ""))
    if engine is None:
        return Computed(None, why="the measurement names no engine")
    conditions = data.get("conditions", {})
    if data["metric"] in GIVEN_MEMORY and "available_bytes" not in conditions:
        return Computed(None, why="the log does not state the cache memory")
    if wrong := next(filter(None, (_wrong(*setting) for setting in conditions.get("settings", {}).items())), ""):
        return Computed(None, why=wrong)
    rounding = conditions.get("available_rounding_bytes", 0)
    requests = [request_of(derived, model.data, conditions, shift) for shift in (0, -rounding, rounding)]
    answers = [_figure(engine, data.get("version"), request, figure) for request in requests]
    if isinstance(answers[0], str):
        return Computed(None, why=answers[0])
    low, high = (answers[0] if isinstance(answer, str) else answer for answer in answers[1:])
    return _held_against(data, answers[0], min(low, high), max(low, high))


def _wrong(name: str, value: Any) -> str:
    """Why a setting cannot be computed with; empty where it can."""
    fact = lookup(name)
    return (fact.complaint(value) if fact else "") or (f"{name} is never below 0" if _is_number(value) and value < 0 else "")


def _figure(engine: Record, version: str | None, request: Request, figure: str) -> float | str:
    """One figure of the engine; why there is none, otherwise.

    Where the log does not say its version, or no policy is known for it, the figure stands if every policy on record gives it.
    """
    answer = allocate(engine.data, version, request) if version else Unknown(("version",), "the log does not say its version")
    answers = by_every_policy(engine.data, request) if isinstance(answer, Unknown) and answer.missing in _NO_POLICY else [answer]
    values = {_value(found, figure, request.max_model_len) for found in answers if not isinstance(found, Unknown)}
    if len(values) == 1 and None not in values and not any(isinstance(found, Unknown) for found in answers):
        return float(values.pop())
    if isinstance(answer, Unknown):
        return f"unknown: {answer.reason}" + ("; the policies on record differ" if len(values) > 1 else "")
    return f"unknown: missing {', '.join(answer.missing) or figure}"


def _value(answer: Allocation, figure: str, tokens: int | None) -> float | None:
    if figure == "resident_bytes":
        return answer.resident(tokens) if tokens else None
    return answer.figure({"reserved_bytes": "reserved"}.get(figure, figure))


def request_of(derived: Derived, model: Mapping[str, Any], conditions: Mapping[str, Any], shift: int = 0) -> Request:
    """What a measurement's conditions ask of an engine, with what the model's config says besides its layers."""
    settings = facts_of_config(model["config"]["values"]) | conditions.get("settings", {})
    fields = {name: settings.pop(fact) for fact, name in FIELDS.items() if fact in settings}
    available = conditions.get("available_bytes")
    return Request(
        derived,
        architecture=model["architecture"],
        available_bytes=None if available is None else available + shift,
        settings=settings,
        **{
            **fields,
            **{name: conditions[key] for key, name in _CONDITIONS.items() if key in conditions},
        },
    )


_NO_POLICY = (("version",), ("a cache policy",))
_CONDITIONS = {
    "context": "max_model_len",
    "cache_dtype": "cache_dtype",
    "tensor_parallel": "tensor_parallel",
    "pipeline_parallel": "pipeline_parallel",
}


def _held_against(data: dict[str, Any], value: float, low: float | None = None, high: float | None = None) -> Computed:
    scale = UNITS[data["unit"]]
    value, low, high = value / scale, None if low is None else low / scale, None if high is None else high / scale
    logged = data.get("value")
    if not isinstance(logged, (int, float)) or not logged:
        return Computed(value, low=low, high=high)
    digits = data.get("digits", 0)
    inside = (value if low is None else low) - digits <= logged <= (value if high is None else high) + digits
    return Computed(value, (value - logged) / logged, low=low, high=high, rounding=inside)
