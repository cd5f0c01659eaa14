"""Relations: comparisons such as `sequence_length > model.window`, of one or over the items of a list, parsed by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Literal

from msgspec import Struct

from infercompat.condition.facts import lookup

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")
QUANTIFIERS = ("any", "all")
_TOKEN = re.compile(
    r"""(?P<version>\d+(?:\.\d+){2,}[\w.]*|\d+(?:\.\d+)*\.?(?:a|b|rc|post|dev)\d+[\w.]*)"""
    r"""|(?P<number>\d+(?:\.\d+)?)"""
    r"""|(?P<name>[A-Za-z_][\w-]*(?:\.[\w-]+)*\.version\b(?:\.(?:requested|resolved))?|[A-Za-z_]\w*(?:\.\w+)*)"""
    r"""|(?P<word>"[^"]*"|'[^']*')"""
    r"""|(?P<sign>//|[<>=!]=|[-+*/%()<>=,])"""
)


class RelationError(ValueError):
    """A relation that does not parse; `start` and `end` are character offsets into its text."""

    def __init__(self, message: str, start: int, end: int):
        super().__init__(f"column {start + 1}: {message}")
        self.start, self.end = start, end


class Number(Struct, frozen=True):
    """A number; `text` is how it was written, which is what counts where it stands for a version."""

    value: Fraction
    text: str = ""


class Word(Struct, frozen=True):
    """A word in quotes, or a version that is no plain number, and the offset at which it is written."""

    text: str
    start: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


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


Term = Number | Word | Name | Arithmetic


class Relation(Struct, frozen=True, dict=True):
    """left sign right; the sign is one of COMPARISONS."""

    left: Term
    sign: str
    right: Term

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return (*_names(self.left), *_names(self.right))

    @property
    def sides(self) -> tuple[Term, Term]:
        return self.left, self.right

    @property
    def of_versions(self) -> bool:
        """Whether a side is the version of something."""
        return any(isinstance(side, Name) and (fact := lookup(side.name)) is not None and fact.type == "version" for side in self.sides)

    @cached_property
    def of_quantities(self) -> bool:
        """Whether its facts have to be numbers; versions are compared too, and words by `one == other` and `one != other`."""
        bare = all(isinstance(side, Name | Word) for side in self.sides)
        return not (self.of_versions or (bare and self.sign in ("==", "!=")))


class Quantified(Struct, frozen=True):
    """any(list, body) or all(list, body): the body holds for one item of the list, or for each.

    The body is true where all comparisons of one of its `alternatives` are. A name in it is a property of the item, else a fact.
    """

    quantifier: Literal["any", "all"]
    list: Name
    alternatives: tuple[tuple[Relation, ...], ...]

    @property
    def comparisons(self) -> tuple[Relation, ...]:
        return tuple(comparison for alternative in self.alternatives for comparison in alternative)

    @property
    def names(self) -> tuple[Name, ...]:
        """The names in the body."""
        return tuple(name for comparison in self.comparisons for name in comparison.names)


def _names(term: Term) -> Iterator[Name]:
    if isinstance(term, Name):
        yield term
    elif isinstance(term, Arithmetic):
        yield from _names(term.left)
        yield from _names(term.right)


def parse_relation(text: str) -> Relation | Quantified:
    """The relation that a text writes down; raises RelationError with the column of the fault."""
    return _Parser(text).relation()


class _Parser:
    """relation: comparison, or (any|all) "(" list "," body ")"; body: every (or every)*; every: comparison (and comparison)*;
    comparison: sum COMPARISON sum; sum: product ((+|-) product)*; product: atom ((*|/|//|%) atom)*; atom: number, word, fact, -atom, (sum)
    """

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

    def relation(self) -> Relation | Quantified:
        if self.kind == "name" and self.token in QUANTIFIERS:
            found: Relation | Quantified = self.quantified()
            expected = "the end, for conditions beside it are leaves of their own"
        else:
            found, expected = self.comparison(), "the end, for a relation compares once"
        if self.kind != "end":
            raise self.fail(expected)
        return found

    def quantified(self) -> Quantified:
        quantifier = self.token
        self.advance()
        self.expect("(", "an opening parenthesis")
        if self.kind != "name":
            raise self.fail("a list, such as model.linears")
        name = Name(self.token, self.start)
        self.advance()
        self.expect(",", "a comma and what is asked of an item")
        alternatives = [self.every()]
        while self.token == "or":
            self.advance()
            alternatives.append(self.every())
        self.expect(")", "and, or, or a closing parenthesis")
        return Quantified(quantifier, name, tuple(alternatives))

    def every(self) -> tuple[Relation, ...]:
        found = [self.comparison()]
        while self.token == "and":
            self.advance()
            found.append(self.comparison())
        return tuple(found)

    def comparison(self) -> Relation:
        start, left = self.start, self.sum()
        if self.token == "=":
            raise self.fail("a comparison (equality is ==)")
        if self.token not in COMPARISONS:
            raise self.fail(f"a comparison ({' '.join(COMPARISONS)})")
        sign = self.token
        self.advance()
        relation = Relation(left, sign, self.sum())
        if not relation.names:
            raise RelationError("a relation without a fact never changes", start, len(self.text[: self.start].rstrip()))
        return relation

    def expect(self, token: str, words: str) -> None:
        if self.token != token or self.kind != "sign":
            raise self.fail(words)
        self.advance()

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
        if (kind in ("end", "sign") and token not in ("-", "(")) or token in ("and", "or"):
            raise self.fail("a fact or a number")
        self.advance()
        if kind == "number":
            return Number(Fraction(token), token)
        if kind in ("word", "version"):
            return Word(token.strip("\"'"), start)
        if kind == "name":
            return Name(token, start)
        if token == "-":
            return Arithmetic("-", Number(Fraction(0)), self.atom())
        term = self.sum()
        if self.token != ")":
            raise self.fail("a closing parenthesis")
        self.advance()
        return term
