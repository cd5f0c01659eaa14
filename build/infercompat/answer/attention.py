"""The attention hop: one backend must meet all demands of a layer at once, and the engine's own priority picks among those that do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from infercompat.answer.facts import Resolved
from infercompat.condition import ALWAYS, evaluate, parse, words
from infercompat.derive import Layer, Unknown
from infercompat.join import Hop, Joiner, Ledger, Source

REFUSING = ("unsupported", "removed")
ALIASES = {"bf16": ("bf16", "bfloat16", "auto"), "fp16": ("fp16", "float16", "auto"), "fp8": ("fp8", "fp8_e4m3"), "fp8_e4m3": ("fp8_e4m3", "fp8")}
"""Spellings under which a backend may list a cache dtype; the model's own type is what auto means."""


@dataclass(frozen=True)
class Choice:
    """The backend that resolves, and why each of the others does not. `chosen` is None where none is left or nobody knows."""

    chosen: str | None
    removed: dict[str, str]
    unknown: bool = False
    sources: tuple[Source, ...] = ()


def attention(resolved: Resolved, joiner: Joiner) -> tuple[Hop | None, str | None]:
    """The hop and the backend it resolves to; no hop for engines whose backends the catalog does not list."""
    engine, derived = resolved.question.engine, resolved.question.derived
    backends = {entry["name"]: entry for entry in engine.data.get("attention_backends") or ()}
    if not backends or isinstance(derived, Unknown) or not any(layer.attends for layer in derived.layers):
        return None, None
    if resolved.facts.get("hardware.class") is None and resolved.facts.get("platform") is None:
        return None, None
    asked = resolved.facts.get("attention.backend")
    order = [asked] if asked not in (None, "auto") else list(_order(engine.data, resolved)) or list(backends)
    choice = _choose(order, backends, resolved, joiner)
    return _hop(choice, asked, order, joiner.ledger, resolved), choice.chosen


def _order(data: dict[str, Any], resolved: Resolved) -> Iterator[str]:
    """The engine's priority list for this stack: that of the first entry whose condition holds."""
    for entry in data.get("attention_selection") or ():
        condition = parse(entry["when"])[0] if "when" in entry else ALWAYS
        if evaluate(condition, resolved.stack).yes:
            yield from entry["order"]
            return


def _choose(order: list[str], backends: dict[str, dict], resolved: Resolved, joiner: Joiner) -> Choice:
    removed: dict[str, str] = {}
    for name in order:
        entry = backends.get(name)
        if entry is None:
            removed[name] = "the catalog does not list what it accepts"
            continue
        refusal = next(_refusals(entry, resolved, joiner), None)
        if refusal is None:
            sources = tuple(joiner.ledger.source_of(cite["id"], cite.get("at", "")) for cite in entry["cites"])
            return Choice(name, removed, sources=sources)
        removed[name] = refusal
    unknown = any("does not list" in reason for reason in removed.values())
    return Choice(None, removed, unknown)


def _refusals(entry: dict[str, Any], resolved: Resolved, joiner: Joiner) -> Iterator[str]:
    """Why a backend cannot run this model on this stack, the first reason first."""
    facts = resolved.facts
    place = {facts.get("hardware.class"), facts.get("platform")} - {None}
    if entry.get("classes") and not place & set(entry["classes"]):
        yield f"does not run on {facts.get('hardware.class') or facts.get('platform')}"
    if "when" in entry and evaluate(parse(entry["when"])[0], resolved.stack).no:
        yield f"asks for more ({words(parse(entry['when'])[0])})"
    dtype = facts.get("cache.k.dtype") or facts.get("cache.dtype")
    if dtype and entry.get("cache_dtypes") and not set(ALIASES.get(dtype, (dtype,))) & set(entry["cache_dtypes"]):
        yield f"does not take a {dtype} cache"
    for layer in dict.fromkeys(layer for layer in resolved.question.derived.layers if layer.attends):
        yield from _layer_refusals(entry, layer)
    for requirement in resolved.question.derived.requirements:
        status = joiner.backend_offer(requirement, entry["name"], resolved.stack)
        if status in REFUSING:
            yield f"lacks {requirement}"


def _layer_refusals(entry: dict[str, Any], layer: Layer) -> Iterator[str]:
    kind = "full" if layer.kind == "recurrent+full" else layer.kind
    if entry.get("kinds") and kind not in entry["kinds"]:
        yield f"does not run {kind} layers"
    if not layer.latent_width and not _takes_head(entry.get("head_dims"), layer.head_dim):
        yield f"does not take a head size of {layer.head_dim}"


def _takes_head(rule: dict[str, Any] | None, head_dim: int) -> bool:
    if rule is None or rule.get("any"):
        return True
    if "list" in rule:
        return head_dim in rule["list"]
    return head_dim <= rule.get("max", head_dim) and head_dim % rule.get("multiple_of", 1) == 0


def _hop(choice: Choice, asked: str | None, order: list[str], ledger: Ledger, resolved: Resolved) -> Hop:
    reasons = "; ".join(f"{name} {reason}" for name, reason in choice.removed.items())
    if choice.chosen:
        how = "as asked" if asked not in (None, "auto") else "auto resolves to it" + (f", because {reasons}" if reasons else "")
        return Hop("attention", "holds", f"{choice.chosen}: {how}", choice.chosen, sources=choice.sources)
    selection = resolved.question.engine.data.get("attention_selection") or [{}]
    sources = tuple(ledger.source_of(cite["id"], cite.get("at", "")) for cite in selection[0].get("cites", ()))
    if choice.unknown:
        return Hop("attention", "unknown", reasons, sources=sources)
    return Hop("attention", "fails", f"no backend is left: {reasons}", None, "refuses", sources=sources)
