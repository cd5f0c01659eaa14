"""What released builds have code for: classes that are refused, drivers that are too old, and builds that do not reach a version."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, changed
from infercompat.join import Ledger, Release, binary
from infercompat.join.hops import Joiner
from infercompat.join.stack import Stack

BUILDS = """builds:
  - {platform: cuda, since: "1.1.0", seen_at: ["1.1.0"], classes: [sm80, sm90], cuda: "13.0", driver: "580.65", cites: [{id: enga-registry, at: L7}]}
  - {platform: cuda, until: "1.1.0", seen_at: ["1.0.0"], classes: [sm70, sm80, sm90], cites: [{id: enga-registry}]}
"""


@pytest.fixture
def hop(make):
    def of(version: str, date: str = "2026-02-01", **facts: str):
        products = make(changed(ENGINE, ("releases:\n", BUILDS + "releases:\n")))
        assert products.diagnostics == []
        catalog = products.catalog
        joiner = Joiner(Ledger(catalog), catalog.records["enga"], Release(version, date))
        given = {name.replace("_", "."): value for name, value in facts.items()}
        return binary(joiner, Stack(catalog.records["tiny-model"], products.derived["tiny-model"], given))

    return of


@pytest.mark.parametrize(
    ("version", "facts", "state", "finding"),
    [
        ("1.1.0", {"hardware_class": "sm90"}, "holds", "the released build has code for sm90, made with CUDA 13.0, for drivers from 580.65 on"),
        ("1.1.0", {"hardware_class": "sm70"}, "fails", "the released build has no code for sm70; it has it for sm80, sm90. Releases before 1.1.0 had it"),
        ("1.1.0", {"hardware_class": "sm75"}, "fails", "the released build has no code for sm75; it has it for sm80, sm90"),
        ("1.0.0", {"hardware_class": "sm70"}, "holds", "the released build has code for sm70"),
        ("1.1.0", {"hardware_class": "sm90", "driver_version": "580.65.06"}, "holds", None),
        ("1.1.0", {"hardware_class": "sm90", "driver_version": "575.57.08"}, "fails",
         "the released build needs a driver of at least 580.65, and this one is 575.57.08"),
        ("1.9.0", {"hardware_class": "sm70"}, "unknown", "what builds have code for was read at 1.1.0, and does not reach 1.9.0"),
    ],
)  # fmt: skip
def test_a_build(hop, version, facts, state, finding):
    found = hop(version, **facts, platform="cuda")
    assert (found.name, found.state) == ("binary", state)
    assert finding is None or found.finding == finding


def test_the_build_is_cited(hop):
    [source] = hop("1.1.0", hardware_class="sm90", platform="cuda").sources
    assert (source.id, source.at) == ("enga-registry", "L7")


def test_an_old_driver_can_be_updated(hop):
    assert hop("1.1.0", hardware_class="sm90", platform="cuda", driver_version="570.1").avoided_by == "Update the driver to 580.65 or newer."


@pytest.mark.parametrize("facts", [{}, {"platform": "cuda"}, {"hardware_class": "gfx942", "platform": "rocm"}])
def test_nothing_is_said_without_a_class_or_of_another_platform(hop, facts):
    assert hop("1.1.0", **facts) is None
