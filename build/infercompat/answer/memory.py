"""The memory hop: weights, cache under the engine's policy, and what the settings leave of the device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from infercompat.allocate import Allocation, allocate, choose
from infercompat.answer.engine_cache import Asked, request
from infercompat.answer.facts import PARTS, Resolved
from infercompat.answer.question import Question
from infercompat.derive import Unknown
from infercompat.join import Hop, Ledger, Source
from infercompat.measure import Overhead
from infercompat.records import Record
from infercompat.units import format_bytes
from infercompat.weighing import rank_weights, split_of


@dataclass(frozen=True)
class Memory:
    """Figures of one rank in bytes; None where unknown, and `why` says what is missing.

    `weights` are at most so many, and at least `weights_low`. `cites` are those of the cache policy that holds. `available` is what is
    left for the cache at the low and the high end of the overhead that logs of this engine show; the low
    end is None where no log bounds it. `fits` is True only at the high end of the overhead and False only at its low end.
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


def memory(resolved: Resolved, overheads: Sequence[Overhead]) -> Memory | None:
    """What the question takes of each device; None without hardware."""
    question, facts = resolved.question, resolved.facts
    if question.hardware is None or isinstance(question.derived, Unknown):
        return None
    weights = rank_weights(question.model, split_of(question.engine.id, facts), question.checkpoint, facts.get("weights.format"))
    why = [] if not isinstance(weights, Unknown) else [f"weights: {weights.reason}"]
    per_rank = None if isinstance(weights, Unknown) else (weights.low, weights.high)
    total = _total(question.hardware, facts)
    share = facts.get("gpu_memory_utilization")
    if total is None:
        why.append("the device's memory is not in its record")
    of_free = None if share is not None else _share_of_free(question, facts)
    if share is None and of_free is None:
        why.append(f"the share of memory that {question.engine.data['name']} takes is not known")
    left = _left(total, share, per_rank, overheads) if of_free is None else _left_of_free(total, of_free, per_rank, overheads)
    values = question.model.data["config"]["values"]
    asked = Asked(question.engine, question.release, int(facts.get("tensor_parallel") or 1), question.context, None, _settings(facts), values)
    answer = allocate(question.engine.data, question.release.version, request(question.derived, question.model.data["architecture"], "bf16", asked))
    policy = choose(question.engine.data, question.release.version)
    needed = None if isinstance(answer, Unknown) else _needed(answer, question.context)
    if needed is None:
        why.append(f"cache: {answer.reason if isinstance(answer, Unknown) else 'missing ' + ', '.join(answer.missing)}")
    found = Memory(
        weights=None if per_rank is None else per_rank[1],
        weights_low=None if per_rank is None else per_rank[0],
        cache=needed,
        state=None if isinstance(answer, Unknown) else answer.state_bytes,
        total=total,
        available=left,
        fits=_fits(needed, left),
        why=tuple(why),
        cites=() if isinstance(policy, Unknown) else tuple(policy[0]["cites"]),
    )
    return _capacity(found, resolved, asked)


def _total(hardware: Record, facts: dict[str, Any]) -> int | None:
    return facts.get("hardware.memory_bytes") or hardware.data.get("visible_bytes") or hardware.data.get("memory_bytes")


def _left(total: int | None, share: Any, weights: tuple[int, int] | None, overheads: Sequence[Overhead]) -> tuple[int | None, int] | None:
    if total is None or weights is None or not isinstance(share, (int, float)):
        return None
    budget = int(total * share)
    least = max(0, overheads[0].bytes) if overheads else 0
    most = overheads[-1].bytes if len(overheads) > 2 else None
    return (None if most is None else budget - weights[1] - most, budget - weights[0] - least)


def _share_of_free(question: Question, facts: dict[str, Any]) -> float | None:
    """The part that the cache takes of the memory that is free after loading, for engines that reckon so; None for others."""
    policy = choose(question.engine.data, question.release.version)
    named = None if isinstance(policy, Unknown) else policy[0]["parameters"].get("free_fraction")
    return named and (facts.get("setting.cache_max_entry_count") or named)


def _left_of_free(total: int | None, share: float, weights: tuple[int, int] | None, overheads: Sequence[Overhead]) -> tuple[int | None, int] | None:
    """As _left, where the share is taken after the weights and not before them."""
    free = _left(total, 1, weights, overheads)
    return None if free is None else (None if free[0] is None else int(free[0] * share), int(free[1] * share))


