"""The graph of the catalog: who is drawn, what one is to another, and where it stands."""

from __future__ import annotations

from itertools import combinations
from math import dist

import pytest

from catalogs import RECIPE, RECIPE_TEXT
from infercompat.export.graph import KINDS, SPAN, WORDS, graph, layout
from infercompat.join import Matrix


@pytest.fixture
def tiny(make):
    return graph(Matrix(make({RECIPE: RECIPE_TEXT})))


def said(found: dict) -> set[tuple[str, str, str]]:
    ids = [node["id"] for node in found["nodes"]]
    return {(ids[source], found["words"][word][0], ids[target]) for source, target, word in found["links"]}


def test_records_of_every_drawn_kind_stand_there_once(make, tiny):
    catalog = make({RECIPE: RECIPE_TEXT}).catalog
    assert [node["id"] for node in tiny["nodes"]] == [record.id for kind in KINDS for record in catalog.of_kind(kind)]
    assert not {node["kind"] for node in tiny["nodes"]} & {"citation", "support"}


def test_what_one_is_to_another(tiny):
    found = said(tiny)
    assert {("enga-wrong-past-window", "bites", "enga"), ("tiny-model", "demands", "sliding-window")} <= found
    assert all(source != target for source, _, target in found)


def test_a_mention_counts_only_where_nothing_else_is_said(real_matrix):
    found = said(graph(real_matrix))
    assert ("gemma-3-27b", "demands", "sliding-window") in found
    assert ("gemma-3-27b", "mentions", "sliding-window") not in found
    pairs = {(source, target) for source, word, target in found if word != "mentions"}
    assert not {(source, target) for source, word, target in found if word == "mentions"} & pairs
    assert {word for _, word, _ in found} <= set(WORDS)


def test_linked_nodes_stand_nearer():
    """Two groups of six, each linked within: every pair inside is nearer than the mean across."""
    groups = [range(6), range(6, 12)]
    places = layout(12, [pair for group in groups for pair in combinations(group, 2)])
    across = [dist(places[one], places[other]) for one in groups[0] for other in groups[1]]
    inside = [dist(places[one], places[other]) for group in groups for one, other in combinations(group, 2)]
    assert max(inside) < sum(across) / len(across)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_places_are_whole_within_bounds_and_the_same_again(count):
    links = [(0, other) for other in range(1, count)]
    places = layout(count, links)
    assert len(places) == count
    assert all(-SPAN <= value <= SPAN for place in places for value in place)
    assert layout(count, links) == places
