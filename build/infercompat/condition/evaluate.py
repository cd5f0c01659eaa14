"""Deciding a condition from the facts there are: yes, no, or maybe with what is missing."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from infercompat.condition.arithmetic import compare
from infercompat.condition.facts import FACTS, IDENTITY, lookup, spellings
from infercompat.condition.items import LISTS
from infercompat.condition.nodes import AllOf, AnyOf, Condition, HasLayer, Is, Leaf, Not, OfItems, Relates, Requires, leaves, words
from infercompat.condition.relation import Quantified, Relation
from infercompat.condition.truth import Reason, ReasonKind, Truth, all_of, any_of, decided, maybe
from infercompat.condition.values import MISSING, Missing, Range, Value, fits, is_number, passes


class Facts(Protocol):
    """What is known about one question.

    An object may also have `open_settings`: when true, features that nobody spoke of are undecided, not off.
    """

    def get(self, name: str) -> Value | Missing:
        """The value under exactly this name; None where the thing has none, MISSING where nothing is known."""

    def requires(self, requirement: str) -> bool | None:
        """Whether the model has the requirement; None where the model is not known."""

    def layers(self) -> Sequence[object] | None:
        """The model's layers, objects with the properties of LAYER_PROPERTIES; None where they are not known."""

    def linears(self) -> Sequence[object] | None:
        """The model's linear layers, objects with the properties of LINEAR_PROPERTIES; None where they are not known."""


class KnownFacts(Struct, frozen=True):
    """Facts held in plain collections."""

    values: Mapping[str, Value] = field(default_factory=dict)
    requirements: Collection[str] | None = None
    layer_list: Sequence[object] | None = None
    open_settings: bool = False
    linear_list: Sequence[object] | None = None

    def get(self, name: str) -> Value | Missing:
        return self.values.get(name, MISSING)

    def requires(self, requirement: str) -> bool | None:
        return None if self.requirements is None else requirement in self.requirements

    def layers(self) -> Sequence[object] | None:
        return self.layer_list

    def linears(self) -> Sequence[object] | None:
        return self.linear_list


def value_of(name: str, facts: Facts) -> Value | Missing:
    """A fact's value under the first of its spellings that has one, else what its absence means, else MISSING."""
    fact = lookup(name)
    if fact is None:
        return MISSING
    for spelling in spellings(name):
        value = facts.get(spelling)
        if value is not MISSING:
            return fact.read(value)
    limit = next((limit for other in fact.up_to if is_number(limit := value_of(other, facts))), None)
    if limit is not None:
        return Range(1, limit)
    if fact.kind != "workload" and getattr(facts, "open_settings", False):
        return MISSING
    if fact.part_of and value_of(fact.part_of, facts) != FACTS[fact.part_of].absent:
        return MISSING
    return fact.absent


UNREADABLE = maybe("a condition that cannot be read", "condition", "untested")


def evaluate(condition: Condition | None, facts: Facts, always: bool = False) -> Truth:
    """Whether the condition can be true within the workload asked for, or with `always` whether it is true for all of it.

    Below a negation the two questions change places: `not` can happen where its part need not always hold. None, which is what
    parsing makes of a faulty tree, is maybe; ALWAYS stands for no condition at all.
    """
    return UNREADABLE if condition is None else _Evaluation(facts).truth(condition, always)


def applies(when: Condition | None, clean_when: Condition | None, facts: Facts) -> Truth:
    """Whether a fault is met: no where it was tested clean, else yes where `when` holds, maybe at values that nobody tried.

    A fault seen at query length 8 and clean at 1, 2 and 4 is maybe at 3: where `clean_when` asks about the fact of a leaf, too, what
    was tried speaks for the values in both and for no others. This does not make every other model a maybe.
    """
    bad = evaluate(when, facts)
    if clean_when is None:
        return bad
    clean = evaluate(clean_when, facts, always=True)
    if not bad.no:
        return bad if clean.no else bad & ~clean
    if clean.yes:
        return ~clean
    tried = {name for leaf in leaves(clean_when) for name in leaf.facts} - IDENTITY
    untested = frozenset(reason.text for reason in bad.because if reason.fact in tried)
    return _Evaluation(facts, untested).truth(when, False) if when and untested else bad


