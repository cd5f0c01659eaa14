"""Computing a comparison: over numbers and ranges exactly, over versions by their order, over words by equality; None where a part is not known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from packaging.version import Version as DottedVersion

from infercompat.condition.facts import lookup, read_version
from infercompat.condition.relation import Name, Number, Relation, Term, Word
from infercompat.condition.values import MISSING, Range

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def compare(relation: Relation, values: Mapping[str, object], always: bool = False) -> bool | None:
    """Whether the comparison can hold for the named values, or with `always` whether it must; None where one of them is MISSING.

    A name whose value is None (there is none) makes it false, whatever the others are.
    """
    named = [values[name.name] for name in relation.names]
    if None in named:
        return False
    return None if any(value is MISSING for value in named) else holds(relation, values, always)


def holds(relation: Relation, values: Mapping[str, object], always: bool = False) -> bool:
    """Whether the relation can hold for the named values, or with `always` whether it must.

    Values are numbers or Ranges; where the relation is not `of_quantities`, also words, flags and versions. A name whose value is None
    (there is none), or a division by zero, makes it false.
    """
    left, right = _compute(relation.left, values), _compute(relation.right, values)
    if isinstance(left, DottedVersion) or isinstance(right, DottedVersion):
        return _of_versions(relation.sign, *(_version(term, value) for term, value in ((relation.left, left), (relation.right, right))))
    if left is None or right is None:
        return False
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return relation.sign in ("==", "!=") and (left == right) is (relation.sign == "==")
    return not _can(_NEGATED[relation.sign], left, right) if always else _can(relation.sign, left, right)


def impossible(relation: Relation, values: Mapping[str, Range]) -> bool:
    """Whether no values within the ranges make a comparison of quantities true, as far as that can be told."""
    left, right = _compute(relation.left, values), _compute(relation.right, values)
    return isinstance(left, tuple) and isinstance(right, tuple) and not _can(relation.sign, left, right)


def _version(term: Term, value: object) -> DottedVersion | None:
    """A side of a comparison of versions, where a number stands for the version that it spells: 2.10 comes after 2.9."""
    if isinstance(value, DottedVersion):
        return value
    found = read_version(term.text) if isinstance(term, Number | Word) else MISSING
    return None if found is MISSING else found


def _of_versions(sign: str, left: DottedVersion | None, right: DottedVersion | None) -> bool:
    if left is None or right is None:
        return False
    order = (left > right) - (left < right)
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "==": order == 0, "!=": order != 0}[sign]


Exact = int | Fraction
Span = tuple[Exact | float, Exact | float]
"""Floats are the infinities alone."""


def _can(sign: str, left: Span, right: Span) -> bool:
    match sign:
        case "<":
            return left[0] < right[1]
        case "<=":
            return left[0] <= right[1]
        case ">":
            return left[1] > right[0]
        case ">=":
            return left[1] >= right[0]
        case "==":
            return left[0] <= right[1] and right[0] <= left[1]
    return not left[0] == left[1] == right[0] == right[1]


def _compute(term: Term, values: Mapping[str, object]):
    """The span of values that a term can take, a value that is no quantity as it is, or None."""
    if isinstance(term, Number):
        value = _exact(term.value)
        return value, value
    if isinstance(term, Word):
        return term.text
    if isinstance(term, Name):
        value = values[term.name]
        if isinstance(value, Range):
            return _exact(value.low), _exact(value.high)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        exact = _exact(value)
        return exact, exact
    left, right = _compute(term.left, values), _compute(term.right, values)
    if left is None or right is None:
        return None
    return _combine(term.sign, left, right, whole=_is_whole(term.left, values) and _is_whole(term.right, values))


def _is_whole(term: Term, values: Mapping[str, object]) -> bool:
    """Whether a term only takes whole numbers."""
    if isinstance(term, Number):
        return term.value.denominator == 1
    if isinstance(term, Name):
        value = values[term.name]
        if isinstance(value, Range):
            return (fact := lookup(term.name)) is not None and fact.type == "int"
        return isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0
    return not isinstance(term, Word) and term.sign != "/" and _is_whole(term.left, values) and _is_whole(term.right, values)


def _exact(number: int | float | Fraction) -> Exact | float:
    if isinstance(number, float):
        # 0.95 is meant as 95/100, so the decimal that is written counts and not its binary neighbour.
        return number if math.isinf(number) else Fraction(str(number))
    return number.numerator if number.denominator == 1 else number


def _combine(sign: str, a: Span, b: Span, whole: bool) -> Span | None:
    """The span of a sum, difference, product, quotient or remainder, of `whole` numbers alone where that is said.

    A remainder of a range may come out too wide, never too narrow.
    """
    if sign == "+":
        return a[0] + b[0], a[1] + b[1]
    if sign == "-":
        return a[0] - b[1], a[1] - b[0]
    if sign == "*":
        return _hull(0 if 0 in (x, y) else x * y for x in a for y in b)
    if b[0] <= 0 <= b[1]:
        return None
    if sign == "%" and a[0] == a[1] and b[0] == b[1] and isinstance(a[0], int) and isinstance(b[0], int):
        return (a[0] % b[0],) * 2
    quotient = _hull(_divide(x, y) for x in a for y in b)
    floor = tuple(end if _is_infinite(end) else math.floor(end) for end in quotient)
    if sign == "/":
        return quotient
    if sign == "//":
        return floor
    if floor[0] == floor[1] and b[0] == b[1]:
        return a[0] - floor[0] * b[0], a[1] - floor[0] * b[0]
    step = 1 if whole else 0  # the remainder of whole numbers is at least 1 short of the divisor
    return min(0, b[0] + step), max(0, b[1] - step)


def _divide(x: Exact | float, y: Exact | float) -> Exact | float:
    if _is_infinite(y):
        return 0
    if _is_infinite(x):
        return math.copysign(math.inf, x) * (1 if y > 0 else -1)
    return _exact(Fraction(x) / y)


def _is_infinite(end: Exact | float) -> bool:
    return isinstance(end, float) and math.isinf(end)


def _hull(corners) -> Span:
    ends = list(corners)
    return min(ends), max(ends)
