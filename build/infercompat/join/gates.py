"""Gotchas at model x engine level: which of them this pair can meet, and what decides whether it does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.condition import (
    ALWAYS,
    MISSING,
    YES,
    Condition,
    Facts,
    KnownFacts,
    Truth,
    all_of,
    any_of,
    applies,
    decided,
    evaluate,
    leaves,
    maybe,
    parse,
)
from infercompat.condition.facts import IDENTITY
from infercompat.join.hops import Release
from infercompat.join.stack import Stack
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import affected, told

BLOCKING = frozenset({"silent-wrong-output", "crash-at-init", "crash-on-first-request", "hang", "unsupported-combination"})
"""Symptoms that block; slow, overpaid memory, lost features and wrong documents are listed and never do."""

PROVEN = frozenset({"maintainer-statement", "merged-fix", "reproducible-case", "source-reading"})


class Gate(Struct, frozen=True):
    """A gotcha that a stack meets (`hit`), can meet (`maybe`) or just misses (`almost`), and the facts that decide.

    `proven` is False where its evidence is a single report or could not be opened: such a gate warns and does not block.
    """

    gotcha: Record
    state: str
    truth: Truth
    stale: bool
    proven: bool

    @property
    def severity(self) -> str:
        return self.gotcha.data["severity"]

    @property
    def blocks(self) -> bool:
        return self.state == "hit" and self.proven and self.gotcha.data["symptom"] in BLOCKING

    @property
    def left_out(self) -> tuple[str, ...]:
        """The facts that a person could still name and that would decide."""
        return self.truth.missing

    @property
    def needs(self) -> tuple[str, ...]:
        """What decides whether it is met: facts that nobody named, or a value that nobody tried."""
        untested = (reason.text for reason in self.truth.because if reason.kind == "untested")
        return tuple(dict.fromkeys((*self.truth.missing, *untested)))


def gates(catalog: Catalog, engine: Record, release: Release, stack: Stack, today: str, almost: bool = False) -> list[Gate]:
    """The gotchas that this stack meets or can meet on this engine version, worst first; with `almost` those that it just misses, too."""
    stack = replace(stack, given={f"{engine.id}.version": release.version, **stack.given})
    builds = tuple((name, value) for name, value in stack.given.items() if name.endswith((".version", ".has_pr")))
    found = []
    for gotcha in gotchas_about(catalog, engine):
        gate = _gate(catalog, gotcha, engine, release, stack, builds, today)
        if gate is not None and (almost or gate.state != "almost"):
            found.append(gate)
    severities = list(catalog.words("severity"))
    order = ("hit", "maybe", "almost")
    return sorted(found, key=lambda gate: (order.index(gate.state), severities.index(gate.severity), not gate.proven, gate.gotcha.id))


Builds = tuple[tuple[str, Any], ...]
"""What is given of versions and of merged changes that builds hold, by fact."""


def _gate(catalog: Catalog, gotcha: Record, engine: Record, release: Release, stack: Stack, builds: Builds, today: str) -> Gate | None:
    if _of_another_model(catalog, gotcha, stack):
        return None
    versions, stale = _components(catalog, gotcha, engine, release, builds, today)
    if "container" in stack.given and any("container" in leaf.facts for leaf in leaves(_conditions(catalog, gotcha)[0])):
        versions, stale = YES, False  # an image has one build, and the condition names it
    around = all_of((versions, _hardware(gotcha.data["hardware"], stack)))
    if around.no and not _one_change_away(around):
        return None  # whatever the conditions say, which take longer
    truth = all_of((around, applies(*_conditions(catalog, gotcha), stack)))
    if truth.no and not _one_change_away(truth):
        return None
    state = "hit" if truth.yes else "almost" if truth.no else "maybe"
    return Gate(gotcha, state, truth, stale, is_proven(catalog, gotcha))


def _conditions(catalog: Catalog, gotcha: Record) -> tuple[Condition, Condition | None]:
    """A gotcha's two trees, parsed once."""
    key = ("conditions", gotcha.id)
    if key not in catalog.memo:
        when = parse(gotcha.data["when"])[0] if "when" in gotcha.data else ALWAYS
        catalog.memo[key] = (when, parse(gotcha.data["clean_when"])[0] if "clean_when" in gotcha.data else None)
    return catalog.memo[key]


