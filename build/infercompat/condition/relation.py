"""Relations: comparisons of two quantities, such as `sequence_length > model.window`, parsed by hand and computed over ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from msgspec import Struct

from infercompat.condition.values import Range

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TOKEN = re.compile(r"(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign>//|[<>=!]=|[-+*/%()<>=])")


class RelationError(ValueError):
    """A relation that does not parse; `start` and `end` are character offsets into its text."""

    def __init__(self, message: str, start: int, end: int):
        super().__init__(f"column {start + 1}: {message}")
        self.start, self.end = start, end


class Number(Struct, frozen=True):
    value: Fraction


class Name(Struct, frozen=True):
    """A fact in a relation, and the offset at which it is written."""

    name: str
    start: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Arithmetic(Struct, frozen=True):
    sign: str
    left: Term
    right: Term


Term = Number | Name | Arithmetic


class Relation(Struct, frozen=True):
    """left sign right; the sign is one of COMPARISONS."""

    left: Term
    sign: str
    right: Term

    @property
    def names(self) -> tuple[Name, ...]:
        return (*_names(self.left), *_names(self.right))

    @property
    def of_quantities(self) -> bool:
        """Whether its facts have to be numbers; only `one == other` and `one != other` can compare words."""
        bare = isinstance(self.left, Name) and isinstance(self.right, Name)
        return not (bare and self.sign in ("==", "!="))


def _names(term: Term) -> Iterator[Name]:
    if isinstance(term, Name):
        yield term
    elif isinstance(term, Arithmetic):
        yield from _names(term.left)
        yield from _names(term.right)


def parse_relation(text: str) -> Relation:
    """The relation that a text writes down; raises RelationError with the column of the fault."""
    return _Parser(text).relation()


class _Parser:
    """relation: sum COMPARISON sum; sum: product ((+|-) product)*; product: atom ((*|/|//|%) atom)*; atom: number, fact, -atom, (sum)"""

    def __init__(self, text: str):
        self.text, self.at = text, 0
        self.advance()

    def advance(self) -> None:
        """Read the next token: its kind, its text and where it starts."""
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
        self.start, match = self.at, _TOKEN.match(self.text, self.at)
        if match is None and self.at < len(self.text):
            raise RelationError(f"{self.text[self.at]!r} has no meaning in a relation", self.at, self.at + 1)
        self.kind, self.token = (match.lastgroup, match.group()) if match else ("end", "")
        self.at = match.end() if match else self.at

    def fail(self, expected: str) -> RelationError:
        found = f"found {self.token!r}" if self.token else "the text ends"
        return RelationError(f"expected {expected}, {found}", self.start, self.start + max(1, len(self.token)))

    def relation(self) -> Relation:
        left = self.sum()
        if self.token == "=":
            raise self.fail("a comparison (equality is ==)")
        if self.token not in COMPARISONS:
            raise self.fail(f"a comparison ({' '.join(COMPARISONS)})")
        sign = self.token
        self.advance()
        relation = Relation(left, sign, self.sum())
        if self.kind != "end":
            raise self.fail("the end, for a relation compares once")
        if not relation.names:
            raise RelationError("a relation without a fact never changes", 0, len(self.text))
        return relation

    def sum(self) -> Term:
        term = self.product()
        while self.token in ("+", "-"):
            sign = self.token
            self.advance()
            term = Arithmetic(sign, term, self.product())
        return term

    def product(self) -> Term:
        term = self.atom()
        while self.token in ("*", "/", "//", "%"):
            sign = self.token
            self.advance()
            term = Arithmetic(sign, term, self.atom())
        return term

    def atom(self) -> Term:
        kind, token, start = self.kind, self.token, self.start
        if kind not in ("number", "name") and token not in ("-", "("):
            raise self.fail("a fact or a number")
        self.advance()
        if kind == "number":
            return Number(Fraction(token))
        if kind == "name":
            return Name(token, start)
        if token == "-":
            return Arithmetic("-", Number(Fraction(0)), self.atom())
        term = self.sum()
        if self.token != ")":
            raise self.fail("a closing parenthesis")
        self.advance()
        return term


def holds(relation: Relation, values: Mapping[str, object], always: bool = False) -> bool:
    """Whether the relation can hold for the named values, or with `always` whether it must.

    Values are numbers or Ranges; where the relation is not `of_quantities`, also words and flags. A name whose value is None (there
    is none), or a division by zero, makes it false.
    """
    left, right = _compute(relation.left, values), _compute(relation.right, values)
    if left is None or right is None:
        return False
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return relation.sign in ("==", "!=") and (left == right) is (relation.sign == "==")
    return not _can(_NEGATED[relation.sign], left, right) if always else _can(relation.sign, left, right)


Span = tuple[Fraction | float, Fraction | float]


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
        return term.value, term.value
    if isinstance(term, Name):
        value = values[term.name]
        if isinstance(value, Range):
            return _exact(value.low), _exact(value.high)
        return (_exact(value), _exact(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value
    left, right = _compute(term.left, values), _compute(term.right, values)
    return None if left is None or right is None else _combine(term.sign, left, right)


def _exact(number: int | float) -> Fraction | float:
    # 0.95 is meant as 95/100, so the decimal that is written counts and not its binary neighbour.
    return number if math.isinf(number) else Fraction(str(number))


def _combine(sign: str, a: Span, b: Span) -> Span | None:
    """The span of a sum, difference, product, quotient or remainder; a remainder of a range may come out too wide, never too narrow."""
    if sign == "+":
        return a[0] + b[0], a[1] + b[1]
    if sign == "-":
        return a[0] - b[1], a[1] - b[0]
    if sign == "*":
        return _hull(0 if 0 in (x, y) else x * y for x in a for y in b)
    if b[0] <= 0 <= b[1]:
        return None
    quotient = _hull(_divide(x, y) for x in a for y in b)
    whole = tuple(end if math.isinf(end) else Fraction(math.floor(end)) for end in quotient)
    if sign == "/":
        return quotient
    if sign == "//":
        return whole
    if whole[0] == whole[1] and b[0] == b[1]:
        return a[0] - whole[0] * b[0], a[1] - whole[0] * b[0]
    return min(0, b[0]), max(0, b[1])


def _divide(x: Fraction | float, y: Fraction | float) -> Fraction | float:
    if math.isinf(y):
        return Fraction(0)
    return math.copysign(math.inf, x) * (1 if y > 0 else -1) if math.isinf(x) else Fraction(x) / y


def _hull(corners) -> Span:
    ends = list(corners)
    return min(ends), max(ends)
