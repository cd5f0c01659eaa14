"""What was seen on this very stack: a log or a report of the same model, engine, version line and hardware stands above what is worked out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.answer.facts import Resolved, own_word
from infercompat.join import Hop, Ledger, Source
from infercompat.measure import UNITS
from infercompat.products import Products
from infercompat.records import Record
from infercompat.versions import days_between
from infercompat.versions.carry import carry

RAN, OUT_OF_MEMORY = "ran", "out-of-memory"
"""The words of an `outcome` that decide something."""
OF_THE_TIME = 21
"""Days between a log and a release within which the log is taken to be of that X.Y, where it does not say its version."""
SHARE = "gpu_memory_utilization"
FREE = (SHARE, "max_num_batched_tokens", "max_num_seqs")
"""Settings that are compared by size, or not at all; any other has to be the same."""


LOGGED = ("engine.", "device.", "weights.")
"""The metrics that are a stack's own."""


class Seen(Struct, frozen=True):
    """One observation that speaks of the question.

    `left`: the cache memory of a device, where the log states it, at the share asked for. `blocks`: the cache blocks that the log counts.
    """

    measurement: Record
    kind: str
    how: str = "exact"
    stale: bool = False
    left: int | None = None
    blocks: int | None = None


def seen(products: Products, resolved: Resolved) -> tuple[Seen, ...]:
    """The observations of the question's stack; hardware that was named has to be the same, of the same number of ranks."""
    return tuple(_seen(products, resolved))


def _seen(products: Products, resolved: Resolved) -> Iterator[Seen]:
    question = resolved.question
    for measurement in products.catalog.of_kind("measurement"):
        if measurement.engine != question.engine.id:
            continue
        data = measurement.data
        kind = _kind(data)
        if kind is None or not _same_stack(products, resolved, data):
            continue
        how, stale = _version(products, resolved, data, lasting=kind == RAN)
        left = _left(resolved, data) if kind == "left" else None
        blocks = data["value"] if kind == "blocks" and _same_share(resolved, data) else None
        if how and (kind in (RAN, OUT_OF_MEMORY) or left is not None or blocks is not None):
            yield Seen(measurement, kind, how, stale, left, blocks)


def _kind(data: Mapping[str, Any]) -> str | None:
    """What a measurement says of a stack: how it ended, how many blocks or how much memory its cache had; None for anything else."""
    if data["metric"] == "outcome":
        return data["value"] if data.get("value") in (RAN, OUT_OF_MEMORY) else None
    if data["metric"] == "engine.blocks":
        return "blocks"
    return "left" if _cache_memory(data) is not None else None


def _same_share(resolved: Resolved, data: Mapping[str, Any]) -> bool:
    """Whether the log's engine took the share of memory that is asked for; where neither says it, both have the default."""
    return data.get("conditions", {}).get("settings", {}).get(SHARE) == resolved.question.given.get(SHARE)


def _same_stack(products: Products, resolved: Resolved, data: Mapping[str, Any]) -> bool:
    question, facts, conditions = resolved.question, resolved.facts, data.get("conditions", {})
    model = products.catalog.follow(data["model"])
    if model is None or model.id != question.model.id or not _same_weights(resolved, conditions.get("checkpoint")):
        return False
    if question.hardware is not None:
        ranks = [int(facts.get(name) or 1) for name in ("tensor_parallel", "pipeline_parallel")]
        if data.get("hardware") != question.hardware.id or ranks != [conditions.get(name, 1) for name in ("tensor_parallel", "pipeline_parallel")]:
            return False
    cache = conditions.get("cache_dtype")
    if cache and facts.get("cache.dtype") not in (None, own_word(cache)):
        return False
    settings = {name: value for name, value in conditions.get("settings", {}).items() if name not in FREE and not name.startswith("speculation.")}
    return all(facts.get(name) == value for name, value in settings.items())


def _same_weights(resolved: Resolved, checkpoint: str | None) -> bool:
    """Whether the weights are those of the question. An engine that serves a file is asked without naming it: any file will do."""
    question = resolved.question
    if question.checkpoint is None and not serves_checkpoint(question.engine):
        return True
    hubs = [entry["hub"] for entry in question.model.data["checkpoints"]]
    formats = {entry["hub"].lower(): entry["format"] for entry in question.model.data["checkpoints"]}
    first = hubs[0] if hubs else ""
    wanted, found = (question.checkpoint or first).lower(), (checkpoint or first).lower()
    return wanted == found or (wanted in formats and formats.get(wanted) == formats.get(found))


def serves_checkpoint(engine: Record) -> bool:
    """Whether the engine's command names the checkpoint, rather than a file of weights that may be stored in many ways."""
    return any("{checkpoint}" in part for part in engine.data.get("serve", {}).get("argv", ()))


