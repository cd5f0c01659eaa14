"""Claims: what each snapshot says, what the silence of a whole registry says, and what a source is worth."""

from __future__ import annotations

import pytest

from catalogs import OFFERS, REGISTRY, citation, snapshot
from infercompat.condition import NO, YES, maybe
from infercompat.join import Ledger, Source

TINY_NAMES = {"architecture": "TinyForCausalLM", "model_type": "gemma2"}
OTHER_NAMES = {"architecture": "OtherForCausalLM", "model_type": "other"}
TRUTHS = {"yes": YES, "no": NO, "maybe": maybe("nobody knows", "lora")}


def holds(tree):
    """Decides conditions of the form {container: yes | no | maybe}; no condition holds."""
    return TRUTHS[tree["container"]] if tree else YES


def said(make, text: str, names=TINY_NAMES, engine: str = "") -> list[tuple[str, str]]:
    files = {REGISTRY: text} | ({"engines/enga.yaml": engine} if engine else {})
    catalog = make(files).catalog
    ledger = Ledger(catalog)
    return [(statement.status, statement.source.at) for statement in ledger.on_architecture(catalog.records["enga"], names, holds)]


STAR = 'about: {architecture: "*"}, holds: fallback'


@pytest.mark.parametrize(
    ("claims", "complete", "statements"),
    [
        (["about: {architecture: TinyForCausalLM}, holds: native"], False, [("native", "L1")]),
        (["about: {architecture: OtherForCausalLM}, holds: native"], False, []),
        (["about: {architecture: OtherForCausalLM}, holds: native"], True, [("unsupported", "")]),
        ([STAR], False, []),
        ([STAR], True, [("fallback", "L1")]),
        ([STAR + ", when: {container: yes}"], True, [("fallback", "L1")]),
        ([STAR + ", when: {container: no}"], True, [("unsupported", "")]),
        ([STAR + ", when: {container: maybe}"], True, [("unknown", "L1")]),
        ([STAR + ", when: {container: maybe}", STAR.replace("fallback", "plugin") + ", when: {container: yes}"], True, [("plugin", "L1")]),
        (["about: {architecture: TinyForCausalLM}, holds: removed", STAR], True, [("removed", "L1")]),
        (["about: {architecture: TinyForCausalLM}, holds: native, when: {container: maybe}"], True, [("unknown", "L1")]),
        (
            ["about: {architecture: TinyForCausalLM}, holds: native, when: {container: no}", "about: {architecture: TinyForCausalLM}, holds: plugin"],
            True,
            [("plugin", "L1")],
        ),
        (["about: {architecture: TinyForCausalLM, feature: lora}, holds: native"], False, []),
        (["about: {model_type: gemma2}, holds: native"], False, [("native", "L1")]),
        (["about: {model_type: llama}, holds: native"], True, [("unsupported", "")]),
    ],
)
def test_what_a_snapshot_says_of_an_architecture(make, claims, complete, statements):
    assert said(make, snapshot(*claims, complete=complete)) == statements


def test_an_undecided_statement_names_its_condition(make):
    catalog = make({REGISTRY: snapshot(STAR + ", when: {container: maybe}", complete=True)}).catalog
    [statement] = Ledger(catalog).on_architecture(catalog.records["enga"], TINY_NAMES, holds)
    assert statement.undecided == "fallback if container is maybe"


def test_an_engine_may_be_keyed_by_model_type(make):
    engine = (
        "name: EngA\nrole: engine\nrepository: https://example.com/acme/enga\nscheme: pep440\nmodel_key: model_type\n"
        'releases: [{version: "1.1.0", date: 2026-02-01}]\n'
    )
    both = snapshot("about: {model_type: gemma2}, holds: plugin", "about: {architecture: TinyForCausalLM}, holds: native", complete=True)
    assert said(make, both, engine=engine) == [("plugin", "L1")]
    assert said(make, both) == [("native", "L1")]
    assert said(make, both, OTHER_NAMES, engine=engine) == [("unsupported", "")]


