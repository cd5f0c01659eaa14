"""The memory hop: weights, cache under the engine's policy, and what the settings leave of the device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.allocate import Allocation, allocate, choose
from infercompat.answer.engine_cache import Asked, request
from infercompat.answer.facts import PARTS, Resolved
from infercompat.answer.observed import OUT_OF_MEMORY, RAN, Seen, holds_for, nearest_first, serves_checkpoint, sources_of
from infercompat.answer.question import Question
from infercompat.derive import Unknown
from infercompat.join import Hop, Ledger, Source
from infercompat.records import Record
from infercompat.units import ELEMENT_BYTES, format_bytes
from infercompat.weighing import rank_weights, split_of

CAUTIOUS_SHARE = 0.8
"""The share of a device that is surely an engine's where its default is not on record: below every default that is."""
FEW = 3
"""So many logs bound an overhead from above; fewer do not."""


class Memory(Struct, frozen=True):
    """Figures of one rank in bytes; None where unknown, and `why` says what is missing.

    `weights` are at most so many, and at least `weights_low`. `cites` are those of the cache policy that holds. `available` is what is
    left for the cache at the low and the high end of the overhead that logs show, those of this engine or else of all engines; the low
    end is None where no log bounds it. `fits` is True only at the high end of the overhead and False only at its low end, or where an
    observation of this very stack (`seen`) says so. `blocks` are the cache blocks at both ends. `bounds` are what the cache can take where
    no policy of the engine tells. `file` is what a file of weights may take, where the engine serves a file that nobody named.
    """

    weights: int | None = None
    weights_low: int | None = None
    cache: int | None = None
    state: int | None = None
    total: int | None = None
    available: tuple[int | None, int] | None = None
    fits: bool | None = None
    longest: int | None = None
    sequences: float | None = None
    why: tuple[str, ...] = ()
    cites: tuple[dict[str, Any], ...] = ()
    seen: Seen | None = None
    bounds: tuple[int, int] | None = None
    blocks: tuple[int | None, int] | None = None
    file: int | None = None


def memory(resolved: Resolved, overhead: tuple[int, int | None], seen: Sequence[Seen] = (), weights: int | None = None) -> Memory | None:
    """What the question takes of each device; None without hardware.

    `overhead`: the least and the most bytes that the engine takes of one beside weights and cache. `weights`: those of a device, where
    somebody stated them.
    """
    question, facts = resolved.question, resolved.facts
    if question.hardware is None or isinstance(question.derived, Unknown):
        return None
    counted = None if weights else rank_weights(question.model, split_of(question.engine.id, facts), question.checkpoint, facts.get("weights.format"))
    why = [f"weights: {counted.reason}"] if isinstance(counted, Unknown) else []
    per_rank = None if isinstance(counted, Unknown) else (counted.low, counted.high) if counted else (weights, weights)
    total = _total(question.hardware, facts)
    share = facts.get("gpu_memory_utilization")
    if total is None:
        why.append("the device's memory is not in its record")
    of_free = None if share is not None else _share_of_free(question, facts)
    left = _left(total, share, per_rank, *overhead) if of_free is None else _left_of_free(total, of_free, per_rank, *overhead)
    logged = next((one for one in seen if one.kind == "left"), None)
    left = left if logged is None or logged.left is None else (logged.left, logged.left)
    values = question.model.data["config"]["values"]
    asked = Asked(question.engine, question.release, int(facts.get("tensor_parallel") or 1), question.context, None, settings_of(facts), values)
    answer = allocate(question.engine.data, question.release.version, request(question.derived, question.model.data["architecture"], "bf16", asked))
    policy = choose(question.engine.data, question.release.version)
    needed = None if isinstance(answer, Unknown) else _needed(answer, question.context)
    if needed is None:
        why.append(f"cache: {answer.reason if isinstance(answer, Unknown) else 'missing ' + ', '.join(answer.missing)}")
    bounds = _bounds(question, facts) if needed is None else None
    outcome = next(iter(nearest_first(one for one in seen if one.kind in (RAN, OUT_OF_MEMORY) and holds_for(one, resolved))), None)
    any_file = question.checkpoint is None and "weights.format" not in question.given and not serves_checkpoint(question.engine)
    largest = bounds[1] if needed is None and bounds else needed
    fits = _fits(bounds if needed is None else (needed, needed), left)
    found = Memory(
        weights=None if per_rank is None else per_rank[1],
        weights_low=None if per_rank is None else per_rank[0],
        cache=needed,
        state=None if isinstance(answer, Unknown) else answer.state_bytes,
        total=total,
        available=left,
        fits=outcome.kind == RAN if outcome else None if any_file and not fits else fits,
        why=tuple(why),
        cites=() if isinstance(policy, Unknown) else tuple(policy[0]["cites"]),
        seen=outcome or logged,
        bounds=bounds,
        file=total - largest - (overhead[1] or 0) if any_file and total is not None and largest is not None else None,
    )
    return _capacity(found, resolved, asked)