def _of_another_model(catalog: Catalog, gotcha: Record, stack: Stack) -> bool:
    """Whether the condition asks for another model than this, whatever the rest of it says, which takes longer to read."""
    key = ("identity", gotcha.id)
    if key not in catalog.memo:
        when = gotcha.data.get("when", {})
        parts = when.get("all", [when])
        catalog.memo[key] = [parse(part)[0] for part in parts if not IDENTITY.isdisjoint(part) or "requires" in part]
    return any(evaluate(part, stack).no for part in catalog.memo[key])


def _one_change_away(truth: Truth) -> bool:
    """Whether exactly one leaf keeps it from being met, and that a setting, version or hardware rather than the model."""
    return len(truth.because) == 1 and not truth.because[0].fact.startswith(("model.", "checkpoint."))


def is_proven(catalog: Catalog, gotcha: Record) -> bool:
    """Whether something that was opened shows it in a way that may block."""
    return any(entry["strength"] in PROVEN and _opened(catalog, entry["id"]) for entry in gotcha.data["evidence"])


def _opened(catalog: Catalog, citation: str) -> bool:
    found = catalog.follow(citation)
    return bool(found and "retrieved" in found.data)


def gotchas_about(catalog: Catalog, engine: Record) -> list[Record]:
    """The gotchas whose component at fault is this engine or comes along with it, found once an engine."""
    key = ("gotchas about", engine.id)
    if key not in catalog.memo:
        catalog.memo[key] = [gotcha for gotcha in catalog.of_kind("gotcha") if _is_about(gotcha, engine)]
    return catalog.memo[key]


def _is_about(gotcha: Record, engine: Record) -> bool:
    return engine.id in gotcha.affected if gotcha.affected else gotcha.engine == engine.id or _bundles(engine, gotcha.engine)


def _components(catalog: Catalog, gotcha: Record, engine: Record, release: Release, builds: Builds, today: str) -> tuple[Truth, bool]:
    """Whether the components at fault are in the stack at affected versions, and whether what says so is stale.

    It is the same for every model; what differs between stacks is only the versions that somebody gave.
    """
    key = ("components", gotcha.id, engine.id, release, builds, today)
    if key not in catalog.memo:
        catalog.memo[key] = _affected(catalog, gotcha, engine, release, dict(builds), today)
    return catalog.memo[key]


def _affected(catalog: Catalog, gotcha: Record, engine: Record, release: Release, given: Mapping[str, Any], today: str) -> tuple[Truth, bool]:
    mode, entries = next(iter(gotcha.data["affects"].items()))
    truths, stale = [], False
    for entry in entries:
        if entry.get("engine", engine.id) != engine.id:
            continue
        name = entry.get("engine") or entry["component"]
        version, date, scheme = _version_of(catalog, name, engine, release, given)
        changes, repository = _changes_of(catalog, name, given)
        found = affected(
            scheme, entry, gotcha.data["status"], gotcha.data["read_on"], version, date, today=today,
            dates=_dates(catalog, name), stale_days=catalog.vocabulary["thresholds"]["stale_days"], reported=reported(gotcha),
            changes=changes, repository=repository,
        )  # fmt: skip
        truths.append(found.truth)
        stale = stale or found.stale
    return (all_of if mode == "all" else any_of)(truths), stale


def reported(gotcha: Record) -> str | None:
    """The day of the first dated evidence."""
    return min((entry["date"] for entry in gotcha.data["evidence"] if "date" in entry), default=None)


def _bundles(engine: Record, name: str | None) -> bool:
    """Whether a release of the engine brings this component along, so that a fault of it is met there."""
    return any(name in entry.get("bundles", ()) for entry in engine.data["releases"])


