"""Disagreements on a small catalog: within a file, page against code, what a page leaves out, across versions, and spellings."""

from __future__ import annotations

from catalogs import citation, snapshot
from infercompat.join import Ledger
from infercompat.join.conflicts import conflicts

PAGE = "support/enga/enga-page.yaml"


def found(make, *claims: str, version: str = "1.1.0", whole: bool = False, more: dict | None = None) -> list[tuple[str, str, tuple[str, str]]]:
    text = snapshot(*claims, version=version, cites="doc")
    text = text.replace("claims:", "whole_page: true\nclaims:") if whole else text
    products = make({PAGE: text} | citation("documentation") | (more or {}))
    return [(c.kind, c.subject, (c.sides[0].says, c.sides[1].says)) for c in conflicts(Ledger(products.catalog))]


def test_one_file_that_says_yes_and_no(make):
    claims = (
        "about: {architecture: TinyForCausalLM, feature: lora}, holds: native",
        "about: {architecture: TinyForCausalLM, feature: lora}, holds: unsupported",
    )
    assert found(make, *claims) == [("one-file", "TinyForCausalLM", ("native", "unsupported"))]


def test_a_page_against_the_registry_of_its_release(make):
    assert found(make, "about: {architecture: TinyForCausalLM}, holds: unsupported") == [("same-release", "TinyForCausalLM", ("unsupported", "native"))]
    assert found(make, "about: {architecture: TinyForCausalLM}, holds: native") == []
    assert found(make, "about: {architecture: GoneForCausalLM}, holds: native") == [("same-release", "GoneForCausalLM", ("native", "not in the registry"))]
    assert found(make, "about: {architecture: GoneForCausalLM}, holds: untested") == []


def test_a_page_of_another_version_is_skew(make):
    assert found(make, "about: {architecture: GoneForCausalLM}, holds: native", version="1.0.0") == [
        ("version-skew", "GoneForCausalLM", ("native", "not in the registry"))
    ]


def test_what_a_whole_page_leaves_out(make):
    said = ("about: {architecture: TinyForCausalLM}, holds: native",)
    registry = {
        "support/enga/enga-1-1-0-registry.yaml": snapshot(*said, "about: {architecture: NewForCausalLM}, holds: native", cites="enga-registry", complete=True)
    }
    assert found(make, *said, whole=True, more=registry) == [("left-out", "NewForCausalLM", ("not listed", "native"))]
    assert found(make, *said, more=registry) == []


def test_limits_that_differ(make):
    code = {"support/enga/enga-code.yaml": snapshot("about: {backend: FAST, feature: compute-capability}, holds: partial, value: 9.x", cites="enga-registry")}
    assert found(make, "about: {backend: FAST, feature: compute-capability}, holds: native, value: any", more=code) == [
        ("same-release", "FAST", ("native (any)", "partial (9.x)"))
    ]


def test_spellings_of_two_projects(make):
    other = {
        "support/engb/engb-registry.yaml": snapshot(
            "about: {architecture: Tiny_ForCausalLM}, holds: native", cites="doc", complete=True, engine="engb", version="b200"
        )
    }
    products = make(other | citation("code", more="retrieved: 2026-02-02\npin: b200\n"))
    [conflict] = [c for c in conflicts(Ledger(products.catalog)) if c.kind == "spelling"]
    assert {value for _, value in conflict.about} == {"TinyForCausalLM", "Tiny_ForCausalLM"}
    assert {side.engine for side in conflict.sides} == {"enga", "engb"}
