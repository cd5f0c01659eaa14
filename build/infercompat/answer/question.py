"""One person's question: a model on an engine, with whatever else was said about the stack."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from infercompat.allocate.terms import MOST_RANKS, complaint
from infercompat.condition import Fact, Range, component_of, lookup, nearest
from infercompat.derive import Derived, Unknown
from infercompat.join import Release
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import Ordered, changes_named, compare, date_of_build, parse_version, select, told

RANKS = ("tensor_parallel", "pipeline_parallel", "data_parallel")
ATTENTION_REPLICAS = "setting.enable_dp_attention"
"""With it the replicas are of attention alone, on the engines whose record has it."""
FORMS = {
    "pep440": "numbers such as 0.11.2 or 1.2.0rc1",
    "semver": "numbers such as 0.11.2 or v0.12.0-rc1",
    "build": "the number of a build such as b10488",
    "commit": "the number of a build such as b10488, or the first seven digits of a commit or more",
}
"""What versions of each scheme look like."""
_ELSEWHERE = "a branch with its day (main@2026-11-20), a commit or an image with its tag will do, too"
_SLIP = re.compile(r"(?!.*dev)(?:[A-Za-z]{1,2}\d+[A-Za-z]*|v?\d+(?:\.\d+)*[A-Za-z]+\d*)")
"""Numbers with letters at them that are no version of the scheme, and neither the name of a branch nor of an image."""
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


class Refused(Exception):
    """A question that cannot be asked as it stands: the message says what to change."""


class NotInCatalog(Refused):
    """A model that may well exist and is not in the catalog: the question is sound, and its answer unknown."""


class Question(Struct, frozen=True):
    """What is asked. `given` maps fact names to values; those in `required` stay as they are in every repair.

    `checkpoint` is the hub id of the weights; None stands for the first that the model's record lists.
    """

    model: Record
    derived: Derived | Unknown
    engine: Record
    release: Release
    hardware: Record | None = None
    gpus: int = 1
    given: Mapping[str, Any] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    checkpoint: str | None = None

    def changed(self, changes: Mapping[str, Any], drop: frozenset[str] = frozenset()) -> Question:
        """The same question with some facts set and others taken back."""
        given = {name: value for name, value in self.given.items() if name not in drop}
        return replace(self, given={**given, **changes})

    @property
    def context(self) -> int | None:
        """The longest sequence asked for, else the model's own."""
        if "max_model_len" in self.given:
            return self.given["max_model_len"]
        return None if isinstance(self.derived, Unknown) else self.derived.context.native


def ranks_of(given: Mapping[str, Any], engine: Record | None = None) -> dict[str, int]:
    """The ranks that were named and that multiply, by fact: replicas of attention alone lie within the tensor-parallel ranks.

    With an engine, only where it has the switch for them.
    """
    ranks = {fact: int(given.get(fact) or 1) for fact in RANKS}
    has_it = engine is None or ATTENTION_REPLICAS in (engine.data.get("settings") or {})
    return ranks | {"data_parallel": 1} if has_it and given.get(ATTENTION_REPLICAS) is True else ranks


def release_of(engine: Record, wanted: str | None) -> Release:
    """The release that ENGINE@wanted names. A version outside the catalog is taken as written; one that is none is refused.

    A day behind the version, as in main@2026-11-20, is that of the build; changes that it is told to hold are `told_of` it.
    """
    releases = engine.data["releases"]
    wanted, date, _ = told(wanted) if wanted and wanted != "latest" else (None, None, ())
    found = select(engine.data["scheme"], wanted, releases)
    if found is not None:
        known = {entry["version"]: entry["date"] for entry in releases}.get(found.version)
        if date and known != date:
            raise Refused(f"{engine.id} {found.version} is of {known}, not of {date}")
        return Release(found.version, known, assumed=found.assumed)
    scheme = engine.data["scheme"]
    if wanted and parse_version(scheme, wanted) is not None and not _is_slip(scheme, wanted):
        dates = {entry["version"]: entry["date"] for entry in releases}
        return Release(wanted, date or (date_of_build(wanted, dates) if scheme == "commit" else None), assumed=False)
    known = ", ".join(entry["version"] for entry in releases[:6])
    raise Refused(f"'{wanted}' is no {scheme} version of {engine.id}: write {FORMS[scheme]}; {_ELSEWHERE}; releases in the catalog: {known}")


