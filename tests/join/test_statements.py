"""Statements by hardware: the narrowest place decides, and on unknown hardware no place refuses."""

from __future__ import annotations

import pytest

from catalogs import OFFERS, snapshot
from infercompat.join import Ledger, Stack
from infercompat.join.statements import by_place, for_hardware, unplaced

CLAIMS = (
    "about: {feature: lora}, holds: native",
    "about: {feature: lora, platform: cuda}, holds: partial, lacks: Not all.",
    "about: {feature: lora, platform: sm75}, holds: unsupported",
    "about: {feature: lora}, holds: removed, when: {lora: true}",
)


@pytest.fixture
def statements(make):
    return Ledger(make({OFFERS: snapshot(*CLAIMS)}).catalog).on_offer("enga", "features.lora", {})


def stack(**given: str) -> Stack:
    return Stack(None, None, {name.replace("__", "."): value for name, value in given.items()})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["native", "removed"]),
        ({"platform": "cuda", "hardware__class": "sm90"}, ["partial"]),
        ({"platform": "cuda", "hardware__class": "sm75"}, ["unsupported"]),
        ({"platform": "rocm"}, ["native", "removed"]),
    ],
)
def test_the_narrowest_place(statements, given, expected):
    assert [one.status for one in for_hardware(statements, stack(**given))] == expected


@pytest.mark.parametrize(
    ("given", "narrower", "here", "anywhere"),
    [
        ({}, False, [], ["native", "removed"]),
        ({"platform": "cuda", "hardware__class": "sm75"}, False, ["unsupported"], ["removed"]),
        ({"platform": "rocm"}, False, [], ["native", "removed"]),
        ({"platform": "rocm"}, True, [], ["removed"]),
    ],
)
def test_here_and_anywhere(statements, given, narrower, here, anywhere):
    """A place, or the model by name, stands before what is said of all; a condition stays."""
    found = by_place(statements, stack(**given), {one.snapshot.id for one in statements} if narrower else set())
    assert tuple([one.status for one in group] for group in found) == (here, anywhere)


def test_where_nobody_named_hardware():
    assert unplaced(stack())
    assert not unplaced(stack(platform="cuda"))
