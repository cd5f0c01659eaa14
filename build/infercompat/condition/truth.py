"""Three-valued truth: yes, no or maybe, each with the leaves that decided it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

ReasonKind = Literal["missing", "untested", "false", "true"]


class Reason(Struct, frozen=True):
    """One leaf that decided: its text, the fact it reads (the first one of a relation), and what is known of it.

    `missing`: the fact has no value. `untested`: nobody tried this value. `true` and `false`: the leaf's own truth, also below a
    negation.
    """

    text: str
    fact: str
    kind: ReasonKind


class Truth(Struct, frozen=True):
    """A Kleene value: True, False, or None for maybe. `because` holds the reasons that decide it and no others."""

    value: bool | None
    because: tuple[Reason, ...] = ()

    @property
    def yes(self) -> bool:
        return self.value is True

    @property
    def no(self) -> bool:
        return self.value is False

    @property
    def maybe(self) -> bool:
        return self.value is None

    @property
    def missing(self) -> tuple[str, ...]:
        """The facts that would have to be known, each once."""
        return tuple(dict.fromkeys(reason.fact for reason in self.because if reason.kind == "missing"))

    @property
    def untested(self) -> bool:
        """Whether it is maybe for a reason that no further fact from the person would settle."""
        return any(reason.kind == "untested" for reason in self.because)

    def __and__(self, other: Truth) -> Truth:
        return all_of((self, other))

    def __or__(self, other: Truth) -> Truth:
        return any_of((self, other))

    def __invert__(self) -> Truth:
        return Truth(None if self.value is None else not self.value, self.because)

    def __bool__(self) -> bool:
        # A maybe that passes for False is the one mistake this class exists to prevent.
        raise TypeError("a Truth has three values; ask for .yes, .no or .maybe")


YES = Truth(True)
NO = Truth(False)


def maybe(text: str, fact: str, kind: ReasonKind = "missing") -> Truth:
    """Undecided: the fact is missing, or its value untested."""
    return Truth(None, (Reason(text, fact, kind),))


def decided(value: bool, text: str, fact: str) -> Truth:
    """The truth of one leaf that could be decided."""
    return Truth(value, (Reason(text, fact, "true" if value else "false"),))


def all_of(parts: Iterable[Truth]) -> Truth:
    """Conjunction: no when one part is no, else maybe when one is maybe, else yes."""
    return _fold(list(parts), (False, None, True))


def any_of(parts: Iterable[Truth]) -> Truth:
    """Disjunction: yes when one part is yes, else maybe when one is maybe, else no."""
    return _fold(list(parts), (True, None, False))


def _fold(parts: list[Truth], strongest_first: tuple[bool | None, ...]) -> Truth:
    for value in strongest_first[:2]:
        deciding = [part for part in parts if part.value is value]
        if deciding:
            return Truth(value, _reasons(deciding))
    return Truth(strongest_first[2], _reasons(parts))


def _reasons(parts: list[Truth]) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(reason for part in parts for reason in part.because))
