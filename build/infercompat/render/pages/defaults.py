"""Defaults that flipped: what an engine does since a release where nothing is said, on which stacks, and how to have the old way back."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from infercompat.answer.command import said
from infercompat.condition import in_words
from infercompat.join import Matrix
from infercompat.join.claims import condition_words
from infercompat.join.flips import Flip, flips, models_of
from infercompat.records import Record
from infercompat.render.compatibility import condition_text
from infercompat.render.page import WIDE, Page


class Row(Struct, frozen=True):
    """A flip as it is shown: both values in words, where it is told of and where not, the models it touches, and what brings the old one back.

    `models` is None where the condition asks nothing of a model, which is to say that any may be touched.
    """

    flip: Flip
    was: str
    now: str
    where: str
    but: tuple[str, ...]
    models: list[Record] | None
    back: str
    told: tuple[tuple[Record, str, int], ...]


def defaults_page(matrix: Matrix) -> Page:
    """Every flip by engine, the newest first."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for flip in flips(matrix.products.catalog):
        grouped[flip.engine.id].append(_row(matrix, flip))
    count = sum(len(rows) for rows in grouped.values())
    context = {"groups": [(rows[0].flip.engine, rows) for rows in grouped.values()], "count": count}
    description = "Defaults of inference engines that became others at a release: what it was, what it is, since when, which models it touches."
    return Page("reference/defaults-that-flipped/", "Defaults that flipped", "defaults.md.j2", context, description, hide=WIDE)


def _row(matrix: Matrix, flip: Flip) -> Row:
    models = [(model, matrix.products.derived[model.id]) for model in matrix.products.catalog.of_kind("model")]
    told = tuple((gotcha, condition_text(gotcha), len({cell.model.id for cell, _ in matrix.touched.get(gotcha.id, ())})) for gotcha in flip.gotchas)
    return Row(
        flip,
        shown(flip.was),
        shown(flip.now),
        "; ".join(condition_words({"when": tree}) for tree in (flip.setting.get("touches"), flip.where) if tree),
        tuple(condition_words({"when": rest}) for rest in flip.but),
        models_of(_both(flip.where, flip.setting.get("touches")), models),
        "" if flip.was is None else said(flip.fact, flip.setting, flip.was),
        told,
    )


def _both(one: dict | None, other: dict | None) -> dict | None:
    return {"all": [one, other]} if one and other else one or other


def shown(value: object) -> str:
    """A default in words."""
    return "not set" if value is None else in_words(value)
