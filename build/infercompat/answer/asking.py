"""From the words of a command line to questions."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from infercompat.answer.cache import Subject, Unreadable, find_model, of_file
from infercompat.answer.facts import own_word, platform_of
from infercompat.answer.question import (
    NotInCatalog,
    Question,
    Refused,
    check_settings,
    engine_named,
    hardware_of,
    ranks_of,
    read_setting,
    release_of,
    told_of,
    with_changes,
)
from infercompat.answer.spoken import check_words
from infercompat.condition import in_words
from infercompat.derive import Derived, Unknown
from infercompat.link import Catalog
from infercompat.products import Products
from infercompat.records import Document, Record
from infercompat.units import ELEMENT_BYTES

NAMED = {"tp": "tensor_parallel", "length": "max_model_len", "cache_dtype": "cache.dtype"}
"""Options that are short for a fact."""
CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*(?:For[A-Z][A-Za-z0-9_]*|Model)")
SLIP = {True: 0.9, False: 0.7}
"""How close a name must come to a known one to be a slip of it: hub ids (with a slash) of other models are close to each other."""


def questions(products: Products, model: str | None, engine: str | None, options: Mapping[str, Any]) -> list[Question]:
    """One question, or one for each model or engine that was left out. Raises Refused with what to change."""
    catalog = products.catalog
    if model and _is_engine(catalog, model) and not (engine and _is_engine(catalog, engine)):
        model, engine = engine, model
    given, required = _given(catalog, options)
    pinned, changes = given.pop("version", None), given.pop("engine.has_pr", None)
    if changes and not engine:
        raise Refused("engine.has_pr is said of one engine, and none is named; write the engine's id, such as vllm.has_pr")
    hardware = hardware_of(catalog, options["hardware"]) if options["hardware"] else None
    _check_hardware(hardware, given)
    engines = [engine_named(catalog, engine)] if engine else [(e, None) for e in catalog.of_kind("engine") if e.data["role"] != "kernel-library"]
    if engine:
        check_settings(engines[0][0], given)
    engines = [(found, _pinned(found, version, pinned, given)) for found, version in engines]
    if engine:
        given = with_changes(with_changes(given, {f"{engines[0][0].id}.has_pr": changes} if changes else {}), told_of(*engines[0]))
    counted = [(found, version, devices(options["gpus"], given, found)) for found, version in engines]
    models, chosen = _models(products, model, options["from_config"]), options["checkpoint"]
    asked = [
        Question(record, derived, found, release_of(found, version), hardware, gpus, given, required, chosen or hub_id(record, model) or file_of(record))
        for record, derived in models
        for found, version, gpus in counted
    ]
    if engine and asked:
        check_words(catalog, asked[0])
    return asked


def _pinned(engine: Record, version: str | None, *more: Any) -> str | None:
    """The version of the engine, wherever it was named: after @, as `version` or as the engine's own `.version`. Two that differ are refused."""
    words, given = more
    named = dict.fromkeys(word for word in (version, words, given.get(f"{engine.id}.version")) if word)
    if len(named) > 1:
        raise Refused(f"the version of {engine.id} is given as both {' and '.join(named)}")
    return next(iter(named), None)


def hub_id(model: Record, wanted: str | None) -> str | None:
    """The checkpoint that the model was asked for by, with or without its publisher; None where another name was given."""
    wanted = (wanted or "").lower()
    hubs = [checkpoint["hub"] for checkpoint in model.data["checkpoints"]]
    return next((hub for hub in hubs if wanted in (hub.lower(), hub.lower().rpartition("/")[2])), None) if wanted != model.id else None


def file_of(model: Record) -> str | None:
    """The GGUF file that a model is made of, which then is the checkpoint in question; None for every other model."""
    return next((checkpoint["hub"] for checkpoint in model.data["checkpoints"] if "laid_out" in checkpoint), None)


def _is_engine(catalog: Catalog, wanted: str) -> bool:
    """Whether the one name that was given is an engine's, so that it was the model that was left out."""
    found = catalog.follow(wanted.partition("@")[0])
    return found is not None and found.kind == "engine"


