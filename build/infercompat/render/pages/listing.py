"""Lists every page of the site: one a record, an index a kind, and those about the whole."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.join import Matrix
from infercompat.records import FOLDER_OF_KIND
from infercompat.render.address import FED, address, feed
from infercompat.render.describe import describe
from infercompat.render.page import WIDE, Page
from infercompat.render.pages import models, records, whole
from infercompat.render.pages.changes import change_pages
from infercompat.render.pages.reference import reference_pages
from infercompat.render.pages.sources import source_pages

PAGED = ("model", "engine", "gotcha", "requirement", "hardware", "measurement")
INTRODUCTIONS = {
    "model": "One page a config, with its layers drawn, its cache worked out, and what each engine makes of it.",
    "engine": "Inference engines, and the kernel libraries that gate them.",
    "gotcha": "What bites: faults with the conditions under which they appear, and what to do.",
    "requirement": "What a model can demand of an engine, and what happens without it.",
    "hardware": "Kernel facts are keyed by compute capability; memory facts by product.",
    "measurement": "Figures that engines logged or people measured, each recomputed when this page is built, the worst first.",
}
CONTEXTS = {
    "model": models.of_model,
    "engine": records.of_engine,
    "gotcha": records.of_gotcha,
    "requirement": records.of_requirement,
    "hardware": records.of_hardware,
    "measurement": records.of_measurement,
}
"""What the page of each kind of record is made from: a function of the matrix and the record."""


def pages(matrix: Matrix) -> Iterator[Page]:
    """Every page of the site, in a fixed order."""
    yield whole.home_page(matrix)
    yield whole.compatibility_page(matrix)
    yield whole.cache_page(matrix)
    yield whole.blockers_page(matrix)
    for kind in PAGED:
        found = matrix.products.catalog.of_kind(kind)
        title = FOLDER_OF_KIND[kind].title()
        context = {"records": found, "introduction": INTRODUCTIONS[kind]} | (whole.predicted_context(matrix) if kind == "measurement" else {})
        yield Page(f"{FOLDER_OF_KIND[kind]}/", title, f"index/{kind}.md.j2", context, hide=WIDE)
        for record in found:
            feeds = ((feed(record), f"What changed: {record.name}"),) if kind in FED else ()
            context = CONTEXTS[kind](matrix, record) | {"record": record}
            yield Page(address(record), record.name, f"record/{kind}.md.j2", context, describe(matrix, record), feeds=feeds)
            if kind == "engine" and context["cells"]:
                served = {name: context[name] for name in ("record", "cells", "history")}
                yield Page(f"{address(record)}models/", f"What {record.name} serves", "record/engine_models.md.j2", served)
    for recipe in matrix.products.catalog.of_kind("recipe"):
        yield Page(address(recipe), recipe.name, "record/recipe.md.j2", {"record": recipe})
    for snapshot in matrix.products.catalog.of_kind("support"):
        engine = matrix.products.catalog.records[snapshot.data["engine"]]
        yield Page(address(snapshot), snapshot.name, "record/support.md.j2", {"record": snapshot, "engine": engine})
    yield whole.check_page()
    yield whole.compare_page(matrix)
    yield whole.graph_page(matrix)
    yield whole.state_page(matrix)
    yield from change_pages(matrix)
    yield whole.errors_page(matrix)
    yield from source_pages(matrix)
    yield from reference_pages(matrix)
