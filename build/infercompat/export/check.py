"""The data of the page that answers `check` in the browser: api/v1/check/…json, internal to that page and free to change.

Whatever does not depend on the question is worked out here, so that the script only joins. Four kinds of files:

`catalog.json`
  today, thresholds, weights (the vocabulary's `source-confidence`, `basis-confidence`, `confidence-penalty`), words (lists that facts are
  closed by, and the severities, in order), facts (the registry: type, kind, and where set unit, values, vocabulary, absent, part_of,
  up_to, several, told, least, most), cache_dtypes (words of any engine), components (what may be given a version), spoken (words of any
  record, by fact), requirements, features (name, fact), hardware and engines by id (of an engine: name, role, scheme, repository, aliases,
  part_of, dates by release), models by id (name, aliases, hubs), generous (the largest overhead in bytes that a log of any shows, or null).
`engines/<id>.json`
  id, data (the record's own fields that are asked for), defaults (facts where nobody sets anything), spoken_settings (those that its record has
  not and others speak of), parts (ids of its paths), needs (ids of the other engine files that a question reads), snapshots (id, version,
  read_on, title, complete, source, fallbacks, requirements: the claims on a requirement, on a weight format as `weights.<format>`, on a platform alone as
  `platform.<name>` or on a feature as `features.<id>`, that speak of any model), overheads (bytes, ascending).
`gotchas/<engine>.json`
  id, gotchas about it.
`claims/<engine>.json`
  what the engine's snapshots say of models by name, for a config that is dropped and is that of no model here: id, and by snapshot `exact`
  (claims by `architecture` or `model_type` and its name, which `about` does not repeat) and `requirements` (claims that name a model).
`models/<id>.json`
  id, data (name, architecture, checkpoints, what config and parameters were read from), names (what registries call it), facts (the
  `model.` facts; those that nobody knows are left out), derived (missing and reason where unknown; else name, requirements with reasons,
  context, weight_format, image_tokens, layer_kinds and, for each layer, its index in them), linears (of each n, k, name, part and cut as far
  as they are known; null where nothing is), memory (as check_memory.py has it), claims by
  engine and snapshot (`exact` by `about` key, and `requirements`), recipes by engine, measurements (id, name, data, and the day its
  sources were published, or null).

Everywhere: a `when` is a tree as `check_trees` writes it; a claim's words for its condition stand in `if`, its evidence is `source`, a pair of
citation id and place; `citations` has, for each id that a file cites, the record's id where that differs, and url, rank, type, pinned
and opened. In `facts` a list holds several values at once, a range is {low, high} with null for an open end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import asdict

from infercompat.answer.asking import dtype_words
from infercompat.answer.check import Assessor
from infercompat.answer.command import images_of
from infercompat.answer.question import components
from infercompat.answer.spoken import SPOKEN, known_settings, known_words
from infercompat.condition import FACTS, MISSING, Fact, Range
from infercompat.derive import Derived, Unknown
from infercompat.export.check_memory import memory_of_model
from infercompat.export.check_trees import tree
from infercompat.join import Ledger, Stack
from infercompat.join.claims import PLATFORM, WEIGHTS, condition_words, named_by
from infercompat.join.features import FEATURE, FEATURES
from infercompat.join.gates import gotchas_about, is_proven, reported
from infercompat.join.paths import parts
from infercompat.join.stack import defaults_of
from infercompat.link import Catalog
from infercompat.pipeline import Products
from infercompat.records import Record

TREES = ("when", "clean_when", "matters_when")
CLAIM_FIELDS = ("holds", "note", "lacks", "consequence", "loads_as", "last_version")
HARDWARE_FIELDS = ("name", "aliases", "class", "memory_bytes", "visible_bytes", "shared_memory_per_block_bytes", "cites")
REQUIREMENT_FIELDS = ("name", "consequence", "without_it", "optional", "part_of_architecture", "matters_when", "avoided_by")
GOTCHA_FIELDS = ("engine", "symptom", "severity", "affects", "hardware", "when", "clean_when", "workarounds", "status", "read_on")
WORD_LISTS = ("severity", "weight-format", "hardware-class", "platform", "task", "family")


def check_files(products: Products) -> Iterator[tuple[str, Any]]:
    """Every file as plain data, by its path below api/v1/."""
    assessor, catalog = Assessor(products), products.catalog
    yield "check/catalog.json", _with_citations(catalog_data(assessor), assessor.ledger)
    for engine in askable(catalog):
        yield f"check/engines/{engine.id}.json", _with_citations(engine_data(assessor, engine), assessor.ledger)
        yield f"check/gotchas/{engine.id}.json", _with_citations({"id": engine.id, "gotchas": gotchas_of(catalog, engine)}, assessor.ledger)
        yield f"check/claims/{engine.id}.json", _with_citations(named_claims(assessor.ledger, engine), assessor.ledger)
    for model in catalog.of_kind("model"):
        yield f"check/models/{model.id}.json", _with_citations(model_data(assessor, model), assessor.ledger)


def askable(catalog: Catalog) -> list[Record]:
    """The engines that a question may name."""
    return [engine for engine in catalog.of_kind("engine") if engine.data["role"] != "kernel-library"]


def catalog_data(assessor: Assessor) -> dict[str, Any]:
    """What every question needs."""
    catalog = assessor.products.catalog
    vocabulary = catalog.vocabulary
    return {
        "today": assessor.products.today,
        "thresholds": vocabulary["thresholds"],
        "weights": {name: vocabulary[name] for name in ("source-confidence", "basis-confidence", "confidence-penalty")},
        "words": {name: list(catalog.words(name)) for name in WORD_LISTS},
        "facts": {name: _fact(fact) for name, fact in FACTS.items()},
        "cache_dtypes": sorted({word for engine in catalog.of_kind("engine") for word in dtype_words(engine)}),
        "components": sorted(components(catalog)),
        "spoken": {fact: sorted(known_words(catalog, fact)) for fact in SPOKEN},
        "requirements": {record.id: _plain(_only(record.data, REQUIREMENT_FIELDS)) for record in catalog.of_kind("requirement")},
        "features": {id: {"name": feature.name, "fact": feature.fact} for id, feature in FEATURES.items()},
        "hardware": {record.id: _only(record.data, HARDWARE_FIELDS) for record in catalog.of_kind("hardware")},
        "engines": {record.id: _brief(record) for record in catalog.of_kind("engine")},
        "models": {record.id: _name_of_model(record) for record in catalog.of_kind("model")},
        "generous": assessor.generous,
    }


def engine_data(assessor: Assessor, engine: Record) -> dict[str, Any]:
    """What a question to one engine needs, whatever the model."""
    catalog, ledger = assessor.products.catalog, assessor.ledger
    return {
        "id": engine.id,
        "data": _plain(_asked_of(engine)),
        "defaults": defaults_of(engine),
        "spoken_settings": sorted(known_settings(catalog, engine) - (engine.data.get("settings") or {}).keys()),
        "parts": [part.id for part in parts(catalog, engine)],
        "needs": sorted(_needed(catalog, engine)),
        "snapshots": [_snapshot(ledger, snapshot) for snapshot in ledger.snapshots(engine.id)],
        "overheads": [one.bytes for one in assessor.overheads(engine.id)],
    }


def gotchas_of(catalog: Catalog, engine: Record) -> list[dict[str, Any]]:
    """The gotchas about an engine, whatever the model."""
    return [_gotcha(catalog, gotcha) for gotcha in gotchas_about(catalog, engine)]


def _asked_of(engine: Record) -> dict[str, Any]:
    """An engine's record without what only people read: notes, meanings, lines of logs, and the sources of releases."""
    data = {name: value for name, value in engine.data.items() if name != "notes"}
    unread = {
        "releases": ("cites",),
        "cache_policies": ("logs",),
        "builds": ("note",),
        "attention_backends": ("note", "query_dtypes"),
        "attention_selection": ("note",),
    }
    for name, fields in unread.items():
        if name in data:
            data[name] = [{field: value for field, value in entry.items() if field not in fields} for entry in data[name]]
    if "settings" in data:
        data["settings"] = {fact: {key: value for key, value in one.items() if key not in ("meaning", "touches")} for fact, one in data["settings"].items()}
    return data