def _given(catalog: Catalog, options: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """The facts that were named, and those among them that have to stay. A fact with two values is refused."""
    required = [read_setting(text, catalog) for text in options["required"]]
    said = [read_setting(text, catalog) for text in options["settings"]] + required
    said += [(fact, options[option]) for option, fact in NAMED.items() if options[option] is not None]
    given: dict[str, Any] = {}
    for fact, value in said:
        if fact.endswith(".has_pr"):
            given = with_changes(given, {fact: value})
            continue
        if given.setdefault(fact, value) != value:
            raise Refused(f"{fact} is given as both {in_words(given[fact])} and {in_words(value)}")
        if fact in ("cache.dtype", "cache.k.dtype", "cache.v.dtype"):
            _check_dtype(catalog, fact, value)
    return given, frozenset(fact for fact, _ in required)


def _check_hardware(hardware: Record | None, given: Mapping[str, Any]) -> None:
    """Refuses a class or platform that is not that of the hardware, or of each other."""
    hardware_class = given.get("hardware.class") if hardware is None else hardware.data["class"]
    own = {"hardware.id": hardware.id, "hardware.class": hardware_class} if hardware else {}
    own |= {"platform": platform_of(hardware_class)} if hardware_class else {}
    for fact, value in own.items():
        if given.get(fact, value) != value:
            raise Refused(f"{fact} is given as {given[fact]}, and that of {hardware.id if hardware else hardware_class} is {value}")


def devices(count: int, given: Mapping[str, Any], engine: Record | None = None) -> int:
    """The devices: as many as were counted, or as the ranks that were named take where nobody counted. Fewer are refused."""
    ranks = ranks_of(given, engine)
    experts = given.get("expert_parallel", 1)
    needed = max(math.prod(ranks.values()), experts)  # the ranks that share experts are ranks of the others, too
    if 1 < count < needed:
        named = " and ".join(f"{fact} {number}" for fact, number in (ranks | {"expert_parallel": experts}).items() if number > 1)
        raise Refused(f"{named} take {needed} devices, not {count}; ask with --gpus {needed} or more, or name fewer ranks")
    return max(count, needed)


def _check_dtype(catalog: Catalog, fact: str, value: str) -> None:
    """Refuses an element type that neither the units nor any engine has a word for."""
    known = {*ELEMENT_BYTES, *(word for engine in catalog.of_kind("engine") for word in dtype_words(engine))}
    if own_word(value) not in known and value not in known:
        close = difflib.get_close_matches(value, known, n=3)
        raise Refused(f"{fact} is never {value}" + (f"; nearest: {', '.join(close)}" if close else f"; known: {', '.join(sorted(known))}"))


def dtype_words(engine: Record) -> Iterator[str]:
    """The words that an engine takes for the element type of a cache."""
    settings = engine.data.get("settings") or {}
    for fact in ("cache.dtype", "cache.k.dtype", "cache.v.dtype"):
        yield from map(str, settings.get(fact, {}).get("values", ()))
    for backend in engine.data.get("attention_backends") or ():
        yield from backend.get("cache_dtypes", ())


def _models(products: Products, wanted: str | None, config: Path | None) -> list[tuple[Record, Derived | Unknown]]:
    if config is not None:
        return [_from_config(config, wanted)]
    if wanted is None:
        return [(model, products.derived[model.id]) for model in products.catalog.of_kind("model")]
    found = model_named(products.catalog, wanted)
    return [(found, products.derived[found.id])]


def model_named(catalog: Catalog, wanted: str) -> Record:
    """The model of an id, an alias or a hub id. Raises Refused for a slip of a known one, and NotInCatalog for a name of its own."""
    found = find_model(catalog, wanted)
    if found is not None:
        return found
    if (other := catalog.follow(wanted)) is not None:
        raise Refused(f"{wanted} is no model: it names a record of the kind {other.kind}")
    hubs = {checkpoint["hub"].lower(): checkpoint["hub"] for model in catalog.of_kind("model") for checkpoint in model.data["checkpoints"]}
    known = {**{model.id: model.id for model in catalog.of_kind("model")}, **hubs}
    close = [known[match] for match in difflib.get_close_matches(wanted.lower(), known, n=3, cutoff=0.5)]
    nearest = f"; nearest: {', '.join(close)}" if close else ""
    if difflib.get_close_matches(wanted.lower(), known, n=1, cutoff=SLIP["/" in wanted]):
        raise Refused(f"there is no model {wanted}{nearest}")
    raise NotInCatalog(f"{wanted} is not in the catalog{nearest}; --from-config asks with its config.json")


def _from_config(path: Path, name: str | None) -> tuple[Record, Derived | Unknown]:
    """A model that is in no catalog, made of its config alone: a fine-tune or an unknown checkpoint.

    `name` is what to call it; where the config does not say its class, the name may.
    """
    try:
        subject = of_file(path, name if name and CLASS.fullmatch(name) else None)
    except Unreadable as error:
        raise Refused(str(error)) from None
    return unlisted_model(subject, name or path.stem, name or subject.name), subject.derived


def unlisted_model(subject: Subject, id: str, name: str) -> Record:
    """A model that is known by its config alone, in the shape of a record; a GGUF file is its one checkpoint, with its weights `laid_out`."""
    data = {
        "name": name,
        "family": "",
        "architecture": subject.architecture or "",
        "checkpoints": [] if subject.file is None else [{"hub": subject.name, "format": "gguf", "laid_out": subject.file}],
        "config": {"basis": "official", "cites": [], "values": dict(subject.values)},
    }
    return Record(id, "model", data, Document(subject.name, data, {}, {}, {}, ()))