def _total(hardware: Record, facts: dict[str, Any]) -> int | None:
    return facts.get("hardware.memory_bytes") or hardware.data.get("visible_bytes") or hardware.data.get("memory_bytes")


def _left(total: int | None, share: Any, weights: tuple[int, int] | None, least: int, most: int | None) -> tuple[int | None, int] | None:
    """What is left beside the weights: at least, and at most. Of an unknown share, a cautious one and the whole device."""
    if total is None or weights is None:
        return None
    known = isinstance(share, (int, float))
    low, high = (int(total * share),) * 2 if known else (int(total * CAUTIOUS_SHARE), total)
    return (None if most is None else low - weights[1] - most, high - weights[0] - max(0, least))


def _share_of_free(question: Question, facts: dict[str, Any]) -> float | None:
    """The part that the cache takes of the memory that is free after loading, for engines that reckon so; None for others."""
    policy = choose(question.engine.data, question.release.version)
    named = None if isinstance(policy, Unknown) else policy[0]["parameters"].get("free_fraction")
    asked = facts.get("setting.cache_max_entry_count") or facts.get("setting.free_gpu_memory_fraction")
    return named and (asked or named)


def _left_of_free(total: int | None, share: float, weights: tuple[int, int] | None, least: int, most: int | None) -> tuple[int | None, int] | None:
    """As _left, where the share is taken after the weights and not before them."""
    free = _left(total, 1, weights, least, most)
    return None if free is None else (None if free[0] is None else int(free[0] * share), int(free[1] * share))


def _needed(answer: Allocation, context: int | None) -> int | None:
    """What the engine demands or sets aside for one sequence of the length, or what the sequence comes to hold if that is more.

    An engine may start with less and refuse the request when it comes; the length is not served then.
    """
    demanded = answer.reserved if answer.needed_bytes is None else answer.needed_bytes
    held = answer.resident(context) if context else None
    return max(demanded, held) if demanded is not None and held is not None else demanded or held


def _bounds(question: Question, facts: dict[str, Any]) -> tuple[int, int] | None:
    """What one sequence can take of a device, whatever the engine's policy: its share of what the layers need, and every layer full on it.

    None where the length or the type of the cache is not known.
    """
    dtype = facts.get("cache.dtype")
    if isinstance(question.derived, Unknown) or not question.context or dtype not in ELEMENT_BYTES:
        return None
    cost, ranks = question.derived.cost(dtype), int(facts.get("tensor_parallel") or 1) * int(facts.get("pipeline_parallel") or 1)
    return cost.ideal_bytes(question.context) // ranks, cost.naive_bytes(question.context)


def _fits(needed: tuple[int, int] | None, left: tuple[int | None, int] | None) -> bool | None:
    if needed is None or left is None:
        return None
    low, high = left
    if needed[0] > high:
        return False
    return True if low is not None and needed[1] <= low else None


def _capacity(found: Memory, resolved: Resolved, asked: Asked) -> Memory:
    """The blocks of the cache at both ends, and with the memory that is surely left the longest sequence and how many fit."""
    if found.available is None:
        return found
    question = resolved.question

    def with_memory(left: int | None) -> Allocation | Unknown | None:
        if left is None or left <= 0:
            return None
        wanted = request(question.derived, question.model.data["architecture"], "bf16", replace(asked, available_bytes=left))
        return allocate(question.engine.data, question.release.version, wanted)

    sure, most = map(with_memory, found.available)
    if isinstance(most, Allocation) and most.blocks is not None:
        at_least = None if found.available[0] is None else sure.blocks if isinstance(sure, Allocation) else 0
        found = replace(found, blocks=(at_least, most.blocks))
    if not isinstance(sure, Allocation):
        return found
    return replace(found, longest=sure.longest or sure.capacity_tokens, sequences=sure.max_concurrency)


