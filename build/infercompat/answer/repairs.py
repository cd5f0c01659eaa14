"""Repairs: the smallest sets of allowed changes after which the whole question comes out clean, each re-run from the start."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.question import Question, Refused, release_of
from infercompat.condition import lookup

MOST_CHANGES, MOST_TRIED, MOST_SHOWN = 3, 400, 5


@dataclass(frozen=True)
class Change:
    """One allowed change: facts to set, facts to take back, or another release; cheaper ones first."""

    words: str
    cost: int
    set: tuple[tuple[str, Any], ...] = ()
    drop: frozenset[str] = frozenset()
    version: str | None = None
    of: frozenset[str] = field(default=frozenset(), compare=False)

    def apply(self, question: Question) -> Question:
        changed = question.changed(dict(self.set), self.drop)
        if self.version is not None:
            from dataclasses import replace

            changed = replace(changed, release=release_of(question.engine, self.version))
        return changed

    @property
    def touches(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.set) | self.drop | ({"version"} if self.version else frozenset())


@dataclass(frozen=True)
class Repair:
    """Changes that together make the answer yes."""

    changes: tuple[Change, ...]
    after: Assessment


def repairs(assessor: Assessor, found: Assessment) -> list[Repair]:
    """The smallest sets of changes that clear the question, cheapest first. None that contains another is listed."""
    changes = sorted(set(_changes(found)), key=lambda change: (change.cost, change.words))
    clean: list[Repair] = []
    tried = 0
    for size in range(1, MOST_CHANGES + 1):
        for chosen in sorted(itertools.combinations(changes, size), key=lambda chosen: sum(change.cost for change in chosen)):
            if any(set(repair.changes) <= set(chosen) for repair in clean) or _clash(chosen):
                continue
            tried += 1
            if tried > MOST_TRIED:
                return clean[:MOST_SHOWN]
            question = found.question
            for change in chosen:
                question = change.apply(question)
            after = assessor.assess(question)
            if after.verdict == "yes":
                clean.append(Repair(chosen, after))
        if clean:
            break
    return clean[:MOST_SHOWN]


def _clash(chosen: tuple[Change, ...]) -> bool:
    touched = [name for change in chosen for name in change.touches]
    return len(touched) != len(set(touched))


def _changes(found: Assessment) -> Iterator[Change]:
    """Workarounds on record of the gotchas that block or could, and resets of what the person set."""
    question = found.question
    for gate in (*found.blocking, *found.could_block):
        for workaround in gate.gotcha.data["workarounds"]:
            yield from _from_workaround(workaround, question)
    for name in question.given:
        if name in question.required or name in ("max_model_len",):
            continue
        if name.startswith("speculation."):
            yield _without("speculation", question)
        else:
            yield Change(f"leave {name} at its default", _cost(name), drop=frozenset({name}))


def _from_workaround(workaround: dict[str, Any], question: Question) -> Iterator[Change]:
    settable = {name: value for name, value in workaround.get("set", {}).items() if _settable(name)}
    if settable and len(settable) == len(workaround["set"]) and not settable.keys() & question.required:
        words = ", ".join(f"{name} = {str(value).lower() if isinstance(value, bool) else value}" for name, value in settable.items())
        yield Change(f"set {words}", max(map(_cost, settable)), set=tuple(sorted(settable.items())))
    if "drop" in workaround:
        change = _without(workaround["drop"], question)
        if change.drop and not change.drop & question.required:
            yield change
    for key in ("upgrade", "downgrade"):
        version = workaround.get(key, {}).get(question.engine.id)
        if version is not None:
            try:
                release_of(question.engine, version)
            except Refused:
                continue
            yield Change(f"take {question.engine.data['name']} {version}" + (" or later" if key == "upgrade" else ""), 4, version=version)


def _without(feature: str, question: Question) -> Change:
    names = frozenset(name for name in question.given if name == feature or name.startswith(f"{feature}."))
    return Change(f"leave out {feature}", 1, drop=names)


def _settable(name: str) -> bool:
    fact = lookup(name)
    return fact is not None and fact.kind in ("given", "resolved") and not name.startswith(("model.", "hardware."))


def _cost(name: str) -> int:
    return 1 if name.startswith(("speculation", "setting.", "prefix_caching", "lora", "kv_")) else 2 if name == "attention.backend" else 3 if "dtype" in name else 2
