"""`infercompat check`: can this stack serve this model? Hop by hop to a verdict, with gotchas, memory, and what to change."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from infercompat.answer.attention import attention, said
from infercompat.answer.facts import Resolved, resolve
from infercompat.answer.length import NAME as LENGTH_HOP
from infercompat.answer.length import allowed, length
from infercompat.answer.memory import FEW, Memory, memory
from infercompat.answer.memory import hop as memory_hop
from infercompat.answer.observed import RAN, Seen, confirmed, holds_for, seen
from infercompat.answer.question import Question
from infercompat.answer.task import task
from infercompat.condition import Range
from infercompat.derive import Unknown
from infercompat.join import BLOCKING, Gate, Grade, Hop, Joiner, Ledger, asked, binary, features, joiner_for, path_gates
from infercompat.join.cell import deciding_hops
from infercompat.join.features import FEATURE
from infercompat.join.grade import grade
from infercompat.measure import Overhead, overheads
from infercompat.products import Products
from infercompat.units import format_bytes
from infercompat.weighing import BY_LAYER

LOUD = ("crash-at-init", "unsupported-combination", "crash-on-first-request")
"""Symptoms that nobody met on a stack that was seen to run."""


class Assessment(Struct, frozen=True):
    """A question taken as it stands, without looking for repairs."""

    resolved: Resolved
    hops: tuple[Hop, ...]
    gates: tuple[Gate, ...]
    verdict: str
    reason: str
    missing: tuple[str, ...] = ()
    provided: tuple[str, ...] = ()
    grade: Grade | None = None
    memory: Memory | None = None
    observed: tuple[Seen, ...] = ()

    @property
    def question(self) -> Question:
        return self.resolved.question

    @property
    def blocking(self) -> list[Gate]:
        """Gotchas that are met, proven, and block by their symptom; a loud one not where the very stack was seen to run."""
        return [gate for gate in self.gates if gate.blocks and not (self.ran and gate.gotcha.data["symptom"] in LOUD)]

    @property
    def could_block(self) -> list[Gate]:
        """Proven gotchas that would block and wait only for facts that the person left out."""
        return [
            gate
            for gate in self.gates
            if gate.state == "maybe" and gate.proven and gate.gotcha.data["symptom"] in BLOCKING and gate.left_out and not gate.truth.untested
            if not (self.ran and gate.gotcha.data["symptom"] in LOUD)
        ]

    @property
    def ran(self) -> bool:
        """Whether the stack was seen to run, at the same X.Y and with the length that is asked for."""
        return any(one.kind == RAN and one.how in ("exact", "same-minor") and holds_for(one, self.resolved) for one in self.observed)


class Assessor(Struct, dict=True):
    """Assesses questions against one catalog."""

    products: Products
    _overheads: dict[str, list[Overhead]] = field(default_factory=dict)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.products.catalog)

    def overheads(self, engine: str) -> list[Overhead]:
        """What logs show of an engine's own share of a device; read once an engine."""
        if engine not in self._overheads:
            self._overheads[engine] = overheads(self.products, engine)
        return self._overheads[engine]

    @cached_property
    def generous(self) -> int | None:
        """The largest overhead that any log of any engine shows; None where too few logs speak of one."""
        found = [one.bytes for engine in self.products.catalog.of_kind("engine") for one in self.overheads(engine.id)]
        return max(found) if len(found) >= FEW else None

    def overhead(self, engine: str) -> tuple[int, int | None]:
        """The least and the most bytes that an engine takes beside weights and cache; of one with too few logs, the most of any engine."""
        own = self.overheads(engine)
        return own[0].bytes if own else 0, own[-1].bytes if len(own) >= FEW else self.generous

    def assess(self, question: Question) -> Assessment:
        """Every hop, every gotcha, and the verdict by the five rules of the join."""
        catalog, today = self.products.catalog, self.products.today
        resolved = resolve(question, catalog)
        demanded = () if isinstance(question.derived, Unknown) else question.derived.requirements
        joiner = joiner_for(self.ledger, question.engine, question.release, resolved.stack, demanded, asked(question.given))
        hops, resolved = self._hops(_on_one_device(resolved, joiner), joiner)
        observed = () if hops[0].state == "fails" else seen(self.products, resolved)
        hops = confirmed(hops, observed, resolved, self.ledger)
        needs = None if hops[0].state == "fails" else memory(resolved, self.overhead(question.engine.id), observed)
        if needs is not None:
            taken = memory_hop(needs, self.ledger, question)
            hops = hops if taken is None else (*hops, taken)
            blocks = next((one.blocks for one in observed if one.blocks is not None), None) or _range(needs.blocks)
            resolved = resolved if blocks is None else replace(resolved, facts={"num_blocks": blocks, **resolved.facts})
        met = () if hops[0].state == "fails" else tuple(path_gates(catalog, question.engine, question.release, joiner, resolved.stack, today, almost=True))
        assessment = Assessment(resolved, hops, met, "unknown", "", memory=needs, observed=observed)
        verdict, reason, missing, provided = _decide(assessment)
        evidence = [hop for hop in deciding_hops(hops, verdict) if hop.sources or hop.name != "config"]  # a config in hand cites nothing
        graded = None if verdict == "unknown" else grade(evidence, catalog, today)
        if graded and graded.word == "verified" and any(hop.name == "attention" and hop.state == "unknown" for hop in hops):
            graded = replace(graded, word="unverified")  # nothing was asked of it, and yet nobody read that it is there
        return replace(assessment, verdict=verdict, reason=reason, missing=missing, provided=provided, grade=graded)

    def _hops(self, resolved: Resolved, joiner: Joiner) -> tuple[tuple[Hop, ...], Resolved]:
        stack, derived = resolved.stack, resolved.question.derived
        hops = [joiner.architecture(stack)]
        if hops[0].state == "fails":
            return tuple(hops), resolved
        config = joiner.config(stack)
        if config.state == "holds" and not config.sources:
            config = replace(config, finding=f"{len(stack.derived.layers)} layers read from the config that was given", value=None)
        hops.append(config)
        hops += [hop for hop in (task(resolved, self.ledger), length(resolved, joiner)) if hop is not None]
        hops += [] if isinstance(derived, Unknown) else [joiner.requirement(requirement, stack, hops[0]) for requirement in derived.requirements]
        place = binary(joiner, stack) or joiner.hardware(stack) or self._hardware(resolved)
        places = [hop for hop in (place, joiner.model_there(stack)) if hop is not None]
        hops += places
        if any(hop.state != "holds" and not hop.optional and not hop.avoided_by for hop in places):
            return tuple(hops), resolved
        weights = joiner.weights(stack)
        if weights is not None:
            hops.append(_as_chosen(weights, resolved, joiner))
        hops += features(joiner, asked(resolved.question.given), stack)
        hop, backend = attention(resolved, joiner)
        if hop is not None:
            hops.append(hop)
        if backend is not None:
            resolved = replace(resolved, facts={**resolved.facts, "attention.backend": backend})
        return tuple(hops), resolved

    def _hardware(self, resolved: Resolved) -> Hop | None:
        """The hop where the engine's own documents name platforms, and not this one; they may leave out what plugins add."""
        engine, platform = resolved.question.engine.data, resolved.facts.get("platform")
        if platform is None or platform in engine.get("platforms", (platform,)):
            return None
        sources = tuple(self.ledger.source_of(cite["id"], cite.get("at", "")) for cite in engine.get("cites", ()))
        finding = f"the documents of {engine['name']} name {', '.join(engine['platforms'])}, and say nothing of {platform}"
        return Hop("hardware", "unknown", finding, sources=sources)


