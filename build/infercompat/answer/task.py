"""The hop of the task: a model that is asked to do something else than what it was made for."""

from __future__ import annotations

from infercompat.answer.facts import Resolved
from infercompat.derive import Unknown
from infercompat.join import Hop, Ledger

VERBS = {"generate": "to generate text", "embed": "for embeddings", "rerank": "for reranking", "transcribe": "to transcribe speech"}
"""Each task, as what a model is made for."""


def task(resolved: Resolved, ledger: Ledger) -> Hop | None:
    """No hop where the model does what it is made for. A model without ears does not transcribe; of anything else nobody knows."""
    model, derived = resolved.question.model, resolved.question.derived
    own, asked = model.data.get("task", "generate"), resolved.facts.get("task")
    if asked in (None, own):
        return None
    made = f"{model.name} is made {VERBS[own]}"
    if asked == "transcribe" and not isinstance(derived, Unknown) and "audio-input" not in derived.requirements:
        sources = tuple(ledger.source_of(cite["id"], cite.get("at", "")) for cite in model.data["config"]["cites"])
        return Hop("task", "fails", f"{made}, and its config has no part that takes sound", consequence="refuses", sources=sources)
    return Hop("task", "unknown", f"{made}; no source on record says that it can be served {VERBS[asked]}")
