"""Rules about what records say, beyond their own examples."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, gotcha, text_of
from infercompat import rules

GOTCHA = "gotchas/enga/enga-wrong-past-window.yaml"
MODEL = "models/acme/tiny-model.yaml"
OFFERS = "support/enga/enga-1-1-0-offers.yaml"
SOFTCAP = "requirements/logit-softcap.yaml"


def told(make, name: str, old: str, new: str) -> list[tuple[str, int, str, str]]:
    text = text_of(name)
    assert old in text
    return [(found.rule, found.span.line, found.message, found.help) for found in rules.check(make({name: text.replace(old, new)}))]


@pytest.mark.parametrize(
    ("placeholder", "message", "help"),
    [
        ("{{ layers.slidin }}", "there is no value layers.slidin", "Did you mean layers.sliding?"),
        ("{{ layers.sliding | gib }}", "there is no filter gib; the filters are bytes, times, percent, thousands", "The form is {{ name | filter }}."),
        ("{{ 7 * 7 }}", "'7 * 7' is no dotted name; a placeholder is looked up, nothing in it is computed", "The form is {{ name | filter }}."),
        ("{{ image.tokens }}", "this model's config gives no image.tokens", "Say it in words, or take the statement out."),
    ],
)
def test_placeholders(make, placeholder, message, help):
    assert told(make, MODEL, "{{ layers.sliding }}", placeholder) == [("PRO001", 21, message, help)]


@pytest.mark.parametrize(
    "placeholder", ["{{ cache.ideal.at.5000 | bytes }}", "{{ layers.recurrent+full }}", "{{ window }}", "{{ cache.overpay.at.8192 | times }}"]
)
def test_placeholders_that_lead_somewhere(make, placeholder):
    assert told(make, MODEL, "{{ layers.sliding }}", placeholder) == []


def test_placeholders_belong_to_models(make):
    found = told(make, "requirements/windowing.yaml", "Met in", "With {{ window }} met in")
    assert found == [("PRO001", 6, "nothing is derived for windowing", "Placeholders stand in the notes of models.")]


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        (GOTCHA, "{cache.dtype: [fp8_e4m3]}", "{cache.dtyp: fp8_e4m3}", 12),
        (GOTCHA, "{cache.dtype: [fp8_e4m3]}", "{tensor_parallel: two}", 12),
        (GOTCHA, "{cache.dtype: [fp8_e4m3]}", '{relation: "sequence_length >"}', 12),
        (GOTCHA, "{cache.dtype: [fp8_e4m3]}", "{layer: {hed_dim: 64}}", 12),
        (OFFERS, "holds: native, at: L9", "holds: native, when: {lorra: true}, at: L9", 12),
        (SOFTCAP, "consequence: wrong-output", "consequence: wrong-output\nmatters_when: {lorra: true}\navoided_by: Nothing.", 5),
    ],
)
def test_conditions_are_read_wherever_they_stand(make, name, old, new, line):
    assert [(rule, at) for rule, at, _, _ in told(make, name, old, new)] == [("CON001", line)]


def test_a_clean_when_is_read_too(make):
    assert [rule for rule, *_ in told(make, GOTCHA, "workarounds:", "clean_when: {cache.dtyp: bf16}\nworkarounds:")] == ["CON001"]


def test_a_contradiction_is_told(make):
    assert [rule for rule, *_ in told(make, GOTCHA, "{requires: sliding-window}", "{cache.dtype: bf16}")] == ["CON002"]


def test_a_model_that_no_reader_knows_says_what_is_missing(make):
    found = told(make, MODEL, "    sliding_window: 1024\n", "")
    assert [(rule, line) for rule, line, *_ in found if rule == "MOD001"] == [("MOD001", 10)]
    assert any("sliding_window" in message for rule, _, message, _ in found if rule == "MOD001")


def test_a_requirement_whose_record_is_broken_is_not_missing_too(make):
    found = rules.check(make({"requirements/sliding-window.yaml": "name: Sliding\n"}))
    assert {diagnostic.span.path for diagnostic in found} == {"catalog/requirements/sliding-window.yaml"}


def test_a_requirement_without_a_record_names_the_file_to_add(make):
    files = {
        "requirements/sliding-window.yaml": None,
        OFFERS: text_of(OFFERS).replace("sliding-window", "logit-softcap", 1).replace("  - {about: {requirement: logit-softcap}, holds: native, at: L9}\n", ""),
        GOTCHA: text_of(GOTCHA).replace("    - {requires: sliding-window}\n", ""),
    }
    found = [(diagnostic.rule, diagnostic.help) for diagnostic in rules.check(make(files))]
    assert found == [("MOD002", "Add catalog/requirements/sliding-window.yaml.")]


@pytest.mark.parametrize(
    ("second", "told_of"),
    [
        ("{about: {requirement: logit-softcap}, holds: native, at: L1}", ["SUP001"]),
        ("{about: {requirement: logit-softcap, backend: FA}, holds: native, at: L1}", []),
        ("{about: {requirement: logit-softcap}, holds: native, when: {lora: true}, at: L1}", []),
        ("{about: {requirement: logit-softcap}, holds: unsupported, at: L1}", ["SUP001"]),
    ],
)
def test_a_snapshot_states_a_proposition_once(make, second, told_of):
    found = rules.check(make({OFFERS: text_of(OFFERS) + f"  - {second}\n"}))
    assert [diagnostic.rule for diagnostic in found] == told_of


@pytest.mark.parametrize(("second", "told_of"), [("unsupported, at: L10", []), ("unsupported, at: L9", ["SUP001"]), ("native, at: L10", ["SUP001"])])
def test_a_page_read_whole_may_contradict_itself_in_two_places(make, second, told_of):
    both = "  - {about: {architecture: BigForCausalLM}, holds: native, at: L9}\n" + f"  - {{about: {{architecture: BigForCausalLM}}, holds: {second}}}\n"
    found = rules.check(make({OFFERS: text_of(OFFERS).replace("claims:", "whole_page: true\nclaims:") + both}))
    assert [diagnostic.rule for diagnostic in found] == told_of


@pytest.mark.parametrize(("folder", "codes"), [("gotchas/engb", ["SUP002"]), ("gotchas/enga", []), ("gotchas", ["SUP002"])])
def test_gotchas_lie_with_their_engine(make, folder, codes):
    found = rules.check(make({GOTCHA: None, f"{folder}/a.yaml": text_of(GOTCHA)}))
    assert [diagnostic.rule for diagnostic in found] == codes


@pytest.mark.parametrize(
    ("status", "fixed", "codes"),
    [
        ("fixed", "", ["GOT001"]),
        ("fixed-unreleased", "", ["GOT001"]),
        ("fixed", ', fixed: {pr: "https://example.com/1", cites: [{id: enga-issue-1}]}', []),
        ("wontfix", "", []),
    ],
)
def test_fixed_needs_a_fix(make, status, fixed, codes):
    text = text_of(GOTCHA).replace('observed: ["1.1.0"]', f'observed: ["1.1.0"]{fixed}').replace("status: open", f"status: {status}")
    assert [diagnostic.rule for diagnostic in rules.check(make({GOTCHA: text}))] == codes


@pytest.mark.parametrize("readable", [True, False])
def test_a_default_is_not_held_against_an_engine_that_cannot_be_read(make, readable):
    """The engine's own fault is enough: its gotchas are right until it is mended."""
    default = 'default: {fact: setting.eager, was: false, is: true, since: "1.1.0", cites: [{id: enga-issue-1}]}\n'
    scheme = "pep440" if readable else "pep44"
    products = make({GOTCHA: text_of(GOTCHA) + default, ENGINE: text_of(ENGINE).replace("scheme: pep440", f"scheme: {scheme}")})
    assert (products.catalog.follow("enga") is not None) == readable
    assert ("GOT004" in {found.rule for found in rules.check(products)}) == readable