def _version(products: Products, resolved: Resolved, data: Mapping[str, Any], lasting: bool) -> tuple[str, bool]:
    """How the observation reaches the version in question, and whether it is stale; empty where it does not.

    That it ran carries as support does; what failed or was left holds for the same X.Y. A log that does not say its version holds
    for releases of about its time.
    """
    release, thresholds = resolved.question.release, products.catalog.vocabulary["thresholds"]
    dates = {entry["version"]: entry["date"] for entry in resolved.question.engine.data["releases"]}
    if "version" not in data:
        published = [found.data.get("published") for cite in data["cites"] if (found := products.catalog.follow(cite["id"]))]
        day = next((date for date in published if date), None)
        apart = days_between(day, release.date) if day and release.date else None
        if apart is None or abs(apart) > thresholds["carry_days"]:
            return "", False
        return "same-minor" if abs(apart) <= OF_THE_TIME else "carried", False
    named = {name: thresholds[name] for name in ("carry_minor_releases", "carry_days")}
    observed = [(data["version"], dates.get(data["version"]), "native")]
    carried = carry(resolved.question.engine.data["scheme"], observed, release.version, release.date, **named)
    if carried.status is None or not (lasting or carried.how in ("exact", "same-minor")):
        return "", False
    return carried.how, carried.stale


def _left(resolved: Resolved, data: Mapping[str, Any]) -> int | None:
    """The cache memory of the log at the share that is asked for; None where either share or the device's memory is not known."""
    was, asked = data.get("conditions", {}).get("settings", {}).get(SHARE), resolved.facts.get(SHARE)
    total, value = resolved.facts.get("hardware.memory_bytes"), _cache_memory(data)
    if not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in (was, asked, total, value)):
        return None
    return int(value + (asked - was) * total)


def _cache_memory(data: Mapping[str, Any]) -> float | None:
    """The bytes that the log says are left for the cache of a device: as the figure itself, or beside another figure of the engine."""
    if data["metric"] == "device.cache_bytes":
        return data["value"] * UNITS[data["unit"]] if isinstance(data.get("value"), (int, float)) else None
    return data.get("conditions", {}).get("available_bytes") if data["metric"].startswith("engine.") else None


def logged(products: Products, resolved: Resolved) -> list[dict[str, Any]]:
    """What logs of the same model, weights, engine and hardware print, whatever their version: figures to hold ours against."""
    if resolved.question.hardware is None:
        return []
    found = []
    for measurement in products.catalog.of_kind("measurement"):
        if measurement.engine != resolved.question.engine.id:
            continue
        data = measurement.data
        if data["metric"].startswith(LOGGED) and "value" in data and data.get("hardware") and _same_stack(products, resolved, data):
            cite, conditions = data["cites"][0], data.get("conditions", {})
            figure = {name: data.get(name) for name in ("metric", "value", "unit", "version")}
            found.append({"id": measurement.id, **figure, "context": conditions.get("context"), "cites": [{"id": cite["id"], "at": cite.get("at", "")}]})
    return sorted(found, key=lambda one: (one["context"] != resolved.question.given.get("max_model_len"), one["id"]))


def nearest_first(found: Iterable[Seen]) -> list[Seen]:
    """Observations of the version in question before those that are carried to it; what ran before what failed."""
    return sorted(found, key=lambda one: (one.how not in ("exact", "same-minor"), one.kind != RAN))


def confirmed(hops: Iterable[Hop], found: Iterable[Seen], resolved: Resolved, ledger: Ledger) -> tuple[Hop, ...]:
    """The hops, with those that no source decides taken as holding where the stack was seen to run; another backend than that of the run is not."""
    ran = next((one for one in found if one.kind == RAN), None)
    settings = ran.measurement.data.get("conditions", {}).get("settings", {}) if ran else {}
    given = resolved.question.given
    chosen = [fact for fact in ("attention.backend", "block_size") if fact in given and settings.get(fact) != given[fact]]
    return tuple(_confirm(hop, ran, ledger) if ran and hop.state == "unknown" and not (hop.name == "attention" and chosen) else hop for hop in hops)


def _confirm(hop: Hop, ran: Seen, ledger: Ledger) -> Hop:
    finding = f"it was seen to run: {ran.measurement.name}"
    return replace(hop, state="holds", finding=finding, value=RAN, how=ran.how, stale=ran.stale, sources=sources_of(ran, ledger))


def sources_of(one: Seen, ledger: Ledger) -> tuple[Source, ...]:
    """The citations of an observation."""
    return tuple(ledger.source_of(cite["id"], cite.get("at", "")) for cite in one.measurement.data["cites"])


def holds_for(one: Seen, resolved: Resolved) -> bool:
    """Whether an outcome decides the length and the share that are asked for: what ran does for shorter, what failed for longer ones."""
    conditions, asked = one.measurement.data.get("conditions", {}), resolved.question.context
    length, share = conditions.get("context"), conditions.get("settings", {}).get(SHARE)
    given = resolved.facts.get(SHARE)
    if asked is None or length is None:
        return False
    if one.kind == RAN:
        return asked <= length and (share is None or given is None or given >= share)
    return asked >= length and (share is None or given is None or given <= share)
