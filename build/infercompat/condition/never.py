"""Conditions that can never be true, so that a record which would never apply is found when it is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from infercompat.condition import arithmetic
from infercompat.condition.facts import Fact, lookup
from infercompat.condition.items import LISTS
from infercompat.condition.nodes import AllOf, AnyOf, Condition, Is, Leaf, Not, OfItems, Relates, words
from infercompat.condition.relation import Name, Number, Relation, Word
from infercompat.condition.tree import Fault
from infercompat.condition.values import Between, OneOf, Scalar, Test, fits, passes

Literal = tuple[Leaf, bool]
"""A leaf, and whether it has to be true or false."""

Declared = Callable[[str], Fact | None]
"""The declaration of a fact or of a property by its name."""

_ORDERS = {"<": "<", "<=": "<=", "==": "=", ">=": "=>", ">": ">", "!=": "<>"}
_MIRRORED = {"<": ">", "<=": ">=", "==": "==", ">=": "<=", ">": "<", "!=": "!="}
_END = {"<": "below", "<=": "max", ">": "above", ">=": "min"}

# The normal form of a tree grows as the product of its choices; one beyond this is taken for possible.
MOST_TERMS = 2000


def never_true(condition: Condition) -> list[Fault]:
    """A fault for each smallest part that can never be true, at the part's path, naming what contradicts what."""
    parts = condition.parts if isinstance(condition, AllOf | AnyOf) else ()
    inner = [fault for part in parts for fault in never_true(part)]
    if inner:
        return inner
    clash = impossible(condition)
    help = "one of the parts has to go, or all: should be any:" if parts else "take a value that it can have"
    return [Fault(condition.path, f"this can never be true: {clash}", help)] if clash else []


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


class _Demand(Struct, frozen=True):
    """A test that a fact has to pass or fail, with the words of the leaf that asks it."""

    test: Test
    wanted: bool
    text: str


def _clash(term: Iterable[Literal]) -> str:
    """What contradicts within a conjunction; empty where nothing does."""
    by_fact: dict[str, list[_Demand]] = {}
    others: dict[str, bool] = {}
    compared: list[tuple[Relation, bool, str]] = []
    for leaf, wanted in term:
        if isinstance(leaf, Is):
            by_fact.setdefault(leaf.fact, []).append(_Demand(leaf.test, wanted, words(leaf if wanted else Not(leaf))))
        elif others.setdefault(words(leaf), wanted) is not wanted:
            return f"{words(leaf)}, and not"
        elif isinstance(leaf, Relates):
            compared.append((leaf.relation, wanted, words(leaf if wanted else Not(leaf))))
        elif isinstance(leaf, OfItems) and wanted and _never_of_items(leaf):
            return leaf.text
    return _contradiction(compared, by_fact, lookup)


def _never_of_items(leaf: OfItems) -> bool:
    """Whether no item can pass, by each of the alternatives."""
    properties = LISTS[leaf.list]
    declared: Declared = lambda name: properties.get(name) or lookup(name)  # noqa: E731
    return all(_contradiction([(one, True, leaf.text) for one in alternative], {}, declared) for alternative in leaf.quantified.alternatives)


def _contradiction(compared: Sequence[tuple[Relation, bool, str]], by_fact: dict[str, list[_Demand]], declared: Declared) -> str:
    """What contradicts among comparisons and tests of facts; empty where nothing does."""
    pairs: dict[tuple, tuple[set[str], list[str]]] = {}
    for relation, wanted, text in compared:
        if wanted and _alone_impossible(relation, declared):
            return text
        if found := _as_test(relation, declared):
            by_fact.setdefault(found[0], []).append(_Demand(found[1], found[2] is wanted, text))
        if wanted and _is_of_one(relation, declared):
            turned = relation.sides[::-1] in pairs
            orders, texts = pairs.setdefault(relation.sides[::-1] if turned else relation.sides, (set("<=>"), []))
            orders &= set(_ORDERS[_MIRRORED[relation.sign] if turned else relation.sign])
            texts.append(text)
            if not orders:
                return " and ".join(dict.fromkeys(texts))
    for name, demands in by_fact.items():
        if not _satisfiable(declared(name), [(demand.test, demand.wanted) for demand in demands]):
            return " and ".join(dict.fromkeys(demand.text for demand in demands))
    return ""


def _is_of_one(relation: Relation, declared: Declared) -> bool:
    """Whether two comparisons of the same sides speak of the same values: of one sequence, and of facts that have one value.

    What holds a sequence to a window speaks of one window; where a model has several, any(model.layers, …) tells them apart.
    """
    facts = [declared(name.name) for name in relation.names]
    return None not in facts and (any(fact.kind == "workload" for fact in facts) or not any(fact.several for fact in facts))


def _alone_impossible(relation: Relation, declared: Declared) -> bool:
    """Whether a comparison is true of nothing: of one side with itself, or of quantities that never come to that."""
    if relation.left == relation.right:
        return relation.sign in ("<", ">", "!=")
    facts = {name.name: declared(name.name) for name in relation.names}
    if not relation.of_quantities or None in facts.values():
        return False
    return arithmetic.impossible(relation, {name: fact.span for name, fact in facts.items() if fact})


def _as_test(relation: Relation, declared: Declared) -> tuple[str, Test, bool] | None:
    """The comparison of a fact with a value as the fact, a test and whether it has to pass; None for any other."""
    for (side, other), sign in ((relation.sides, relation.sign), (relation.sides[::-1], _MIRRORED[relation.sign])):
        fact = declared(side.name) if isinstance(side, Name) else None
        if fact is None or not isinstance(other, Number | Word):
            continue
        value = fact.read(other.text) if fact.type == "version" or isinstance(other, Word) else other.value
        test = OneOf((value,)) if sign in ("==", "!=") else Between(**{_END[sign]: value})
        return side.name, test, sign != "!="
    return None


def _satisfiable(fact: Fact | None, tests: list[tuple[Test, bool]]) -> bool:
    if fact is None:
        return True
    if fact.type in ("int", "float") and any(wanted for _, wanted in tests):
        if fact.several:
            return all(passes(test, fact.span) for test, wanted in tests if wanted)
        tests = [*tests, (Between(min=fact.least, max=fact.most), True)]
    if fact.several:
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
