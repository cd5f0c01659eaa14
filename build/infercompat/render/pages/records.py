"""What the pages of the other kinds show: engines, gotchas, requirements, hardware and measurements."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from infercompat.derive import Unknown
from infercompat.join import Matrix, Source
from infercompat.join.paths import parts
from infercompat.link import Catalog
from infercompat.measure import computed
from infercompat.records import Record
from infercompat.render import compatibility, machines
from infercompat.render.attending import PATTERNS, drawing
from infercompat.render.pages.defaults import shown
from infercompat.render.strip import layer_strip
from infercompat.versions import newest_backends, versions_of


def of_engine(matrix: Matrix, engine: Record) -> dict:
    catalog = matrix.products.catalog
    offers: dict[str, list] = defaultdict(list)
    for snapshot in matrix.ledger.snapshots(engine.id):
        for claim in snapshot.data["claims"]:
            if "requirement" in claim["about"]:
                offers[claim["about"]["requirement"]].append((snapshot, claim, matrix.ledger.source(snapshot, claim)))
    offers = {id: _together(_once(_newest(engine, offers[id]))) for id in sorted(offers)}
    gotchas = [gotcha for gotcha in catalog.of_kind("gotcha") if _touches(gotcha, engine.id)]
    severities = list(catalog.words("severity"))
    return {
        "cells": list(matrix.of_engine(engine)),
        "snapshots": matrix.ledger.snapshots(engine.id),
        "parts": parts(catalog, engine),
        "offers": offers,
        "components": _by_component(catalog, sorted(gotchas, key=lambda gotcha: (severities.index(gotcha.data["severity"]), gotcha.id)), engine),
        "history": matrix.histories.get(engine.id),
        "formats": _formats(matrix, engine),
        "backends": machines.backends_by_class(catalog, engine),
        "backend_table": newest_backends(engine.data),
        "backend_versions": versions_of(engine.data),
        "freshness": _freshness(matrix, engine),
    }


def _formats(matrix: Matrix, engine: Record) -> dict[str, list[tuple[Record, dict, Source, list[str]]]]:
    """What sources say of each weight format, the newest of them for one place, the widest place first; with the places that it says the same of."""
    order = [release["version"] for release in engine.data["releases"]]
    newest: dict[tuple, tuple[Record, dict, Source]] = {}
    for snapshot in sorted(matrix.ledger.snapshots(engine.id), key=lambda snapshot: order.index(snapshot.data["version"])):
        for claim in snapshot.data["claims"]:
            if "quantization" in claim["about"]:
                newest.setdefault(tuple(sorted(claim["about"].items())), (snapshot, claim, matrix.ledger.source(snapshot, claim)))
    found: dict[str, list] = {word: [] for word in matrix.products.catalog.words("weight-format")}
    alike: dict[tuple, list[str]] = {}
    for snapshot, claim, source in sorted(newest.values(), key=lambda said: len(said[1]["about"])):
        about = claim["about"]
        word, named = about["quantization"], about.get("architecture") or about.get("model_type") or ""
        same = (word, named, claim["holds"], claim.get("lacks"), claim.get("note"), source.id)
        if same not in alike:
            alike[same] = []
            found[word].append((snapshot, claim, source, alike[same]))
        alike[same].append(about.get("platform", "anywhere"))
    return {word: said for word, said in found.items() if said}


def _by_component(catalog: Catalog, gotchas: list[Record], engine: Record) -> dict[str, list[Record]]:
    """Gotchas by the components that take part beside the engine itself, the engine's own first, then the commonest."""
    grouped: dict[str, list[Record]] = {engine.name: []}
    for gotcha in gotchas:
        entries = [entry for entries in gotcha.data["affects"].values() for entry in entries]
        others = dict.fromkeys(name for entry in entries if (name := entry.get("engine") or entry.get("component")) != engine.id)
        names = " with ".join(found.name if (found := catalog.follow(name)) else name for name in others)
        grouped.setdefault(names or engine.name, []).append(gotcha)
    own, *rest = grouped.items()
    return dict([own, *sorted(rest, key=lambda pair: (-len(pair[1]), pair[0]))])


