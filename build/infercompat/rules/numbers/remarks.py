"""Holds the numbers in a model's notes against its record: which are wrong, and which are right and typed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct

from infercompat import equations
from infercompat.rules.numbers.quantities import QUANTITIES, Quantity
from infercompat.rules.numbers.sentences import Sentence, blank, sentences
from infercompat.rules.numbers.subject import Figure, Subject

_ABOUT = re.compile(r"(?:\b(?:about|roughly|around|nearly|almost|some|close to|approximately|circa|order of)\s+|[~≈]\s*)\Z", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:below|under|over|above|least|most|up to|within|beyond|past|exceed\w*|than|from|until|capped at|half of|twice|thirds? of|part of)"
    r"\s+(?:(?:the|a|its|about)\s+)?\Z",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:\b(?:not|never|no longer|nor|without|instead of|rather than)|n['’]t)\s+(?:[\w-]+\s+){0,2}\Z", re.IGNORECASE)
_BESIDE = re.compile(r"\s*(?:tokens?\s+)?(?:less|more|fewer|short\w*|longer|too|off|smaller|larger|extra|lower|higher)\b")
_FACTOR = re.compile(r"\s*(?:[*×·+^=]|[x/]\s)")
_LESS = re.compile(r"\b(?:sav(?:es?|ed|ing)|differ\w*|(?:less|more|fewer) by)\b")
_NEARBY, _LONGEST = 60, 4000


class Remark(Struct, frozen=True):
    """A number in prose (start to end) that the record contradicts or, where `placeholder` is set, that it gives by itself."""

    start: int
    end: int
    figures: tuple[Figure, ...]
    placeholder: str = ""

    @property
    def truth(self) -> str:
        """What the record gives, by name."""
        shown = dict.fromkeys(f"{figure.name} is {figure.shown}" for figure in self.figures if figure.name)
        return ", ".join(list(shown)[:4])


def remarks(subject: Subject, text: str) -> Iterator[Remark]:
    """What there is to say about the numbers of a text."""
    blanked = blank(text)
    sums = equations.find(blanked)
    starts = [equation.start for equation in sums]
    for sentence in sentences(text, blanked):
        if len(sentence.text) > _LONGEST:  # no prose
            continue
        meant = {images: subject.is_meant(sentence, images) for images in (False, True)}
        taken: set[int] = set()
        for quantity in (quantity for quantity in QUANTITIES if meant[quantity.images]):
            for match in (match for form in quantity.forms for match in form.finditer(sentence.text)):
                place = sentence.start + match.start("n")
                before = bisect_right(starts, place)
                around = sums[before - 1] if before and place < sums[before - 1].end else None
                told = place in taken or (around is not None and any(around.faults()))  # a false sum is told once, as one
                found = None if told else _judge(subject, sentence, quantity, match, around is not None)
                if found:
                    taken.add(place)
                    yield found


def _judge(subject: Subject, sentence: Sentence, quantity: Quantity, match: re.Match, in_sum: bool) -> Remark | None:
    figures = quantity.figures(subject, match, sentence)
    before = sentence.text[max(0, match.start("n") - _NEARBY) : match.start("n")]
    if not figures or _LESS.search(before) or _BESIDE.match(sentence.text, match.end()):
        return None
    number, half = quantity.number(match)
    about = bool(_ABOUT.search(before))
    fitting = [figure for figure in figures if abs(figure.value - number) <= (max(half, number / 10) if about else half)]
    start, end = sentence.start + match.start("n"), sentence.start + match.end("n")
    if not fitting:
        lead = sentence.text[max(0, match.start() - _NEARBY) : match.start()]
        told_otherwise = _BOUND.search(before) or _NOT.search(before) or _NOT.search(lead)
        return None if told_otherwise or (quantity.parts and not subject.uniform) else Remark(start, end, tuple(figures))
    shown = [figure for figure in fitting if figure.derived]
    if about or in_sum or not shown:
        return None
    if shown[0].filter in ("bytes", "times"):
        end = sentence.start + match.end("unit")
    in_formula = any(_FACTOR.match(sentence.text, place) for place in (match.end(), end - sentence.start))
    return None if in_formula else Remark(start, end, tuple(figures), shown[0].placeholder)