def model_data(assessor: Assessor, model: Record) -> dict[str, Any]:
    """What a question about one model needs, whatever the engine."""
    catalog, ledger = assessor.products.catalog, assessor.ledger
    derived = assessor.products.derived[model.id]
    stack = Stack(model, derived)
    demanded = () if isinstance(derived, Unknown) else derived.requirements
    facts = {name: value for name in FACTS if name.startswith("model.") and (value := stack.get(name)) is not MISSING}
    claims = {engine.id: found for engine in askable(catalog) if (found := _claims(ledger, engine, stack.names, demanded))}
    return {
        "id": model.id,
        "data": _own_data(model),
        "names": stack.names,
        "facts": facts,
        "derived": _derived(derived),
        "claims": claims,
        "recipes": _recipes(catalog, model),
        "linears": _linears(stack),
        "memory": memory_of_model(model, catalog.words("weight-format")),
        "measurements": [_measurement(catalog, one) for one in catalog.of_kind("measurement") if _is_of(catalog, one, model)],
    }


def named_claims(ledger: Ledger, engine: Record) -> dict[str, Any]:
    """What an engine's snapshots say of models by a name that registries have for them, whether the catalog has such a model or not."""
    found: dict[str, Any] = {}
    for snapshot in ledger.snapshots(engine.id):
        exact: dict[str, dict[str, list]] = {}
        for key, name in ledger.names(snapshot):
            exact.setdefault(key, {})[name] = [_claim(ledger, snapshot, claim, named=True) for claim in ledger.exact(snapshot, key, name)]
        wanted: dict[str, list] = {}
        for offer in ledger.offers(snapshot):
            wanted |= {offer: named} if (named := [_claim(ledger, snapshot, claim) for _, claim in ledger.naming(snapshot, offer)]) else {}
        if exact or wanted:
            found[snapshot.id] = {"exact": exact, "requirements": wanted}
    return {"id": engine.id, "snapshots": found}


