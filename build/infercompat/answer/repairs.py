"""Repairs: the smallest sets of allowed changes after which the whole question comes out clean, each re-run from the start.

Where something else is unknown whatever is changed, those that clear what is met are told, too: they leave the answer unknown.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.length import NAME as LENGTH_HOP
from infercompat.answer.question import RANKS, Question, Refused, release_of
from infercompat.condition import Range, evaluate, in_words, leaves, lookup, parse
from infercompat.condition.nodes import AllOf, Is, Not, OfItems, Relates
from infercompat.condition.relation import Name
from infercompat.condition.values import Between, OneOf
from infercompat.join import BLOCKING, Gate, Hop, newest_release

MOST_CHANGES, MOST_TRIED, MOST_SHOWN = 3, 400, 5
MOST_FURTHER = 40
"""How many sets that are one change larger are tried for a clean one, where smaller ones clear what is met and leave something open."""
LARGER_SHARES = (0.95, 0.97, 0.99)
"""Shares of a device that may be tried where the cache does not fit."""
LENGTH = "max_model_len"
"""Never reset where it was asked for: it is what the person wants of the server, and its default is longer."""
USEFUL = 4096
"""Tokens below which no length is proposed: hardly anybody is served by less."""
ATTENTION = frozenset({"attention.backend", "cache.dtype", "cache.k.dtype", "cache.v.dtype", "block_size"})
"""What decides among attention backends."""
MOST_VALUES, MOST_NUMBERS, SMALL = 3, 512, 64
"""How many other values of a number are tried where a comparison rules out the one there is, how far from it they are looked for, and up to
which they are looked for in any case."""


class Change(Struct, frozen=True):
    """One allowed change: facts to set, facts to take back, or another release; cheaper ones first, then those that change less."""

    words: str
    cost: int
    distance: int = 0
    set: tuple[tuple[str, Any], ...] = ()
    drop: frozenset[str] = frozenset()
    version: str | None = None

    def apply(self, question: Question) -> Question:
        changed = question.changed(dict(self.set), self.drop)
        return changed if self.version is None else replace(changed, release=release_of(question.engine, self.version))

    @property
    def touches(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.set) | self.drop | ({"version"} if self.version else frozenset())


class Repair(Struct, frozen=True):
    """Changes that together make the answer yes, or leave nothing but what waited for facts, or was unknown, before."""

    changes: tuple[Change, ...]
    after: Assessment


class Search(Struct, frozen=True):
    """What was found: the repairs, those that clear what is met and leave unknown what was unknown, and what they say of the verdict.

    `clears`: whether any changes clear what blocks, whatever else is unknown then; `complete`: whether all were tried.
    """

    repairs: tuple[Repair, ...] = ()
    partial: tuple[Repair, ...] = ()
    clears: bool = False
    complete: bool = True


def search(assessor: Assessor, found: Assessment) -> Search:
    """The smallest sets of changes that clear the question, cheapest first. None that contains another is listed.

    Where none makes it clean, those after which it only depends on what it depended on before. A clean set stands before a smaller one that
    leaves something open, and is looked for where some change that was tried closes a part of that.
    """
    ordered = sorted(_changes(found), key=lambda change: (change.cost, change.distance, change.words))
    changes = list({(change.set, change.drop, change.version): change for change in reversed(ordered)}.values())[::-1]
    clean: list[Repair] = []
    nearly: list[Repair] = []
    partial: list[Repair] = []
    clears, tried, most, last = False, 0, MOST_TRIED, MOST_CHANGES
    left: set[str] | None = None
    opened: list[set[str]] = []

    def result(complete: bool) -> Search:
        return Search(tuple((clean or nearly)[:MOST_SHOWN]), tuple(partial[:MOST_SHOWN]), clears, complete)

    for size in range(1, MOST_CHANGES + 1):
        if size > last:
            break
        for chosen in sorted(itertools.combinations(changes, size), key=lambda chosen: sum(change.cost for change in chosen)):
            if _clash(chosen):
                continue
            if tried == most:
                return result(complete=False)
            tried += 1
            question = found.question
            for change in chosen:
                question = change.apply(question)
            after = assessor.assess(question)
            opened.append(_open(after))
            if not (after.blocking or after.verdict == "no"):
                clears, left = True, opened[-1] if left is None else left
            if after.verdict == "yes":
                clean.append(Repair(chosen, after))
            elif any(set(one.changes) <= set(chosen) for one in (*nearly, *partial)):
                continue
            elif found.verdict == "no" and after.verdict == "only-with" and _only_depends(after, found):
                nearly.append(Repair(chosen, after))
            elif _clears_what_is_met(after, found):
                partial.append(Repair(chosen, after))
        enough = nearly or (clears and found.verdict == "unknown")
        if clean or (enough and not any(left is not None and not left <= other for other in opened)):
            break
        if enough:
            last, most = min(last, size + 1), min(most, tried + MOST_FURTHER)
    return result(complete=True)


def _open(found: Assessment) -> set[str]:
    """What is unknown of it, and what it waits for."""
    return {hop.name for hop in found.hops if hop.state == "unknown" and not hop.optional} | _waiting(found)


def _clears_what_is_met(after: Assessment, before: Assessment) -> bool:
    """Whether nothing blocks any more, and no more is unknown, or waits for facts, than before: an answer that stays unknown."""
    if not before.blocking or after.blocking or not before.verdict == after.verdict == "unknown":
        return False
    unknown, waiting = (
        [{hop.name for hop in one.hops if hop.state == "unknown"} for one in (after, before)],
        [_waiting(one) for one in (after, before)],
    )
    return unknown[0] <= unknown[1] and waiting[0] <= waiting[1]


def _only_depends(after: Assessment, before: Assessment) -> bool:
    """Whether what blocked is cleared, and what is left was there before the change, too: facts that nobody named, failures that can be avoided."""
    left, waiting = map(_waiting, (after, before))
    return bool(left) and left <= waiting


def _waiting(found: Assessment) -> set[str]:
    """What waits for facts that nobody named, what can be avoided, memory that is tight, and a length beyond the model's that is taken."""
    tight = (LENGTH_HOP, "memory")
    hops = {hop.name for hop in found.hops if (hop.state == "fails" and hop.avoided_by) or (hop.state == "gap" and hop.name in tight)}
    return hops | {gate.gotcha.id for gate in found.could_block}


