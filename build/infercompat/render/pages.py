"""Lists every page of the site: one a record, an index a kind, and the pages written by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from infercompat.answer.diagnose import index
from infercompat.condition import FACTS
from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Hop, Matrix
from infercompat.join.conflicts import conflicts
from infercompat.join.paths import parts
from infercompat.places import TEMPLATES
from infercompat.records import FOLDER_OF_KIND, KINDS, Record
from infercompat.render import compatibility, explorer, predicted, state
from infercompat.render.address import address, source_page
from infercompat.render.curves import Series, cost_curves
from infercompat.render.page import Page
from infercompat.render.strip import layer_strip
from infercompat.rules import DECLARATIONS
from infercompat.shape import schemas

PAGED = ("model", "engine", "gotcha", "requirement", "hardware", "measurement")
WIDE = ("navigation", "toc")
"""What pages with wide tables do without, to leave the tables the room."""
INTRODUCTIONS = {
    "model": "One page a config, with its layers drawn, its cache worked out, and what each engine makes of it.",
    "engine": "Inference engines, and the kernel libraries that gate them.",
    "gotcha": "What bites: faults with the conditions under which they appear, and what to do.",
    "requirement": "What a model can demand of an engine, and what happens without it.",
    "hardware": "Kernel facts are keyed by compute capability; memory facts by product.",
    "measurement": "Figures that engines logged or people measured, each recomputed when this page is built, the worst first.",
}


def pages(matrix: Matrix) -> Iterator[Page]:
    """Every page of the site, in a fixed order."""
    yield Page("", "infercompat", "home.md.j2", {"blockers": compatibility.blockers(matrix)}, hide=WIDE)
    yield compatibility_page(matrix)
    for kind in PAGED:
        records = matrix.products.catalog.of_kind(kind)
        title = FOLDER_OF_KIND[kind].title()
        context = {"records": records, "introduction": INTRODUCTIONS[kind]} | (_predicted(matrix) if kind == "measurement" else {})
        yield Page(f"{FOLDER_OF_KIND[kind]}/", title, f"index/{kind}.md.j2", context, hide=WIDE)
        for record in records:
            yield Page(address(record), record.name, f"record/{kind}.md.j2", _CONTEXTS[kind](matrix, record) | {"record": record})
    for recipe in matrix.products.catalog.of_kind("recipe"):
        yield Page(address(recipe), recipe.name, "record/recipe.md.j2", {"record": recipe})
    for snapshot in matrix.products.catalog.of_kind("support"):
        engine = matrix.products.catalog.records[snapshot.data["engine"]]
        yield Page(address(snapshot), snapshot.name, "record/support.md.j2", {"record": snapshot, "engine": engine})
    yield state_page(matrix)
    yield errors_page(matrix)
    yield from _source_pages(matrix)
    yield from _reference_pages(matrix)


def compatibility_page(matrix: Matrix) -> Page:
    """The long form of docs/13, at the same address as its short form would have."""
    found = explorer.rows(matrix)
    context = compatibility_context(matrix) | {
        "rows": found,
        "machines": explorer.machines(matrix),
        "asked": explorer.asked,
        "first_source": explorer.first_source,
        "versioned": [engine for engine in matrix.engines if len(explorer.over_time(matrix, engine)) > 1],
    }
    return Page("13-model-compatibility/", "Model compatibility", "compatibility.md.j2", context, hide=WIDE)


def errors_page(matrix: Matrix) -> Page:
    """What known faults print: a place to paste an error, and the whole list."""
    found: dict[str, list] = defaultdict(list)
    for known in index.patterns(matrix.products.catalog):
        found[known.gotcha.id].append(known)
    return Page("errors/", "Errors", "errors.md.j2", {"patterns": found}, hide=WIDE)


def state_page(matrix: Matrix) -> Page:
    """What is known of the matrix, how old it is, and what to test next."""
    context = {
        **{"counts": state.counts(matrix), "unopened": state.unopened(matrix), "evidence": state.evidence(matrix), "gaps": state.gaps(matrix)},
        **{"whole": state.share("All cells", matrix.cells.values()), "by_engine": state.by_engine(matrix), "by_family": state.by_family(matrix)},
    }
    return Page("state/", "State of the catalog", "state.md.j2", context, hide=WIDE)


def compatibility_context(matrix: Matrix) -> dict:
    return {
        "overpay": compatibility.overpay_rows(matrix),
        "contexts": compatibility.CONTEXTS,
        "column": compatibility.feature_column(matrix, "tensorrt-llm", "sliding-window-attention"),
        "blockers": compatibility.blockers(matrix),
        "cell_sources": compatibility.cell_sources,
        "citer": compatibility.Citer(),
    }


def _model(matrix: Matrix, model: Record) -> dict:
    derived = matrix.products.derived[model.id]
    cells = list(matrix.of_model(model))
    context = {"derived": derived, "known": not isinstance(derived, Unknown), "cells": cells, "join": _serviceability(matrix, cells)}
    context["recipes"] = [recipe for recipe in matrix.products.catalog.of_kind("recipe") if model.id in recipe.data["models"]]
    gates: dict[str, dict] = {}
    for cell in cells:
        for gate in cell.gates:
            gates.setdefault(gate.gotcha.id, {"gate": gate, "engines": []})["engines"].append(cell.engine)
    severities = list(matrix.products.catalog.words("severity"))
    context["gates"] = sorted(gates.values(), key=lambda row: (severities.index(row["gate"].severity), row["gate"].gotcha.id))
    if not isinstance(derived, Unknown):
        reach = derived.context.native
        lengths = [tokens for tokens in compatibility.CONTEXTS if not reach or tokens <= reach] or [reach]
        context |= {
            "strip": layer_strip(derived.layers),
            "cache": [compatibility.cache_at(derived, tokens) for tokens in lengths],
            "reach": reach,
            "curves": cost_curves(_series(matrix, model, derived, lengths[-1]), lengths[-1]),
        }
    return context


def _series(matrix: Matrix, model: Record, derived: Derived, longest: int) -> list[Series]:
    """The two bounds, and what each engine holds by its policy where it supports the model."""
    cost = derived.cost()
    series = [Series("every layer full", "naive", cost.naive_bytes), Series("what layers need", "ideal", cost.ideal_bytes)]
    for cell in matrix.of_model(model):
        held = compatibility.resident(derived, model, cell.engine, longest) if cell.verdict != "no" else None
        if held is not None:
            series.append(Series(cell.engine.data["name"], "engine", held))
    return series


def _serviceability(matrix: Matrix, cells: list[Cell]) -> list[dict]:
    """Requirement by requirement: its record, why this model has it, and each engine's hop."""
    derived = cells[0].derived if cells else None
    if derived is None or isinstance(derived, Unknown):
        return []
    rows = []
    for requirement, reason in derived.requirements.items():
        hops: list[tuple[Cell, Hop | None]] = [(cell, next((hop for hop in cell.hops if hop.name == requirement), None)) for cell in cells]
        rows.append({"id": requirement, "record": matrix.products.catalog.resolve(requirement), "reason": reason, "hops": hops})
    return rows