class _Evaluation(Struct, frozen=True):
    facts: Facts
    untested: frozenset[str] = frozenset()

    def truth(self, condition: Condition, always: bool) -> Truth:
        match condition:
            case AllOf(parts):
                return all_of(self.truth(part, always) for part in parts)
            case AnyOf(parts):
                return any_of(self.truth(part, always) for part in parts)
            case Not(part):
                return ~self.truth(part, not always)
        return self.leaf(condition, always)

    def leaf(self, leaf: Leaf, always: bool) -> Truth:
        text = words(leaf)
        if text in self.untested:
            return maybe(text, _first_fact(leaf), "untested")
        match leaf:
            case Is(name, test):
                value = value_of(name, self.facts)
                if value is MISSING or not fits(test, value) or (lookup(name).told and not passes(test, value)):
                    return maybe(text, name, self.want(name))
                return decided(passes(test, value, always and _is_possibility(name, value)), text, name)
            case Relates() | OfItems():
                return self.relates(leaf, text, always)
            case Requires(requirement):
                known = self.facts.requires(requirement)
                return maybe(text, _first_fact(leaf)) if known is None else decided(known, text, _first_fact(leaf))
        return self.has_layer(leaf, text)

    def relates(self, leaf: Relates | OfItems, text: str, always: bool) -> Truth:
        comparisons = leaf.quantified.comparisons if isinstance(leaf, OfItems) else (leaf.relation,)
        values = {name: self.quantity(name, comparisons) for name in (leaf.outer if isinstance(leaf, OfItems) else leaf.facts)}
        items = self.items(leaf.list) if isinstance(leaf, OfItems) else ()
        if items is None:
            return maybe(text, leaf.list, "untested")
        choices = [dict(zip(values, choice, strict=True)) for choice in itertools.product(*(_each(value) for value in values.values()))]

        def found(all_of_it: bool, choices: Sequence[Mapping[str, Value | Missing]] = choices) -> bool | None:
            if isinstance(leaf, OfItems):
                return _any(_over(leaf.quantified, items, choice, all_of_it) for choice in choices)
            return _any(compare(leaf.relation, choice, all_of_it) for choice in choices)

        truth = found(always)
        if truth is None:
            missing = [name for name, value in values.items() if value is MISSING]
            if missing and found(False, [_widened(choice) for choice in choices]) is False:
                return decided(False, text, leaf.facts[0])  # whatever it is, no value of it does
            return Truth(None, tuple(Reason(text, name, self.want(name)) for name in missing)) if missing else maybe(text, leaf.facts[0], "untested")
        open_names = [name for name, value in values.items() if isinstance(value, Range) and lookup(name).kind != "workload"]
        if open_names and truth is not found(not always):
            return maybe(text, open_names[0])  # a quantity that is known between bounds only, which leave it open
        return decided(truth, text, leaf.facts[0])

    def want(self, name: str) -> ReasonKind:
        """What an absent value is: missing, or untested where it follows from a model that is named already, so that nobody can give it."""
        known = self.facts.get("model.id") is not MISSING
        return "untested" if known and lookup(name).name.startswith("model.") else "missing"

    def quantity(self, name: str, comparisons: Sequence[Relation]) -> Value | Missing:
        """The value of a fact in comparisons; where they need a number, one that is none tells nothing."""
        value = value_of(name, self.facts)
        needed = any(one.of_quantities and name in (found.name for found in one.names) for one in comparisons)
        return MISSING if needed and not _is_quantity(value) else value

    def items(self, name: str) -> Sequence[Mapping[str, Value | Missing]] | None:
        """The items of a list, each as its properties, and those that are alike once."""
        found = self.facts.linears() if name == "model.linears" else self.facts.layers()
        fields = tuple(LISTS[name])
        alike = found and dict.fromkeys(tuple(getattr(item, field, None) for field in fields) for item in found)
        return alike and [dict(zip(fields, item, strict=True)) for item in alike]

    def has_layer(self, leaf: HasLayer, text: str) -> Truth:
        layers = self.facts.layers()
        if layers is None:
            return maybe(text, _first_fact(leaf))
        found = any(all(passes(test, getattr(layer, name, None)) for name, test in leaf.tests) for layer in layers)
        return decided(found, text, _first_fact(leaf))


def _over(quantified: Quantified, items: Sequence[Mapping[str, Value | Missing]], values: Mapping[str, Value | Missing], always: bool) -> bool | None:
    """Whether the body holds for one item, or for each; None where items leave it open that nobody knows all of."""
    bodies = (
        _any(_all(compare(one, {**values, **item}, always) for one in alternative) for alternative in quantified.alternatives)
        for item in items
    )  # fmt: skip
    return (_any if quantified.quantifier == "any" else _all)(bodies)


def _any(parts: Iterable[bool | None]) -> bool | None:
    found = set(parts)
    return True if True in found else None if None in found else False


def _all(parts: Iterable[bool | None]) -> bool | None:
    found = set(parts)
    return False if False in found else None if None in found else True


def _first_fact(leaf: Leaf) -> str:
    """The name that a reason gives; requirements follow from the architecture."""
    return leaf.facts[0] if leaf.facts else "model.layers" if isinstance(leaf, HasLayer) else "model.architecture"


def _widened(choice: Mapping[str, Value | Missing]) -> dict[str, Value | Missing]:
    """The values, with everything that it can be for a number that is not known."""
    return {name: lookup(name).span if value is MISSING and lookup(name).type in ("int", "float") else value for name, value in choice.items()}


def _each(value: Value | Missing) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def _is_possibility(name: str, value: Value) -> bool:
    return isinstance(value, Range) or (isinstance(value, tuple) and lookup(name).kind == "workload")


def _is_quantity(value: Value | Missing) -> bool:
    items = value if isinstance(value, tuple) else (value,)
    return all(item is None or isinstance(item, Range) or is_number(item) for item in items)
