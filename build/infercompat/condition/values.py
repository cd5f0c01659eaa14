"""The values that facts take, and the tests that a condition holds them against."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import Final

from msgspec import Struct
from packaging.version import Version as DottedVersion


class Missing(Enum):
    """The type of MISSING: nothing is known. A value of None is different: the thing has none, such as a model without a window."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class Range(Struct, frozen=True):
    """Everything from low to high can happen, both ends included; `math.inf` leaves an end open."""

    low: float
    high: float


Scalar = bool | int | float | str | DottedVersion
Value = Scalar | Range | tuple[Scalar, ...] | None
"""A tuple holds several values at once, such as two head widths; of a workload fact, the values that can happen."""


def is_number(value: object) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def same(one: object, other: object) -> bool:
    """Equality in which true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


class OneOf(Struct, frozen=True):
    """One of some values."""

    values: tuple[Scalar, ...]

    def accepts(self, value: Scalar) -> bool:
        return any(same(value, wanted) for wanted in self.values)

    def can(self, span: Range) -> bool:
        """Whether a value of the range passes."""
        return any(is_number(value) and span.low <= value <= span.high for value in self.values)

    def must(self, span: Range) -> bool:
        """Whether every value of the range passes; a range that is wider than a point is one of whole numbers."""
        inside = {value for value in self.values if is_number(value) and span.low <= value <= span.high}
        return len(inside) == span.high - span.low + 1


def in_words(value: object) -> str:
    """A value as settings and conditions write it: true and false in small letters."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Between(Struct, frozen=True):
    """A range of numbers or versions; an end that is None is open."""

    min: Scalar | None = None
    max: Scalar | None = None
    above: Scalar | None = None
    below: Scalar | None = None

    def accepts(self, value: Scalar) -> bool:
        return self._reaches_up(value) and self._reaches_down(value)

    def can(self, span: Range) -> bool:
        return self._reaches_up(span.high) and self._reaches_down(span.low)

    def must(self, span: Range) -> bool:
        return self.accepts(span.low) and self.accepts(span.high)

    def _reaches_up(self, value) -> bool:
        return (self.min is None or value >= self.min) and (self.above is None or value > self.above)

    def _reaches_down(self, value) -> bool:
        return (self.max is None or value <= self.max) and (self.below is None or value < self.below)

    def ends(self) -> Iterator[tuple[str, Scalar]]:
        """The ends that are set, with their names."""
        for name in ("min", "above", "max", "below"):
            end = getattr(self, name)
            if end is not None:
                yield name, end

    def empty(self, whole: bool) -> bool:
        """Whether nothing passes; `whole`: only whole numbers are tried."""
        low, high = self.min if self.min is not None else self.above, self.max if self.max is not None else self.below
        if low is None or high is None:
            return False
        if whole and is_number(low) and is_number(high):
            first = low if self.above is None else low + 1
            last = high if self.below is None else high - 1
            return first > last
        return low > high or (low == high and (self.above is not None or self.below is not None))


Test = OneOf | Between


def fits(test: Test, value: Value) -> bool:
    """Whether the test can be held against the value at all: a range cannot against a word or a flag."""
    items = value if isinstance(value, tuple) else (value,)
    return isinstance(test, OneOf) or not any(isinstance(item, bool | str) for item in items)


def passes(test: Test, value: Value, always: bool = False) -> bool:
    """Whether a value passes: of several or of a range, whether one does, or with `always` whether all do. None never passes."""
    if value is None:
        return False
    if isinstance(value, tuple):
        results = [test.accepts(item) for item in value]
        return bool(results) and all(results) if always else any(results)
    if isinstance(value, Range):
        return test.must(value) if always else test.can(value)
    return test.accepts(value)