def _on_one_device(resolved: Resolved, joiner: Joiner) -> Resolved:
    """Without the sharing that was taken for granted of several devices, where a source says that the engine has none."""
    if not any(one.fact == "tensor_parallel" for one in resolved.assumed) or joiner.engine.id in BY_LAYER:
        return resolved
    found = joiner.feature(f"{FEATURE}tensor-parallel", "tensor parallelism", resolved.stack)
    if found is None or found.state != "fails":
        return resolved
    kept = tuple(one for one in resolved.assumed if one.fact != "tensor_parallel")
    return replace(resolved, facts={**resolved.facts, "tensor_parallel": 1}, assumed=kept)


def _as_chosen(weights: Hop, resolved: Resolved, joiner: Joiner) -> Hop:
    """The hop of a weight format that nobody named: then nothing hangs on it alone, since another checkpoint of the model may do."""
    question = resolved.question
    if question.checkpoint or "weights.format" in question.given:
        return weights
    if weights.state == "unknown":
        return replace(weights, optional=True)
    if weights.state != "fails":
        return weights
    for other in question.model.data.get("checkpoints", ()):
        instead = joiner.weights(replace(resolved, facts={**resolved.facts, "weights.format": other["format"]}).stack)
        if instead is None or instead.state in ("holds", "gap"):
            return replace(weights, avoided_by=f"Take another checkpoint, such as {other['hub']} ({other['format']}).")
    return weights