def _engine(matrix: Matrix, engine: Record) -> dict:
    catalog = matrix.products.catalog
    offers: dict[str, list] = defaultdict(list)
    for snapshot in matrix.ledger.snapshots(engine.id):
        for claim in snapshot.data["claims"]:
            if "requirement" in claim["about"]:
                offers[claim["about"]["requirement"]].append((snapshot, claim, matrix.ledger.source(snapshot, claim)))
    gotchas = [gotcha for gotcha in catalog.of_kind("gotcha") if _touches(gotcha, engine.id)]
    severities = list(catalog.words("severity"))
    return {
        "cells": list(matrix.of_engine(engine)),
        "snapshots": matrix.ledger.snapshots(engine.id),
        "parts": parts(catalog, engine),
        "offers": {id: offers[id] for id in sorted(offers)},
        "gotchas": sorted(gotchas, key=lambda gotcha: (severities.index(gotcha.data["severity"]), gotcha.id)),
    }


def _touches(gotcha: Record, engine: str) -> bool:
    components = [entry for entries in gotcha.data["affects"].values() for entry in entries]
    return gotcha.data["engine"] == engine or any(engine in (entry.get("engine"), entry.get("component")) for entry in components)


def _gotcha(matrix: Matrix, gotcha: Record) -> dict:
    touched = [(cell, gate) for cell in matrix.cells.values() for gate in cell.gates if gate.gotcha.id == gotcha.id]
    return {
        "touched": touched,
        "conditions": compatibility.condition_text(gotcha),
        "clean": compatibility.condition_text(gotcha, "clean_when"),
        "where": compatibility.hardware_text(gotcha.data["hardware"]),
    }


