"""Rules about ids, references and [[wiki-links]]."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from infercompat.link import Catalog, Reference
from infercompat.products import Products
from infercompat.rules.base import Finding, rule
from infercompat.rules.examples import CARD, CITATION, CITED, GOTCHA, MEASUREMENT, USE, changed

_STUB = """
# catalog/citations/example.com/old-report.yaml
moved_to: report
moved_on: 2026-01-03
"""
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*\Z")


def nearest_ids(catalog: Catalog, target: str, kinds: tuple[str, ...], count: int = 3) -> list[str]:
    """Up to three ids or aliases of the kinds that fit, closest first."""
    known = [id for id, record in catalog.records.items() if record.kind in kinds]
    known += [alias for alias, id in catalog.aliases.items() if catalog.records[id].kind in kinds]
    return difflib.get_close_matches(target, known, n=count, cutoff=0.5)


def _a(kinds: tuple[str, ...]) -> str:
    return " or ".join(f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" for kind in kinds)


@rule(
    code="LNK001",
    name="dangling-link",
    what="Every reference field and every [[wiki-link]] in prose leads to a record, by its id or one of its aliases.",
    why="A claim whose citation does not exist is a claim without a source, and a reader who follows the link finds nothing.",
    bad=changed(GOTCHA, ("enga-issue-1", "enga-isue-1"), ("minutes.}", "minutes.}  # LNK001")) + "notes: |\n  Seen together with [[tiny-modell]]. # LNK001\n",
    good=GOTCHA + "notes: |\n  Seen together with [[tiny-model]].\n",
)
def dangling_link(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    for reference in catalog.references:
        if reference.path == ("moved_to",) and reference.id and "moved_to" in catalog.follow(reference.id).data:
            yield reference.span, f"{reference.field} leads round in a circle", "One of these stubs has to name a record."
        if reference.id is not None or reference.target in catalog.set_aside:
            continue
        close = nearest_ids(catalog, reference.target, reference.kinds)
        what = f"[[{reference.target}]]" if reference.prose else f"{reference.field}: {reference.target}"
        help = f"Nearest: {', '.join(close)}." if close else _how_to_add(reference)
        yield reference.span, f"{what} leads to no record", help


def _how_to_add(reference: Reference) -> str:
    if len(reference.kinds) > 1:
        return "No id is close. Add the record, or mend the link."
    return f"No id of {_a(reference.kinds)} is close. Add the record with: infercompat new {reference.kinds[0]} {reference.target}"


@rule(
    code="LNK002",
    name="wrong-kind",
    what="A reference field leads to a record of the kind that the field is for.",
    why="An engine named where a citation belongs cannot show that a claim is true.",
    bad=changed(MEASUREMENT, ("model: tiny-model", "model: enga  # LNK002")),
    good=MEASUREMENT,
)
def wrong_kind(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    for reference in catalog.references:
        found = catalog.follow(reference.target) if reference.id else None
        if found is None or found.kind in reference.kinds or "moved_to" in found.data:
            continue
        close = nearest_ids(catalog, reference.target, reference.kinds)
        help = f"Nearest {reference.kinds[0]}s: {', '.join(close)}." if close else f"This field names {_a(reference.kinds)}."
        yield reference.span, f"{reference.field}: {reference.target} is {_a((found.kind,))}, where {_a(reference.kinds)} is meant", help


@rule(
    code="LNK003",
    name="link-to-withdrawn",
    what="Nothing leads to a record that was withdrawn.",
    why="A withdrawn record turned out to be wrong; what rests on it has lost its ground.",
    bad=CITATION + "withdrawn: {on: 2026-01-03, because: Its author took the figures back.}\n" + changed(USE, ("{id: report}]", "{id: report}]  # LNK003")),
    good=CITED,
)
def link_to_withdrawn(products: Products) -> Iterator[Finding]:
    for reference in products.catalog.references:
        found = products.catalog.resolve(reference.target)
        if found and "withdrawn" in found.data:
            reason = found.data["withdrawn"]["because"]
            yield reference.span, f"{reference.target} was withdrawn", f"Because: {reason} Find another ground or take the statement out."


@rule(
    code="LNK004",
    name="link-to-moved",
    what="Links lead to a record's present id, not to one that it had before.",
    why="Old ids keep working for outsiders; inside the catalog one record has one name.",
    bad=CITATION + _STUB + changed(USE, ("{id: report}]", "{id: old-report}]  # LNK004")),
    good=CITATION + _STUB + USE,
)
def link_to_moved(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    for reference in catalog.references:
        found = catalog.resolve(reference.target)
        if found and "moved_to" in found.data and reference.path != ("moved_to",):
            final = catalog.follow(reference.target)
            yield reference.span, f"{reference.target} moved", f"Write {final.id if final else found.data['moved_to']}."
        elif found and not reference.prose and found.id != reference.target:
            yield reference.span, f"{reference.target} is an alias of {found.id}", f"Write {found.id}."


@rule(
    code="IDS001",
    name="id-used-twice",
    what="No two records have one id, over all kinds, and no alias equals another alias or id.",
    why="A link to it would lead to whichever file was read first.",
    bad=changed(CARD, ("card-a.yaml", "enga.yaml"), ("A card", "A card named like an engine  # IDS001")),
    good=CARD,
)
def id_used_twice(products: Products) -> Iterator[Finding]:
    for clash in products.catalog.clashes:
        what = f"the alias {clash.word} is taken" if clash.alias else f"the id {clash.word} is taken"
        help = "Take the alias out of one of the two." if clash.alias else "An id is unique over all kinds: rename one of the files."
        yield clash.second, f"{what} by {clash.first}", help, (("first here", clash.first),)


@rule(
    code="IDS002",
    name="bad-id",
    what="A file's name without .yaml is made of small letters, digits, dots and hyphens, and starts with a letter or digit.",
    why="The name is the record's id: it stands in links, in addresses of pages and on the command line.",
    bad=changed(CARD, ("card-a.yaml", "Card_A.yaml"), ("A card", "A card  # IDS002")),
    good=CARD,
)
def bad_id(products: Products) -> Iterator[Finding]:
    for record in products.catalog.records.values():
        if not _ID.match(record.id):
            better = re.sub(r"[^a-z0-9.-]+", "-", record.id.lower()).strip("-.")
            yield record.document.span(), f"{record.id} cannot be an id", f"Rename the file to {better or 'an-id'}.yaml."


RULES = (dangling_link, wrong_kind, link_to_withdrawn, link_to_moved, id_used_twice, bad_id)