@pytest.mark.parametrize(
    ("field", "line"),
    [('error_patterns: ["fine here", "not (fine"]', 8), ('detector: {kind: test, look_for: A., pattern: "[a-z"}', 6)],
)
def test_patterns_compile(make, field, line):
    text = text_of(GOTCHA)
    if field.startswith("detector"):
        text = text.replace("detector: {kind: test, look_for: Compare a long answer with eager attention.}", field)
    else:
        text = text.replace("hardware: {scope", f"{field}\nhardware: {{scope")
    assert [(diagnostic.rule, diagnostic.span.line) for diagnostic in rules.check(make({GOTCHA: text}))] == [("GOT002", line)]


@pytest.mark.parametrize(("feature", "meant"), [("lora-with-speculaton", "lora-with-speculation"), ("logp-with-lora", None), ("lora-with-speculation", None)])
def test_a_feature_that_is_nearly_one_is_named_with_its_place(make, feature, meant):
    text = text_of(OFFERS)
    line = f"  - {{about: {{feature: {feature}}}, holds: unsupported, at: L9}}\n"
    [last] = [number for number, row in enumerate(text.splitlines(), 1) if row == "claims:"]
    found = rules.check(make({OFFERS: text.replace("claims:\n", "claims:\n" + line)}))
    told = [(one.rule, one.span.line, one.span.column, one.message, one.help) for one in found]
    assert told == ([("SUP003", last + 1, line.index(feature) + 1, f"no fact asks for {feature}", f"Did you mean {meant}?")] if meant else [])


@pytest.mark.parametrize(
    ("word", "help"),
    [
        ("eagle", None),
        ("EAGLE3", None),
        ("eaglle9", "Did you mean eagle?"),
        ("xyzzy", "The engine's record lists the words of its setting."),
    ],
)
def test_ways_to_draft_are_words_that_some_engine_has(make, word, help):
    """In a condition and in a workaround; of two words that are not known each is told."""
    fields = gotcha(when=f"{{speculation.method: {word}}}", workarounds=f"[{{set: {{speculation.method: {word}}}}}]")
    found = [(one.rule, one.message, one.help) for one in rules.check(make({"gotchas/enga/drafts.yaml": fields}))]
    assert found == ([] if help is None else [("CON003", f"no engine drafts by {word}", help)] * 2)


@pytest.mark.parametrize(
    "when",
    [
        '{all: [{relation: "sequence_length > model.window"}, {relation: "sequence_length <= model.window"}]}',
        "{gpu_memory_utilization: 95}",
    ],
)
def test_conditions_that_can_never_be_true(make, when):
    assert [one.rule for one in rules.check(make({"gotchas/enga/never.yaml": gotcha(when=when)}))] == ["CON002"]