def _requirement(matrix: Matrix, requirement: Record) -> dict:
    models = [
        (model, matrix.products.derived[model.id].requirements[requirement.id])
        for models in matrix.families.values()
        for model in models
        if not isinstance(matrix.products.derived[model.id], Unknown) and requirement.id in matrix.products.derived[model.id].requirements
    ]
    offers = []
    for engine in matrix.products.catalog.of_kind("engine"):
        for snapshot in matrix.ledger.snapshots(engine.id):
            offers += [
                (engine, snapshot, claim, matrix.ledger.source(snapshot, claim))
                for claim in snapshot.data["claims"]
                if claim["about"].get("requirement") == requirement.id
            ]
    return {"models": models, "offers": offers}


def _hardware(matrix: Matrix, hardware: Record) -> dict:
    words = {hardware.id, hardware.data["class"]}
    seen = [gotcha for gotcha in matrix.products.catalog.of_kind("gotcha") if words & set(gotcha.data["hardware"].get("seen_on", ()))]
    return {"seen": seen}


def _measurement(matrix: Matrix, measurement: Record) -> dict:
    from infercompat.measure import computed

    return {"computed": computed(matrix.products, measurement)}


def _predicted(matrix: Matrix) -> dict:
    found = predicted.rows(matrix.products)
    cache = [row for row in found if row.group == "cache"]
    groups = {group: [row for row in found if row.group == group] for group in ("cache", "weights", "device", "outcome")}
    return {"groups": groups, "overall": predicted.summary(cache), "plot": predicted.plot(cache)}


_CONTEXTS = {"model": _model, "engine": _engine, "gotcha": _gotcha, "requirement": _requirement, "hardware": _hardware, "measurement": _measurement}


def _source_pages(matrix: Matrix) -> Iterator[Page]:
    catalog = matrix.products.catalog
    grouped: dict[str, list[Record]] = defaultdict(list)
    for citation in catalog.of_kind("citation"):
        grouped[source_page(citation.data["url"])].append(citation)
    names = {page: page.removeprefix("sources/").removesuffix("/").replace("--", "/") for page in grouped}
    listing = [(page, names[page], len(grouped[page])) for page in sorted(grouped)]
    yield Page("sources/", "Sources", "index/source.md.j2", {"listing": listing})
    for page in sorted(grouped):
        yield Page(page, f"Sources: {names[page]}", "sources.md.j2", {"citations": grouped[page], "place": names[page]})