def changeable(hop: Hop) -> bool:
    """Whether settings may clear a hop that fails."""
    return hop.name in ("attention", "memory") or bool(hop.settings)


def _range(blocks: tuple[int | None, int] | None) -> Range | None:
    """Cache blocks between both ends of the memory that is left; None where the lower end is not known."""
    return None if blocks is None or blocks[0] is None else Range(*blocks)


def _decide(found: Assessment) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    failed = [hop for hop in found.hops if hop.state == "fails"]
    hard = [hop for hop in failed if not hop.avoided_by]
    if hard:
        return "no", f"{hard[0].name}: {hard[0].finding}", (), ()
    unknown = [hop for hop in found.hops if hop.state == "unknown" and not hop.optional]
    if unknown:
        return "unknown", f"{unknown[0].name}: {unknown[0].finding}", tuple(hop.name for hop in unknown), ()
    if found.blocking:
        return "no", f"{found.blocking[0].gotcha.id}: {found.blocking[0].gotcha.name}", (), ()
    if failed:
        wider = ("hardware",) if any(hop.name == "attention" for hop in failed) else ()
        return "only-with", " ".join(str(hop.avoided_by) for hop in failed), (), wider
    tight = [hop for hop in found.hops if hop.name == "memory" and hop.state == "gap"]
    if tight:
        return "only-with", f"memory: {tight[0].finding}", (), (_room(found.memory),)
    long = [hop for hop in found.hops if hop.name == LENGTH_HOP and hop.state == "gap"]
    if long:
        return "only-with", f"{LENGTH_HOP}: {long[0].finding}", (), (allowed(found.resolved),)
    if found.could_block:
        facts = tuple(dict.fromkeys(fact for gate in found.could_block for fact in gate.left_out))
        return "only-with", f"{found.could_block[0].gotcha.id} depends on {', '.join(found.could_block[0].left_out)}", (), facts
    moved = [hop for hop in found.hops if hop.value == "redirected"]
    if moved:
        return "only-with", f"{moved[0].name}: {moved[0].finding}, which is not the one that was asked for", (), ("the engine's other path",)
    gaps = [hop for hop in found.hops if hop.state == "gap"]
    open_names = [hop.name for hop in found.hops if hop.state == "unknown"]
    held = f"every hop that has to holds; not on record: {', '.join(open_names)}" if open_names else "every hop holds"
    return "yes", "; ".join(f"{hop.name}: {hop.finding}" for hop in gaps) or held, (), ()


def _room(needs: Memory) -> str:
    """What would settle whether it fits."""
    if needs.file is not None:
        return f"a weights file of at most {format_bytes(needs.file)} a device"
    return f">= {format_bytes(needs.cache or 0)} left for the cache, or a shorter max_model_len"


def chain(found: Assessment, ledger: Ledger) -> list[dict[str, Any]]:
    """The hops as the JSON contract has them."""
    return [
        {
            "hop": hop.name,
            "state": hop.state,
            "finding": hop.finding,
            "value": hop.value,
            "cites": [{"id": source.id, "url": ledger.url(source), "at": source.at} for source in hop.sources],
        }
        for hop in found.hops
    ]


def gotchas(found: Assessment) -> list[dict[str, Any]]:
    """The gotchas as the JSON contract has them."""
    blocking = {gate.gotcha.id for gate in found.blocking}
    return [
        {
            "id": gate.gotcha.id,
            "title": gate.gotcha.name,
            "state": gate.state,
            "severity": gate.severity,
            "proven": gate.proven,
            "blocks": gate.gotcha.id in blocking,
            "untested": gate.truth.untested,
            "because": list(dict.fromkeys(said(reason) for reason in gate.truth.because)),
            "workarounds": gate.gotcha.data["workarounds"],
        }
        for gate in found.gates
    ]