def _freshness(matrix: Matrix, engine: Record) -> dict[str, str | int]:
    """How old what we know of an engine is: the newest source, the newest release read whole, and cells that went stale."""
    snapshots, cells = matrix.ledger.snapshots(engine.id), list(matrix.of_engine(engine))
    whole = [snapshot.data["version"] for snapshot in snapshots if snapshot.data.get("complete")]
    order = [release["version"] for release in engine.data["releases"]]
    upstream = engine.data.get("upstream", {"version": order[0], "seen": ""})
    return {
        "read_on": max((snapshot.data["read_on"] for snapshot in snapshots), default=""),
        "whole": next((version for version in order if version in whole), ""),
        "behind": next((place for place, version in enumerate(order) if version in whole), len(order)),
        "stale": sum(bool(cell.grade) and cell.grade.word == "stale" for cell in cells),
        "upstream": "" if upstream["version"] == order[0] else upstream["version"],
        "asked": upstream["seen"],
        "unknown": sum(cell.verdict == "unknown" for cell in cells),
        "cells": len(cells),
    }


def _newest(engine: Record, offers: list[tuple]) -> list[tuple]:
    """Of each subject the claims of the newest version that speaks of it; those of older ones stand on the pages of their snapshots."""
    places = {entry["version"]: place for place, entry in enumerate(engine.data["releases"])}
    read = [(repr(sorted(claim["about"].items())), places.get(snapshot.data["version"], len(places))) for snapshot, claim, _ in offers]
    newest: dict[str, int] = {}
    for subject, place in read:
        newest[subject] = min(place, newest.get(subject, place))
    return [offer for offer, (subject, place) in zip(offers, read, strict=True) if place == newest[subject]]


def _once(offers: list[tuple]) -> list[tuple]:
    """Claims that read alike are shown once: those that differ in a condition alone stand whole on the snapshot's page."""
    shown = ("architecture", "model_type", "backend")
    found: dict[tuple, tuple] = {}
    for snapshot, claim, source in offers:
        said = (claim["holds"], claim.get("lacks"), claim.get("note"), claim.get("consequence"))
        found.setdefault((*(claim["about"].get(name) for name in shown), *said, source.id, source.at), (snapshot, claim, source))
    return list(found.values())


class Offer(Struct, frozen=True):
    """Claims of one source that say the same of several architectures: the first of them, what all are about, and where in the source each stands."""

    snapshot: Record
    claim: dict
    source: Source
    subjects: list[str]
    places: list[str]


def _together(offers: list[tuple]) -> list[Offer]:
    """One row for claims of one source that differ in what they are about alone, in the order of their first."""
    found: dict[tuple, Offer] = {}
    for snapshot, claim, source in offers:
        said = (claim["holds"], claim.get("lacks"), claim.get("note"), claim.get("consequence"), source.id)
        offer = found.setdefault(said, Offer(snapshot, claim, source, [], []))
        about = claim["about"]
        offer.subjects.append(", ".join((about.get("architecture") or about.get("model_type") or "any model", *filter(None, [about.get("backend")]))))
        if source.at and source.at not in offer.places and source.at != offer.source.at:
            offer.places.append(source.at)
    return list(found.values())


def _touches(gotcha: Record, engine: str) -> bool:
    components = [entry for entries in gotcha.data["affects"].values() for entry in entries]
    return gotcha.data["engine"] == engine or any(engine in (entry.get("engine"), entry.get("component")) for entry in components)


