"""Conditions as plain trees, for the script of the check page."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from infercompat.condition import Condition, parse, words
from infercompat.condition.nodes import AllOf, AnyOf, HasLayer, Is, Not, OfItems, Relates
from infercompat.condition.relation import Arithmetic, Name, Number, Relation, Term, Word
from infercompat.condition.values import OneOf, Test


def tree(data: Any) -> Any:
    """A condition as it is written, parsed. An empty one is always true; one that cannot be read is null, which is never decided."""
    if not data:
        return {"all": []}
    condition, _ = parse(data)
    return condition and tree_of(condition)


def tree_of(condition: Condition) -> dict[str, Any]:
    """A parsed condition as plain data. A leaf has its words in `text` where the script cannot make them of the rest: relations, and numbers with a point.

    {all: […]}, {any: […]}, {not: …}; {fact, test}, {relation: {left, sign, right}, facts}, {requires}, {layer: {property: test}}, and of a
    list {items: any or all, list, alternatives, facts} (of which the first is the list), where an alternative is a list of comparisons that
    are true together. A test is a list of values, or a mapping of min, max, above, below; a term is a number, the name of a fact or of a
    property, {word} of what is written out, or a list of sign, left and right.
    """
    match condition:
        case AllOf(inner):
            return {"all": [tree_of(part) for part in inner]}
        case AnyOf(inner):
            return {"any": [tree_of(part) for part in inner]}
        case Not(part):
            return {"not": tree_of(part)}
        case Is(fact, test):
            return {"fact": fact, "test": _test(test)} | _text(condition, (test,))
        case Relates(text, relation):
            return {"relation": _comparison(relation), "facts": list(condition.facts), "text": text}
        case OfItems(text, quantified):
            alternatives = [[_comparison(one) for one in every] for every in quantified.alternatives]
            return {"items": quantified.quantifier, "list": condition.list, "alternatives": alternatives, "facts": list(condition.facts), "text": text}
        case HasLayer(tests):
            return {"layer": {name: _test(test) for name, test in tests}} | _text(condition, [test for _, test in tests])
    return {"requires": condition.requirement}


def _text(condition: Condition, tests: Iterable[Test]) -> dict[str, str]:
    """The words of a leaf, where they are not plain from its tests: a number with a point is written in another way by the script."""
    values = [value for test in tests for value in (test.values if isinstance(test, OneOf) else [end for _, end in test.ends()])]
    return {} if all(isinstance(value, (bool, int, str)) for value in values) else {"text": words(condition)}


def _test(test: Test) -> Any:
    values = test.values if isinstance(test, OneOf) else [end for _, end in test.ends()]
    plain = [value if isinstance(value, (bool, int, float, str)) else str(value) for value in values]
    return plain if isinstance(test, OneOf) else dict(zip((name for name, _ in test.ends()), plain, strict=True))


def _comparison(relation: Relation) -> dict[str, Any]:
    left, right = (Word(side.text, 0) if relation.of_versions and isinstance(side, Number) else side for side in relation.sides)
    return {"left": _term(left), "sign": relation.sign, "right": _term(right)}


def _term(term: Term) -> Any:
    if isinstance(term, Word):
        return {"word": term.text}
    if isinstance(term, Number):
        return _number(term.value)
    if isinstance(term, Name):
        return term.name
    assert isinstance(term, Arithmetic)
    return [term.sign, _term(term.left), _term(term.right)]


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
