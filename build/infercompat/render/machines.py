"""What runs on a class of hardware, and near misses: what is on record of its relatives alone, and holds here only by luck."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from infercompat.answer.facts import platform_of
from infercompat.join import on_class
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import newest_backends

MAKERS = {"sm": "NVIDIA", "gfx": "AMD"}
"""Makers with several classes, by how their classes begin."""


def backends(engine: Record, hardware_class: str) -> list[Mapping[str, Any]]:
    """The attention backends of an engine that the newest release of which they were read has for a class."""
    words = {hardware_class, platform_of(hardware_class)}
    return [backend for backend in newest_backends(engine.data) if words & set(backend["classes"])]


def backends_by_class(catalog: Catalog, engine: Record) -> dict[tuple[str, ...], list[str]]:
    """The names of an engine's backends with the classes that have just these, in the vocabulary's order; classes without any are left out."""
    found: dict[tuple[str, ...], list[str]] = {}
    for word in catalog.words("hardware-class"):
        names = tuple(backend["name"] for backend in backends(engine, word))
        if names:
            found.setdefault(names, []).append(word)
    return found


def relatives(catalog: Catalog, hardware_class: str) -> list[str]:
    """Classes of the same maker that are easily taken for this one: its neighbours in the vocabulary, and those of the same generation by name."""
    maker = re.match("[a-z]+", hardware_class)[0]
    meanings = catalog.words("hardware-class")
    family = [word for word in meanings if maker in MAKERS and re.match(f"{maker}[0-9]", word)]
    if hardware_class not in family:
        return []
    place = family.index(hardware_class)
    beside = set(family[max(place - 1, 0) : place + 2])
    return [word for word in family if word != hardware_class and (word in beside or _generation(meanings[word]) == _generation(meanings[hardware_class]))]


def _generation(meaning: str) -> str:
    """Blackwell, of NVIDIA Blackwell, B200 and GB200."""
    return re.split(r"[ ,.]+", meaning)[1]


def runs_here(catalog: Catalog, hardware_class: str) -> list[tuple[Record, list[str]]]:
    """Engines whose builds have code for a class, or whose documents name its platform; with their attention backends for it that are on record."""
    platform = platform_of(hardware_class)
    engines = [engine for engine in catalog.of_kind("engine") if engine.data["role"] != "kernel-library"]
    refused = {engine.id for engine, _ in without_code(catalog, hardware_class)}
    serving = (engine for engine in engines if platform in engine.data.get("platforms", ()) and engine.id not in refused)
    return [(engine, [backend["name"] for backend in backends(engine, hardware_class)]) for engine in serving]


def without_code(catalog: Catalog, hardware_class: str) -> list[tuple[Record, Mapping[str, Any]]]:
    """Engines whose newest build for the platform of a class has no code for the class, with that build."""
    platform, found = platform_of(hardware_class), []
    for engine in catalog.of_kind("engine"):
        newest = next((build for build in engine.data.get("builds", ()) if build["platform"] == platform and "until" not in build), None)
        if newest is not None and hardware_class not in newest["classes"] and engine.data["role"] != "kernel-library":
            found.append((engine, newest))
    return found


def only_on_relatives(catalog: Catalog, hardware_class: str) -> list[tuple[Record, dict[str, list[str]]]]:
    """Engine by engine, backends that some relative has and this class has not, with the relatives that have each."""
    near = relatives(catalog, hardware_class)
    found = []
    for engine in catalog.of_kind("engine"):
        here = {backend["name"] for backend in backends(engine, hardware_class)}
        missed: dict[str, list[str]] = {}
        for other in near:
            for backend in backends(engine, other):
                if backend["name"] not in here:
                    missed.setdefault(backend["name"], []).append(other)
        if missed:
            found.append((engine, missed))
    return found


def gotchas_here(catalog: Catalog, product: Record) -> list[Record]:
    """Gotchas that were seen on a product or its class, or are bound to such classes, the most severe first."""
    return _by_severity(catalog, [gotcha for gotcha in catalog.of_kind("gotcha") if _appears(gotcha, product)])


def clean_here(catalog: Catalog, product: Record) -> list[Record]:
    """Gotchas that were looked for on a product or its class, and did not appear."""
    words = {product.id, product.data["class"]}
    return _by_severity(catalog, [gotcha for gotcha in catalog.of_kind("gotcha") if words & set(gotcha.data["hardware"].get("clean_on", ()))])


def near_misses(catalog: Catalog, product: Record) -> dict[str, list[Record]]:
    """Relative by relative, gotchas that appear there and of which nothing is known here."""
    here = product.data["class"]
    bound = (gotcha for gotcha in catalog.of_kind("gotcha") if gotcha.data["hardware"]["scope"] != "any")
    open_here = [gotcha for gotcha in bound if not _appears(gotcha, product) and not on_class(gotcha.data["hardware"], here).no]
    clean = {gotcha.id for gotcha in clean_here(catalog, product)}
    found = {
        other: _by_severity(catalog, [gotcha for gotcha in open_here if gotcha.id not in clean and on_class(gotcha.data["hardware"], other).yes])
        for other in relatives(catalog, here)
    }
    return {other: gotchas for other, gotchas in found.items() if gotchas}


def touched_classes(catalog: Catalog, gotcha: Record) -> list[str]:
    """Classes on which a gotcha appears or may appear; `*` where it is bound to none."""
    hardware = gotcha.data["hardware"]
    if hardware["scope"] == "any":
        return ["*"]
    products = {product.id: product.data["class"] for product in catalog.of_kind("hardware")}
    seen = [products.get(word, word) for word in hardware.get("seen_on", ())]
    return [word for word in catalog.words("hardware-class") if not on_class(hardware | {"seen_on": seen}, word).no]


def _appears(gotcha: Record, product: Record) -> bool:
    hardware = gotcha.data["hardware"]
    named = {product.id, product.data["class"]} & set(hardware.get("seen_on", ()))
    return bool(named) or (hardware["scope"] != "any" and on_class(hardware, product.data["class"]).yes)


def _by_severity(catalog: Catalog, gotchas: list[Record]) -> list[Record]:
    severities = list(catalog.words("severity"))
    return sorted(gotchas, key=lambda gotcha: (severities.index(gotcha.data["severity"]), gotcha.id))
