"""Defaults that flipped: at which release a setting's default became another, and on which stacks.

Most are read from what the engine's record says of a setting by version (`defaults`), so that they stand once; a gotcha tells one itself by
its field `default`, which is the only place for an engine whose builds have no order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cmp_to_key
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.condition import MISSING, HasLayer, KnownFacts, OfItems, Requires, evaluate, leaves, parse
from infercompat.join.stack import Stack
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import Ordered, compare, parse_version


class Flip(Struct, frozen=True):
    """A default that became another one.

    `since` is the first release known to have the new one, or None where only the day of the change is (`around`); `last` the last known to
    have the old one. `where` and `but` are conditions as they are written: the stacks that it is told of, and those that it is not true of.
    """

    engine: Record
    fact: str
    setting: dict[str, Any]
    was: Any
    now: Any
    since: str | None
    last: str | None
    where: dict[str, Any] | None = None
    but: tuple[dict[str, Any], ...] = ()
    cites: tuple[dict[str, Any], ...] = ()
    gotchas: tuple[Record, ...] = ()
    around: str | None = None

    date: str = ""
    """The day of the release that brought it, of the source read there, or one near the change; empty where none is known."""


def flips(catalog: Catalog) -> list[Flip]:
    """Every flip on record, engine by engine."""
    return [flip for engine in catalog.of_kind("engine") for flip in flips_of(catalog, engine)]


def flips_of(catalog: Catalog, engine: Record) -> list[Flip]:
    """An engine's flips, the newest first: those of settings with the gotchas that tell of them, and those of gotchas alone. Found once."""
    key = ("flips", engine.id)
    if key not in catalog.memo:
        mine = [gotcha for gotcha in catalog.of_kind("gotcha") if gotcha.engine == engine.id and "default" in gotcha.data]
        own = []
        for flip in of_settings(catalog, engine):
            gotchas = tuple(gotcha for gotcha in mine if tells_of(gotcha, flip))
            cites = (*flip.cites, *(cite for gotcha in gotchas for cite in gotcha.data["default"]["cites"] if cite not in flip.cites))
            own.append(replace(flip, gotchas=gotchas, cites=cites))
        known = {gotcha.id for flip in own for gotcha in flip.gotchas}
        own += [flip for gotcha in mine if gotcha.id not in known and (flip := of_gotcha(engine, gotcha))]
        dated = sorted((replace(flip, date=_date(catalog, flip)) for flip in own), key=lambda flip: flip.fact)
        catalog.memo[key] = sorted(dated, key=lambda flip: flip.date, reverse=True)
    return catalog.memo[key]


def _date(catalog: Catalog, flip: Flip) -> str:
    dates = {entry["version"]: entry["date"] for entry in flip.engine.data["releases"]}
    sources = [record.data for cite in flip.cites if (record := catalog.follow(cite["id"]))]
    read = [data["published"] for data in sources if "published" in data and str(data.get("pin", "")).removeprefix("v") == flip.since]
    return dates.get(flip.since) or next(iter(read), None) or flip.around or ""


def tells_of(gotcha: Record, flip: Flip) -> bool:
    """Whether a gotcha tells of a flip of its engine's setting."""
    default = gotcha.data["default"]
    return (default["fact"], default.get("since"), default["was"], default["is"]) == (flip.fact, flip.since, flip.was, flip.now)


def of_gotcha(engine: Record, gotcha: Record) -> Flip | None:
    """The flip that a gotcha tells of by itself; None where the engine's record has no such setting."""
    default, setting = gotcha.data["default"], (engine.data.get("settings") or {}).get(gotcha.data["default"]["fact"])
    if setting is None:
        return None
    told = (default["was"], default["is"], default.get("since"))
    return Flip(engine, default["fact"], setting, *told, None, None, (), tuple(default["cites"]), (gotcha,), default.get("around"))


def of_settings(catalog: Catalog, engine: Record) -> Iterator[Flip]:
    """The flips that an engine's record tells by the conditions of its settings' defaults."""
    name = f"{engine.id}.version"
    for fact, setting in (engine.data.get("settings") or {}).items():
        told = [(*split(entry.get("when"), name), entry["value"]) for entry in setting.get("defaults", ())]
        if not any(versions for versions, _, _ in told):
            continue
        pins = [pin for _, pin in _pins(catalog, setting)]
        order = _ordered(engine, [*pins, *(end for versions, _, _ in told for end in _ends(versions, name))])
        entries = [([parse(part)[0] for part in versions], rest, value) for versions, rest, value in told]
        general = list(_changes(entries, order, name, None))
        for last, since, was, now in general:
            others = [rest for rest in _rests(entries) if _value(entries, since, name, rest) != now or _value(entries, last, name, rest) != was]
            yield Flip(engine, fact, setting, was, now, since, last, None, tuple(others), _nearest(catalog, engine, setting, last, since))
        for rest in _rests(entries):
            for change in _changes(entries, order, name, rest):
                if change not in general:
                    last, since, was, now = change
                    yield Flip(engine, fact, setting, was, now, since, last, rest, (), _nearest(catalog, engine, setting, last, since))