def of_gotcha(matrix: Matrix, gotcha: Record) -> dict:
    return {
        "touched": matrix.touched.get(gotcha.id, []),
        "conditions": compatibility.condition_text(gotcha),
        "rows": compatibility.condition_rows(gotcha),
        "clean": compatibility.condition_text(gotcha, "clean_when"),
        "where": compatibility.hardware_text(gotcha.data["hardware"]),
        "timeline": timeline(matrix, gotcha),
        "flipped": [shown(gotcha.data["default"][name]) for name in ("was", "is")] if "default" in gotcha.data else [],
    }


SHOWN_BY_LAYERS = {*PATTERNS, "kv-sharing", "head-dim-over-256"}
"""Requirements that a model's layers show."""


class Event(Struct, frozen=True):
    """Something that happened to a gotcha on a day that a source tells."""

    date: str
    what: str
    cites: tuple[dict, ...] = ()


def timeline(matrix: Matrix, gotcha: Record) -> list[Event]:
    """When it came in, was reported, was mended and was last read, by day; what no source dates is left out."""
    found = [Event(entry["date"], f"Evidence: {entry['strength']}", (entry,)) for entry in gotcha.data["evidence"] if entry.get("date")]
    for entry in (entry for entries in gotcha.data["affects"].values() for entry in entries):
        name = entry.get("engine") or entry.get("component")
        engine = matrix.products.catalog.resolve(name)
        dates = {release["version"]: release["date"] for release in engine.data.get("releases", ())} if engine and engine.kind == "engine" else {}
        introduced, fixed = entry.get("introduced") or {}, entry.get("fixed") or {}
        if introduced.get("version") in dates:
            found.append(Event(dates[introduced["version"]], f"Came in with {name} {introduced['version']}", tuple(introduced.get("cites", ()))))
        if fixed.get("merged"):
            found.append(Event(fixed["merged"], f"Mended in the code of {name}", tuple(fixed.get("cites", ()))))
        if fixed.get("first_release") in dates:
            found.append(Event(dates[fixed["first_release"]], f"First release of {name} without it: {fixed['first_release']}", tuple(fixed.get("cites", ()))))
    found.append(Event(gotcha.data["read_on"], f"Thread last read: {gotcha.data['status']}"))
    return sorted(found, key=lambda event: event.date)


def of_requirement(matrix: Matrix, requirement: Record) -> dict:
    models = [
        (model, matrix.products.derived[model.id].requirements[requirement.id])
        for models in matrix.families.values()
        for model in models
        if not isinstance(matrix.products.derived[model.id], Unknown) and requirement.id in matrix.products.derived[model.id].requirements
    ]
    offers = []
    for engine in matrix.products.catalog.of_kind("engine"):
        for snapshot in matrix.ledger.snapshots(engine.id):
            claims = [claim for claim in snapshot.data["claims"] if claim["about"].get("requirement") == requirement.id]
            offers += [(engine, *offer) for offer in _once([(snapshot, claim, matrix.ledger.source(snapshot, claim)) for claim in claims])]
    example = next((matrix.products.derived[model.id] for model, _ in models), None) if requirement.id in SHOWN_BY_LAYERS else None
    return {
        "models": models,
        "offers": offers,
        "drawing": drawing(requirement.id, requirement.name),
        "example": models[0][0] if example else None,
        "strip": layer_strip(example.layers) if example else None,
    }


def of_hardware(matrix: Matrix, hardware: Record) -> dict:
    catalog, hardware_class = matrix.products.catalog, hardware.data["class"]
    return {
        "engines": machines.runs_here(catalog, hardware_class),
        "without_code": machines.without_code(catalog, hardware_class),
        "seen": machines.gotchas_here(catalog, hardware),
        "clean": machines.clean_here(catalog, hardware),
        "missed": machines.only_on_relatives(catalog, hardware_class),
        "near": machines.near_misses(catalog, hardware),
    }


def of_measurement(matrix: Matrix, measurement: Record) -> dict:
    return {"computed": computed(matrix.products, measurement)}
