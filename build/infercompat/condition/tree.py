"""Parsing a `when` tree: plain data in, a Condition and its faults out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from infercompat.condition.facts import SCOPES, STAGES, Fact, lookup, nearest
from infercompat.condition.nodes import AllOf, AnyOf, Condition, HasLayer, Is, Not, Relates, Requires
from infercompat.condition.relation import Relation, RelationError, parse_relation
from infercompat.condition.values import Between, OneOf, Test
from infercompat.records import Path

LAYER_PROPERTIES = {
    fact.name: fact
    for fact in (
        Fact("kind", "word", "derived", "What the layer mixes with, such as full, sliding or latent."),
        Fact("head_dim", "int", "derived", "Its head width.", "elements"),
        Fact("window", "int", "derived", "Its window; none where it sees all.", "tokens"),
        Fact("kv_heads", "int", "derived", "Its heads that keep keys and values."),
        Fact("k_width", "int", "derived", "The width of one cached key.", "elements"),
        Fact("v_width", "int", "derived", "The width of one cached value.", "elements"),
    )
}
ENDS = ("min", "max", "above", "below")

Vocabulary = Mapping[str, Collection[str]]


class Fault(Struct, frozen=True):
    """What is wrong at a path of the data; `inside` are the character offsets of the guilty part of the string there."""

    path: Path
    message: str
    help: str = ""
    inside: tuple[int, int] | None = None


def parse(data: object, path: Path = (), vocabulary: Vocabulary | None = None) -> tuple[Condition | None, list[Fault]]:
    """The condition written in plain data, or None with every fault in it. Paths start with `path`.

    `vocabulary`: the words of the lists that facts such as platform are closed by; without it their words are not checked.
    """
    parser = _Parser(vocabulary or {})
    condition = parser.node(data, path)
    return (None if parser.faults else condition), parser.faults


class _Parser:
    def __init__(self, vocabulary: Vocabulary):
        self.vocabulary = vocabulary
        self.faults: list[Fault] = []

    def fault(self, path: Path, message: str, help: str = "", inside: tuple[int, int] | None = None) -> None:
        self.faults.append(Fault(path, message, help, inside))

    def node(self, data: object, path: Path) -> Condition | None:
        if not isinstance(data, dict) or len(data) != 1:
            self.fault(path, "a condition is a mapping with one key", "join several conditions in a list under all: or any:")
            return None
        [(key, value)] = data.items()
        inner = (*path, key)
        match key:
            case "all" | "any":
                return self.group(AllOf if key == "all" else AnyOf, value, inner)
            case "not":
                part = self.node(value, inner)
                return part and Not(part, inner)
            case "relation":
                return self.relation(value, inner)
            case "requires":
                return self.requires(value, inner)
            case "layer":
                return self.layer(value, inner)
        return self.fact(key, value, inner)

    def group(self, kind: type, value: object, path: Path) -> Condition | None:
        if not isinstance(value, list) or not value:
            self.fault(path, f"{path[-1]}: takes a list of conditions")
            return None
        parts = [self.node(item, (*path, index)) for index, item in enumerate(value)]
        return None if None in parts else kind(tuple(parts), path)

    def requires(self, value: object, path: Path) -> Condition | None:
        if isinstance(value, str) and value:
            return Requires(value, path)
        self.fault(path, "requires: takes the id of one requirement")
        return None

    def layer(self, value: object, path: Path) -> Condition | None:
        if not isinstance(value, dict) or not value:
            self.fault(path, "layer: takes a mapping of properties")
            return None
        tests = []
        for name, test in value.items():
            if name in LAYER_PROPERTIES:
                tests.append((name, self.test(LAYER_PROPERTIES[name], test, (*path, name))))
            else:
                self.fault((*path, name), f"a layer has no property {name}", f"it has {', '.join(LAYER_PROPERTIES)}")
        return HasLayer(tuple(tests), path)

    def fact(self, name: object, value: object, path: Path) -> Condition | None:
        fact = lookup(name) if isinstance(name, str) else None
        if fact is None:
            self.fault(path, f"there is no fact {name}", _did_you_mean(str(name)))
            return None
        test = self.test(fact, value, path)
        return test and Is(name, test, path)

    def test(self, fact: Fact, value: object, path: Path) -> Test | None:
        if isinstance(value, dict):
            return self.between(fact, value, path)
        if value == []:
            self.fault(path, "an empty list matches nothing")
            return None
        values = value if isinstance(value, list) else [value]
        places = [(*path, index) for index in range(len(values))] if isinstance(value, list) else [path]
        good = [self.fits(fact, item, place) for item, place in zip(values, places, strict=True)]
        return OneOf(tuple(fact.read(item) for item in values)) if all(good) else None

    def fits(self, fact: Fact, value: object, path: Path) -> bool:
        complaint = fact.complaint(value, self.vocabulary.get(fact.vocabulary, ()))
        if complaint:
            self.fault(path, complaint, f"{fact.name}: {fact.meaning}" if fact.meaning else "")
        return not complaint

    def between(self, fact: Fact, value: dict, path: Path) -> Test | None:
        before = len(self.faults)
        if not fact.ordered:
            self.fault(path, f"{fact.name} has no order, so a range cannot hold it", "give one value or a list of values")
            return None
        for name, end in value.items():
            if name not in ENDS:
                self.fault((*path, name), f"a range has no {name}", f"it has {', '.join(ENDS)}")
            elif fact.type == "any" and (isinstance(end, bool) or not isinstance(end, int | float)):
                self.fault((*path, name), f"the end of a range is a number, not {end!r}")
            else:
                self.fits(fact, end, (*path, name))
        if not value or {"min", "above"} <= value.keys() or {"max", "below"} <= value.keys():
            self.fault(path, "a range has one lower end, one upper end, or both", "min or above; max or below")
        if len(self.faults) > before:
            return None
        test = Between(**{name: fact.read(end) for name, end in value.items()})
        if test.empty(whole=fact.type == "int"):
            self.fault(path, f"no value of {fact.name} lies in this range")
            return None
        return test

    def relation(self, value: object, path: Path) -> Condition | None:
        if not isinstance(value, str):
            self.fault(path, "relation: takes a text such as sequence_length > model.window")
            return None
        try:
            relation = parse_relation(value)
        except RelationError as error:
            self.fault(path, str(error), inside=(error.start, error.end))
            return None
        return Relates(value, relation, path) if self.comparable(relation, path) else None

    def comparable(self, relation: Relation, path: Path) -> bool:
        """Whether every name is a fact, and either all are numbers or two of one type are held equal."""
        before, types = len(self.faults), set()
        for name in relation.names:
            fact, inside = lookup(name.name), (name.start, name.start + len(name.name))
            if fact is None:
                self.fault(path, f"column {name.start + 1}: there is no fact {name.name}", _did_you_mean(name.name), inside)
            elif relation.of_quantities and not fact.numeric:
                self.fault(path, f"column {name.start + 1}: {name.name} is no quantity", "words are compared as one == other only", inside)
            elif fact.type != "any":
                types.add("number" if fact.numeric else fact.type)
        if len(types) > 1 and len(self.faults) == before:
            self.fault(path, f"{' and '.join(sorted(types))} are never equal")
        return len(self.faults) == before


def _did_you_mean(name: str) -> str:
    close = nearest(name, 1)
    if close:
        return f"did you mean {close[0]}?"
    return f"scopes are {' '.join(SCOPES)}, stages {' '.join(STAGES)}; a setting is written setting.some_name"
