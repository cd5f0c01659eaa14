"""The whole catalog as one drawing: records as nodes with a place worked out here, and how each refers to others, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from infercompat.derive import Unknown
from infercompat.join import Matrix
from infercompat.link import Catalog, Reference
from infercompat.records import Record
from infercompat.render.address import address

KINDS = ("model", "engine", "gotcha", "requirement", "hardware", "measurement", "recipe")
"""The kinds that are drawn. Sources and snapshots would be most of the nodes and say least; their pages have them."""

WORDS = {
    "demands": "is demanded by",
    "has sources on": "is spoken of by sources of",
    "bites": "is bitten by",
    "happens with": "takes part in",
    "was seen on": "has seen",
    "was clean on": "was without",
    "is near": "is near",
    "starts": "is started by",
    "serves": "is served by",
    "measures": "is measured by",
    "was measured on": "was used to measure",
    "is a path of": "has the path",
    "runs models in": "runs models of",
    "refers to": "is referred to by",
    "mentions": "is mentioned by",
}
"""What one record is to another, and the same read from the other end."""

_OF_FIELD = {
    ("gotcha", "engine"): "bites",
    ("gotcha", "component"): "bites",
    ("gotcha", "requires"): "happens with",
    ("gotcha", "seen_on"): "was seen on",
    ("gotcha", "clean_on"): "was clean on",
    ("gotcha", "related"): "is near",
    ("recipe", "engine"): "starts",
    ("recipe", "models"): "serves",
    ("measurement", "model"): "measures",
    ("measurement", "engine"): "was measured on",
    ("measurement", "hardware"): "was measured on",
    ("engine", "part_of"): "is a path of",
    ("engine", "runs"): "runs models in",
}
"""The word of a reference, by the kind that refers and the last name in the field's path."""

SPAN = 1000
"""Places are whole numbers from -SPAN to SPAN."""
_EFFORT, _FEWEST_ROUNDS = 60_000_000, 20
"""Pairs of nodes that all rounds of the layout together may look at, some 5 s, and the rounds it has at least."""


def graph(matrix: Matrix) -> dict[str, Any]:
    """Nodes in the order of KINDS, links as [from, to, word] by their numbers in `nodes` and `words`, and the words both ways."""
    catalog = matrix.products.catalog
    nodes = [record for kind in KINDS for record in catalog.of_kind(kind)]
    numbers = {record.id: number for number, record in enumerate(nodes)}
    words = list(WORDS)
    links = sorted((numbers[source], numbers[target], words.index(word)) for source, target, word in _links(matrix, nodes) if target in numbers)
    places = layout(len(nodes), [(source, target) for source, target, _ in links])
    return {
        "kinds": list(KINDS),
        "words": [list(pair) for pair in WORDS.items()],
        "nodes": [
            {"id": record.id, "kind": record.kind, "name": record.name, "page": address(record), "x": x, "y": y}
            for record, (x, y) in zip(nodes, places, strict=True)
        ],
        "links": [list(link) for link in links],
    }


def _links(matrix: Matrix, nodes: Sequence[Record]) -> set[tuple[str, str, str]]:
    """Every pair of records of which one refers to the other, by id, with the word; a mention counts only where nothing else is said."""
    found = {*_references(matrix.products.catalog, nodes), *_demands(matrix), *_sources(matrix.products.catalog)}
    said = {(source, target) for source, target, word in found if word != "mentions"}
    return {link for link in found if link[2] != "mentions" or link[:2] not in said}


def _references(catalog: Catalog, nodes: Sequence[Record]) -> Iterator[tuple[str, str, str]]:
    for record in nodes:
        for reference in catalog.references_from(record.id):
            target = catalog.follow(reference.id or "")
            if target and target.id != record.id:
                yield record.id, target.id, word_of(record.kind, reference)


def _demands(matrix: Matrix) -> Iterator[tuple[str, str, str]]:
    for model in matrix.products.catalog.of_kind("model"):
        derived = matrix.products.derived[model.id]
        if not isinstance(derived, Unknown):
            yield from ((model.id, requirement, "demands") for requirement in derived.requirements)


def _sources(catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    for snapshot in catalog.of_kind("support"):
        for claim in snapshot.data["claims"]:
            if "requirement" in claim["about"]:
                yield snapshot.data["engine"], claim["about"]["requirement"], "has sources on"


def word_of(kind: str, reference: Reference) -> str:
    """What a reference says; one in prose is a mention."""
    if reference.prose:
        return "mentions"
    last = re.sub(r"\[\d+\]", "", reference.field).rpartition(".")[2]
    return _OF_FIELD.get((kind, last), "refers to")


def layout(count: int, links: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A place for each node: linked ones near each other, the same on every build. What flies far out is drawn in."""
    import networkx
    import numpy

    if not count:
        return []
    made = networkx.Graph(links)
    made.add_nodes_from(range(count))
    rounds = max(_FEWEST_ROUNDS, min(100, _EFFORT // count**2))
    found = networkx.forceatlas2_layout(made, max_iter=rounds, seed=1)
    places = numpy.array([found[number] for number in range(count)])
    places -= numpy.median(places, axis=0)
    far = numpy.hypot(*places.T)
    edge = numpy.quantile(far, 0.95) or 1.0
    drawn_in = numpy.where(far > edge, edge * (1 + numpy.log(numpy.maximum(far, edge) / edge)), far)
    places *= (drawn_in / numpy.maximum(far, 1e-9) / max(drawn_in.max(), 1e-9))[:, None]
    return [(int(x), int(y)) for x, y in numpy.rint(SPAN * places)]
