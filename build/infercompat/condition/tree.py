"""Parsing a `when` tree: plain data in, a Condition and its faults out."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from infercompat.condition.facts import SCOPES, STAGES, Fact, component_of, lookup, nearest
from infercompat.condition.items import LAYER_PROPERTIES, LISTS
from infercompat.condition.nodes import AllOf, AnyOf, Condition, HasLayer, Is, Not, OfItems, Relates, Requires
from infercompat.condition.relation import Name, Number, Quantified, Relation, RelationError, Term, Word, parse_relation
from infercompat.condition.values import Between, OneOf, Test
from infercompat.records import Path

SHORT = {"tp": "tensor_parallel", "pp": "pipeline_parallel", "dp": "data_parallel", "ep": "expert_parallel"}
"""Short words of engines for facts, which conditions write out."""
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

    `vocabulary`: the words of the lists that facts such as platform are closed by, and as `component` the ids of which a version can be
    told; without it their words are not checked.
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
        if stranger := self.stranger(str(name)):
            self.fault(path, *stranger)
            return None
        test = self.test(fact, value, path)
        return test and Is(name, test, path)

    def stranger(self, name: str) -> tuple[str, str] | None:
        """What is wrong with a fact such as flashinfer.version that is told of nothing known, and what may be meant."""
        component, known = component_of(name), self.vocabulary.get("component")
        if component is None or known is None or component in known:
            return None
        close = difflib.get_close_matches(component, known, 1) or ["a package that is not known here is a word of the vocabulary's list component"]
        ending = name.rpartition(".")[2]
        return f"there is no engine or component {component}", f"did you mean {close[0]}.{ending}?" if " " not in close[0] else close[0]

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
        if isinstance(relation, Quantified):
            return OfItems(value, relation, path) if self.askable(relation, path) else None
        return Relates(value, relation, path) if self.comparable(relation, path) else None

    def askable(self, quantified: Quantified, path: Path) -> bool:
        """Whether the list is one, the body asks for its items, and each comparison in it can be made."""
        place = quantified.list
        properties = LISTS.get(place.name)
        if properties is None:
            close = difflib.get_close_matches(place.name, LISTS, 1)
            meant = f"did you mean {close[0]}?" if close else f"lists are {', '.join(LISTS)}"
            self.fault(path, f"column {place.start + 1}: there is no list {place.name}", meant, (place.start, place.start + len(place.name)))
            return False
        good = [self.comparable(comparison, path, properties) for comparison in quantified.comparisons]
        if all(good) and not any(name.name in properties for name in quantified.names):
            self.fault(path, f"nothing is asked of the items of {place.name}", f"they have {', '.join(properties)}")
            return False
        return all(good)

    def comparable(self, relation: Relation, path: Path, properties: Mapping[str, Fact] = {}) -> bool:
        """Whether every name is a fact or property, and either all are numbers, or two versions are compared, or two of one type held equal."""
        before, types, versions = len(self.faults), set(), relation.of_versions
        for name in relation.names:
            fact, inside = properties.get(name.name) or lookup(name.name), (name.start, name.start + len(name.name))
            at = f"column {name.start + 1}: "
            if fact is None:
                self.fault(path, f"{at}there is no fact {name.name}", _did_you_mean(name.name, properties), inside)
            elif name.name not in properties and (stranger := self.stranger(name.name)):
                self.fault(path, f"{at}{stranger[0]}", stranger[1], inside)
            elif fact.type == "list" or fact.told:
                self.fault(path, f"{at}{name.name} is compared with nothing", _LIST_HELP if fact.type == "list" else "it is a leaf of its own", inside)
            elif relation.of_quantities and not fact.numeric:
                help = "versions are compared, and not computed with" if fact.type == "version" else "words are compared as one == other only"
                self.fault(path, f"{at}{name.name} is no quantity", help, inside)
            elif versions and fact.type != "version":
                self.fault(path, f"{at}{name.name} is no version", "a version is compared with another, or with one that is written out", inside)
            elif fact.type != "any":
                types.add("number" if fact.numeric else fact.type)
        if len(self.faults) == before:
            self.literals(relation, path, properties)
        if len(types) > 1 and len(self.faults) == before:
            self.fault(path, f"{' and '.join(sorted(types))} are never equal")
        return len(self.faults) == before

    def literals(self, relation: Relation, path: Path, properties: Mapping[str, Fact]) -> None:
        """What is written out has to be something that the other side can be."""
        for side, other in (relation.sides, relation.sides[::-1]):
            if not isinstance(side, Word | Number):
                if relation.of_versions and not isinstance(side, Name):
                    self.fault(path, "versions are compared, and not computed with")
                for word in _words_in(side):
                    self.quoted(word, path, "words are compared as one == other only")
                continue
            fact = (properties.get(other.name) or lookup(other.name)) if isinstance(other, Name) else None
            if isinstance(side, Word) and (fact is None or relation.of_quantities):
                self.quoted(side, path, "words are compared as one == other only")
            elif fact is not None and (isinstance(side, Word) or relation.of_versions):
                complaint = fact.complaint(side.text, self.vocabulary.get(fact.vocabulary, ()))
                if complaint and isinstance(side, Word):
                    self.quoted(side, path, complaint)
                elif complaint:
                    self.fault(path, complaint)

    def quoted(self, word: Word, path: Path, message: str) -> None:
        self.fault(path, f"column {word.start + 1}: {message}", inside=(word.start, word.start + len(word.text)))


_LIST_HELP = "ask any(model.linears, …) or all(model.linears, …)"


def _words_in(term: Term) -> Iterable[Word]:
    if isinstance(term, Word):
        yield term
    elif not isinstance(term, Name | Number):
        yield from (*_words_in(term.left), *_words_in(term.right))


def _did_you_mean(name: str, properties: Collection[str] = ()) -> str:
    if close := difflib.get_close_matches(name, properties, 1):
        return f"did you mean {close[0]}?"
    kind, _, rest = name.partition(".")
    if rest and kind in ("dependency", "version", "component", "package"):
        return f"did you mean {rest}.version?"
    if name in SHORT:
        return f"did you mean {SHORT[name]}?"
    close = nearest(name, 1)
    if close:
        return f"did you mean {close[0]}?"
    if properties:
        return f"an item has {', '.join(properties)}; anything else is the name of a fact"
    return f"scopes are {' '.join(SCOPES)}, stages {' '.join(STAGES)}; a setting is written setting.some_name"