def _needed(answer: Allocation, context: int | None) -> int | None:
    """What the engine demands or sets aside for one sequence of the length; where that is nothing, what the sequence comes to hold."""
    demanded = answer.reserved if answer.needed_bytes is None else answer.needed_bytes
    return demanded or (answer.resident(context) if context else demanded)


def _fits(needed: int | None, left: tuple[int | None, int] | None) -> bool | None:
    if needed is None or left is None:
        return None
    low, high = left
    if needed > high:
        return False
    return True if low is not None and needed <= low else None


def _capacity(found: Memory, resolved: Resolved, asked: Asked) -> Memory:
    """How many sequences of the asked length fit, and the longest one, with the memory that is surely left."""
    sure = found.available[0] if found.available else None
    if sure is None or sure <= 0:
        return found
    question = resolved.question
    wanted = request(question.derived, question.model.data["architecture"], "bf16", replace(asked, available_bytes=sure))
    answer = allocate(question.engine.data, question.release.version, wanted)
    if isinstance(answer, Unknown):
        return found
    return replace(found, longest=answer.longest or answer.capacity_tokens, sequences=answer.max_concurrency)


def _settings(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts for the allocation; the type of K or V only where it is not that of the whole cache."""
    skipped = ("sequence_length", "tensor_parallel", "max_model_len")
    same = [part for part in PARTS if facts.get(part) == facts.get("cache.dtype")]
    return {name: value for name, value in facts.items() if name not in (*skipped, *same) and value is not None}


def hop(found: Memory, ledger: Ledger, question: Question) -> Hop | None:
    """The hop: where hardware and context were given and the figures decide something; weights too large need no context.

    An engine that serves another file than the checkpoint (`serve` does not name it) may hold other weights, so they decide nothing there.
    """
    serves_checkpoint = any("{checkpoint}" in part for part in question.engine.data.get("serve", {}).get("argv", ()))
    if serves_checkpoint and found.weights_low is not None and found.total is not None and found.weights_low > found.total:
        finding = f"weights of {format_bytes(found.weights_low)} a device exceed its {format_bytes(found.total)}"
        of_both = (*question.model.data.get("parameters", question.model.data["config"])["cites"], *question.hardware.data["cites"])
        return Hop("memory", "fails", finding, consequence="refuses", sources=_sources(of_both, ledger))
    if "max_model_len" not in question.given:
        return None
    sources = _sources(found.cites[:1], ledger)
    if found.fits is None and (found.cache is None or found.available is None):
        return Hop("memory", "unknown", "; ".join(found.why), sources=sources, optional=True)
    needed, (low, high) = format_bytes(found.cache or 0), found.available or (None, 0)
    beside = f"is left beside weights of {format_bytes(found.weights or 0)}"
    if found.fits is False:
        finding = f"the cache needs {needed} a device and at most {format_bytes(max(0, high))} {beside}"
        return Hop("memory", "fails", finding, consequence="refuses", sources=sources)
    if found.fits is None:
        finding = f"the cache needs {needed} a device; at most {format_bytes(high)} {beside}, less what the engine takes itself"
        return Hop("memory", "gap", finding, sources=sources)
    return Hop("memory", "holds", f"{format_bytes(low or 0)} to {format_bytes(high)} a device is left for a cache of {needed}", sources=sources)


def _sources(cites: Iterable[dict[str, Any]], ledger: Ledger) -> tuple[Source, ...]:
    return tuple(ledger.source_of(cite["id"], cite.get("at", "")) for cite in cites)


def as_data(found: Memory | None) -> dict[str, Any] | None:
    """The `memory` object of the JSON contract; figures are of one device."""
    if found is None:
        return None
    low, high = found.available or (None, None)
    return {
        "weights_bytes": found.weights,
        "weights_low_bytes": found.weights_low,
        "cache_bytes": found.cache,
        "state_bytes": found.state,
        "device_bytes": found.total,
        "available_bytes": high,
        "available_low_bytes": low,
        "fits": found.fits,
        "longest_context": found.longest,
        "sequences": found.sequences,
        "missing": list(found.why),
    }