def _is_slip(scheme: str, wanted: str) -> bool:
    """Whether a version that no scheme orders has the form of none of them."""
    ordered = isinstance(parse_version(scheme, wanted), Ordered) or (scheme == "commit" and re.fullmatch(r"b\d{1,5}", wanted))
    return not ordered and _COMMIT.fullmatch(wanted) is None and _SLIP.fullmatch(wanted) is not None


def told_of(engine: Record, wanted: str | None) -> dict[str, Any]:
    """The facts that the words for a version tell beside it: {"vllm.has_pr": (57754,)} of 0.33.0+pr57754."""
    changes = told(wanted).changes if wanted else ()
    return {f"{engine.id}.has_pr": changes} if changes else {}


def with_changes(given: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Facts with others beside them, where both tell of changes that a build holds all of them."""
    both = {name: tuple(sorted({*given[name], *changes})) for name, changes in more.items() if name in given}
    return {**given, **more, **both}


def newest_before(engine: Record, release: Release) -> str | None:
    """The newest release on record, where the one in question is newer than all of them, so that nobody here has seen it; else None."""
    scheme, entries = engine.data["scheme"], engine.data["releases"]
    wanted = parse_version(scheme, release.version, release.date)
    known = [parse_version(scheme, entry["version"], entry["date"]) for entry in entries]
    beyond = wanted is not None and all(one is not None and compare(one, wanted) == "less" for one in known)
    return entries[0]["version"] if beyond and entries else None


def read_setting(text: str, catalog: Catalog | None = None) -> tuple[str, Any]:
    """A fact and its value from `name=value`. Raises Refused for an unknown fact or a value it cannot have.

    With a catalog the words of its vocabulary are checked, too, and versions of components can be named, such as flashinfer.version, and
    merged changes that a build of one holds, such as vllm.has_pr; engine.has_pr is said of the engine that is asked about.
    """
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or not value:
        raise Refused(f"--set and --require take fact=value, not '{text}'")
    ending = name.rpartition(".")[2]
    component = component_of(name)
    known = components(catalog) if catalog is not None and ending in ("version", "has_pr") else frozenset()
    is_known = name == f"{component}.{ending}" and component in known
    if ending == "has_pr" and (is_known or name == "engine.has_pr"):
        changes = changes_named(value)
        if changes is None:
            raise Refused(f"{name} takes numbers of merged changes such as 57754 or 57754,57800, not '{value}'")
        return name, changes
    if name == "version" or (ending == "version" and is_known):
        return name, value
    if name == "engine.version":
        raise Refused("there is no fact engine.version; version is that of the engine that is asked about, and vllm.version that of one by its id")
    fact = None if component is not None else lookup(name)
    if fact is None:
        everyone = ["engine"] if ending == "has_pr" else []
        close = [f"{one}.{ending}" for one in difflib.get_close_matches(component or "", [*sorted(known), *everyone])] or nearest(name)
        raise Refused(f"there is no fact {name}" + (f"; nearest: {', '.join(close)}" if close else "; infercompat explain facts lists them"))
    if name.startswith("model.") or ".model." in name:
        raise Refused(f"{name} follows from the model: it is not set")
    read = _typed(value, fact.type)
    wrong = fact.complaint(read, catalog.words(fact.vocabulary) if catalog is not None and fact.vocabulary else ()) or _out_of_range(fact, read)
    if wrong:
        raise Refused(wrong)
    return name, read


def check_settings(engine: Record, given: Mapping[str, Any]) -> None:
    """Raises Refused for a value that a setting of the engine's own cannot have."""
    for fact, value in given.items():
        own = (engine.data.get("settings") or {}).get(fact)
        if own and fact.startswith("setting.") and (wrong := complaint(fact, value, own.get("default"))):
            raise Refused(wrong)


def components(catalog: Catalog) -> frozenset[str]:
    """What engines bundle, gotchas name as at fault and the vocabulary lists: the components whose version a person may give."""
    engines = (engine.id for engine in catalog.of_kind("engine"))
    bundled = (name for engine in catalog.of_kind("engine") for entry in engine.data["releases"] for name in entry.get("bundles", ()))
    entries = (entry for gotcha in catalog.of_kind("gotcha") for part in gotcha.data["affects"].values() for entry in part)
    listed = catalog.words("component")
    return frozenset(engines) | frozenset(bundled) | frozenset(listed) | {entry["component"] for entry in entries if "component" in entry}


def _out_of_range(fact: Fact, value: Any) -> str:
    """Why a number is none that the fact can have; empty where it is one. Where absence means 0, so may the value."""
    if fact.name == "gpu_memory_utilization" and not 0 < value <= 1:
        return f"{fact.name} is a share above 0, 1 at most, not {value}"
    if fact.name in (*RANKS, "expert_parallel") and isinstance(value, int) and value > MOST_RANKS:
        return f"{fact.name} is {MOST_RANKS} at most, not {value}"
    least = 0 if fact.absent == 0 or (isinstance(fact.absent, Range) and fact.absent.low == 0) else 1
    return f"{fact.name} is {least} or more, not {value}" if fact.type == "int" and value < least else ""


def _typed(value: str, type: str) -> Any:
    # Some engines have settings whose own words are on and off: only a fact that is true or false takes them for that.
    if value.lower() in {"bool": ("true", "false", "on", "off"), "any": ("true", "false")}.get(type, ()):
        return value.lower() in ("true", "on")
    if type in ("int", "float", "any"):
        for read in (int, float):
            try:
                found = read(value.replace("_", ""))
            except ValueError:
                continue
            return found if math.isfinite(found) else value
    return value


def engine_named(catalog: Catalog, wanted: str) -> tuple[Record, str | None]:
    """The engine and version of ENGINE[@VERSION]. Raises Refused with the nearest ids."""
    name, _, version = wanted.partition("@")
    found = catalog.follow(name) or catalog.follow(name.lower())
    if found is None or found.kind != "engine":
        known = [engine.id for engine in catalog.of_kind("engine")]
        close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.4)
        raise Refused(f"there is no engine {name}" + (f"; nearest: {', '.join(close)}" if close else f"; known: {', '.join(known)}"))
    if found.data["role"] == "kernel-library":
        raise Refused(f"{found.data['name']} is a kernel library: it gates engines and serves no model itself")
    return found, version or None


