"""Features by engine: the verdict in general, what differs by hardware alone in one row, and classes by their number."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, NATIVE, OFFERS, changed, snapshot
from infercompat.join import Matrix
from infercompat.render.pages.features import feature_pages

LORA = "about: {feature: lora}, holds: native"
NOT_ON = "about: {feature: lora, platform: %s}, holds: unsupported, lacks: It has no kernel."
IF = "about: {feature: speculation}, holds: native, when: {speculation.method: eagle3}"
OF_CLASS = "about: {feature: lora, architecture: TinyForCausalLM}, holds: native"


@pytest.fixture
def spoken(make):
    def of(feature: str, *claims: str, more: str = ""):
        products = make({OFFERS: snapshot(*claims)} | changed(ENGINE, ("releases:\n", more + "releases:\n")))
        assert products.diagnostics == []
        [page] = [page for page in feature_pages(Matrix(products)) if page.address == f"reference/features/{feature}/"]
        return next(one for one in page.context["found"] if one.engine.id == "enga")

    return of


@pytest.mark.parametrize(
    ("feature", "claims", "verdict"),
    [
        ("lora", (LORA,), "yes"),
        ("lora", (LORA, NOT_ON % "metal"), "yes"),
        ("lora", ("about: {feature: lora}, holds: unsupported",), "no"),
        ("lora", ("about: {feature: lora}, holds: partial, lacks: Not all.",), "only-with"),
        ("speculation", (IF,), "only-with"),
        ("lora", (NOT_ON % "metal",), "no"),
        ("lora", (NATIVE,), "unknown"),
    ],
)
def test_the_verdict_in_general(spoken, feature, claims, verdict):
    assert spoken(feature, *claims).verdict == verdict


def test_a_flag_alone_leaves_it_open(spoken):
    assert spoken("lora", NATIVE, more="settings:\n  lora: {flag: --adapters, cites: [{id: enga-registry}]}\n").verdict == "only-with"


def test_what_differs_by_hardware_alone_is_one_row(spoken):
    found = spoken("lora", LORA, NOT_ON % "metal", NOT_ON % "cpu", OF_CLASS)
    assert [(row.where, row.condition, row.finding) for row in found.rows] == [
        (("",), "", "implemented by the engine itself"),
        (("cpu", "metal"), "", "It has no kernel."),
    ]
    assert (found.version, found.classes) == ("1.1.0", {"native": 1})