def _clash(chosen: tuple[Change, ...]) -> bool:
    touched = [name for change in chosen for name in change.touches]
    return len(touched) != len(set(touched))


def _changes(found: Assessment) -> Iterator[Change]:
    """Workarounds on record of the gotchas that block or could, and resets of what the person set and what can matter."""
    question = found.question
    for gate in (*found.blocking, *found.could_block):
        for workaround in gate.gotcha.data["workarounds"]:
            yield from _from_workaround(workaround, question)
        yield from _to_the_limit(gate, found)
        yield from _to_shorter_requests(gate, found)
        yield from _to_other_ranks(gate, found)
    for hop in found.hops:
        if hop.settings and hop.state == "fails":
            yield from _out_of(hop, question)
    yield from _more_memory(found)
    matters = _mattering(found)
    for name in question.given:
        if name in question.required or name == LENGTH or not _settable(name):
            continue
        if name.startswith("speculation."):
            yield from _without("speculation", question)
        elif name in matters:
            yield Change(f"leave {name} at its default", _cost(name), drop=frozenset({name}))


def _out_of(hop: Hop, question: Question) -> Iterator[Change]:
    """Values of settings under which the claim that refuses a feature no longer speaks."""
    condition = parse(hop.when)[0] if hop.when else None
    for part in condition.parts if isinstance(condition, AllOf) else (condition,):
        leaf = part.part if isinstance(part, Not) else None
        if isinstance(leaf, Is) and isinstance(leaf.test, OneOf) and _settable(leaf.fact) and leaf.fact not in question.required:
            for value in leaf.test.values:
                yield Change(f"set {leaf.fact} = {in_words(value)}", _cost(leaf.fact), set=((leaf.fact, value),))


