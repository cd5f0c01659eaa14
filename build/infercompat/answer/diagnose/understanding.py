"""From what the readers saw to what is understood: one engine, its version, one model, the hardware, and the facts that are given."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from infercompat.answer.diagnose import commands, dockerfiles, labels, logs, machines, manifests, models, packages, snippets, stated
from infercompat.answer.diagnose.redact import clean, redact
from infercompat.answer.diagnose.seen import Seen
from infercompat.link import Catalog
from infercompat.records import Record

READERS = (stated.read, labels.read, dockerfiles.read, manifests.read, snippets.read, commands.read, logs.read, packages.read, machines.read)
"""In this order: what one reader takes, the later ones do not see, and where two say the same fact the earlier one holds."""

REFERENCES = ("transformers",)
"""What is called beside an engine, to compare it with: it is asked about where nothing else is started."""

FORK = "ik-llama.cpp"

_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")


class Hardware(NamedTuple):
    """Devices of one kind: the record's id or None, the name as written, how many, and the first line that names one."""

    id: str | None
    name: str
    count: int
    line: int
    source: str = ""


class Understood(Struct, frozen=True):
    """What a paste says. Every part is a thing seen, with its line."""

    engine: Seen | None = None
    version: Seen | None = None
    components: Mapping[str, Seen] = field(default_factory=dict)
    model: Seen | None = None
    model_id: str | None = None
    hardware: tuple[Hardware, ...] = ()
    given: Mapping[str, Seen] = field(default_factory=dict)
    unread: tuple[Seen, ...] = ()
    log: tuple[Seen, ...] = ()
    notes: tuple[Seen, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """The given facts by name."""
        return {name: seen.value for name, seen in self.given.items()}


def understand(text: str, catalog: Catalog) -> Understood:
    """What one text says, after secrets were taken out of it."""
    return fold(gather([("", text)], catalog)[0], catalog)


def gather(texts: Sequence[tuple[str, str]], catalog: Catalog) -> tuple[list[Seen], list[tuple[str, list[str]]]]:
    """Everything that the readers see in texts with names, reader by reader, and the lines that are left as log, text by text."""
    rest = [(redact(name), _lines(text)) for name, text in texts]
    seen: list[Seen] = []
    for read in READERS:
        for name, lines in rest:
            found = read(lines, catalog)
            seen += [clean(one).within(name) for one in found.seen]
            for number in found.taken:
                lines[number - 1] = ""
    return seen, rest


def _lines(text: str) -> list[str]:
    return redact(_ESCAPES.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n"))).split("\n")


def fold(seen: Sequence[Seen], catalog: Catalog) -> Understood:
    """Makes one stack of what was seen."""
    every = [one for one in seen if one.kind == "command"]
    started = sorted(every, key=lambda one: (one.name in REFERENCES, one.source != every[0].source, one.line))
    command = started[0] if started else None
    halves = _halves(started)
    parts = [part for half in halves for part in half.value]
    engine = command or _engine(seen, catalog)
    notes = [one for one in (*parts, *seen) if one.kind == "note"]
    notes += [Seen("note", one.name, f"a second serve command, of {one.name}, is left out", one.line, one.source) for one in _others(started, halves)]
    said = [one for one in (*seen, *parts) if one.kind == "component"]
    components, versions = _components(_of_fork(said, seen) if engine is not None and engine.name == FORK else said)
    notes += versions
    model, match = _model([*parts, *seen], catalog)
    options = [part for one in seen if one.kind == "options" and engine and one.name == engine.name for part in one.value]
    given = _first(one for one in (*parts, *options, *seen) if one.kind == "fact")
    experts = given.get("expert_parallel")
    if experts is not None and experts.value is True:  # a switch: the ranks of the other kinds share the experts
        ranks = [given[name].value for name in ("tensor_parallel", "data_parallel") if name in given]
        given["expert_parallel"] = Seen("fact", "expert_parallel", math.prod(ranks), experts.line, experts.source)
    if match is not None and model is not None:
        if match.format and "weights.format" not in given:
            given["weights.format"] = Seen("fact", "weights.format", match.format, model.line, model.source)
        if not match.exact:
            notes.append(Seen("note", "model", f"{model.value} is taken for {match.model.id} by its name", model.line, model.source))
    hardware, devices = _hardware(seen, catalog)
    package = _package(engine.name, components, catalog) if engine else None
    return Understood(
        engine=engine and Seen("engine", engine.name, engine.name, engine.line, engine.source),
        version=components.get(package) if package else None,
        components={name: one for name, one in components.items() if name != package},
        model=model,
        model_id=match.model.id if match else None,
        hardware=hardware,
        given=given,
        unread=tuple(one for one in parts if one.kind == "flag"),
        log=tuple(one for one in seen if one.kind == "log"),
        notes=(*notes, *devices),
    )


def _of_fork(said: Sequence[Seen], seen: Sequence[Seen]) -> list[Seen]:
    """The versions where ik_llama.cpp prints its own as llama.cpp does: it counts builds of its own, and is known by its commits."""
    commits = [Seen("component", FORK, one.value, one.line, one.source) for one in seen if one.kind == "build"]
    return [*(one for one in said if one.name != "llama.cpp"), *commits[:1]]


def _package(engine: str, components: Mapping[str, Seen], catalog: Catalog) -> str | None:
    """The component whose version is the engine's: itself, else a path that comes in the same package."""
    own = (catalog.follow(engine).data if catalog.follow(engine) else {}).get("package")
    alike = (name for name in components if own and (other := catalog.follow(name)) and other.data.get("package") == own)
    return engine if engine in components else next(alike, None)


def _halves(commands: Sequence[Seen]) -> list[Seen]:
    """The first command, and where it names no model the next of its engine that does: `ollama serve`, then `ollama run`."""

    def names_model(command: Seen) -> bool:
        return any(part.kind == "model" for part in command.value)

    others = [command for command in commands[1:] if command.name == commands[0].name and names_model(command)]
    return [*commands[:1], *(() if not commands or names_model(commands[0]) else others[:1])]


def _others(commands: Sequence[Seen], halves: Sequence[Seen]) -> list[Seen]:
    """The commands that say something else than those that are read; a process list shows again what was typed."""

    def said(command: Seen) -> tuple[str, frozenset]:
        return command.name, frozenset((part.kind, part.name, str(part.value)) for part in command.value)

    read = [said(half) for half in halves]
    return [command for command in commands if said(command) not in read]


def _first(seen: Iterable[Seen]) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    for one in seen:
        found.setdefault(one.name, one)
    return found


def _engine(seen: Sequence[Seen], catalog: Catalog) -> Seen | None:
    """The engine where no command names it: by the log's own words, by the packages, by file paths."""
    listed = [one for one in seen if one.kind == "component" and (record := catalog.follow(one.name)) and record.data.get("role") == "engine"]
    found = [one for one in seen if one.kind == "engine"]
    found += [Seen("engine", one.name, 2, one.line, one.source) for one in listed if len({other.name for other in listed}) == 1]
    found += [Seen("engine", one.name, 3, one.line, one.source) for one in seen if one.kind == "options"]
    return min(found, key=lambda one: one.value, default=None)


def _components(seen: Sequence[Seen]) -> tuple[dict[str, Seen], list[Seen]]:
    """The first version of each component, and notes on those of which two are named."""
    components: dict[str, Seen] = {}
    notes = []
    for one in seen:
        first = components.setdefault(one.name, one)
        if str(first.value).partition("+")[0] != str(one.value).partition("+")[0]:
            text = f"{one.name} {one.value} is left out: line {first.line} says {first.value}"
            notes.append(Seen("note", one.name, text, one.line, one.source))
    return components, notes[:10]


def _model(seen: Sequence[Seen], catalog: Catalog) -> tuple[Seen | None, models.Match | None]:
    """The model as written first, and its record; the name that a server gives to it is asked where the path tells nothing."""
    written = [one for one in seen if one.kind == "model"]
    served = [one for one in seen if one.kind == "flag" and one.name in ("--served-model-name", "--alias") and one.value]
    named = [Seen("model", "", str(one.value), one.line, one.source) for one in served]
    for one in (*written, *named):
        match = models.find(catalog, str(one.value))
        if match is not None:
            return one, match
    return (written[0] if written else None), None


def _hardware(seen: Sequence[Seen], catalog: Catalog) -> tuple[tuple[Hardware, ...], list[Seen]]:
    """The kinds of devices, each device counted once however many tools name it, most frequent first."""
    kinds: dict[str, tuple[Record | None, Seen, set[str]]] = {}
    found: dict[tuple[str, int | None, str], Record | None] = {}
    notes = []
    devices = [one for one in seen if one.kind == "device"]
    for one in devices:
        kind = (one.value.name, one.value.mebibytes, one.value.pci)
        if kind not in found:
            found[kind] = machines.hardware(catalog, one.value)
    there = {record.id: record for record in found.values() if record}
    for one in devices:
        record = found[one.value.name, one.value.mebibytes, one.value.pci]
        shared = machines.sharing(catalog, one.value) if record is None else []
        record = record or next((record for record in shared if record.id in there), None)
        _, _, indexes = kinds.setdefault(record.id if record else one.value.name, (record, one, set()))
        if not indexes and record is None:
            text = (
                f"{one.value.name} is the id of {shared[0].id} and of other products, too: its name is needed"
                if shared
                else f"the catalog has no record of {one.value.name}"
            )
            notes.append(Seen("note", "hardware", text, one.line, one.source))
        elif not indexes and record is not None and (text := machines.other_memory(record, one.value)):
            notes.append(Seen("note", "hardware", text, one.line, one.source))
        indexes.add(one.value.index)
    told = [Hardware(record.id if record else None, one.value.name, len(indexes), one.line, one.source) for record, one, indexes in kinds.values()]
    return tuple(sorted(told, key=lambda kind: (kind.id is None, -kind.count))), notes
