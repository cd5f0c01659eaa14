"""Gotchas that a pair meets or can meet, what decides it, and which of them block."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, GOTCHA, REGISTRY, changed, citation, gotcha, snapshot
from infercompat.join import Matrix, Release, Stack, gates

MET = "gotchas/enga/met.yaml"


@pytest.fixture
def gate(make):
    """The gate of one gotcha in a cell, or None. The tiny catalog's own gotcha is taken away."""

    def of(text: str, files=None, model: str = "tiny-model", engine: str = "enga", today: str = "2026-03-01"):
        products = make({GOTCHA: None, MET: text} | (files or {}), today)
        assert products.diagnostics == []
        found = Matrix(products).cells[model, engine].gates
        return found[0] if found else None

    return of


def outcome(found) -> tuple | None:
    return found and (found.state, found.blocks)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("hit", True)),
        ({"when": ""}, ("hit", True)),
        ({"symptom": "hang"}, ("hit", True)),
        ({"symptom": "unsupported-combination"}, ("hit", True)),
        ({"symptom": "crash-at-init"}, ("hit", True)),
        ({"symptom": "performance-cliff"}, ("hit", False)),
        ({"symptom": "silent-memory-overpay"}, ("hit", False)),
        ({"symptom": "wrong-docs"}, ("hit", False)),
        ({"symptom": "lost-feature"}, ("hit", False)),
        ({"when": "{requires: logit-softcap}"}, None),
        ({"when": "{model.layers: 4}"}, ("hit", True)),
        ({"when": "{model.layers: 5}"}, None),
        ({"when": '{relation: "sequence_length > model.window"}'}, ("hit", True)),
        ({"when": "{layer: {kind: sliding, window: 1024}}"}, ("hit", True)),
        ({"when": "{relation: 'enga.version >= 1.1'}"}, ("hit", True)),
        ({"when": "{relation: 'enga.version < 1.1'}", "affects": '{all: [{engine: enga, observed: ["1.1.0"]}]}'}, None),
        ({"when": "{relation: 'engb.version < 1.1'}"}, ("maybe", False)),
        ({"when": "{relation: 'any(model.layers, kind == ''sliding'' and window == 1024)'}"}, ("hit", True)),
        ({"when": "{relation: 'all(model.layers, head_dim == 64)'}"}, ("hit", True)),
        ({"when": "{relation: 'any(model.layers, head_dim == 65)'}"}, None),
        ({"when": "{relation: 'any(model.linears, k % 32 != 0)'}"}, ("maybe", False)),
        ({"when": "{cache.dtype: fp8}"}, ("maybe", False)),
        ({"when": "{speculation.method: mtp}"}, ("maybe", False)),
        ({"when": "{setting.anything: true}"}, ("maybe", False)),
        ({"when": "{any: [{cache.dtype: fp8}, {model.layers: 4}]}"}, ("hit", True)),
        ({"when": "{all: [{cache.dtype: fp8}, {model.layers: 5}]}"}, None),
        ({"clean_when": "{model.layers: 4}"}, None),
        ({"clean_when": "{cache.dtype: bf16}"}, ("maybe", False)),
        ({"hardware": "{scope: list, seen_on: [sm100]}"}, ("maybe", False)),
        ({"hardware": "{scope: cc-range, min: sm80}"}, ("maybe", False)),
        ({"engine": "engb", "affects": '{all: [{engine: engb, observed: ["b200"]}]}'}, None),
    ],
)
def test_conditions_and_symptoms(gate, fields, expected):
    assert outcome(gate(gotcha(**fields))) == expected


@pytest.mark.parametrize(("place", "state"), [(None, "hit"), ("sm100", "hit"), ("cpu", "almost")])
def test_a_fault_anywhere_but_on_some_hardware(make, place, state):
    """On unknown hardware it is met: it is those few that are clean."""
    products = make({GOTCHA: None, MET: gotcha(hardware="{scope: any, clean_on: [cpu]}")})
    catalog = products.catalog
    stack = Stack(catalog.records["tiny-model"], products.derived["tiny-model"], {"hardware.class": place} if place else {})
    [found] = gates(catalog, catalog.records["enga"], Release("1.1.0", None), stack, "2026-03-01", almost=True)
    assert found.state == state