def _to_the_limit(gate: Gate, found: Assessment) -> Iterator[Change]:
    """A setting that is larger than a quantity it must not exceed, brought down to that."""
    condition = parse(gate.gotcha.data["when"])[0] if "when" in gate.gotcha.data else None
    for leaf in leaves(condition) if condition else ():
        if not isinstance(leaf, Relates) or leaf.relation.sign != ">" or len(leaf.facts) != 2:
            continue
        name, limit = leaf.facts[0], found.resolved.stack.get(leaf.facts[1])
        least = limit.low if isinstance(limit, Range) else limit
        plain = all(isinstance(term, Name) for term in (leaf.relation.left, leaf.relation.right))
        if plain and name != LENGTH and name not in found.question.required and _settable(name) and isinstance(least, int) and least > 0:
            yield Change(f"set {name} = {least}", _cost(name), set=((name, least),))


def _to_shorter_requests(gate: Gate, found: Assessment) -> Iterator[Change]:
    """The longest request that a gotcha of long ones leaves alone, where nobody named a length. Who sends them keeps to it where no setting does."""
    question = found.question
    if {LENGTH, "sequence_length"} & question.given.keys():
        return
    condition = parse(gate.gotcha.data["when"])[0] if "when" in gate.gotcha.data else None
    for leaf in leaves(condition) if condition else ():
        if not (isinstance(leaf, Is) and leaf.fact == "sequence_length" and isinstance(leaf.test, Between)):
            continue
        most = leaf.test.above if leaf.test.min is None else leaf.test.min - 1
        if isinstance(most, int) and most >= USEFUL:
            words = f"set {LENGTH} = {most}" if LENGTH in (question.engine.data.get("settings") or {}) else f"keep requests to {most} tokens"
            yield Change(words, 2, set=((LENGTH, most),))


def _to_other_ranks(gate: Gate, found: Assessment) -> Iterator[Change]:
    """Other numbers of ranks, of those that the devices allow, under which a comparison that asks for them no longer holds; nearest first."""
    condition = parse(gate.gotcha.data["when"])[0] if "when" in gate.gotcha.data else None
    compared = [leaf for leaf in leaves(condition) if isinstance(leaf, Relates | OfItems)] if condition else []
    for name in dict.fromkeys(name for leaf in compared for name in leaf.facts if name in RANKS):
        current, most = found.resolved.facts.get(name), _most_ranks(name, found)
        if name in found.question.required or not isinstance(current, int):
            continue
        near = range(max(1, current - MOST_NUMBERS), min(most, current + MOST_NUMBERS) + 1)
        others = sorted({*near, *range(1, min(most, SMALL) + 1)} - {current}, key=lambda n: (abs(n - current), -n))
        stacks = ((n, replace(found.resolved, facts={**found.resolved.facts, name: n}).stack) for n in others)
        for number in itertools.islice((n for n, stack in stacks if evaluate(condition, stack).no), MOST_VALUES):
            distance = 2 * abs(number - current) - (number > current)  # of two that are as near, the one that uses more devices
            yield Change(f"set {name} = {number}", _cost(name), distance, set=((name, number),))