MAKERS = re.compile(r"^(?:(?:nvidia|geforce|amd|instinct|radeon|intel|apple)[ -]+)+(?!pro\b)")
"""Words of a trade name that ids leave out."""
COUNTED = re.compile(r"([1-9][0-9]{0,3})\s*[x×]\s*(\S.*)", re.IGNORECASE)
"""A number of devices before their name, such as 8xH100."""


def hardware_of(catalog: Catalog, wanted: str) -> Record:
    """A hardware record by id, alias or trade name. Raises Refused with the nearest ids."""
    name = MAKERS.sub("", wanted.lower().strip()).replace(" ", "-")
    found = catalog.follow(wanted) or catalog.follow(wanted.lower().strip().replace(" ", "-")) or catalog.follow(name)
    if found is not None and found.kind == "hardware":
        return found
    if counted := COUNTED.fullmatch(wanted.strip()):
        device = hardware_of(catalog, counted[2])
        raise Refused(f"there is no hardware {wanted}; for {counted[1]} devices write --hardware {device.id} --gpus {counted[1]}")
    known = [record.id for record in catalog.of_kind("hardware")]
    close = [id for id in known if name and id.startswith(f"{name}-")][:4] or difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    raise Refused(f"there is no hardware {wanted}" + (f"; nearest: {', '.join(close)}" if close else f"; known: {', '.join(known)}"))