def split(tree: dict[str, Any] | None, name: str) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """What a condition asks of the engine's version, and the rest of it."""
    parts = [] if tree is None else tree.get("all", [tree])
    versions, rest = [part for part in parts if name in part], [part for part in parts if name not in part]
    return versions, rest[0] if len(rest) == 1 else {"all": rest} if rest else None


def _rests(entries: list[tuple]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for _, rest, _ in entries:
        if rest is not None and rest not in found:
            found.append(rest)
    return found


def _ends(versions: list[dict[str, Any]], name: str) -> Iterator[str]:
    """The versions that a condition names."""
    for part in versions:
        test = part[name]
        yield from test.values() if isinstance(test, dict) else test if isinstance(test, list) else [test]


def _ordered(engine: Record, named: list[str]) -> list[str]:
    """The engine's releases and further versions, the oldest first; without those that have no order."""
    scheme, dates = engine.data["scheme"], {entry["version"]: entry["date"] for entry in engine.data["releases"]}
    versions = [parse_version(scheme, text, dates.get(text)) for text in dict.fromkeys([*dates, *named])]
    read = [version for version in versions if isinstance(version, Ordered)]
    places = {"less": -1, "equal": 0, "greater": 1, None: 0}
    return [version.text for version in sorted(read, key=cmp_to_key(lambda one, other: places[compare(one, other)]))]


def _value(entries: list[tuple], version: str, name: str, rest: dict[str, Any] | None) -> Any:
    """The default, MISSING where no entry tells it, at a version on a stack of which the rest of a condition holds, and those of the others do not."""
    known = KnownFacts({name: version})
    for versions, other, value in entries:
        if other in (None, rest) and all(evaluate(part, known).yes for part in versions):
            return value
    return MISSING


def _changes(entries: list[tuple], order: list[str], name: str, rest: dict[str, Any] | None) -> Iterator[tuple[str, str, Any, Any]]:
    """Where the default becomes another: the last version with the old one, the first with the new one, and both."""
    last, was = "", MISSING
    for version in order:
        now = _value(entries, version, name, rest)
        if now is MISSING:
            continue
        if was is not MISSING and now != was:
            yield last, version, was, now
        last, was = version, now


def _nearest(catalog: Catalog, engine: Record, setting: dict[str, Any], last: str, since: str) -> tuple[dict[str, Any], ...]:
    """Of the setting's citations those at the newest release up to the last with the old default, and at the oldest from the first with the new one."""
    scheme, dates = engine.data["scheme"], {entry["version"]: entry["date"] for entry in engine.data["releases"]}
    pinned = [(cite, version) for cite, pin in _pins(catalog, setting) if (version := parse_version(scheme, pin))]
    ends = [parse_version(scheme, text, dates.get(text)) for text in (last, since)]
    before = [(cite, version) for cite, version in pinned if ends[0] and compare(version, ends[0]) in ("less", "equal")]
    after = [(cite, version) for cite, version in pinned if ends[1] and compare(version, ends[1]) in ("greater", "equal")]
    near = [*_furthest(before, "greater"), *_furthest(after, "less")]
    return tuple(near) or tuple(setting["cites"])


def _pins(catalog: Catalog, setting: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """A setting's citations with the version that each is pinned at."""
    found = [(cite, catalog.follow(cite["id"])) for cite in setting["cites"]]
    return [(cite, str(record.data["pin"]).removeprefix("v")) for cite, record in found if record and "pin" in record.data]


def _furthest(pinned: list[tuple], order: str) -> list[dict[str, Any]]:
    """The citations at the one version that stands so to all others of a list."""
    top = [version for _, version in pinned if all(compare(version, other) in (order, "equal") for _, other in pinned)]
    return [cite for cite, version in pinned if top and compare(version, top[0]) == "equal"]


def models_of(tree: dict[str, Any] | None, models: list[tuple[Record, Any]]) -> list[Record] | None:
    """The models of which a condition can be true, nothing else being known; None where it asks nothing of a model."""
    parsed = parse(tree)[0] if tree else None
    if parsed is None or not any(isinstance(leaf, Requires | HasLayer | OfItems) or _of_model(leaf) for leaf in leaves(parsed)):
        return None
    return [model for model, derived in models if not evaluate(parsed, Stack(model, derived, {})).no]


def _of_model(leaf: Any) -> bool:
    return any(fact.startswith("model.") for fact in leaf.facts)