def _reference_pages(matrix: Matrix) -> Iterator[Page]:
    hand_written = [
        (file.name.removesuffix(".md.j2"), file.read_text("utf-8").split("\n", 1)[0].removeprefix("{# ").removesuffix(" #}"))
        for file in sorted((TEMPLATES / "pages").glob("*.md.j2"))
    ]
    yield Page("reference/", "Reference", "index/reference.md.j2", {"written": hand_written})
    for name, title in hand_written:
        yield Page(f"reference/{name}/", title, f"pages/{name}.md.j2", hide=WIDE)
    yield from _disagreements(matrix)
    yield Page("reference/rules/", "Rules", "index/rules.md.j2", {"rules": DECLARATIONS.values()})
    for code, declaration in DECLARATIONS.items():
        yield Page(f"reference/rules/{code.lower()}/", f"{code} {declaration.name}", "rule.md.j2", {"rule": declaration})
    yield Page("reference/fields/", "Field reference", "index/fields.md.j2", {"kinds": KINDS, "schemas": schemas()})
    for kind in KINDS:
        values = {"kind": kind, "rows": list(_fields(kind)), "schema": schemas()[kind]}
        yield Page(f"reference/fields/{kind}/", f"Fields of {kind} records", "fields.md.j2", values)
    yield Page("reference/facts/", "Facts", "facts.md.j2", {"facts": FACTS})
    yield Page("reference/glossary/", "Glossary", "glossary.md.j2", {"words": matrix.products.catalog.vocabulary["words"]})


DISAGREEMENTS = {
    "one-file": "Within one file",
    "same-release": "Within one release",
    "left-out": "In the code and on no page",
    "version-skew": "Across versions",
    "spelling": "Across projects",
}


def _disagreements(matrix: Matrix) -> Iterator[Page]:
    """Where the sources disagree, and the names that one architecture goes by."""
    found = conflicts(matrix.ledger)
    groups = [(kind, title, [conflict for conflict in found if conflict.kind == kind]) for kind, title in DISAGREEMENTS.items()]
    yield Page("reference/where-the-sources-disagree/", "Where the sources disagree", "disagreements.md.j2", {"groups": [g for g in groups if g[2]]}, hide=WIDE)
    rewritten = [
        (snapshot.data["engine"], snapshot.data["version"], next(iter(claim["about"].values())), claim["loads_as"], matrix.ledger.source(snapshot, claim))
        for snapshot in matrix.products.catalog.of_kind("support")
        for claim in snapshot.data["claims"]
        if claim["holds"] == "rewritten" and "loads_as" in claim
    ]
    context = {"rewritten": rewritten, "spelled": [conflict for conflict in found if conflict.kind == "spelling"]}
    yield Page("reference/architecture-names/", "Names of architectures", "names.md.j2", context, hide=WIDE)


def _fields(kind: str) -> Iterator[dict]:
    """The fields of a kind, depth first, with dotted paths; a referenced part shows its own description."""
    yield from _walk_fields(schemas()[kind], schemas()[kind], "")


def _walk_fields(schema: dict, document: dict, prefix: str) -> Iterator[dict]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        resolved = _resolve(field, document)
        path = f"{prefix}{name}"
        words = resolved.get("enum") if "enum" in resolved else None
        yield {
            "path": path,
            "type": _type(field, resolved),
            "required": name in required,
            "description": field.get("description") or resolved.get("description", ""),
            "words": words,
        }
        if "#/$defs/condition" in field.get("$ref", "") or "#/$defs/cite" in field.get("$ref", ""):
            continue
        inner = _resolve(resolved.get("items", {}), document) if resolved.get("type") == "array" else resolved
        mark = "[]." if resolved.get("type") == "array" else "."
        if "properties" in inner:
            yield from _walk_fields(inner, document, f"{path}{mark}")
        elif isinstance(inner.get("additionalProperties"), dict) and "properties" in inner["additionalProperties"]:
            yield from _walk_fields(inner["additionalProperties"], document, f"{path}{mark}<name>.")


def _resolve(field: dict, document: dict) -> dict:
    reference = field.get("$ref")
    if not reference:
        return field
    base, _, pointer = reference.partition("#")
    by_id = {schema["$id"]: schema for schema in schemas().values()}
    node = by_id.get(base, {}) if base else document
    for step in pointer.strip("/").split("/"):
        node = node.get(step, {})
    return node


def _type(field: dict, resolved: dict) -> str:
    reference = field.get("$ref", "")
    if reference.startswith("urn:infercompat:vocabulary"):
        return f"word of {reference.rpartition('/')[2]}"
    if reference.startswith("urn:infercompat:common"):
        return reference.rpartition("/")[2]
    if "enum" in resolved:
        return "word"
    kind = resolved.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else kind
