"""Conditions that can never be true, so that a record which would never apply is found when it is written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from infercompat.condition.facts import lookup
from infercompat.condition.nodes import AllOf, AnyOf, Condition, Is, Leaf, Not, Relates, words
from infercompat.condition.tree import Fault
from infercompat.condition.values import Between, OneOf, Scalar, Test, fits

Literal = tuple[Leaf, bool]
"""A leaf, and whether it has to be true or false."""

# The normal form of a tree grows as the product of its choices; one beyond this is taken for possible.
MOST_TERMS = 2000


def never_true(condition: Condition) -> list[Fault]:
    """A fault for each smallest part that can never be true, at the part's path, naming what contradicts what."""
    parts = condition.parts if isinstance(condition, AllOf | AnyOf) else ()
    inner = [fault for part in parts for fault in never_true(part)]
    if inner:
        return inner
    clash = impossible(condition)
    fault = Fault(condition.path, f"this can never be true: {clash}", "one of the parts has to go, or all: should be any:")
    return [fault] if clash else []


def impossible(condition: Condition) -> str:
    """Why the condition can never be true, by its first contradiction; empty where it may be."""
    terms = _terms(condition, True)
    if len(terms) > MOST_TERMS:
        return ""
    clashes = [_clash(term) for term in terms]
    return clashes[0] if all(clashes) else ""


def _terms(condition: Condition, wanted: bool) -> list[tuple[Literal, ...]]:
    """The disjunctive normal form: one of the terms, each a conjunction of literals. Stops growing past MOST_TERMS."""
    if isinstance(condition, Not):
        return _terms(condition.part, not wanted)
    if not isinstance(condition, AllOf | AnyOf):
        return [((condition, wanted),)]
    parts = [_terms(part, wanted) for part in condition.parts]
    if isinstance(condition, AllOf) is not wanted:
        return [term for part in parts for term in part]
    products = itertools.islice(itertools.product(*parts), MOST_TERMS + 1)
    return [tuple(itertools.chain.from_iterable(term)) for term in products]


def _clash(term: Iterable[Literal]) -> str:
    """What contradicts within a conjunction; empty where nothing does."""
    by_fact: dict[str, list[tuple[Is, bool]]] = {}
    others: dict[str, bool] = {}
    for leaf, wanted in term:
        if isinstance(leaf, Is):
            by_fact.setdefault(leaf.fact, []).append((leaf, wanted))
        elif others.setdefault(words(leaf), wanted) is not wanted:
            return f"{words(leaf)}, and not"
        elif wanted and isinstance(leaf, Relates) and leaf.relation.left == leaf.relation.right and leaf.relation.sign in ("<", ">", "!="):
            return words(leaf)
    for name, literals in by_fact.items():
        if not _satisfiable(name, [(leaf.test, wanted) for leaf, wanted in literals]):
            return " and ".join(words(leaf if wanted else Not(leaf)) for leaf, wanted in literals)
    return ""


def _satisfiable(name: str, tests: list[tuple[Test, bool]]) -> bool:
    fact = lookup(name)
    if fact is None or fact.several:
        return True
    listed = [test for test, wanted in tests if wanted and isinstance(test, OneOf)]
    closed: tuple[Scalar, ...] = (True, False) if fact.type == "bool" else fact.values
    if listed or closed:
        candidates = listed[0].values if listed else closed
        return any(all((fits(test, value) and test.accepts(value)) is wanted for test, wanted in tests) for value in candidates)
    if not any(wanted for _, wanted in tests):
        return True  # a fact that has no value at all fails every test
    ranges = [test if wanted else _flipped(test) for test, wanted in tests if isinstance(test, Between)]
    return not _intersection([ends for ends in ranges if ends]).empty(whole=fact.type == "int")


def _flipped(test: Between) -> Between | None:
    """What is left outside a range that is open at one end; outside one with two ends lie two ranges, which are not followed."""
    opposite = {"min": "below", "above": "max", "max": "above", "below": "min"}
    ends = dict(test.ends())
    return Between(**{opposite[name]: end for name, end in ends.items()}) if len(ends) == 1 else None


def _intersection(ranges: list[Between]) -> Between:
    ends = [end for ends in ranges for end in ends.ends()]
    lows = [(value, name == "above") for name, value in ends if name in ("min", "above")]
    highs = [(value, name == "max") for name, value in ends if name in ("max", "below")]
    tightest = {}
    if lows:
        value, above = max(lows)
        tightest["above" if above else "min"] = value
    if highs:
        value, inclusive = min(highs)
        tightest["max" if inclusive else "below"] = value
    return Between(**tightest)
