"""Predicted by others: what public calculators answered to the same questions, held against our figures and against logs."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from infercompat.derive import Derived, Unknown
from infercompat.measure import UNITS, computed
from infercompat.places import BENCH
from infercompat.products import Products
from infercompat.records import Record
from infercompat.units import ELEMENT_BYTES

LENGTHS = (8192, 32768, 131072)
KINDS = ("plain", "sliding", "chunked", "shared", "latent", "hybrid")
"""Kinds of models by what makes their cache differ from the plain one; a model that is several is the last of them."""

FIELD_BY_FIELD = ("official", "mirror", "engine-table")
"""Where a config was read from, if its fields are those of the file under their own names."""

CLOSE = 0.01
SAME = 0.001
"""Errors that differ by less are the same."""

Key = tuple[str, int, str]
"""A question: model, tokens, dtype of the cache."""


class Score(Struct, frozen=True):
    """How a column of differences turned out: how many, the median of their sizes, how many within 1%, and the largest with its question."""

    count: int
    median: float
    close: int
    worst: float
    at: Any


class Logged(Struct, frozen=True):
    """A measurement that a calculator can answer, in bytes, with our two figures: from the config alone, and for the engine it names."""

    record: Record
    key: Key
    size: float
    alone: float
    ours: float | None
    answers: Mapping[str, int]

    @property
    def errors(self) -> dict[str, float]:
        """Relative errors of every figure there is, ours under two names."""
        figures = {"alone": self.alone, "ours": self.ours, **self.answers}
        return {name: figure / self.size - 1 for name, figure in figures.items() if figure is not None}

    @property
    def closer(self) -> list[str]:
        """Tools that are closer to the log than ours from the same knowledge, the config alone."""
        return self._closer_than(abs(self.errors["alone"]))

    @property
    def closer_still(self) -> list[str]:
        """Tools that are closer to the log than both of ours."""
        return self._closer_than(min(abs(error) for name, error in self.errors.items() if name not in self.answers))

    def _closer_than(self, size: float) -> list[str]:
        return [name for name in self.answers if abs(self.errors[name]) < size - SAME]


class Peers:
    """The committed answers beside the catalog as it is now. Questions about what the catalog no longer has are dropped."""

    def __init__(self, products: Products, results: Mapping[str, Any]):
        self.products, self.results = products, results
        self.asked: dict[Key, dict[str, int]] = {(q["model"], q["tokens"], q["dtype"]): q["answers"] for q in results["questions"]}

    kinds = KINDS

    @property
    def names(self) -> list[str]:
        return [tool["name"] for tool in self.results["tools"]]

    @cached_property
    def ours(self) -> dict[Key, int]:
        """What the layers need, for the questions that every model is asked."""
        wanted = set(questions_of_models(self.products))
        return {key: needed(self.products, key) for key in self.asked if key in wanted}

    @cached_property
    def logged(self) -> list[Logged]:
        """Measurements that were asked about, those that the config alone gets most wrong first."""
        found = []
        for record in self.products.catalog.of_kind("measurement"):
            key = question_of(self.products, record)
            if key in self.asked:
                size = in_bytes(record, record.data["value"])
                figure = computed(self.products, record).value
                ours = None if figure is None else in_bytes(record, figure)
                found.append(Logged(record, key, size, needed(self.products, key), ours, self.asked[key]))
        return sorted(found, key=lambda row: (-abs(row.errors["alone"]), row.record.id))

    def against_ours(self, name: str, kind: str | None = None) -> Score | None:
        """A tool against what the layers need, over all models or those of a kind."""
        keys = (key for key in self.ours if name in self.asked[key] and kind in (None, self.kind(key)))
        return score((self.difference(key, name), key) for key in keys)

    def difference(self, key: Key, name: str) -> float | None:
        """A tool's answer to one question against what the layers need; None where it declined."""
        return self.asked[key][name] / self.ours[key] - 1 if name in self.asked[key] else None

    def against_logs(self, name: str) -> Score | None:
        """A tool, or one of our two columns, against the logs."""
        return score((row.errors[name], row.record) for row in self.logged if name in row.errors)

    def kind(self, key: Key) -> str:
        return kind_of(self.products.derived[key[0]])

    def of_kind(self, kind: str) -> list[Key]:
        """The question at the middle length, or the longest one below, of each model of a kind."""
        longest = {key[0]: key for key in sorted(self.ours) if key[1] <= LENGTHS[1] and self.kind(key) == kind}
        return list(longest.values())


def load(products: Products, path: Path = BENCH / "peers" / "results.json") -> Peers:
    return Peers(products, json.loads(path.read_text("utf-8")))


def score(differences: Iterable[tuple[float, Any]]) -> Score | None:
    """None for no differences. Of equal largest ones the first is named."""
    found = list(differences)
    if not found:
        return None
    sizes = [abs(difference) for difference, _ in found]
    worst, at = found[sizes.index(max(sizes))]
    return Score(len(found), statistics.median(sizes), sum(size <= CLOSE for size in sizes), worst, at)


def kind_of(derived: Derived) -> str:
    counts = derived.counts()
    if any(counts.get(kind) for kind in ("recurrent", "convolution", "recurrent+full")):
        return "hybrid"
    if counts.get("latent") or counts.get("indexed"):
        return "latent"
    return next((kind for kind in ("shared", "chunked", "sliding") if counts.get(kind)), "plain")


def needed(products: Products, key: Key) -> int:
    """What the layers need, from the config alone."""
    model, tokens, dtype = key
    return products.derived[model].cost(dtype).ideal_bytes(tokens)


def has_config_file(products: Products, model: Record) -> bool:
    """Whether the catalog holds a config file that can be read into layers, rather than figures taken from tables."""
    return model.data["config"]["basis"] in FIELD_BY_FIELD and not isinstance(products.derived[model.id], Unknown)


def questions_of_models(products: Products) -> list[Key]:
    """Every model with a cache, at the lengths that its context reaches, in bf16."""
    return [
        (model.id, tokens, "bf16")
        for model in products.catalog.of_kind("model")
        if has_config_file(products, model)
        for tokens in LENGTHS
        if tokens <= (products.derived[model.id].context.native or 0) and needed(products, (model.id, tokens, "bf16"))
    ]


def question_of(products: Products, measurement: Record) -> Key | None:
    """The question whose answer a log holds: bytes of cache for one sequence on one device. None for any other measurement."""
    data, conditions = measurement.data, measurement.data.get("conditions", {})
    scope, _, figure = data["metric"].partition(".")
    settings = conditions.get("settings", {})
    model = products.catalog.follow(data["model"])
    one = all(conditions.get(ranks, 1) == 1 for ranks in ("tensor_parallel", "pipeline_parallel")) and settings.get("max_num_seqs", 1) == 1
    if scope not in ("cache", "engine") or "bytes" not in figure or data["method"] == "derived" or data.get("value") is None or not one:
        return None
    if model is None or not has_config_file(products, model) or conditions.get("cache_dtype") not in ELEMENT_BYTES or "context" not in conditions:
        return None
    return model.id, conditions["context"], conditions["cache_dtype"]


def in_bytes(measurement: Record, figure: float) -> float:
    """A figure in the measurement's unit as bytes of the whole cache."""
    per_token = measurement.data["conditions"]["context"] if measurement.data["metric"].endswith("per_token") else 1
    return figure * UNITS[measurement.data["unit"]] * per_token
