"""The reference: pages written by hand, where sources disagree, rules, fields, facts and the glossary."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.condition import FACTS, LISTS
from infercompat.join import Matrix
from infercompat.join.conflicts import conflicts
from infercompat.places import TEMPLATES
from infercompat.records import KINDS
from infercompat.render.page import WIDE, Page
from infercompat.render.pages.defaults import defaults_page
from infercompat.render.pages.features import feature_pages
from infercompat.render.pages.fields import fields
from infercompat.rules import DECLARATIONS
from infercompat.shape import schemas


def reference_pages(matrix: Matrix) -> Iterator[Page]:
    """Every page below reference/."""
    hand_written = [
        (file.name.removesuffix(".md.j2"), file.read_text("utf-8").split("\n", 1)[0].removeprefix("{# ").removesuffix(" #}"))
        for file in sorted((TEMPLATES / "pages").glob("*.md.j2"))
    ]
    yield Page("reference/", "Reference", "index/reference.md.j2", {"written": hand_written})
    for name, title in hand_written:
        yield Page(f"reference/{name}/", title, f"pages/{name}.md.j2", hide=WIDE)
    yield from feature_pages(matrix)
    yield defaults_page(matrix)
    yield from _disagreements(matrix)
    yield Page("reference/rules/", "Rules", "index/rules.md.j2", {"rules": DECLARATIONS.values()})
    for code, declaration in DECLARATIONS.items():
        yield Page(f"reference/rules/{code.lower()}/", f"{code} {declaration.name}", "rule.md.j2", {"rule": declaration})
    yield Page("reference/fields/", "Field reference", "index/fields.md.j2", {"kinds": KINDS, "schemas": schemas()})
    for kind in KINDS:
        values = {"kind": kind, "rows": list(fields(kind)), "schema": schemas()[kind]}
        yield Page(f"reference/fields/{kind}/", f"Fields of {kind} records", "fields.md.j2", values)
    yield Page("reference/facts/", "Facts", "facts.md.j2", {"facts": FACTS, "lists": LISTS})
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