def settings_of(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts for the allocation; the type of K or V only where it is not that of the whole cache."""
    skipped = ("sequence_length", "tensor_parallel", "max_model_len")
    same = [part for part in PARTS if facts.get(part) == facts.get("cache.dtype")]
    return {name: value for name, value in facts.items() if name not in (*skipped, *same) and value is not None}


def hop(found: Memory, ledger: Ledger, question: Question) -> Hop | None:
    """The hop: where hardware and context were given and the figures decide something; what is too large in itself needs no context.

    An engine that serves another file than the checkpoint (`serve` does not name it) may hold other weights, so they decide nothing there.
    """
    if serves_checkpoint(question.engine) and found.weights_low is not None and found.total is not None and found.weights_low > found.total:
        finding = f"weights of {format_bytes(found.weights_low)} a device exceed its {format_bytes(found.total)}"
        of_both = (*question.model.data.get("parameters", question.model.data["config"])["cites"], *question.hardware.data["cites"])
        return Hop("memory", "fails", finding, consequence="refuses", sources=_sources(of_both, ledger))
    if "max_model_len" not in question.given:
        return _at_its_own_length(found, ledger, question)
    if found.seen is not None and found.seen.kind in (RAN, OUT_OF_MEMORY):
        return _as_seen(found, found.seen, ledger)
    sources = _sources(found.cites[:1], ledger) if found.seen is None else sources_of(found.seen, ledger)
    if found.cache is None and found.bounds is not None:
        sources = _sources(question.model.data["config"]["cites"][:1], ledger)
    if found.file is not None and found.fits is None:
        return _of_file(found, found.file, sources)
    if found.fits is None and (found.cache is None or found.available is None):
        return Hop("memory", "unknown", "; ".join(found.why), sources=sources)
    needed, (low, high) = _needed_words(found), found.available or (None, 0)
    beside = f"is left beside weights of {format_bytes(found.weights or 0)}" + (", as a log of this stack says" if found.seen else "")
    if found.fits is False:
        finding = f"the cache needs {needed} a device and at most {format_bytes(max(0, high))} {beside}"
        return Hop("memory", "fails", finding, consequence="refuses", sources=sources)
    if found.fits is None:
        finding = f"the cache needs {needed} a device; at most {format_bytes(high)} {beside}, less what the engine takes itself"
        return Hop("memory", "gap", finding, sources=sources)
    left = format_bytes(high) if low == high else f"{format_bytes(low or 0)} to {format_bytes(high)}"
    return Hop("memory", "holds", f"{left} a device is left for a cache of {needed}", sources=sources)


def _at_its_own_length(found: Memory, ledger: Ledger, question: Question) -> Hop | None:
    """Where nobody named a length: whether that of the model is surely too long for what is left beside the weights."""
    if found.seen is not None or found.fits is not False or found.cache is None or found.available is None:
        return None
    high = max(0, found.available[1])
    needed = f"the cache of the model's own {question.context:,} tokens needs {format_bytes(found.cache)} a device"
    finding = f"{needed} and at most {format_bytes(high)} is left beside weights of {format_bytes(found.weights or 0)}"
    decided = high == 0 or found.longest
    return Hop("memory", "fails" if decided else "gap", finding, consequence="refuses" if decided else None, sources=_sources(found.cites[:1], ledger))


def _needed_words(found: Memory) -> str:
    """What the cache takes; where no policy of the engine is on record, the bounds of every policy."""
    if found.cache is not None or found.bounds is None:
        return format_bytes(found.cache or 0)
    low, high = map(format_bytes, found.bounds)
    return low if low == high else f"{low} to {high} (its policy is not on record: what the layers need, or every layer full)"


def _as_seen(found: Memory, seen: Seen, ledger: Ledger) -> Hop:
    """What ran or ran out of memory on this very stack decides, whatever the figures say."""
    needed = f"; the cache needs {format_bytes(found.cache)} a device" if found.cache else ""
    words = "it was seen to run" if seen.kind == RAN else "it was seen to run out of memory"
    state, consequence = ("holds", None) if seen.kind == RAN else ("fails", "refuses")
    finding = f"{words}: {seen.measurement.name}{needed}"
    return Hop("memory", state, finding, seen.kind, consequence, how=seen.how, stale=seen.stale, sources=sources_of(seen, ledger))


def _of_file(found: Memory, room: int, sources: tuple[Source, ...]) -> Hop:
    """Where nobody named the file of weights: how large it may be beside the cache."""
    needed = _needed_words(found)
    if room <= 0 and found.cache is None:
        return Hop("memory", "unknown", "; ".join(found.why), sources=sources)
    if room <= 0:
        finding = f"the cache alone needs {needed}, and a device has {format_bytes(found.total or 0)}"
        return Hop("memory", "fails", finding, consequence="refuses", sources=sources)
    finding = f"the cache needs {needed}, which leaves room for a weights file of about {format_bytes(room)} a device"
    return Hop("memory", "gap", finding, sources=sources)


def _sources(cites: Iterable[dict[str, Any]], ledger: Ledger) -> tuple[Source, ...]:
    return tuple(ledger.source_of(cite["id"], cite.get("at", "")) for cite in cites)


def as_data(found: Memory | None, logged: Sequence[dict[str, Any]] = ()) -> dict[str, Any] | None:
    """The `memory` object of the JSON contract; figures are of one device. `logged` are those that logs of the same stack print."""
    if found is None:
        return None
    low, high = found.available or (None, None)
    return {
        "weights_bytes": found.weights,
        "weights_low_bytes": found.weights_low,
        "cache_bytes": found.cache,
        "cache_bounds_bytes": list(found.bounds) if found.bounds else None,
        "state_bytes": found.state,
        "device_bytes": found.total,
        "available_bytes": high,
        "available_low_bytes": low,
        "fits": found.fits,
        "longest_context": found.longest,
        "sequences": found.sequences,
        "missing": list(found.why),
        "logged": list(logged),
    }
