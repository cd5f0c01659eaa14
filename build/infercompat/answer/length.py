"""The hop of the length: a context that was asked for beyond what the model's config allows, and what the engine does with one."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.answer.facts import Resolved
from infercompat.derive import Unknown
from infercompat.derive.context import MULTIPLYING, Context
from infercompat.join import Hop, Joiner
from infercompat.join.features import BEYOND_CONTEXT, FEATURE

NAME = "context"


def length(resolved: Resolved, joiner: Joiner) -> Hop | None:
    """No hop where nobody named a length, where the config states none, and where it allows the one that was named.

    What no source of the engine speaks of is a gap, since the model's own limit is there all the same.
    """
    question, derived = resolved.question, resolved.question.derived
    wanted = question.given.get("max_model_len")
    if not isinstance(wanted, int) or isinstance(derived, Unknown) or derived.context.native is None or wanted <= derived.context.native:
        return None
    found, reached = derived.context, _reached(derived.context)
    stated = f"{wanted:,} tokens are asked for, and the model's config allows {found.native:,}{_scaling(found)}"
    own = tuple(joiner.ledger.source_of(cite["id"], cite.get("at", "")) for cite in question.model.data["config"]["cites"])
    if wanted <= reached:
        finding = f"{stated}, or {reached:,} where an engine counts the scaling in once more; which of them it goes by was not read"
        return Hop(NAME, "gap", finding, sources=own)
    hop = joiner.feature(f"{FEATURE}{BEYOND_CONTEXT}", "a length beyond the model's context", resolved.stack)
    if hop is None or hop.state == "unknown":
        why = f": {hop.finding}" if hop is not None else ""
        return Hop(NAME, "gap", f"{stated}; no engine source read that says what {joiner.engine.data['name']} does beyond it{why}", sources=own)
    return replace(hop, name=NAME, finding=f"{stated}: {hop.finding}")


def _reached(context: Context) -> int:
    """The longest sequence that any reading of the config allows: its rope scaling may be counted in already, or not."""
    if context.extended is not None:
        return max(context.native, context.extended)
    return int(context.native * max(1, context.factor or 1)) if context.method in MULTIPLYING else context.native


def _scaling(context: Context) -> str:
    return f" (with {context.method} scaling in it)" if context.method is not None else ""


def allowed(resolved: Resolved) -> str:
    """What would settle it, where the hop is there."""
    return f"max_model_len <= {resolved.question.derived.context.native}"
