"""Hops: versions carried, ranks that disagree, gaps and failures, each on a changed tiny catalog."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, MODEL, NATIVE, OFFERS, REGISTRY, SOFTCAP, WINDOW, WINDOWED, changed, citation, snapshot
from infercompat.join import Ledger, newest_release
from infercompat.join.hops import Hop, Joiner, Release
from infercompat.join.stack import Stack


def newer(version: str, date: str) -> dict[str, str]:
    """enga with one more release, newer than every snapshot."""
    return changed(ENGINE, ("releases:\n", f'releases:\n  - {{version: "{version}", date: {date}}}\n'))


@pytest.fixture
def hop(make):
    def of(name: str, files=None, model: str = "tiny-model") -> Hop:
        products = make(files)
        assert products.diagnostics == []
        catalog = products.catalog
        engine = catalog.records["enga"]
        joiner = Joiner(Ledger(catalog), engine, newest_release(engine))
        stack = Stack(catalog.records[model], products.derived[model])
        return joiner.requirement(name, stack) if name not in ("architecture", "config") else getattr(joiner, name)(stack)

    return of


def state(found: Hop) -> tuple:
    return found.state, found.value, found.how, found.stale


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ("holds", "native", "exact", False)),
        (newer("1.1.4", "2026-02-20"), ("holds", "native", "same-minor", False)),
        (newer("1.2.0", "2026-02-20"), ("holds", "native", "carried", True)),
        (newer("1.4.0", "2026-12-01"), ("holds", "native", "carried", True)),
        (newer("1.9.0", "2026-06-01"), ("holds", "native", "carried", True)),
        (newer("1.5.0", "2026-12-01"), ("unknown", None, "exact", False)),
        ({REGISTRY: snapshot(NATIVE, version="1.0.0")} | newer("1.0.9", "2026-02-20"), ("holds", "native", "same-minor", False)),
        ({REGISTRY: snapshot(NATIVE.replace("native", "removed"))}, ("fails", "removed", "exact", False)),
        ({REGISTRY: snapshot(NATIVE.replace("native", "untested"))}, ("unknown", "untested", "exact", False)),
        ({REGISTRY: snapshot(NATIVE.replace("native", "known-issues"))}, ("holds", "known-issues", "exact", False)),
    ],
)
def test_architecture(hop, files, expected):
    assert state(hop("architecture", files)) == expected


def test_absence_does_not_carry_forward(hop):
    found = hop("architecture", newer("1.2.0", "2026-02-20"), model="plain-model")
    assert (found.state, found.finding) == (
        "unknown",
        "LlamaForCausalLM: unsupported at 1.1.0, the latest version on record; whether later ones have it is not known",
    )


def test_a_change_between_two_snapshots_is_named(hop):
    files = newer("1.2.0", "2026-02-20")
    files[ENGINE] = files[ENGINE].replace('  - {version: "1.2.0"', '  - {version: "1.2.0", date: 2026-02-20}\n  - {version: "1.3.0"')
    found = hop("architecture", files | {"support/enga/later.yaml": snapshot(NATIVE.replace("native", "fallback"), version="1.3.0")})
    assert (found.state, found.finding) == ("unknown", "TinyForCausalLM: native at 1.1.0, fallback at 1.3.0: changed in (1.1.0, 1.3.0]")


DOCS = citation("documentation")


@pytest.mark.parametrize(
    ("code", "docs", "expected"),
    [
        ("native", "unsupported", ("holds", "native", True)),
        ("unsupported", "native", ("fails", "unsupported", True)),
        ("native", "native", ("holds", "native", False)),
        ("native", "fallback", ("holds", "native", False)),
        ("native", "untested", ("holds", "native", False)),
    ],
)
def test_the_higher_rank_decides_and_a_lower_one_contests(hop, code, docs, expected):
    files = {REGISTRY: snapshot(NATIVE.replace("native", code)), "support/enga/docs.yaml": snapshot(NATIVE.replace("native", docs), cites="doc")}
    found = hop("architecture", files | DOCS)
    assert (found.state, found.value, found.contested) == expected
    assert [source.id for source in found.sources] == ["enga-registry"]


@pytest.mark.parametrize(("code", "docs", "contested"), [("native", "unsupported", True), ("unsupported", "native", True), ("native", "partial", False)])
def test_requirements_are_contested_alike(hop, code, docs, contested):
    offers = {OFFERS: snapshot(WINDOWED.replace("native", code)), "support/enga/docs.yaml": snapshot(WINDOWED.replace("native", docs), cites="doc")}
    found = hop("sliding-window", offers | DOCS)
    assert (found.value, found.contested) == (code, contested)


def test_a_lower_rank_of_another_version_does_not_contest(hop):
    files = newer("1.2.0", "2026-02-20") | {
        REGISTRY: snapshot(NATIVE, version="1.2.0"),
        "support/enga/docs.yaml": snapshot(NATIVE.replace("native", "fallback"), cites="doc"),
        "support/enga/more.yaml": snapshot(NATIVE.replace("native", "unsupported"), version="1.0.0", cites="doc"),
    }
    assert not hop("architecture", files | DOCS).contested


@pytest.mark.parametrize("docs", ["native", "unsupported", None])
def test_equal_ranks_that_disagree_are_unknown_whatever_a_lower_one_says(hop, docs):
    files = {"support/enga/again.yaml": snapshot(NATIVE.replace("native", "unsupported"))}
    if docs:
        files |= DOCS | {"support/enga/docs.yaml": snapshot(NATIVE.replace("native", docs), cites="doc")}
    found = hop("architecture", files)
    assert found.state == "unknown"
    assert "sources of 1.1.0 disagree: native, unsupported" in found.finding


@pytest.mark.parametrize(("code", "page"), [("native", "unsupported"), ("unsupported", "native")])
def test_an_offer_is_that_of_a_page_about_the_release_where_code_was_read_too_long_before(hop, code, page):
    files = newer("2.0.0", "2026-12-01") | {OFFERS: snapshot(WINDOWED.replace("native", code), version="1.0.0")}
    silent = hop("sliding-window", files)
    assert (silent.state, silent.value) == ("unknown", None)
    files |= DOCS | {"support/enga/docs.yaml": snapshot(WINDOWED.replace("native", page), version="2.0.0", cites="doc")}
    found = hop("sliding-window", files)
    assert (found.value, found.how, found.contested) == (page, "exact", False)


def test_an_offer_of_which_code_disagrees_is_unknown_whatever_a_page_says(hop):
    files = {OFFERS: snapshot(WINDOWED), "support/enga/again.yaml": snapshot(WINDOWED.replace("native", "unsupported"))}
    files |= DOCS | {"support/enga/docs.yaml": snapshot(WINDOWED, cites="doc")}
    assert hop("sliding-window", files).state == "unknown"


def test_a_lower_rank_speaks_where_the_higher_is_silent(hop):
    files = {REGISTRY: snapshot(NATIVE, version="1.0.0"), "support/enga/docs.yaml": snapshot(NATIVE.replace("native", "plugin"), cites="doc")}
    files |= newer("2.0.0", "2026-12-01") | {"support/enga/docs.yaml": snapshot(NATIVE.replace("native", "plugin"), version="2.0.0", cites="doc")}
    assert state(hop("architecture", files | DOCS)) == ("holds", "plugin", "exact", False)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        (["holds: native"], ("holds", "native", None, "implemented by the engine itself")),
        (["holds: native, note: By its own kernel."], ("holds", "native", None, "By its own kernel.")),
        (["holds: partial, lacks: The short cache."], ("gap", "partial", "memory-overpay", "The short cache.")),
        (["holds: partial, lacks: Speed., consequence: slow"], ("gap", "partial", "slow", "Speed.")),
        (["holds: unsupported"], ("gap", "unsupported", "memory-overpay", "Every layer keeps the whole context.")),
        (["holds: unsupported, consequence: wrong-output"], ("fails", "unsupported", "wrong-output", "Every layer keeps the whole context.")),
        (["holds: unsupported, consequence: refuses, lacks: It refuses."], ("fails", "unsupported", "refuses", "It refuses.")),
        (["holds: removed, consequence: refuses"], ("fails", "removed", "refuses", "Every layer keeps the whole context.")),
        (["holds: untested"], ("unknown", "untested", None, "listed as untested")),
        (["holds: not-applicable"], ("unknown", "not-applicable", None, "marked not applicable, which decides nothing")),
        (["holds: unsupported, consequence: refuses, when: {model.layers: 4}"], ("fails", "unsupported", "refuses", "Every layer keeps the whole context.")),
        (
            ["holds: unsupported, consequence: refuses, when: {model.layers: 5}"],
            ("unknown", None, None, "no source of EngA in the catalog speaks of Sliding-window attention"),
        ),
    ],
)
def test_what_a_requirement_finds(hop, claims, expected):
    text = snapshot(*(f"about: {{requirement: sliding-window}}, {claim}" for claim in claims))
    found = hop("sliding-window", {OFFERS: text})
    assert (found.state, found.value, found.consequence, found.finding) == expected


@pytest.mark.parametrize(
    ("offers", "value", "backends"),
    [
        ({"A": "unsupported", "C": "native", "B": "native"}, "native", ("B", "C")),
        ({"A": "unsupported", "B": "partial"}, "partial", ()),
    ],
)
def test_the_best_backend_speaks_for_its_snapshot(hop, offers, value, backends):
    claims = [f"about: {{requirement: sliding-window, backend: {name}}}, holds: {holds}" for name, holds in offers.items()]
    found = hop("sliding-window", {OFFERS: snapshot(*claims)})
    assert (found.value, found.backends) == (value, backends)


MATTERS = (
    "consequence: memory-overpay",
    'consequence: wrong-output\nmatters_when: {relation: "sequence_length > model.window"}\navoided_by: Stay inside the window.',
)
LACKING = {OFFERS: snapshot(WINDOWED.replace("native", "unsupported"))}


@pytest.mark.parametrize(
    ("model", "state", "avoided_by"),
    [
        ([], "fails", "Stay inside the window."),
        ([("max_position_embeddings: 8192", "max_position_embeddings: 1024")], "holds", None),
        ([("max_position_embeddings: 8192", "max_position_embeddings: 1025")], "fails", "Stay inside the window."),
    ],
)
def test_a_lack_that_does_not_always_show(hop, model, state, avoided_by):
    found = hop("sliding-window", LACKING | changed(WINDOW, MATTERS) | changed(MODEL, *model))
    assert (found.state, found.avoided_by) == (state, avoided_by)


def test_a_lack_that_may_show_counts_and_can_be_avoided(hop):
    setting = (MATTERS[0], MATTERS[1].replace('{relation: "sequence_length > model.window"}', "{cache.dtype: fp8}"))
    found = hop("sliding-window", LACKING | changed(WINDOW, setting))
    assert (found.state, found.avoided_by) == ("fails", "Stay inside the window.")


def test_a_lack_that_always_shows_cannot_be_avoided(hop):
    always = (MATTERS[0], MATTERS[1].replace("sequence_length > model.window", "sequence_length > 0"))
    found = hop("sliding-window", LACKING | changed(WINDOW, always))
    assert (found.state, found.avoided_by) == ("fails", None)


def test_an_optional_requirement_is_a_gap_at_most(hop):
    found = hop("sliding-window", LACKING | changed(WINDOW, ("consequence: memory-overpay", "consequence: refuses\noptional: true")))
    assert (found.state, found.optional) == ("gap", True)


SOFT = ("    head_dim: 64\n", "    head_dim: 64\n    attn_logit_softcapping: 50.0\n")


@pytest.mark.parametrize(("holds", "state"), [("native", "holds"), ("unsupported", "fails")])
def test_wrong_output_without_a_way_around_fails(hop, holds, state):
    found = hop("logit-softcap", {OFFERS: snapshot(f"about: {{requirement: logit-softcap}}, holds: {holds}")} | changed(MODEL, SOFT))
    assert (found.state, found.avoided_by) == (state, None)


@pytest.mark.parametrize(
    ("files", "state", "finding"),
    [
        ({}, "holds", "4 layers read from the publisher's config.json"),
        (changed(MODEL, ("basis: official", "basis: mirror")), "holds", "4 layers read from a copy of config.json"),
        (changed(MODEL, ("    sliding_window: 1024\n", "")), "unknown", "cannot be read into layers: sliding_window"),
    ],
)
def test_config(hop, files, state, finding):
    found = hop("config", files)
    assert (found.state, found.finding) == (state, finding)
    assert [source.id for source in found.sources] == ["tiny-config"]


def test_findings_say_how_it_was_said(hop):
    removed = snapshot(NATIVE.replace("native", 'removed, last_version: "1.0.0"'))
    rewritten = snapshot(NATIVE.replace("native", "rewritten, loads_as: Gemma2ForCausalLM"))
    assert hop("architecture", {REGISTRY: removed}).finding == "TinyForCausalLM is no longer supported after 1.0.0 (A source)"
    assert hop("architecture", {REGISTRY: rewritten}).finding == "TinyForCausalLM is loaded as Gemma2ForCausalLM (A source)"
    assert hop("architecture", {}, model="plain-model").finding == "LlamaForCausalLM is absent from the whole registry (The registry of 1.1.0)"


def test_the_softcap_record_is_as_the_tests_take_it(tiny):
    assert tiny.catalog.records["logit-softcap"].data["consequence"] == "wrong-output"
    assert tiny.catalog.records["logit-softcap"].path.removeprefix("catalog/") == SOFTCAP


def test_the_newest_release_is_the_first_of_the_list(tiny):
    newest = newest_release(tiny.catalog.records["enga"])
    assert (newest.version, newest.date, newest.assumed) == ("1.1.0", "2026-02-01", True)


def moved(version: str) -> dict[str, str]:
    """enga, of which upstream was seen to have this version."""
    return changed(ENGINE, ("releases:\n", f'upstream: {{version: "{version}", seen: 2026-02-20}}\nreleases:\n'))


@pytest.mark.parametrize(("upstream", "stale"), [("1.1.9", False), ("1.2.0", False), ("1.3.0", True), ("1.4.1", True), ("2.0.0", False)])
def test_evidence_ages_by_what_upstream_has(hop, upstream, stale):
    """Two minor releases behind is stale; how many lie between 1.1 and 2.0 nobody knows."""
    assert state(hop("architecture", moved(upstream))) == ("holds", "native", "exact", stale)


def test_evidence_at_the_version_that_was_asked_for_does_not_age(make):
    products = make(moved("1.9.0"))
    engine = products.catalog.records["enga"]
    stack = Stack(products.catalog.records["tiny-model"], products.derived["tiny-model"])
    assert Joiner(Ledger(products.catalog), engine, Release("1.1.0", "2026-02-01", assumed=False)).architecture(stack).stale is False


@pytest.fixture
def weights(make):
    def of(claims: tuple[str, ...], format: str, **given: str) -> Hop | None:
        products = make({OFFERS: snapshot(*claims)})
        assert products.diagnostics == []
        catalog = products.catalog
        engine = catalog.records["enga"]
        facts = {"weights.format": format} | {name.replace("_", "."): value for name, value in given.items()}
        return Joiner(Ledger(catalog), engine, newest_release(engine)).weights(Stack(catalog.records["tiny-model"], products.derived["tiny-model"], facts))

    return of


FP8 = "about: {quantization: fp8}, holds: native, note: Any GPU."
FP8_NOT_ON_SM70 = "about: {quantization: fp8, platform: sm70}, holds: unsupported, lacks: There is no kernel."
FP4_ON_SM100 = "about: {quantization: nvfp4, platform: sm100}, holds: native"
FP4_ON_CUDA = 'about: {quantization: nvfp4, platform: cuda}, holds: partial, lacks: "Weights only, arithmetic in 16 bit.", consequence: slow'


@pytest.mark.parametrize(
    ("claims", "format", "given", "state", "finding"),
    [
        ((FP8,), "fp8", {}, "holds", "fp8: Any GPU."),
        ((FP8, FP8_NOT_ON_SM70), "fp8", {"hardware_class": "sm90", "platform": "cuda"}, "holds", "fp8: Any GPU."),
        ((FP8, FP8_NOT_ON_SM70), "fp8", {"hardware_class": "sm70", "platform": "cuda"}, "fails", "fp8: There is no kernel."),
        ((FP4_ON_SM100, FP4_ON_CUDA), "nvfp4", {"hardware_class": "sm100", "platform": "cuda"}, "holds", "nvfp4: implemented by the engine itself"),
        ((FP4_ON_SM100, FP4_ON_CUDA), "nvfp4", {"hardware_class": "sm80", "platform": "cuda"}, "gap", "nvfp4: Weights only, arithmetic in 16 bit."),
        ((FP4_ON_SM100,), "nvfp4", {"hardware_class": "sm80", "platform": "cuda"}, "unknown", "no source of EngA in the catalog speaks of nvfp4 weights"),
        ((FP8,), "awq", {}, "unknown", "no source of EngA in the catalog speaks of awq weights"),
    ],
)
def test_weight_formats_by_hardware(weights, claims, format, given, state, finding):
    found = weights(claims, format, **given)
    assert (found.name, found.state, found.finding) == ("weights", state, finding)


def test_silence_on_plain_tensors_is_no_gap_and_a_refusal_is_one(weights):
    assert weights((FP8,), "bf16") is None
    refused = "about: {quantization: bf16, platform: sm75}, holds: unsupported, lacks: Turing computes in half precision."
    assert weights((refused,), "bf16", hardware_class="sm90", platform="cuda") is None
    assert weights((refused,), "bf16", hardware_class="sm75", platform="cuda").state == "fails"


NOT_ON_CUDA = "about: {platform: cuda}, holds: unsupported, lacks: There is no plugin for it."


@pytest.mark.parametrize(("platform", "expected"), [("cuda", ("hardware", "fails", "There is no plugin for it.")), ("rocm", None), (None, None)])
def test_a_claim_on_a_platform_alone_says_whether_the_engine_runs_there(make, platform, expected):
    products = make({OFFERS: snapshot(NOT_ON_CUDA, FP8_NOT_ON_SM70)})
    catalog = products.catalog
    engine = catalog.records["enga"]
    stack = Stack(catalog.records["tiny-model"], products.derived["tiny-model"], {"platform": platform} if platform else {})
    found = Joiner(Ledger(catalog), engine, newest_release(engine)).hardware(stack)
    assert (found and (found.name, found.state, found.finding)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"platform": "rocm"}, "no"),
        ({"platform": "rocm", "hardware.class": "gfx942"}, "no"),
        ({"platform": "cuda", "hardware.class": "sm70"}, "no"),
        ({"platform": "cuda", "hardware.class": "sm90"}, None),
        ({}, None),
    ],
)
def test_a_claim_on_a_model_and_a_place_says_whether_the_engine_runs_it_there(make, given, expected):
    there = "about: {architecture: TinyForCausalLM, platform: %s}, holds: unsupported, lacks: There are no kernels."
    other = "about: {architecture: BigForCausalLM, platform: cuda}, holds: unsupported"
    products = make({OFFERS: snapshot(there % "rocm", there % "sm70", other)})
    assert products.diagnostics == []
    catalog = products.catalog
    joiner = Joiner(Ledger(catalog), catalog.records["enga"], newest_release(catalog.records["enga"]))
    stack = Stack(catalog.records["tiny-model"], products.derived["tiny-model"], given)
    found = joiner.model_there(stack)
    assert (found and {"fails": "no"}[found.state]) == expected
    assert joiner.hardware(stack) is None
    assert joiner.architecture(stack).state == "holds"
    if found:
        assert found.finding == f"TinyForCausalLM on {'sm70' if 'sm70' in given.values() else 'rocm'}: There are no kernels."
