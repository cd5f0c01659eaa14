"""`infercompat diagnose`: what a paste says, the gotchas that its log lines show, and the question that follows from it, answered."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from infercompat.answer import reply
from infercompat.answer.asking import hub_id
from infercompat.answer.check import Assessor
from infercompat.answer.diagnose import index
from infercompat.answer.diagnose.seen import Seen
from infercompat.answer.diagnose.steps import Step, steps
from infercompat.answer.diagnose.understanding import Understood, fold, gather
from infercompat.answer.question import Question, Refused, ranks_of, release_of, told_of, with_changes
from infercompat.answer.reply import Reply
from infercompat.join import Gate
from infercompat.link import Catalog
from infercompat.products import Products
from infercompat.records import Record


class Matched(Struct, frozen=True):
    """A gotcha whose error or sign is in the log, and how the stack stands to it: hit, maybe, almost, or none where nobody can say."""

    match: index.Match
    state: str | None

    @property
    def gotcha(self) -> Record:
        return self.match.gotcha


class Diagnosis(Struct, frozen=True):
    """Everything that can be said of pasted texts. `missing` names what a verdict would need, `steps` what to add for one."""

    understood: Understood
    matched: tuple[Matched, ...]
    assessor: Assessor
    reply: Reply | None = None
    missing: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


def diagnose(products: Products, texts: Sequence[tuple[str, str]]) -> Diagnosis:
    """What texts say together, each a name and its content: commands, versions, machines, manifests and logs in any mixture."""
    catalog = products.catalog
    seen, rest = gather(texts, catalog)
    understood = fold(seen, catalog)
    assessor = Assessor(products)
    question, missing, notes = _question(products, understood)
    answer = reply.reply(assessor, question) if question else None
    found = index.find(index.patterns(catalog), rest)
    matched = _matched(found, understood, answer, catalog)
    told = replace(understood, notes=(*understood.notes, *notes))
    return Diagnosis(told, matched, assessor, answer, tuple(missing), steps(missing, understood, catalog))


def _question(products: Products, understood: Understood) -> tuple[Question | None, list[str], list[Seen]]:
    """The question that the paste asks. Without a model, an engine and a version that the catalog can place there is none."""
    catalog = products.catalog
    model = catalog.follow(understood.model_id) if understood.model_id else None
    engine = catalog.follow(understood.engine.name) if understood.engine else None
    if engine is not None and (engine.kind != "engine" or engine.data["role"] == "kernel-library"):
        engine = None
    if model is None or engine is None:
        return None, [name for name, found in (("model", model), ("engine", engine)) if found is None], []
    said = understood.version
    try:
        release = release_of(engine, str(said.value) if said else None)
    except Refused as refused:
        return None, ["version"], [Seen("note", "version", str(refused), said.line, said.source)] if said else []
    given = understood.facts | {f"{name}.version": str(one.value) for name, one in understood.components.items()}
    given = with_changes(given, told_of(engine, str(said.value) if said else None))
    hardware = next((catalog.follow(kind.id) for kind in understood.hardware if kind.id), None)
    several = len({kind.id for kind in understood.hardware}) > 1
    notes = [Seen("note", "hardware", f"several kinds of devices: {hardware.id} is asked about", 0)] if several and hardware else []
    checkpoint = hub_id(model, str(understood.model.value)) if understood.model else None
    return Question(model, products.derived[model.id], engine, release, hardware, _devices(understood, engine), given, checkpoint=checkpoint), [], notes


def _devices(understood: Understood, engine: Record) -> int:
    """How many devices serve: what the flags say, else all where the engine takes all."""
    said = math.prod(ranks_of(understood.facts).values())
    counted = sum(kind.count for kind in understood.hardware if kind.id)
    takes_all = understood.engine is None or "tensor_parallel" not in (engine.data.get("settings") or {})
    return min(max(said, counted if takes_all and said == 1 else 1, 1), 4096)


def _matched(found: Sequence[index.Match], understood: Understood, answer: Reply | None, catalog: Catalog) -> tuple[Matched, ...]:
    """The matches that can concern this stack: errors of its engine, and signs of silent faults that it can meet.

    Several gotchas may share an error. Where the stack can meet one of them, those that it cannot meet are left out.
    """
    gates: dict[str, Gate] = {gate.gotcha.id: gate for gate in answer.found.gates} if answer else {}
    engine = understood.engine.name if understood.engine else None
    states = [gates[match.gotcha.id].state if match.gotcha.id in gates else None for match in found]
    matched = [
        Matched(match, state)
        for match, state in zip(found, states, strict=True)
        if concerns(match.gotcha, engine, catalog) and (match.pattern.by == "error" or answer is None or state in ("hit", "maybe"))
    ]
    met = {(one.match.source, one.match.line) for one in matched if one.state is not None}
    matched = [one for one in matched if one.state is not None or (one.match.source, one.match.line) not in met]
    severities, order = list(catalog.words("severity")), ("hit", "maybe", "almost", None)
    return tuple(sorted(matched, key=lambda one: (order.index(one.state), severities.index(one.gotcha.data["severity"]), one.gotcha.id)))


def concerns(gotcha: Record, engine: str | None, catalog: Catalog) -> bool:
    """Whether users of an engine can meet a gotcha: one that names the engine, or one of a library, which any engine may use."""
    entries = next(iter(gotcha.data["affects"].values()))
    named = {entry["engine"] for entry in entries if "engine" in entry} or {gotcha.data["engine"]}
    libraries = {name for name in named if (record := catalog.follow(name)) and record.data.get("role") == "kernel-library"}
    return engine is None or engine in named or bool(libraries)
