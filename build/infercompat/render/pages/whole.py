"""Pages about the whole catalog: home, the matrix, its state, the error lookup, and the figures predicted."""

from __future__ import annotations

from collections import defaultdict

from infercompat.answer.diagnose import index
from infercompat.join import Matrix
from infercompat.join.flips import flips
from infercompat.records import FOLDER_OF_KIND
from infercompat.render import compatibility, explorer, predicted, state
from infercompat.render.environment import SITE
from infercompat.render.page import WIDE, Page


def home_page(matrix: Matrix) -> Page:
    """Where people start, with what data set this is for search engines."""
    return Page("", "infercompat", "home.md.j2", {"blockers": compatibility.blockers(matrix), "dataset": dataset(matrix)}, hide=WIDE)


def dataset(matrix: Matrix) -> dict:
    """The catalog as schema.org has a Dataset."""
    files = (("text/csv", "api/v1/matrix.csv"), ("application/json", "api/v1/matrix.json"))
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": "infercompat",
        "description": "Which inference engine can serve which open-weight model, on what hardware, with what flags, at what memory cost, and what will bite; "
        "every answer with its chain and sources.",
        "url": SITE,
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "isAccessibleForFree": True,
        "version": matrix.products.today,
        "dateModified": matrix.products.today,
        "keywords": ["LLM inference", "KV cache", "compatibility", *(engine.name for engine in matrix.engines)],
        "distribution": [{"@type": "DataDownload", "encodingFormat": media, "contentUrl": SITE + path} for media, path in files],
    }


def compatibility_page(matrix: Matrix) -> Page:
    """The matrix of docs/13 with filters; the cache that engines hold and the blockers have pages of their own."""
    rows = explorer.rows(matrix)
    context = {
        "rows": rows,
        "column_source": explorer.column_sources(rows),
        "machines": explorer.machines(matrix),
        "asked": explorer.asked,
        "first_source": explorer.first_source,
        "citer": compatibility.Citer(),
        "versioned": [engine for engine in matrix.engines if len(matrix.histories[engine.id].releases) > 1],
    }
    return Page("13-model-compatibility/", "Model compatibility", "compatibility.md.j2", context, hide=WIDE)


def cache_page(matrix: Matrix) -> Page:
    """Models whose layers need less cache than the naive amount, and what each engine holds of them."""
    return Page("13-model-compatibility/cache/", "Cache that engines hold and layers do not need", "cache_held.md.j2", _cache_context(matrix), hide=WIDE)


def blockers_page(matrix: Matrix) -> Page:
    """The gotchas that stop a server, or make its ordinary answers wrong."""
    context = {"blockers": compatibility.blockers(matrix), "citer": compatibility.Citer()}
    return Page("13-model-compatibility/blockers/", "Blockers", "blockers.md.j2", context, hide=WIDE)


def errors_page(matrix: Matrix) -> Page:
    """What known faults print: a place to paste an error, and the whole list."""
    found: dict[str, list] = defaultdict(list)
    for known in index.patterns(matrix.products.catalog):
        found[known.gotcha.id].append(known)
    return Page("errors/", "Errors", "errors.md.j2", {"patterns": found}, hide=WIDE)


def compare_page(matrix: Matrix) -> Page:
    """Models or engines side by side, by a script; what stands there without one says how and leads to the matrix."""
    family = max(matrix.families.values(), key=len, default=[])
    return Page("compare/", "Compare", "compare.md.j2", {"models": family, "engines": matrix.engines}, hide=WIDE)


def graph_page(matrix: Matrix) -> Page:
    """How all records refer to each other, by a script; without one, how many there are of each kind and where they are listed."""
    found = {kind: len(matrix.products.catalog.of_kind(kind)) for kind in FOLDER_OF_KIND if kind not in ("support", "citation")}
    kinds = {FOLDER_OF_KIND[kind]: (count, "engines/" if kind == "recipe" else f"{FOLDER_OF_KIND[kind]}/") for kind, count in found.items()}
    return Page("graph/", "Graph", "graph.md.j2", {"kinds": kinds}, hide=WIDE)


def check_page() -> Page:
    """A question of one's own, answered by a script; what stands there without one names the command line."""
    description = "Can this engine serve this model on this machine: verdict with its sources, memory, known faults, and the command to run."
    return Page("check/", "Can I serve this?", "check.md.j2", description=description, hide=WIDE)


def state_page(matrix: Matrix) -> Page:
    """What is known of the matrix, how old it is, and what to test next."""
    context = {
        **{"counts": state.counts(matrix), "unopened": state.unopened(matrix), "evidence": state.evidence(matrix), "gaps": state.gaps(matrix)},
        **{"whole": state.share("All cells", matrix.cells.values()), "by_engine": state.by_engine(matrix), "by_family": state.by_family(matrix)},
        "flipped": len(flips(matrix.products.catalog)),
        "by_downloads": state.known_by_downloads(matrix),
        "counted_models": sum("downloads" in model.data for model in matrix.products.catalog.of_kind("model")),
    }
    return Page("state/", "State of the catalog", "state.md.j2", context, hide=WIDE)


def compatibility_context(matrix: Matrix) -> dict:
    """What docs/13 is made from."""
    return _cache_context(matrix) | {"blockers": compatibility.blockers(matrix), "cell_sources": compatibility.cell_sources}


def _cache_context(matrix: Matrix) -> dict:
    return {
        "overpay": compatibility.overpay_rows(matrix),
        "contexts": compatibility.CONTEXTS,
        "column": compatibility.feature_column(matrix, "tensorrt-llm", "sliding-window-attention"),
        "citer": compatibility.Citer(),
    }


def predicted_context(matrix: Matrix) -> dict:
    """Every logged figure beside what is computed, by what it is about."""
    found = predicted.rows(matrix.products)
    cache = [row for row in found if row.group == "cache"]
    groups = {group: [row for row in found if row.group == group] for group in ("cache", "weights", "device", "outcome")}
    return {"groups": groups, "overall": predicted.summary(cache), "plot": predicted.plot(cache)}