def _own_data(model: Record) -> dict[str, Any]:
    """The fields of a model's record that the script reads; the config itself has been."""
    inside = {name: _only(model.data[name], fields) for name, fields in (("config", ("basis", "cites")), ("parameters", ("cites",))) if name in model.data}
    checkpoints = [_only(checkpoint, ("hub", "format", "type", "kv_scales", "drafts")) for checkpoint in model.data["checkpoints"]]
    return _only(model.data, ("name", "architecture", "task")) | inside | {"checkpoints": checkpoints}


def _needed(catalog: Catalog, engine: Record) -> set[str]:
    """The other engines whose files a question to this one reads: its paths, and what those run models in."""
    found: set[str] = set()
    for path in (engine, *parts(catalog, engine)):
        runs = catalog.resolve(path.data["runs"]) if "runs" in path.data else None
        found |= {path.id} | ({runs.id} if runs else set())
    return found - {engine.id}


def _brief(engine: Record) -> dict[str, Any]:
    dates = {entry["version"]: entry["date"] for entry in engine.data["releases"]}
    return _only(engine.data, ("name", "role", "scheme", "repository", "aliases", "part_of")) | {"dates": dates}


def _name_of_model(model: Record) -> dict[str, Any]:
    return _only(model.data, ("name", "aliases")) | {"hubs": [checkpoint["hub"] for checkpoint in model.data["checkpoints"]]}


def _fact(fact: Fact) -> dict[str, Any]:
    found = {name: value for name, value in asdict(fact).items() if value not in ("", (), False, None, MISSING) and name not in ("name", "absent", "meaning")}
    return found if fact.absent is MISSING else found | {"absent": value_of(fact.absent)}


def value_of(value: Any) -> Any:
    """A fact's value as plain data: several at once as a list, a range with null for an open end."""
    if isinstance(value, Range):
        return {"low": value.low, "high": None if math.isinf(value.high) else value.high}
    return list(value) if isinstance(value, tuple) else value


def _snapshot(ledger: Ledger, snapshot: Record) -> dict[str, Any]:
    general = {
        offer: found
        for offer in ledger.offers(snapshot)
        if (found := [_claim(ledger, snapshot, claim) for claim in ledger.offer(snapshot, offer) if not named_by(claim["about"])])
    }
    fallbacks = [_claim(ledger, snapshot, claim) for claim in ledger.exact(snapshot, "architecture", "*")]
    found = {"id": snapshot.id, **_only(snapshot.data, ("version", "read_on", "title", "complete"))}
    return found | {"source": _source(ledger, snapshot, None), "fallbacks": fallbacks, "requirements": general}


def _claims(ledger: Ledger, engine: Record, names: Mapping[str, str], demanded: Collection[str]) -> dict[str, Any]:
    """The claims of an engine's snapshots that name this model, and what they say of the requirements that it has."""
    found: dict[str, Any] = {}
    for snapshot in ledger.snapshots(engine.id):
        exact = {key: [_claim(ledger, snapshot, claim) for claim in claims] for key in names if (claims := ledger.exact(snapshot, key, names[key]))}
        wanted: dict[str, list] = {}
        for offer in (*demanded, *(name for name in ledger.offers(snapshot) if name.startswith((WEIGHTS, PLATFORM, FEATURE)))):
            for named, claim in ledger.naming(snapshot, offer):
                if named.items() <= names.items():
                    wanted.setdefault(offer, []).append(_claim(ledger, snapshot, claim))
        if exact or wanted:
            found[snapshot.id] = {"exact": exact, "requirements": wanted}
    return found