def _version_of(catalog: Catalog, name: str, engine: Record, release: Release, builds: Mapping[str, Any]) -> tuple[str | None, str | None, str]:
    if name == engine.id:
        return release.version, release.date, engine.data["scheme"]
    record = catalog.resolve(name)
    scheme = record.data["scheme"] if record and record.kind == "engine" else "pep440"
    given = builds.get(f"{name}.version")
    if given:
        version, date, _ = told(given)
        return version, date or _dates(catalog, name).get(version), scheme
    for entry in engine.data["releases"]:
        if entry["version"] == release.version and name in entry.get("bundles", {}):
            version = entry["bundles"][name]
            return version, _dates(catalog, name).get(version), scheme
    return None, None, scheme


def _changes_of(catalog: Catalog, name: str, builds: Mapping[str, Any]) -> tuple[tuple[int, ...], str | None]:
    """The changes that the build of a component is told to hold, and the repository that their numbers are of, where it is known.

    What is told of one path of an engine, or of the engine, is told of all that are built from the same repository.
    """
    repository = _repository(catalog, name)
    changes = set(told(builds.get(f"{name}.version") or "").changes)
    for fact, value in builds.items():
        of = fact.removesuffix(".has_pr")
        if of != fact and (of == name or (repository and _repository(catalog, of) == repository)):
            changes.update(value)
    return tuple(sorted(changes)), repository


def _repository(catalog: Catalog, name: str) -> str | None:
    record = catalog.resolve(name)
    return record.data.get("repository") if record and record.kind == "engine" else None


def _dates(catalog: Catalog, name: str) -> dict[str, str]:
    """The days of a component's releases, found once."""
    key = ("dates", name)
    if key not in catalog.memo:
        record = catalog.resolve(name)
        releases = record.data["releases"] if record and record.kind == "engine" else ()
        catalog.memo[key] = {entry["version"]: entry["date"] for entry in releases}
    return catalog.memo[key]


def _hardware(hardware: dict, stack: Facts) -> Truth:
    if hardware["scope"] == "any":
        clean = hardware.get("clean_on", ())
        named = _names(stack) | {stack.get("platform")} - {MISSING}
        return decided(False, f"hardware is none of {', '.join(clean)}", "hardware.class") if named & set(clean) else YES
    words = ", ".join(hardware.get("seen_on", ())) or f"{hardware.get('min')} and up"
    text = f"hardware is one of {words}"
    names = _names(stack)
    if not names:
        return maybe(text, "hardware")
    if names & set(hardware.get("seen_on", ())) or _in_range(hardware, stack.get("hardware.class")):
        return decided(True, text, "hardware.class")
    if names & set(hardware.get("clean_on", ())) or _other_vendor(hardware, stack.get("hardware.class")):
        return decided(False, text, "hardware.class")
    return maybe(text, "hardware.class", "untested")


def _names(stack: Facts) -> set[object]:
    return {stack.get("hardware.id"), stack.get("hardware.class")} - {MISSING}


def _in_range(hardware: dict, found: object) -> bool:
    lowest, highest = (_capability(hardware.get(end)) for end in ("min", "max"))
    capability = _capability(found)
    return lowest is not None and capability is not None and lowest <= capability <= (highest or capability)


def _capability(word: object) -> int | None:
    """The compute capability in a class word: sm120 is 120; None for other makers' classes."""
    return int(word[2:]) if isinstance(word, str) and word.startswith("sm") and word[2:].isdigit() else None


_CLASS_OF_ANOTHER_MAKER = re.compile(r"gfx\w+|apple-gpu|intel-xpu|gaudi|ascend|tpu|cpu")


def _other_vendor(hardware: dict, found: object) -> bool:
    """Whether a fault seen on one maker's classes only is asked for on another's: kernels are not shared between makers."""
    words = [word for word in (*hardware.get("seen_on", ()), hardware.get("min")) if word]
    nvidia = any(_capability(word) is not None for word in words)
    others = any(_CLASS_OF_ANOTHER_MAKER.fullmatch(word) for word in words)
    return nvidia != others and nvidia != (_capability(found) is not None)


def on_class(hardware: dict, hardware_class: str) -> Truth:
    """Whether a fault that was seen on such hardware appears on a class of devices, of which nothing else is known."""
    return _hardware(hardware, KnownFacts({"hardware.class": hardware_class}))
