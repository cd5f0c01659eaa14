"""Verdicts: what makes a cell yes, no, only-with or unknown, and that unknown never turns into one of the others by accident."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, GOTCHA, MODEL, NATIVE, OFFERS, REGISTRY, TINY, WINDOW, WINDOWED, changed, citation, gotcha, snapshot, text_of

MET = "gotchas/enga/met.yaml"
DOCS = citation("documentation")
LACKING = {OFFERS: snapshot(WINDOWED.replace("native", "unsupported"))}
AVOIDABLE = (
    "consequence: memory-overpay",
    'consequence: wrong-output\nmatters_when: {relation: "sequence_length > model.window"}\navoided_by: Stay inside the window.',
)
PART = ("consequence: memory-overpay", "consequence: memory-overpay\npart_of_architecture: true")
OPTIONAL = ("consequence: memory-overpay", "consequence: refuses\noptional: true")
SOFT = changed(MODEL, ("    head_dim: 64\n", "    head_dim: 64\n    attn_logit_softcapping: 50.0\n"))


def verdict(cell) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return cell.verdict, cell.missing, cell.conditions


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ("yes", (), ())),
        ({OFFERS: snapshot(WINDOWED)}, ("yes", (), ())),
        (LACKING, ("yes", (), ())),
        ({OFFERS: snapshot(WINDOWED.replace("native", "unsupported, consequence: wrong-output"))}, ("no", (), ())),
        ({OFFERS: snapshot(WINDOWED.replace("native", "unsupported, consequence: refuses"))}, ("no", (), ())),
        ({OFFERS: snapshot(WINDOWED.replace("native", "unsupported, consequence: slow"))}, ("yes", (), ())),
        (LACKING | changed(WINDOW, AVOIDABLE), ("only-with", (), ("Stay inside the window.",))),
        (LACKING | changed(WINDOW, OPTIONAL), ("yes", (), ())),
        (SOFT, ("yes", (), ())),
        (SOFT | changed(OFFERS, ("logit-softcap}, holds: native", "logit-softcap}, holds: unsupported")), ("no", (), ())),
        ({REGISTRY: snapshot(NATIVE.replace("native", "removed"))}, ("no", (), ())),
        ({MET: gotcha()}, ("no", (), ())),
        ({MET: gotcha(workarounds="[{set: {lora: false}}]")}, ("only-with", (), ("a workaround of met",))),
        ({MET: gotcha(evidence="[{id: enga-issue-1, strength: single-report, shows: A.}]")}, ("yes", (), ())),
        ({MET: gotcha(symptom="performance-cliff")}, ("yes", (), ())),
        ({MET: gotcha(when="{setting.fast: true}")}, ("yes", (), ())),
        ({MET: gotcha(hardware="{scope: list, seen_on: [sm100]}")}, ("yes", (), ())),
        ({MET: gotcha(), OFFERS: None}, ("no", (), ())),
        ({MET: gotcha(workarounds="[{set: {lora: false}}]"), OFFERS: None}, ("unknown", ("sliding-window",), ())),
        (changed(WINDOW, PART) | {OFFERS: None}, ("yes", (), ())),
        (changed(WINDOW, PART) | {OFFERS: None, REGISTRY: snapshot(NATIVE.replace("native", "rewritten"))}, ("yes", (), ())),
        (changed(WINDOW, PART) | {OFFERS: None, REGISTRY: snapshot(NATIVE.replace("native", "plugin"))}, ("unknown", ("sliding-window",), ())),
        (changed(WINDOW, PART) | {OFFERS: snapshot(WINDOWED.replace("native", "unsupported, consequence: refuses"))}, ("no", (), ())),
        (changed(WINDOW, OPTIONAL) | {OFFERS: None}, ("yes", (), ())),
    ],
)
def test_verdicts(cell, files, expected):
    assert verdict(cell(files)) == expected


def test_a_gate_by_setting_leaves_the_verdict_and_is_shown(cell):
    found = cell()
    assert [(gate.gotcha.id, gate.state) for gate in found.gates] == [("enga-wrong-past-window", "maybe")]
    assert (found.verdict, str(found.grade)) == ("yes", "verified, high · 0.95")


@pytest.mark.parametrize(
    ("files", "model", "reason"),
    [
        ({}, "tiny-model", "sliding-window: The mask is right and the cache keeps every token."),
        ({OFFERS: snapshot(WINDOWED)}, "tiny-model", "every hop holds"),
        ({}, "plain-model", "architecture: LlamaForCausalLM is absent from the whole registry (The registry of 1.1.0)"),
        ({MET: gotcha()}, "tiny-model", "met and no workaround is recorded"),
        ({OFFERS: None}, "tiny-model", "sliding-window: no source of EngA in the catalog speaks of Sliding-window attention"),
    ],
)
def test_reasons(cell, files, model, reason):
    assert cell(files, model=model).reason == reason


def test_a_whole_registry_makes_absence_a_no_and_another_one_does_not(cell):
    assert verdict(cell(model="plain-model")) == ("no", (), ())
    assert verdict(cell(changed(REGISTRY, ("complete: true\n", "")), model="plain-model")) == ("unknown", ("architecture",), ())


STAR = 'about: {architecture: "*"}, holds: fallback'


@pytest.mark.parametrize(
    ("when", "expected", "reason"),
    [
        ("", "yes", "every hop holds"),
        (", when: {model.layers: 2}", "yes", "every hop holds"),
        (", when: {model.layers: 3}", "no", "architecture: LlamaForCausalLM is absent from the whole registry (A source)"),
        (
            ", when: {transformers.backend_compatible: true}",
            "unknown",
            "architecture: LlamaForCausalLM: fallback if transformers.backend_compatible is true",
        ),
    ],
)
def test_a_fallback_for_any_architecture(cell, when, expected, reason):
    found = cell({REGISTRY: snapshot(NATIVE, STAR + when, complete=True)}, model="plain-model")
    assert (found.verdict, found.reason) == (expected, reason)


def test_code_against_documents_is_contested(cell):
    found = cell(DOCS | {"support/enga/docs.yaml": snapshot(NATIVE.replace("native", "unsupported"), cites="doc")})
    assert (found.verdict, str(found.grade)) == ("yes", "contested, medium · 0.75")


def test_a_contested_requirement_makes_the_answer_contested(cell):
    found = cell(DOCS | {"support/enga/docs.yaml": snapshot(WINDOWED.replace("native", "unsupported"), cites="doc")})
    assert (found.verdict, found.grade.word) == ("yes", "contested")


def test_what_is_carried_forward_is_stale(cell):
    found = cell(changed(ENGINE, ("releases:\n", 'releases:\n  - {version: "1.2.0", date: 2026-02-20}\n')))
    assert (found.verdict, str(found.grade)) == ("yes", "stale, high · 0.85")


def test_old_evidence_is_stale(cell):
    assert cell(today="2026-08-01").grade.word == "verified"
    assert cell(today="2026-08-02").grade.word == "stale"


def test_an_unknown_answer_has_no_grade(cell):
    assert cell({OFFERS: None}).grade is None


CONFIGLESS = changed(MODEL, ("    sliding_window: 1024\n", ""))


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        ({REGISTRY: None}, ("architecture",)),
        ({OFFERS: None}, ("sliding-window",)),
        ({REGISTRY: None, OFFERS: None}, ("architecture", "sliding-window")),
        (SOFT | {OFFERS: snapshot(WINDOWED)}, ("logit-softcap",)),
        (CONFIGLESS, ("config",)),
        (changed(REGISTRY, ("TinyForCausalLM", "OtherForCausalLM"), ("complete: true\n", "")), ("architecture",)),
    ],
)
def test_without_all_records_of_a_hop_the_answer_is_unknown_and_names_it(cell, files, missing):
    found = cell(files)
    assert (found.verdict, found.missing) == ("unknown", missing)
    assert [hop.name for hop in found.deciding] == list(missing)


AGAIN = {"support/enga/again.yaml": snapshot(NATIVE, WINDOWED.replace("native", "partial"))}


@pytest.mark.parametrize("gone", [{REGISTRY: None}, {OFFERS: None}, {REGISTRY: None, OFFERS: None}, {}])
def test_one_of_two_redundant_snapshots_may_go(cell, gone):
    assert cell(AGAIN | gone).verdict == "yes"


UNRELATED = {
    "another engine's registry": {"support/engb/b.yaml": snapshot(NATIVE, WINDOWED, engine="engb", version="b200")},
    "another architecture": {"support/enga/other.yaml": snapshot("about: {architecture: OtherForCausalLM}, holds: native")},
    "another requirement": {"support/enga/other.yaml": snapshot("about: {requirement: windowing}, holds: native")},
    "a feature of the architecture": {"support/enga/other.yaml": snapshot("about: {architecture: TinyForCausalLM, feature: lora}, holds: native")},
    "the requirement for another architecture": {
        "support/enga/other.yaml": snapshot("about: {requirement: sliding-window, architecture: OtherForCausalLM}, holds: native"),
    },
    "the architecture in a far older version": {"support/enga/other.yaml": snapshot(NATIVE, WINDOWED, version="0.1.0")},
    "a gotcha": {MET: gotcha(workarounds="[{set: {lora: false}}]")},
    "a measurement": {"measurements/m.yaml": text_of("measurements/tiny-at-8k.yaml")},
    "a card": {"hardware/card-b.yaml": text_of("hardware/card-base.yaml")},
    "a source": DOCS,
    "a model": {"models/acme/other.yaml": text_of(MODEL).replace("aliases: [old/tiny]\n", "")},
    "an engine": {"engines/engc.yaml": text_of("engines/engb.yaml")},
}
UNKNOWN = {
    "no registry": {REGISTRY: None},
    "no offers": {OFFERS: None},
    "neither": {REGISTRY: None, OFFERS: None},
    "no config": CONFIGLESS,
    "a disagreement": {"support/enga/again.yaml": snapshot(NATIVE.replace("native", "unsupported"))},
    "an undecided condition": {REGISTRY: snapshot(NATIVE + ", when: {tensor_parallel: 2}")},
}


@pytest.mark.parametrize("unrelated", UNRELATED)
@pytest.mark.parametrize("unknown", UNKNOWN)
def test_unknown_stays_unknown_with_an_unrelated_record(cell, unknown, unrelated):
    before, after = cell(UNKNOWN[unknown]), cell(UNKNOWN[unknown] | UNRELATED[unrelated])
    assert before.verdict == after.verdict == "unknown"
    assert before.missing == after.missing != ()


def test_every_record_of_the_chain_counts(cell):
    """Take away the files of the tiny catalog that hold the answer up, one by one."""
    holding = {REGISTRY: "architecture", OFFERS: "sliding-window"}
    others = {path.relative_to(TINY).as_posix() for folder in ("support", "gotchas", "hardware", "measurements") for path in (TINY / folder).rglob("*.yaml")}
    assert others > set(holding)
    for name in others:
        found = cell({name: None})
        assert (found.verdict, found.missing) == (("unknown", (holding[name],)) if name in holding else ("yes", ()))


def test_deciding_hops_and_their_sources(cell):
    assert [source.id for source in cell().sources()] == ["enga-registry", "tiny-config", "enga-cache"]
    assert [hop.name for hop in cell(model="plain-model").deciding] == ["architecture"]
    assert [hop.name for hop in cell().limits] == ["sliding-window"]
    assert [hop.name for hop in cell({GOTCHA: None, OFFERS: snapshot(WINDOWED)}).limits] == []