def _most_ranks(name: str, found: Assessment) -> int:
    """How many ranks of a kind the devices allow beside those of the other kinds."""
    others = math.prod(int(found.resolved.facts.get(other) or 1) for other in RANKS if other != name)
    return max(1, found.question.gpus // others)


def _more_memory(found: Assessment) -> Iterator[Change]:
    """Where the cache does not fit: a larger share of the device, where the engine has a setting for it, or what fits of a length that nobody named."""
    if _short(found) and LENGTH not in found.question.given and found.memory and found.memory.longest:
        yield Change(f"set {LENGTH} = {found.memory.longest}", 2, set=((LENGTH, found.memory.longest),))
    name, question = "gpu_memory_utilization", found.question
    share = found.resolved.facts.get(name)
    if not _short(found) or name in question.required or name not in (question.engine.data.get("settings") or {}):
        return
    for larger in LARGER_SHARES:
        if isinstance(share, (int, float)) and share < larger:
            yield Change(f"set {name} = {larger}", 2, set=((name, larger),))


def _short(found: Assessment) -> bool:
    """Whether the cache does not surely fit."""
    return any(hop.name == "memory" and hop.state in ("fails", "gap") for hop in found.hops)


def _mattering(found: Assessment) -> frozenset[str]:
    """The facts that gotchas which could block here ask about, as they are or after a change, and those that choose the backend."""
    names = {fact for gate in found.gates if gate.gotcha.data["symptom"] in BLOCKING for fact in _facts(gate)}
    names |= {"cache.dtype"} if names & {"cache.k.dtype", "cache.v.dtype"} else set()
    for hop in found.hops:
        if hop.settings and hop.state == "fails":
            names |= {*hop.settings, *_facts_of(hop.when)}
    return frozenset(names) | (ATTENTION if any(hop.name == "attention" for hop in found.hops) else frozenset())


def _facts(gate: Gate) -> Iterator[str]:
    for key in ("when", "clean_when"):
        yield from _facts_of(gate.gotcha.data.get(key))


def _facts_of(tree: dict[str, Any] | None) -> Iterator[str]:
    """What a condition asks about."""
    condition = parse(tree)[0] if tree else None
    for leaf in leaves(condition) if condition else ():
        yield from leaf.facts


def _from_workaround(workaround: dict[str, Any], question: Question) -> Iterator[Change]:
    wanted = workaround.get("set", {})
    changes = any(question.given.get(name) != value for name, value in wanted.items())
    if changes and all(map(_settable, wanted)) and not _fixed(wanted, question):
        words = ", ".join(f"{name} = {in_words(value)}" for name, value in wanted.items())
        yield Change(f"set {words}", max(map(_cost, wanted)), set=tuple(sorted(wanted.items())))
    if "drop" in workaround:
        yield from _without(workaround["drop"], question)
    for key in ("upgrade", "downgrade"):
        for component, version in workaround.get(key, {}).items():
            yield from _to_version(component, version, key == "upgrade", question)


def _fixed(wanted: dict[str, Any], question: Question) -> bool:
    """Whether something that was required would change: the fact itself, or the whole of which it is a part."""
    required = {part for name in question.required for part in ((name, "cache.k.dtype", "cache.v.dtype") if name == "cache.dtype" else (name,))}
    return any(name in required and question.given.get(name) != value for name, value in wanted.items())


def _to_version(component: str, version: str, or_later: bool, question: Question) -> Iterator[Change]:
    """Another release of the engine, where later ones will do also the newest; or another version of what it bundles."""
    if component == question.engine.id and question.required & {"version", f"{component}.version"}:
        return
    if component != question.engine.id:
        if f"{component}.version" not in question.required:
            yield Change(f"take {component} {version}", 4, set=((f"{component}.version", version),))
        return
    try:
        release_of(question.engine, version)
    except Refused:
        return
    name, newest = question.engine.data["name"], release_of(question.engine, None).version
    yield Change(f"take {name} {version}", 4, version=version)
    for later in dict.fromkeys((newest, newest_release(question.engine).version)) if or_later else ():
        if later not in (version, question.release.version):
            yield Change(f"take {name} {later}", 4, version=later)


def _without(feature: str, question: Question) -> Iterator[Change]:
    """Everything that was said of a feature taken back, if anything was and nothing of it is required."""
    names = frozenset(name for name in question.given if name == feature or name.startswith(f"{feature}."))
    if names and not names & question.required:
        yield Change(f"leave out {feature}", min(map(_cost, names)), drop=names)


def _settable(name: str) -> bool:
    """Whether a fact is a setting that a person may change: not what describes the model, its weights, the machine or the software."""
    fact = lookup(name)
    if fact is None or name.startswith(("model.", "hardware.", "weights.", "checkpoint.")) or name.endswith((".version", ".has_pr")):
        return False
    return (fact.kind in ("given", "resolved") or name == "block_size") and name not in ("task", "os", "container")


def _cost(name: str) -> int:
    """Cheaper first: dropping an optional feature, another backend, another type, another version."""
    fact = lookup(name)
    if fact is not None and (fact.part_of or fact.absent in (False, "none") or name.startswith("setting.") or name == "prefix_caching"):
        return 1
    return 3 if "dtype" in name else 2