def test_a_pair_without_the_requirement_does_not_meet_it(gate):
    both = {REGISTRY: snapshot(*(f"about: {{architecture: {name}}}, holds: native" for name in ("TinyForCausalLM", "LlamaForCausalLM")))}
    assert outcome(gate(gotcha(), both)) == ("hit", True)
    assert gate(gotcha(), both, model="plain-model") is None


def test_a_pair_whose_architecture_fails_has_no_gates(gate):
    assert gate(gotcha(when=""), model="plain-model") is None


@pytest.mark.parametrize(
    ("entry", "status", "read_on", "expected"),
    [
        ('engine: enga, observed: ["1.1.0"]', "open", "2026-02-02", ("hit", False)),
        ('engine: enga, observed: ["1.0.0"]', "open", "2026-02-02", ("hit", True)),
        ('engine: enga, observed: ["1.0.0"]', "open", "2025-08-01", ("maybe", False)),
        ('engine: enga, observed: ["1.0.0"]', "wontfix", "2026-02-02", ("hit", True)),
        ('engine: enga, observed: ["1.0.0"], fixed: {first_release: "1.1.0", cites: [{id: enga-issue-1}]}', "fixed", "2026-02-02", None),
        ('engine: enga, observed: ["1.0.0"], fixed: {first_release: "1.2.0", cites: [{id: enga-issue-1}]}', "fixed", "2026-02-02", ("hit", False)),
        ('engine: enga, introduced: {version: "1.2.0", cites: [{id: enga-issue-1}]}', "open", "2026-02-02", None),
        ('engine: enga, introduced: {version: "1.0.0", cites: [{id: enga-issue-1}]}', "open", "2026-02-02", ("hit", True)),
        ("engine: enga", "open", "2026-02-02", ("maybe", False)),
    ],
)
def test_versions(gate, entry, status, read_on, expected):
    found = gate(gotcha(affects=f"{{all: [{{{entry}}}]}}", status=status, read_on=read_on))
    assert (found and (found.state, found.stale)) == expected


BUNDLING = changed(ENGINE, ('{version: "1.1.0", date: 2026-02-01}', '{version: "1.1.0", date: 2026-02-01, bundles: {libx: "2.0"}}'))


@pytest.mark.parametrize(
    ("affects", "files", "expected"),
    [
        ('{all: [{engine: enga, observed: ["1.1.0"]}, {component: libx, observed: ["2.0"]}]}', BUNDLING, "hit"),
        ('{all: [{engine: enga, observed: ["1.1.0"]}, {component: libx, fixed: {first_release: "2.0", cites: [{id: enga-issue-1}]}}]}', BUNDLING, None),
        ('{all: [{engine: enga, observed: ["1.1.0"]}, {component: libx, observed: ["2.0"]}]}', {}, "maybe"),
        ('{any: [{engine: enga, observed: ["1.1.0"]}, {component: libx, observed: ["2.0"]}]}', {}, "hit"),
        ('{all: [{component: libx, observed: ["2.0"]}]}', BUNDLING, "hit"),
        ('{any: [{engine: enga, observed: ["1.1.0"]}, {engine: engb, observed: ["b200"]}]}', {}, "hit"),
    ],
)
def test_components(gate, affects, files, expected):
    found = gate(gotcha(affects=affects, when=""), files)
    assert (found and found.state) == expected


MENDED = "fixed: {pr: https://example.com/acme/enga/pull/12, merged: 2026-02-10, cites: [{id: enga-issue-1}]}"


