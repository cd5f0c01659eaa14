"""Real questions: what threads answered, held against what the program answers. The page and the tests share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from infercompat.answer.check import Assessor
from infercompat.answer.lines import answer_line
from infercompat.answer.question import Refused
from infercompat.places import QUESTIONS

SCALES = {"GB": 10**9, "GiB": 1 << 30, "MiB": 1 << 20}
NEAR = 0.03
"""How far a figure may lie from that of the thread."""


class Figure(Struct, frozen=True):
    """A figure of a thread, and ours in the same unit; None where the program gives none."""

    at: str
    thread: float
    ours: float | None
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.ours is not None and abs(self.ours - self.thread) <= NEAR * abs(self.thread)


class Asked(Struct, frozen=True):
    """One line that was asked: the verdict that the thread gives for it, ours with its reason, and the figures."""

    line: str
    wanted: str
    verdict: str
    reason: str
    figures: tuple[Figure, ...] = ()

    @property
    def met(self) -> bool:
        return self.wanted in (self.verdict, "bytes") and all(figure.met for figure in self.figures)


class Held(Struct, frozen=True):
    """One question: the thread and its answer, what was asked of the program, and why it is not met, where it is known not to be."""

    id: str
    url: str
    question: str
    thread: str
    answer: str
    asked: tuple[Asked, ...] = ()
    unmet: str = ""

    @property
    def met(self) -> bool:
        return all(one.met for one in self.asked)


def questions(path: Path = QUESTIONS) -> Mapping[str, Any]:
    """The file of questions as it is written."""
    return yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def held(assessor: Assessor, document: Mapping[str, Any]) -> list[Held]:
    """Every question of a document, asked."""
    return [_held(assessor, entry, document["words"]) for entry in document["questions"]]


def _held(assessor: Assessor, entry: Mapping[str, Any], words: Mapping[str, str]) -> Held:
    asked = tuple(_asked(assessor, one, words[entry["thread"]]) for one in entry["asks"])
    return Held(entry["id"], entry["url"], entry["question"], entry["thread"], entry["answer"], asked, entry.get("unmet", ""))


def _asked(assessor: Assessor, one: Mapping[str, Any], wanted: str) -> Asked:
    wanted = one.get("verdict", wanted)
    try:
        data = answer_line(assessor, one["ask"])
    except Refused as error:
        return Asked(one["ask"], wanted, "refused", str(error), tuple(_figure(figure, None) for figure in one.get("figures", ())))
    verdict = data.get("verdict") or ("bytes" if data.get("cache") else "unknown")
    return Asked(one["ask"], wanted, verdict, str(data.get("reason", "")), tuple(_figure(figure, data) for figure in one.get("figures", ())))


def _figure(entry: Mapping[str, Any], data: Mapping[str, Any] | None) -> Figure:
    unit = entry.get("unit", "")
    found = None if data is None else READINGS.get(entry["at"], lambda data: _at(data, entry["at"]))(data)
    return Figure(entry["at"], entry["is"], None if found is None else found / SCALES.get(unit, 1), unit)


def _at(data: Mapping[str, Any], path: str) -> float | None:
    """The number at a dotted path; `logged.METRIC` is the first figure of that metric that a log of the same stack prints."""
    if path.startswith("logged."):
        logs = (data.get("memory") or {}).get("logged", ())
        return next((one["value"] * SCALES.get(one["unit"], 1) for one in logs if one["metric"] == path.removeprefix("logged.")), None)
    found: Any = data
    for step in path.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _groups(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    engine = (data.get("cache") or {}).get("engine") or {}
    return (engine.get("per_rank") or {}).get("groups", [])


def _lines_apart(data: Mapping[str, Any]) -> float | None:
    """How many times as many tokens the engine's line of concurrency stands for as its line of tokens."""
    engine = data["cache"]["engine"]
    rank = engine["per_rank"]
    return rank["max_concurrency"] * engine["max_model_len"] / rank["capacity_tokens"] if rank and rank["capacity_tokens"] else None


READINGS: Mapping[str, Callable[[Mapping[str, Any]], float | None]] = {
    "bytes_per_token_of_a_rank": lambda data: sum(group["bytes_per_token"] for group in _groups(data)) or None,
    "windowed_bytes": lambda data: sum(group["bytes_per_token"] * group["most"] for group in _groups(data) if group["kind"] != "full") or None,
    "tokens_by_concurrency_over_token_line": _lines_apart,
}
"""Figures that no single place of an answer holds."""