def _claim(ledger: Ledger, snapshot: Record, claim: Mapping[str, Any], named: bool = False) -> dict[str, Any]:
    """A claim for the script; one that stands under its model's name (`named`) does not say whom it is about."""
    about = {name: value for name, value in claim["about"].items() if name not in ("requirement", "feature", "quantization")}
    found = {**({} if named else {"about": about}), **_only(claim, CLAIM_FIELDS), "source": _source(ledger, snapshot, claim)}
    return found if "when" not in claim else found | {"when": tree(claim["when"]), "if": condition_words(dict(claim))}


def _source(ledger: Ledger, snapshot: Record, claim: Mapping[str, Any] | None) -> list[str]:
    source = ledger.source(snapshot, claim)
    return [source.id, source.at]


def _gotcha(catalog: Catalog, gotcha: Record) -> dict[str, Any]:
    found = {"id": gotcha.id, "name": gotcha.name, **_plain(_only(gotcha.data, GOTCHA_FIELDS))}
    return found | {"reported": reported(gotcha), "proven": is_proven(catalog, gotcha)}


def _derived(derived: Derived | Unknown) -> dict[str, Any]:
    if isinstance(derived, Unknown):
        return {"missing": list(derived.missing), "reason": derived.reason}
    kinds = list(dict.fromkeys(derived.layers))
    properties = ("attends", "head_dim")
    plain = ("name", "requirements", "weight_format", "image_tokens", "most_image_tokens")
    return {
        **{name: getattr(derived, name) for name in plain},
        "context": asdict(derived.context),
        "layer_kinds": [asdict(kind) | {name: getattr(kind, name) for name in properties} for kind in kinds],
        "layers": [kinds.index(layer) for layer in derived.layers],
    }


def _linears(stack: Stack) -> list[dict[str, Any]] | None:
    found = stack.linears()
    return None if found is None else [{name: value for name, value in asdict(one).items() if value is not MISSING} for one in found]


def _recipes(catalog: Catalog, model: Record) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for recipe in catalog.of_kind("recipe"):
        if model.id in recipe.data["models"]:
            parts = {"flags": recipe.data["flags"], "images": images_of(recipe)}
            shaped = {name: [_part(one) for one in listed] for name, listed in parts.items()}
            found.setdefault(recipe.data["engine"], {"id": recipe.id, "version": recipe.data["version"], **shaped})
    return found


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    """A flag or an image of a recipe, with its condition parsed and in words."""
    return {**part, "when": tree(part["when"]), "if": condition_words(dict(part))} if "when" in part else dict(part)


def _is_of(catalog: Catalog, measurement: Record, model: Record) -> bool:
    found = catalog.follow(measurement.data["model"])
    return found is not None and found.id == model.id


def _measurement(catalog: Catalog, measurement: Record) -> dict[str, Any]:
    published = [found.data.get("published") for cite in measurement.data["cites"] if (found := catalog.follow(cite["id"]))]
    data = {name: value for name, value in measurement.data.items() if name != "notes"}
    return {"id": measurement.id, "name": measurement.name, "data": data, "published": next(filter(None, published), None)}


def _only(data: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: data[name] for name in names if name in data}


def _plain(data: Any) -> Any:
    """Data of a record with its conditions parsed."""
    if isinstance(data, dict):
        return {name: tree(value) if name in TREES else _plain(value) for name, value in data.items()}
    return [_plain(item) for item in data] if isinstance(data, list) else data


def _with_citations(body: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    """The data of a file as JSON has it, with what each citation in it is worth."""
    body = json.loads(json.dumps(body, default=value_of))
    return body | {"citations": {id: _citation(ledger, id) for id in sorted(set(_cited(body)))}}


def _cited(data: Any) -> Iterator[str]:
    """The ids of all citations in plain data: in `cites`, and first in `source`."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == "source" and isinstance(value, list):
                yield value[0]
            elif name == "cites":
                yield from (cite["id"] for cite in value)
            else:
                yield from _cited(value)
    elif isinstance(data, list):
        for item in data:
            yield from _cited(item)


def _citation(ledger: Ledger, id: str) -> dict[str, Any]:
    source = ledger.source_of(id)
    found = {"url": ledger.url(source), "rank": source.rank, "type": source.type, "pinned": source.pinned, "opened": source.opened}
    return found if source.id == id else found | {"id": source.id}
