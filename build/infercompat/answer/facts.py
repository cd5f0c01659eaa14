"""Fills in what a question leaves out: hardware facts, the engine's defaults, and what follows from them. Each is said to be assumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from infercompat.answer.question import Question
from infercompat.condition import Range
from infercompat.derive import Unknown
from infercompat.join import Stack
from infercompat.link import Catalog

PLATFORM_OF_VENDOR = {"nvidia": "cuda", "amd": "rocm", "intel": "xpu", "apple": "metal", "google": "tpu", "huawei": "ascend"}
DRAFT_KINDS = {"ngram": "ngram", "suffix": "ngram", "draft_model": "model", "draft-model": "model", "standalone": "model"}
UNDECIDED = (None, "auto", "null")


@dataclass(frozen=True)
class Assumed:
    """A fact that nobody named, its value, why it is taken to hold, and the citation of that."""

    fact: str
    value: Any
    because: str
    cites: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Resolved:
    """A question with its facts filled in."""

    question: Question
    facts: dict[str, Any]
    assumed: tuple[Assumed, ...] = field(default=())

    @property
    def stack(self) -> Stack:
        return Stack(self.question.model, self.question.derived, self.facts)


def resolve(question: Question, catalog: Catalog) -> Resolved:
    """Everything that is known of the stack, given or assumed."""
    facts: dict[str, Any] = dict(question.given)
    assumed: list[Assumed] = []

    def assume(fact: str, value: Any, because: str, cites: tuple = ()) -> None:
        if fact not in facts and value is not None:
            facts[fact] = value
            assumed.append(Assumed(fact, value, because, cites))

    _hardware(question, facts)
    if "tensor_parallel" not in facts and question.gpus > 1:
        assume("tensor_parallel", question.gpus, f"{question.gpus} devices, and nobody said how they share")
    for fact, setting in (question.engine.data.get("settings") or {}).items():
        if setting.get("default") not in UNDECIDED:
            assume(fact, setting["default"], f"the default of {setting['flag']}", tuple(setting["cites"]))
        elif fact.startswith("setting.") and "default" in setting:
            facts.setdefault(fact, None)  # null: the setting is not set, which is a value, too
    assume("max_model_len", question.context, "the model's own context")
    if question.context:
        facts.setdefault("sequence_length", Range(1, question.context))
    _cache_dtype(question, facts, assume)
    _speculation(facts, assume)
    assume("weights.format", _format(question), "the checkpoint's own format")
    for entry in question.engine.data["releases"]:
        if entry["version"] == question.release.version:
            for name, version in entry.get("bundles", {}).items():
                facts.setdefault(f"{name}.version", version)
    return Resolved(question, facts, tuple(assumed))


def _hardware(question: Question, facts: dict[str, Any]) -> None:
    if question.hardware is None:
        return
    data = question.hardware.data
    facts.setdefault("hardware.id", question.hardware.id)
    facts.setdefault("hardware.class", data["class"])
    facts.setdefault("platform", "gaudi" if data["class"] == "gaudi" else "cpu" if data["class"] == "cpu" else PLATFORM_OF_VENDOR[data["vendor"]])
    for fact, name in (("hardware.memory_bytes", "visible_bytes"), ("hardware.memory_bytes", "memory_bytes")):
        if name in data:
            facts.setdefault(fact, data[name])
    if "shared_memory_per_block_bytes" in data:
        facts.setdefault("hardware.shared_memory_per_block_bytes", data["shared_memory_per_block_bytes"])


def _cache_dtype(question: Question, facts: dict[str, Any], assume) -> None:
    if facts.get("cache.dtype") in UNDECIDED:
        facts.pop("cache.dtype", None)
        own = None if isinstance(question.derived, Unknown) else "bf16"
        assume("cache.dtype", own, "auto is the model's own type")
    for part in ("cache.k.dtype", "cache.v.dtype"):
        assume(part, facts.get("cache.dtype"), "as cache.dtype")


def _speculation(facts: dict[str, Any], assume) -> None:
    method = facts.get("speculation.method", "none")
    if method in ("none", None):
        return
    tokens = facts.get("speculation.tokens")
    if isinstance(tokens, int):
        assume("speculation.query_length", tokens + 1, "the drafted tokens and one more")
    assume("speculation.draft_kind", DRAFT_KINDS.get(str(method).lower(), "head"), f"what {method} drafts with")


def _format(question: Question) -> str | None:
    return question.model.data["checkpoints"][0]["format"] if question.model.data.get("checkpoints") else None