@pytest.mark.parametrize(
    ("entry", "given", "expected"),
    [
        ("engine: enga, observed: ['1.1.0'], " + MENDED, {}, True),
        ("engine: enga, observed: ['1.1.0'], " + MENDED, {"enga.has_pr": (12,)}, False),
        ("engine: enga, observed: ['1.1.0'], " + MENDED, {"enga.has_pr": (13,)}, True),
        ("engine: enga, observed: ['1.1.0'], " + MENDED, {"engb.has_pr": (12,)}, True),  # of another repository
        ("component: libx, observed: ['2.0'], " + MENDED, {"libx.version": "2.0+pr12"}, False),
        ("component: libx, observed: ['2.0'], " + MENDED, {"libx.version": "2.0"}, True),
        ("component: libx, observed: ['2.0'], " + MENDED, {"libx.version": "main@2026-02-11"}, False),
        ("component: libx, observed: ['2.0'], " + MENDED, {"libx.has_pr": (12,)}, False),
        ("component: libx, observed: ['2.0'], " + MENDED, {}, None),
    ],
)
def test_a_build_that_holds_the_change_is_clean(make, entry, given, expected):
    products = make({GOTCHA: None, MET: gotcha(affects=f"{{all: [{{{entry}}}]}}", when="", status="fixed-unreleased")}, "2026-03-01")
    assert products.diagnostics == []
    records = products.catalog.records
    stack = Stack(records["tiny-model"], products.derived["tiny-model"], given)
    [found] = gates(products.catalog, records["enga"], Release("1.1.0", "2026-02-01"), stack, "2026-03-01", almost=True)
    assert found.truth.value is expected


@pytest.mark.parametrize(
    ("evidence", "files", "proven"),
    [
        ("[{id: enga-issue-1, strength: reproducible-case, shows: A.}]", {}, True),
        ("[{id: enga-issue-1, strength: maintainer-statement, shows: A.}]", {}, True),
        ("[{id: enga-issue-1, strength: single-report, shows: A.}]", {}, False),
        ("[{id: enga-issue-1, strength: document-reading, shows: A.}]", {}, False),
        ("[{id: doc, strength: reproducible-case, shows: A.}]", citation("issue", more=""), False),
        ("[{id: doc, strength: reproducible-case, shows: A.}, {id: enga-issue-1, strength: source-reading, shows: A.}]", citation("issue", more=""), True),
    ],
)
def test_only_what_is_proven_blocks(gate, evidence, files, proven):
    found = gate(gotcha(evidence=evidence), files)
    assert (found.state, found.proven, found.blocks) == ("hit", proven, proven)


@pytest.mark.parametrize(
    ("fields", "needs"),
    [
        ({}, ()),
        ({"when": "{cache.dtype: fp8}"}, ("cache.dtype",)),
        ({"hardware": "{scope: list, seen_on: [sm100, card-base]}"}, ("hardware",)),
        ({"when": "{all: [{cache.dtype: fp8}, {lora: true}, {model.layers: 4}]}"}, ("cache.dtype", "lora")),
        ({"affects": '{all: [{engine: enga, observed: ["1.1.0"]}, {component: libx}]}'}, ("libx.version",)),
    ],
)
def test_a_gate_names_what_decides_it(gate, fields, needs):
    assert gate(gotcha(**fields)).needs == needs


def test_gates_stand_in_order_of_what_they_do(make):
    texts = {
        "a-waits": gotcha(when="{lora: true}"),
        "b-minor": gotcha(severity="minor"),
        "c-unproven": gotcha(evidence="[{id: enga-issue-1, strength: single-report, shows: A.}]"),
        "d-blocker": gotcha(),
    }
    products = make({GOTCHA: None} | {f"gotchas/enga/{name}.yaml": text for name, text in texts.items()})
    found = Matrix(products).cells["tiny-model", "enga"].gates
    assert [gate.gotcha.id for gate in found] == ["d-blocker", "c-unproven", "b-minor", "a-waits"]
    assert [gate.severity for gate in found] == ["blocker", "blocker", "minor", "blocker"]
