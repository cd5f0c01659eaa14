"""Rules on engine records: builds, and the tables that were read at some versions."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.answer.facts import platform_of
from infercompat.products import Products
from infercompat.rules.base import Finding, rule
from infercompat.rules.examples import ENGINE, TABLED, changed
from infercompat.versions import BACKENDS, SELECTION, read_at, versions_of


@rule(
    code="ENG001",
    name="build-of-another-platform",
    what="The classes of a build are of its platform.",
    why="A build is asked for by platform: a class of another one would never be found, and its hardware refused.",
    bad=changed(ENGINE, ("classes: [sm90]", "classes: [gfx942]"), ("cites: [{id: enga-registry}]}", "cites: [{id: enga-registry}]}  # ENG001")),
    good=ENGINE,
)
def build_of_another_platform(products: Products) -> Iterator[Finding]:
    for engine in products.catalog.of_kind("engine"):
        for index, build in enumerate(engine.data.get("builds", ())):
            for place, hardware_class in enumerate(build["classes"]):
                platform = platform_of(hardware_class)
                if platform != build["platform"]:
                    span = engine.document.span(("builds", index, "classes", place))
                    yield span, f"{hardware_class} is a class of {platform}, and the build is for {build['platform']}", "Give it an entry of its own."


@rule(
    code="ENG002",
    name="entry-of-no-table",
    what="An attention backend, or an order of them, is of a version that attention_tables lists, and a backend stands there once.",
    why="An answer reads the tables that are listed. An entry of another version is in none of them, and its backend is refused at all.",
    bad=changed(TABLED, ('version: "1.0.0", classes', 'version: "0.9.0", classes'), ("# here", "# ENG002")),
    good=TABLED,
)
def entry_of_no_table(products: Products) -> Iterator[Finding]:
    for engine in products.catalog.of_kind("engine"):
        listed = versions_of(engine.data)
        seen: set[tuple[str, str]] = set()
        for field in (BACKENDS, SELECTION) if listed else ():
            for index, entry in enumerate(engine.data.get(field, ())):
                for version, _ in read_at(entry, listed[0]):
                    span, backend = engine.document.span((field, index)), (version, entry.get("name", ""))
                    if version not in listed:
                        yield span, f"attention_tables does not list {version}", f"It lists {', '.join(listed)}."
                    elif field == BACKENDS and backend in seen:
                        yield span, f"{entry['name']} stands twice in the table of {version}", "Make one entry of them."
                    seen.add(backend)


RULES = (build_of_another_platform, entry_of_no_table)