def test_each_snapshot_speaks_for_itself(make):
    catalog = make({"support/enga/b.yaml": snapshot("about: {architecture: TinyForCausalLM}, holds: unsupported", version="1.0.0")}).catalog
    found = Ledger(catalog).on_architecture(catalog.records["enga"], TINY_NAMES, holds)
    assert [(statement.snapshot.id, statement.version, statement.status) for statement in found] == [
        ("b", "1.0.0", "unsupported"),
        ("enga-1-1-0-registry", "1.1.0", "native"),
    ]


@pytest.mark.parametrize(
    ("claims", "statuses"),
    [
        (["about: {requirement: sliding-window}, holds: native"], ["native"]),
        (["about: {requirement: logit-softcap}, holds: native"], []),
        (
            ["about: {requirement: sliding-window}, holds: native", "about: {requirement: sliding-window, architecture: TinyForCausalLM}, holds: partial"],
            ["partial"],
        ),
        (
            ["about: {requirement: sliding-window}, holds: native", "about: {requirement: sliding-window, architecture: OtherForCausalLM}, holds: partial"],
            ["native"],
        ),
        (["about: {requirement: sliding-window, architecture: OtherForCausalLM}, holds: partial"], []),
        (["about: {requirement: sliding-window, model_type: gemma2}, holds: partial"], ["partial"]),
        (['about: {requirement: sliding-window, architecture: "*"}, holds: partial'], ["partial"]),
        (
            ["about: {requirement: sliding-window, backend: A}, holds: native", "about: {requirement: sliding-window, backend: B}, holds: unsupported"],
            ["native", "unsupported"],
        ),
    ],
)
def test_the_narrowest_claim_on_a_requirement_speaks(make, claims, statuses):
    ledger = Ledger(make({OFFERS: snapshot(*claims)}).catalog)
    assert [statement.status for statement in ledger.on_offer("enga", "sliding-window", TINY_NAMES)] == statuses


def test_features_keep_the_order_of_their_source(make):
    claims = [f"about: {{architecture: {name}, feature: lora}}, holds: native, value: {word}" for name, word in (("B", "Yes"), ("A", "No"))]
    ledger = Ledger(make({OFFERS: snapshot(*claims, "about: {architecture: C, feature: other}, holds: native")}).catalog)
    assert [(statement.claim["about"]["architecture"], statement.field("value")) for statement in ledger.on_feature("enga", "lora")] == [
        ("B", "Yes"),
        ("A", "No"),
    ]


def test_a_claim_s_own_source_comes_before_its_snapshot_s(make):
    text = snapshot("about: {architecture: TinyForCausalLM}, holds: native, cites: [{id: doc, at: Table 2}]")
    catalog = make({REGISTRY: text} | citation("documentation")).catalog
    [statement] = Ledger(catalog).on_architecture(catalog.records["enga"], TINY_NAMES, holds)
    assert statement.source == Source("doc", "Table 2", 3, "documentation", pinned=False, opened="2026-02-02")


@pytest.mark.parametrize(
    ("type", "more", "source"),
    [
        ("code", "pin: doc\nretrieved: 2026-01-05\n", Source("doc", "L3", 5, "code", True, "2026-01-05")),
        ("generated-documentation", "", Source("doc", "L3", 4, "generated-documentation", False, None)),
        ("issue", "retrieved: 2026-01-05\n", Source("doc", "L3", 2, "issue", False, "2026-01-05")),
        ("article", "", Source("doc", "L3", 1, "article", False, None)),
    ],
)
def test_what_a_source_is(make, type, more, source):
    assert Ledger(make(citation(type, more=more)).catalog).source_of("doc", "L3") == source


def test_a_source_without_a_record_is_worth_least(tiny):
    assert Ledger(tiny.catalog).source_of("gone") == Source("gone", "", 1, "article", pinned=False, opened=None)
