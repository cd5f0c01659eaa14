"""The parsed condition: a tree whose leaves ask for facts, relations, requirements, layers and items of lists, and how it reads in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from infercompat.condition import relation
from infercompat.condition.items import LISTS
from infercompat.condition.values import Between, OneOf, Test, in_words
from infercompat.records import Path


class AllOf(Struct, frozen=True):
    """True when every part is."""

    parts: tuple[Condition, ...]
    path: Path = ()


class AnyOf(Struct, frozen=True):
    """True when one part is."""

    parts: tuple[Condition, ...]
    path: Path = ()


class Not(Struct, frozen=True):
    """True when the part is false."""

    part: Condition
    path: Path = ()


class Is(Struct, frozen=True):
    """The fact passes the test."""

    fact: str
    test: Test
    path: Path = ()

    @property
    def facts(self) -> tuple[str, ...]:
        return (self.fact,)


class Relates(Struct, frozen=True):
    """The relation holds; `text` is how it was written."""

    text: str
    relation: relation.Relation
    path: Path = ()

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name.name for name in self.relation.names))


class OfItems(Struct, frozen=True):
    """One item of a list, or each, passes; `text` is how it was written."""

    text: str
    quantified: relation.Quantified
    path: Path = ()

    @property
    def list(self) -> str:
        return self.quantified.list.name

    @property
    def outer(self) -> tuple[str, ...]:
        """The facts in its body."""
        return tuple(dict.fromkeys(name.name for name in self.quantified.names if name.name not in LISTS[self.list]))

    @property
    def facts(self) -> tuple[str, ...]:
        return (self.list, *self.outer)


class Requires(Struct, frozen=True):
    """The model has the requirement."""

    requirement: str
    path: Path = ()

    @property
    def facts(self) -> tuple[str, ...]:
        return ()


class HasLayer(Struct, frozen=True):
    """One and the same layer of the model passes all of these tests, by property."""

    tests: tuple[tuple[str, Test], ...]
    path: Path = ()

    @property
    def facts(self) -> tuple[str, ...]:
        return ()


Leaf = Is | Relates | OfItems | Requires | HasLayer
Condition = AllOf | AnyOf | Not | Leaf

ALWAYS = AllOf(())
"""The condition of what has none: true in every case."""


def leaves(condition: Condition) -> Iterator[Leaf]:
    """Every leaf, in the order written."""
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from leaves(part)
    elif isinstance(condition, Not):
        yield from leaves(condition.part)
    else:
        yield condition


def words(condition: Condition) -> str:
    """The condition in plain words: `all of: cache.k.dtype is fp8_e4m3; sequence_length > model.window`."""
    match condition:
        case AllOf(()):
            return "always"
        case AllOf(parts) | AnyOf(parts) if len(parts) == 1:
            return words(parts[0])
        case AllOf(parts):
            return "all of: " + "; ".join(map(_inside, parts))
        case AnyOf(parts):
            return "any of: " + "; ".join(map(_inside, parts))
        case Not(Is(fact, test)):
            return f"{fact} is not {_test(test)}"
        case Not(part):
            return f"not ({words(part)})"
        case Is(fact, test):
            return f"{fact} is {_test(test)}"
        case Relates(text) | OfItems(text):
            return text
        case Requires(requirement):
            return f"the model requires {requirement}"
    return "one layer has " + " and ".join(f"{name} {_test(test)}" for name, test in condition.tests)


def _inside(part: Condition) -> str:
    text = words(part)
    return f"({text})" if text.startswith(("all of: ", "any of: ")) else text


_ENDS = {"min": "at least", "above": "more than", "max": "at most", "below": "less than"}


def _test(test: Test) -> str:
    if isinstance(test, Between):
        return " and ".join(f"{_ENDS[name]} {end}" for name, end in test.ends())
    return _alternatives(test)


def _alternatives(test: OneOf) -> str:
    return " or ".join(map(in_words, test.values))
