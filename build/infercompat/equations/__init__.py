"""Equations in prose: finds them, works out their sides exactly, and says which side is false and what would be right.

Nothing is executed. What does not read as arithmetic from end to end is left alone, and length, depth, degree and the size of numbers
are bounded, so that no text can take long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from msgspec import Struct

from infercompat.equations.parsing import OPERANDS, Token, parse, tokens
from infercompat.equations.values import RATIOS, SCALES, SIZES, Unreadable, Value, combine, show

_RUN = OPERANDS | {"op", "dash", "open", "equals"}
_BINDING = frozenset(
    ("of", "times", "plus", "minus", "over", "by", "per", "half", "twice", "double", "million", "billion", "thousand", "percent", "to", "or",
     "root", "log", "without", "than")
)  # fmt: skip
"""Words that may belong to the arithmetic beside them."""
_NEAR, _FAR, _DASHES, _SIDES = 3, 200, 3, 50


class Reading(Struct, frozen=True):
    """One side: where it stands and what it comes to. `decimals` is how many are printed of a bare figure, None where it is computed."""

    start: int
    end: int
    value: Value
    decimals: int | None

    @property
    def tolerance(self) -> Fraction:
        """Half of the last digit printed."""
        return Fraction(0) if self.decimals is None else SCALES[self.value.unit] / 10**self.decimals / 2


class Fault(Struct, frozen=True):
    """A side that is false: its extent, that of the side it was held against, and what that one comes to."""

    start: int
    end: int
    of_start: int
    of_end: int
    truth: str


class Equation(Struct, frozen=True):
    """Two sides or more that prose holds to be equal, each with the ways it can be read, the likeliest first."""

    sides: tuple[tuple[Reading, ...], ...]

    @property
    def start(self) -> int:
        return self.sides[0][0].start

    @property
    def end(self) -> int:
        return self.sides[-1][0].end

    def faults(self) -> Iterator[Fault]:
        """The sides that differ from the one that is computed or, among bare figures, from the most precise one."""
        reference = min(self.sides, key=lambda side: side[0].tolerance)
        for side in self.sides:
            verdicts = [_agree(one, other) for one in reference for other in side]
            if side is not reference and verdicts[0] is False and True not in verdicts:
                right, wrong = reference[0], side[0]
                yield Fault(wrong.start, wrong.end, right.start, right.end, _truth(right, wrong))


def find(text: str) -> list[Equation]:
    """The equations of a text, in order."""
    found = tokens(text)
    equations, start = [], 0
    while start < len(found):
        end = start
        while end < len(found) and found[end].kind in _RUN:
            end += 1
        if 0 < sum(token.kind == "equals" for token in found[start:end]) <= _SIDES:
            sides = tuple(side for side in _sides(text, found, start, end) if side)
            if len(sides) > 1:
                equations.append(Equation(sides))
        start = max(end, start + 1)
    return equations


def _sides(text: str, found: list[Token], start: int, end: int) -> Iterator[tuple[Reading, ...]]:
    """The readings of each side of a run of arithmetic; none where words around it may belong to it."""
    cuts = [start - 1, *(index for index in range(start, end) if found[index].kind == "equals"), end]
    for number, (before, after) in enumerate(pairwise(cuts)):
        side, first, last = found[before + 1 : after], number == 0, number == len(cuts) - 2
        if (first and _entangled(found, start, -1)) or (last and _entangled(found, end - 1, 1)):
            continue
        if first:
            side = _after_unmatched(side)
        if last:
            side = _before_remark(text, side)
        yield _readings(side, first, last)


def _readings(side: Sequence[Token], first: bool, last: bool) -> tuple[Reading, ...]:
    """A side as it stands and, at the ends of an equation, what remains of it when a spaced hyphen is a dash."""
    dashes = [index for index, token in enumerate(side) if token.kind == "dash"]
    pieces = [side]
    pieces += [side[index + 1 :] for index in dashes[: -_DASHES - 1 : -1] if first]
    pieces += [side[:index] for index in dashes[:_DASHES] if last]
    return tuple(reading for piece in pieces if (reading := _reading(piece)))


def _reading(side: Sequence[Token]) -> Reading | None:
    try:
        value = parse(side)
    except Unreadable:
        return None
    figure = side[0].text if [token.kind for token in side] in (["number"], ["number", "unit"]) else None
    decimals = None if figure is None or "e" in figure.lower() else len(figure.partition(".")[2])
    return Reading(side[0].start, side[-1].end, value, decimals)


def _entangled(found: list[Token], edge: int, step: int) -> bool:
    """Whether what stands beside a run may belong to it: an odd sign, a binding word, a function's name, or a sign behind a few words."""
    beside = [found[at] for at in range(edge + step, edge + step * (_NEAR + 1), step) if 0 <= at < len(found)]
    if beside and (_binds(beside[0], found[max(0, edge - 2) : edge + 1], step) or _is_call(beside[0], found[edge])):
        return True
    for token in beside:
        if token.kind not in ("word", "unit"):
            return token.kind in ("op", "odd")
    return False


