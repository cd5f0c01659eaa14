"""From the words of a command line to questions."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infercompat.answer.cache import Unreadable, find_model, of_file
from infercompat.answer.question import Question, Refused, engine_named, hardware_of, read_setting, release_of
from infercompat.derive import Derived, Unknown
from infercompat.pipeline import Products
from infercompat.records import Document, Record


def questions(products: Products, model: str | None, engine: str | None, options: Mapping[str, Any]) -> list[Question]:
    """One question, or one for each model or engine that was left out. Raises Refused with what to change."""
    catalog = products.catalog
    given = dict(read_setting(text) for text in options["settings"])
    required = dict(read_setting(text) for text in options["required"])
    given |= required
    for option, fact in (("tp", "tensor_parallel"), ("length", "max_model_len"), ("cache_dtype", "cache.dtype")):
        if options[option] is not None:
            given[fact] = options[option]
    hardware = hardware_of(catalog, options["hardware"]) if options["hardware"] else None
    models = _models(products, model, options["from_config"])
    engines = [engine_named(catalog, engine)] if engine else [(e, None) for e in catalog.of_kind("engine") if e.data["role"] != "kernel-library"]
    return [
        Question(record, derived, found, release_of(found, version), hardware, options["gpus"], given, frozenset(required))
        for record, derived in models
        for found, version in engines
    ]


def _models(products: Products, wanted: str | None, config: Path | None) -> list[tuple[Record, Derived | Unknown]]:
    if config is not None:
        return [_from_config(config, wanted)]
    if wanted is None:
        return [(model, products.derived[model.id]) for model in products.catalog.of_kind("model")]
    found = find_model(products.catalog, wanted)
    if found is None:
        hubs = [checkpoint["hub"] for model in products.catalog.of_kind("model") for checkpoint in model.data["checkpoints"]]
        known = [*(model.id for model in products.catalog.of_kind("model")), *hubs]
        close = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
        raise Refused(f"there is no model {wanted}" + (f"; nearest: {', '.join(close)}" if close else "; give its config.json with --from-config"))
    return [(found, products.derived[found.id])]


def _from_config(path: Path, name: str | None) -> tuple[Record, Derived | Unknown]:
    """A model that is in no catalog, made of its config alone: a fine-tune or an unknown checkpoint."""
    try:
        subject = of_file(path, name)
    except Unreadable as error:
        raise Refused(str(error)) from None
    data = {
        "name": subject.name,
        "family": "",
        "architecture": subject.architecture or "",
        "checkpoints": [],
        "config": {"basis": "official", "cites": [], "values": {"model_type": getattr(subject.derived, "name", "")}},
    }
    return Record(path.stem, "model", data, Document(str(path), data, {}, {}, {}, ())), subject.derived
