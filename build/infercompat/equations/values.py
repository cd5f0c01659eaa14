"""Values of sides of equations: exact quotients of polynomials in at most one variable, with a unit, bounded in degree and size."""

from __future__ import annotations

from fractions import Fraction
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

MAX_DEGREE, MAX_BITS, MAX_EXPONENT = 8, 512, 64

SIZES = {"B": Fraction(1)} | {unit: Fraction(1 << 10 * power) for power, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), start=1)}
RATIOS = {"x": Fraction(1), "%": Fraction(1, 100)}
SCALES = {"": Fraction(1), **SIZES, **RATIOS}

Polynomial = tuple[Fraction, ...]
"""Coefficients, the constant first; the empty tuple is 0."""

ONE: Polynomial = (Fraction(1),)


class Unreadable(Exception):
    """What cannot be worked out: no arithmetic, or too much of it. Never leaves this package."""


def polynomial(coefficients: list[Fraction]) -> Polynomial:
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    if len(coefficients) > MAX_DEGREE + 1 or any(max(abs(c.numerator), c.denominator).bit_length() > MAX_BITS for c in coefficients):
        raise Unreadable
    return tuple(coefficients)


def _sum(left: Polynomial, right: Polynomial) -> Polynomial:
    return polynomial([a + b for a, b in zip_longest(left, right, fillvalue=Fraction(0))])


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    found = [Fraction(0)] * (len(left) + len(right))
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] += a * b
    return polynomial(found)


class Value(Struct, frozen=True):
    """`top` over `bottom` in the variable `name`, counted in a unit of SCALES."""

    top: Polynomial
    bottom: Polynomial = ONE
    unit: str = ""
    name: str = ""

    @classmethod
    def of(cls, number: Fraction | int, unit: str = "") -> Value:
        return cls(polynomial([Fraction(number)]), unit=unit)

    @property
    def constant(self) -> Fraction | None:
        """The number that it is, whatever the variable; None where it depends on that."""
        if not self.top:
            return Fraction(0)
        ratio = self.top[-1] / self.bottom[-1]
        return ratio if self.top == tuple(coefficient * ratio for coefficient in self.bottom) else None

    @property
    def never_zero(self) -> bool:
        """Whether no value of the variable makes it 0: the top is a single term."""
        return sum(1 for coefficient in self.top if coefficient) == 1

    def base(self) -> Value:
        """The same in bytes, or as a plain ratio."""
        unit = "B" if self.unit in SIZES else "x" if self.unit else ""
        return replace(self, top=_product(self.top, (SCALES[self.unit],)), unit=unit)

    def __str__(self) -> str:
        top, bottom = self.top, self.bottom
        if sum(1 for coefficient in bottom if coefficient) > 1:
            return f"({_terms(top, 0, self.name)})/({_terms(bottom, 0, self.name)})"
        return _terms(tuple(coefficient / bottom[-1] for coefficient in top), len(bottom) - 1, self.name)


def combine(sign: str, left: Value, right: Value) -> Value:
    """left + right, or with another of the signs - * /"""
    if left.name and right.name and left.name != right.name:
        raise Unreadable
    name = left.name or right.name
    if left.unit and right.unit:
        left, right = left.base(), right.base()
    unit = _unit(sign, left.unit, right.unit)
    if sign in "+-":
        other = right.top if sign == "+" else _product(right.top, (Fraction(-1),))
        return Value(_sum(_product(left.top, right.bottom), _product(other, left.bottom)), _product(left.bottom, right.bottom), unit, name)
    over, under = (right.top, right.bottom) if sign == "*" else (right.bottom, right.top)
    if not under:
        raise Unreadable
    return Value(_product(left.top, over), _product(left.bottom, under), unit, name)


def _unit(sign: str, left: str, right: str) -> str:
    """The unit of a result. One at the end of a sum or quotient speaks for the whole: 81,920 + 436,207,616/c B."""
    if sign in "+-":
        if left != right and (left or right in RATIOS):
            raise Unreadable
        return right
    if left == right:
        if sign == "*" and left == "B":
            raise Unreadable
        return left if sign == "*" else ""
    if sign == "/" and left and right == "B":
        raise Unreadable
    return "B" if left == "B" else right or left


def power(base: Value, exponent: Value) -> Value:
    """base to a whole number that is not too large."""
    number = exponent.constant
    if number is None or exponent.unit or base.unit or number.denominator != 1 or abs(number) > MAX_EXPONENT:
        raise Unreadable
    result = replace(Value.of(1), name=base.name)
    for _ in range(abs(int(number))):
        result = combine("*" if number > 0 else "/", result, base)
    return result


def show(number: Fraction, decimals: int = 0) -> str:
    """A number with separators: whole as it is, else with two decimals or as many as are asked for."""
    if number.denominator == 1 or abs(number) > 10**15:
        return f"{round(number):,}"
    return f"{float(number):,.{max(decimals, 2)}f}" if abs(number) >= Fraction(1, 10) else f"{float(number):.3g}"


def _terms(coefficients: Polynomial, shift: int, name: str) -> str:
    """The sum of coefficients[i] * name^(i - shift), the highest power last."""
    written = []
    for power_of, coefficient in enumerate(coefficients, start=-shift):
        if coefficient:
            variable = name + (f"^{abs(power_of)}" if abs(power_of) > 1 else "")
            number = show(abs(coefficient))
            term = number if not power_of else f"{number}/{variable}" if power_of < 0 else variable if number == "1" else f"{number}*{variable}"
            written.append(("- " if coefficient < 0 else "+ ") + term)
    text = " ".join(reversed(written)) or "0"
    return text.removeprefix("+ ").replace("- ", "-", 1) if text.startswith("- ") else text.removeprefix("+ ")