def _binds(word: Token, last: list[Token], step: int) -> bool:
    """Whether a word beside a run is one of arithmetic. `of` behind a bare figure is none: … = 5 of them."""
    bare = [token.kind for token in last if token.kind != "unit"][-2:] == ["equals", "number"]
    return word.text.lower() in _BINDING and not (step > 0 and bare and word.text == "of")


def _is_call(name: Token, opening: Token) -> bool:
    return name.kind == "word" and opening.kind == "open" and name.end == opening.start


def _after_unmatched(side: Sequence[Token]) -> Sequence[Token]:
    """What follows the last parenthesis that the side opens and does not close: (so 2 * 3 = 6)."""
    depth = 0
    for index in range(len(side) - 1, -1, -1):
        depth += {"close": 1, "open": -1}.get(side[index].kind, 0)
        if depth < 0:
            return side[index + 1 :]
    return side


def _before_remark(text: str, side: Sequence[Token]) -> Sequence[Token]:
    """What precedes a parenthesis that closes something outside, or that opens a remark; nothing if arithmetic follows the remark."""
    depth = 0
    for index, token in enumerate(side):
        if token.kind == "open" and not depth and index and side[index - 1].kind in OPERANDS:
            behind = text[token.end : token.end + _FAR].partition(")")[2][:3].lstrip()
            return () if behind.startswith(("*", "/", "x ", "×", "·", "^", "+")) else side[:index]
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth < 0:
            return side[:index]
    return side


def _agree(one: Reading, other: Reading) -> bool | None:
    """Whether two sides are equal, as far as they are printed; None where they do not state an equality."""
    left, right = one.value, other.value
    if _is_definition(one) or _is_definition(other) or (left.name and right.name and left.name != right.name):
        return None
    if (left.unit in SIZES and right.unit in RATIOS) or (left.unit in RATIOS and right.unit in SIZES):
        return None
    if one.decimals is not None and other.decimals is not None and not (left.unit in SIZES and right.unit in SIZES):
        return None
    first, second = sorted((one, other), key=lambda side: side.start)
    tolerance = second.tolerance + (first.tolerance if first.decimals else 0)  # 1 MiB on the left is one to the byte, 1.9 GiB is not
    try:
        differences = [_difference(left.base(), right.base())]
        if bool(left.unit) != bool(right.unit):  # a unit may be said once for both: 8 * 62 KiB = 496
            unit = left.unit or right.unit
            differences.append(_difference(_counted(left, unit), _counted(right, unit)))
    except Unreadable:
        return None
    verdicts = [_verdict(difference, tolerance, bool(left.name) != bool(right.name)) for difference in differences]
    return True if True in verdicts else verdicts[0]


def _counted(value: Value, unit: str) -> Value:
    return Value(value.top, value.bottom, unit, value.name).base()


def _difference(left: Value, right: Value) -> Value:
    return combine("-", Value(left.top, left.bottom, name=left.name), Value(right.top, right.bottom, name=right.name))


def _verdict(difference: Value, tolerance: Fraction, conditional: bool) -> bool | None:
    constant = difference.constant
    if constant is not None:
        return abs(constant) <= tolerance
    # With the variable on one side only, it may be a condition that some value meets rather than an identity.
    return None if conditional and not difference.never_zero else False


def _is_definition(reading: Reading) -> bool:
    """c = 8,192 names a number and claims nothing."""
    value = reading.value
    return bool(value.name) and value.top == (0, 1) and value.bottom == (1,)


def _truth(right: Reading, wrong: Reading) -> str:
    """What the right side comes to, written as the wrong one is."""
    unit = wrong.value.unit or (right.value.unit if right.value.unit in RATIOS else "")
    value = right.value if right.value.unit == unit else right.value.base()
    constant = value.constant
    if constant is None:
        return str(value)
    scaled = constant if right.value.unit == unit else constant / SCALES[unit]
    return show(scaled, wrong.decimals or 0) + (f" {unit}" if unit in SIZES else unit)
