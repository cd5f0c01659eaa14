"""Fills in what a question leaves out: hardware facts, the engine's defaults, and what follows from them. Each is said to be assumed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from infercompat.answer.question import Question, ranks_of
from infercompat.condition import ALWAYS, MISSING, Range, evaluate, lookup, parse
from infercompat.derive import Unknown
from infercompat.join import Stack
from infercompat.link import Catalog

TORCH_WORDS = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32"}
DRAFT_KINDS = {"ngram": "ngram", "suffix": "ngram", "draft_model": "model", "draft-model": "model", "standalone": "model"}
PARTS = ("cache.k.dtype", "cache.v.dtype")
CHECKPOINT_FACTS = {"kv_scales": "checkpoint.kv_scales", "drafts": "checkpoint.draft_head"}
NAMING_FACTS = {"hub": "checkpoint.hub", "tuned": "checkpoint.tuned"}
"""What says which checkpoint it is; nothing is assumed by it."""
UNDECIDED = (None, "auto", "null")
"""A default that is not known, which is another thing than none."""
OWN_TYPES = ("bf16", "fp16", "fp32")
"""Types of a cache that nobody quantized."""


class Assumed(Struct, frozen=True):
    """A fact that nobody named, its value, why it is taken to hold, and the citation of that."""

    fact: str
    value: Any
    because: str
    cites: tuple[dict[str, Any], ...] = ()


class Resolved(Struct, frozen=True):
    """A question with its facts filled in."""

    question: Question
    facts: dict[str, Any]
    assumed: tuple[Assumed, ...] = ()

    @property
    def stack(self) -> Stack:
        return Stack(self.question.model, self.question.derived, self.facts)


def resolve(question: Question, catalog: Catalog) -> Resolved:
    """Everything that is known of the stack, given or assumed."""
    settings = question.engine.data.get("settings") or {}
    facts: dict[str, Any] = {fact: as_written(settings.get(fact, {}), own_word(value)) for fact, value in question.given.items()}
    assumed: list[Assumed] = []

    def assume(fact: str, value: Any, because: str, cites: tuple = ()) -> None:
        if fact not in facts and value is not None:
            facts[fact] = value
            assumed.append(Assumed(fact, value, because, cites))

    facts.setdefault("attention.backend.requested", facts.get("attention.backend", "auto"))
    _hardware(question, facts)
    if facts.get("cache.dtype") not in UNDECIDED:
        for part in PARTS:
            facts.setdefault(part, facts["cache.dtype"])  # said of the whole cache, so of its parts
    assume("task", question.model.data.get("task", "generate"), "what the model is made for")
    assume("tensor_parallel", shares(question, facts), f"{question.gpus} devices, and nobody said how they share")
    for fact, setting in settings.items():
        if _is_off(fact, facts, settings):
            continue
        if "defaults" in setting:
            value = default_here(setting, question, facts)
            assume(fact, None if value is MISSING else value, f"the default of {setting['flag']} on such a stack", tuple(setting["cites"]))
            if value is None and fact.startswith("setting."):
                facts.setdefault(fact, None)  # null, here as below
        elif setting.get("default") not in UNDECIDED:
            assume(fact, setting["default"], f"the default of {setting['flag']}", tuple(setting["cites"]))
        elif fact.startswith("setting.") and "default" in setting:
            facts.setdefault(fact, None)  # null: the setting is not set, which is a value, too
    if question.gpus == 1:
        facts.setdefault("tensor_parallel", 1)  # one device is one rank, for an engine without a default, too
    assume("max_model_len", question.context, "the model's own context")
    if question.context:
        facts.setdefault("sequence_length", Range(1, question.context))
    _cache_dtype(question, facts, assume)
    _speculation(facts, assume)
    assume("weights.format", _format(question, catalog.words("weight-format")), "the checkpoint's own format")
    checkpoint = _checkpoint(question, facts.get("weights.format"))
    facts |= {fact: checkpoint[field] for field, fact in NAMING_FACTS.items() if field in checkpoint and fact not in facts}
    for field, fact in CHECKPOINT_FACTS.items():
        assume(fact, checkpoint.get(field), "what the record says of the checkpoint")
    for entry in question.engine.data["releases"]:
        if entry["version"] == question.release.version:
            for name, version in entry.get("bundles", {}).items():
                facts.setdefault(f"{name}.version", version)
    return Resolved(question, facts, tuple(assumed))


def default_here(setting: dict[str, Any], question: Question, facts: dict[str, Any]) -> Any:
    """The default that holds on the stack; MISSING where a fact that decides it is not known, or no entry speaks of the stack."""
    stack = Stack(question.model, question.derived, {f"{question.engine.id}.version": question.release.version, **facts})
    for entry in setting["defaults"]:
        truth = evaluate(parse(entry["when"])[0] if "when" in entry else ALWAYS, stack)
        if not truth.no:
            return entry["value"] if truth.yes else MISSING
    return MISSING


def own_word(value: Any) -> Any:
    """An element type by the units' word for it, where an engine takes PyTorch's; anything else as it is."""
    return TORCH_WORDS.get(value, value) if isinstance(value, str) else value


def platform_of(hardware_class: str) -> str | None:
    """The platform of a class of hardware."""
    if hardware_class.startswith("sm"):
        return "cuda"
    if hardware_class.startswith("gfx"):
        return "rocm"
    return {"apple-gpu": "metal", "intel-xpu": "xpu", **{name: name for name in ("gaudi", "ascend", "tpu", "cpu")}}.get(hardware_class)


def as_written(setting: dict[str, Any], value: Any) -> Any:
    """On and off as the setting has them, words of its own or true and false; and its other words in its own letters."""
    listed = setting.get("values", ())
    words = {"on", "off"} <= set(listed)
    if isinstance(value, str) and value not in listed and value not in setting.get("words", ()):
        value = next((word for word in listed if str(word).lower() == value.lower()), value)
    if words and isinstance(value, bool):
        return "on" if value else "off"
    return value == "on" if not words and isinstance(setting.get("default"), bool) and value in ("on", "off") else value


def _is_off(fact: str, facts: dict[str, Any], settings: dict[str, Any]) -> bool:
    """Whether a setting belongs to a feature that nobody turned on: its default then says nothing of the stack."""
    declared = lookup(fact)
    if declared is None or not declared.part_of:
        return False
    method = facts.get(declared.part_of, settings.get(declared.part_of, {}).get("default"))
    return method in (None, lookup(declared.part_of).absent)


def _hardware(question: Question, facts: dict[str, Any]) -> None:
    if question.hardware is not None:
        data = question.hardware.data
        facts.setdefault("hardware.id", question.hardware.id)
        facts.setdefault("hardware.class", data["class"])
        for name in ("visible_bytes", "memory_bytes"):
            if name in data:
                facts.setdefault("hardware.memory_bytes", data[name])
        if "shared_memory_per_block_bytes" in data:
            facts.setdefault("hardware.shared_memory_per_block_bytes", data["shared_memory_per_block_bytes"])
    if platform := platform_of(facts.get("hardware.class", "")):
        facts.setdefault("platform", platform)


def shares(question: Question, facts: dict[str, Any]) -> int | None:
    """Tensor-parallel ranks where nobody named them: the devices that pipeline stages and replicas leave; None for one device."""
    others = math.prod(number for fact, number in ranks_of(facts, question.engine).items() if fact != "tensor_parallel")
    return question.gpus // others if question.gpus > others else None


def _cache_dtype(question: Question, facts: dict[str, Any], assume) -> None:
    if facts.get("cache.dtype") in UNDECIDED:
        facts.pop("cache.dtype", None)
        own = None if isinstance(question.derived, Unknown) else "bf16"
        assume("cache.dtype", own, "auto is the model's own type")
    for part in PARTS:
        assume(part, facts.get("cache.dtype"), "as cache.dtype")
    if all(facts.get(part) in OWN_TYPES for part in PARTS):
        assume("query.dtype", facts["cache.k.dtype"], "queries are only quantized for a quantized cache")


def _speculation(facts: dict[str, Any], assume) -> None:
    method = facts.get("speculation.method", "none")
    if method in ("none", None):
        return
    tokens = facts.get("speculation.tokens")
    if isinstance(tokens, int):
        assume("speculation.query_length", tokens + 1, "the drafted tokens and one more")
    assume("speculation.draft_kind", DRAFT_KINDS.get(str(method).lower(), "head"), f"what {method} drafts with")


def _checkpoint(question: Question, format: str | None) -> Mapping[str, Any]:
    """The checkpoint in question as the record has it, the first where none is named; empty where it is not listed in this format."""
    wanted = (question.checkpoint or "").lower()
    found = next((entry for entry in question.model.data.get("checkpoints", ()) if wanted in ("", entry["hub"].lower())), {})
    return found if found.get("format") == format else {}


def _format(question: Question, words: Mapping[str, str]) -> str | None:
    """The format of the checkpoint in question, None where the record does not list it; of a config alone, what its quantization says."""
    listed = {checkpoint["hub"].lower(): checkpoint["format"] for checkpoint in question.model.data.get("checkpoints", ())}
    if listed:
        return listed.get(question.checkpoint.lower()) if question.checkpoint else next(iter(listed.values()))
    stated = None if isinstance(question.derived, Unknown) else question.derived.weight_format
    return stated if stated in words else None
