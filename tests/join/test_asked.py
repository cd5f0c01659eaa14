"""The hops of features that were asked for: of the model and of any model, by platform, by method, by setting, and two together."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, NATIVE, OFFERS, changed, snapshot
from infercompat.join import Hop, Ledger, Release, features
from infercompat.join.hops import Joiner, newest_release
from infercompat.join.stack import Stack

LORA = "about: {feature: lora}, holds: native, note: Up to 8 adapters."
TINY_LORA = "about: {feature: lora, architecture: TinyForCausalLM}, holds: %s"
PIPELINE_NOT_ON_ROCM = "about: {feature: pipeline-parallel, platform: rocm}, holds: unsupported, lacks: Stages need NCCL."
EAGLE = "about: {feature: speculation}, holds: native, when: {speculation.method: eagle3}"
NO_NGRAM = "about: {feature: speculation}, holds: unsupported, when: {speculation.method: ngram}"
NOT_TOGETHER = "about: {feature: lora-with-speculation}, holds: unsupported, lacks: It refuses to start with both."
SETTING = "settings:\n  lora: {flag: --adapters, cites: [{id: enga-registry, at: L9}]}\nreleases:\n"


@pytest.fixture
def hops(make):
    def of(
        claims: tuple[str, ...],
        *ids: str,
        engine: str = "",
        version: str = "1.1.0",
        before: tuple[str, ...] = (),
        release: str | None = None,
        **given: object,
    ) -> dict[str, Hop]:
        files = {OFFERS: snapshot(*claims, version=version)}
        if before:
            files["support/enga/enga-1-0-0-offers.yaml"] = snapshot(*before, version="1.0.0")
        products = make(files | changed(ENGINE, ("releases:\n", engine or "releases:\n")))
        assert products.diagnostics == []
        catalog = products.catalog
        at = Release(release, "2026-01-01", assumed=False) if release else newest_release(catalog.records["enga"])
        joiner = Joiner(Ledger(catalog), catalog.records["enga"], at)
        facts = {name.replace("__", "."): value for name, value in given.items()}
        return {hop.name: hop for hop in features(joiner, ids, Stack(catalog.records["tiny-model"], products.derived["tiny-model"], facts))}

    return of


@pytest.mark.parametrize(
    ("claims", "state", "finding"),
    [
        ((LORA,), "holds", "LoRA adapters: Up to 8 adapters."),
        ((LORA, TINY_LORA % "unsupported"), "fails", "LoRA adapters: not supported"),
        ((LORA, TINY_LORA % "native"), "holds", "LoRA adapters: implemented by the engine itself"),
        ((LORA, TINY_LORA % "untested"), "unknown", "LoRA adapters: listed as untested"),
        ((LORA, TINY_LORA % "not-applicable"), "holds", "LoRA adapters: Up to 8 adapters."),
        ((LORA, TINY_LORA % "partial, lacks: Not in its experts."), "gap", "LoRA adapters: Not in its experts."),
        ((NATIVE,), "unknown", "no source of EngA in the catalog speaks of LoRA adapters here"),
    ],
)
def test_what_is_said_of_the_model_and_of_any_both_have_to_hold(hops, claims, state, finding):
    found = hops(claims, "lora")["lora"]
    assert (found.state, found.finding, found.settings) == (state, finding, ("lora",))


@pytest.mark.parametrize(("platform", "state"), [("rocm", "fails"), ("cuda", "unknown")])
def test_by_platform(hops, platform, state):
    assert hops((PIPELINE_NOT_ON_ROCM,), "pipeline-parallel", platform=platform)["pipeline-parallel"].state == state


SPECULATION = "about: {feature: speculation}, holds: %s"
NO_SPECULATION_ON_ROCM = "about: {feature: speculation, platform: rocm}, holds: unsupported"
OF_TINY = "about: {feature: speculation, architecture: TinyForCausalLM}, holds: native, when: {speculation.method: eagle3}"


@pytest.mark.parametrize(
    ("claims", "given", "state"),
    [
        ((SPECULATION % "unsupported", SPECULATION.replace("}", ", platform: cuda}") % "native"), {"platform": "cuda"}, "holds"),
        ((SPECULATION % "unsupported", SPECULATION.replace("}", ", platform: cuda}") % "native"), {"platform": "rocm"}, "fails"),
        ((SPECULATION % "native", NO_NGRAM), {"speculation__method": "ngram"}, "fails"),
        ((SPECULATION % "unsupported", EAGLE), {"speculation__method": "eagle3"}, "holds"),
        ((NO_NGRAM, SPECULATION.replace("}", ", platform: cuda}") % "native"), {"platform": "cuda", "speculation__method": "ngram"}, "fails"),
        ((OF_TINY, NO_SPECULATION_ON_ROCM), {"platform": "rocm", "speculation__method": "eagle3"}, "fails"),
        ((OF_TINY, NO_SPECULATION_ON_ROCM), {"platform": "cuda", "speculation__method": "eagle3"}, "holds"),
        ((OF_TINY, NO_SPECULATION_ON_ROCM), {"speculation__method": "eagle3"}, "holds"),
        ((NO_SPECULATION_ON_ROCM,), {"speculation__method": "eagle3"}, "unknown"),
    ],
)
def test_a_place_stands_before_none_and_a_condition_before_both(hops, claims, given, state):
    assert hops(claims, "speculation", **given)["speculation"].state == state


@pytest.mark.parametrize(
    ("method", "state", "finding"),
    [
        ("eagle3", "holds", "speculative decoding: implemented by the engine itself"),
        ("ngram", "fails", "speculative decoding: not supported"),
        ("medusa", "unknown", "no source of EngA in the catalog speaks of speculative decoding by medusa here"),
    ],
)
def test_by_method(hops, method, state, finding):
    found = hops((EAGLE, NO_NGRAM), "speculation", speculation__method=method)["speculation"]
    assert (found.state, found.finding) == (state, finding)


def test_two_that_exclude_each_other(hops):
    found = hops((LORA, EAGLE, NOT_TOGETHER), "lora", "speculation", speculation__method="eagle3")
    assert {name: hop.state for name, hop in found.items()} == {"lora": "holds", "speculation": "holds", "lora with speculation": "fails"}
    both = found["lora with speculation"]
    assert both.finding == "LoRA adapters with speculative decoding: It refuses to start with both."
    assert both.settings == ("lora", "speculation.method")
    assert list(hops((LORA, EAGLE, NOT_TOGETHER), "lora")) == ["lora"]


def test_two_of_which_nobody_tried_both_leave_the_verdict(hops):
    found = hops((LORA, EAGLE, NOT_TOGETHER.replace("unsupported", "untested")), "lora", "speculation", speculation__method="eagle3")
    assert (found["lora with speculation"].state, found["lora with speculation"].optional) == ("unknown", True)


def test_where_no_claim_speaks_a_setting_does(hops):
    found = hops((NATIVE,), "lora", engine=SETTING)["lora"]
    assert (found.state, found.finding, found.optional) == ("holds", "LoRA adapters: EngA has --adapters for it", False)
    assert [(source.id, source.at) for source in found.sources] == [("enga-registry", "L9")]


def test_of_another_version_a_setting_without_a_first_one_decides_nothing(hops):
    found = hops((NATIVE,), "lora", engine=SETTING, release="1.0.0")["lora"]
    assert (found.state, found.finding, found.optional) == ("unknown", "LoRA adapters: EngA has --adapters for it in the newest release on record", True)


@pytest.mark.parametrize(("since", "release", "state"), [("1.1.0", "1.1.0", "holds"), ("1.0.0", "1.0.0", "holds"), ("1.1.0", "1.0.0", "unknown")])
def test_a_setting_is_there_from_its_first_version_on(hops, since, release, state):
    found = hops((NATIVE,), "lora", engine=SETTING.replace("--adapters", f'--adapters, since: "{since}"'), release=release)["lora"]
    assert (found.state, found.optional) == (state, False)


@pytest.mark.parametrize(("value", "state"), [("eagle3", "holds"), ("ngram", "holds"), ("nonsense", "fails")])
def test_a_setting_with_a_list_of_words_takes_no_others(hops, value, state):
    setting = SETTING.replace("lora: {flag: --adapters", "speculation.method: {flag: --draft, values: [eagle3, small], words: {ngram: small}")
    found = hops((NATIVE,), "speculation", engine=setting, speculation__method=value)["speculation"]
    assert found.state == state
    assert state == "holds" or found.finding == "speculative decoding: EngA has --draft for it, which does not take nonsense"


def test_before_the_earliest_claim_nothing_is_decided_where_there_is_a_setting(hops):
    without, having = (hops((LORA,), "lora", engine=engine, release="1.0.0")["lora"] for engine in ("", SETTING))
    assert (without.state, without.optional) == ("unknown", False)
    assert (having.state, having.optional) == ("unknown", True)


def test_on_unnamed_hardware_a_condition_on_it_alone_refuses_nothing(hops):
    mostly = "about: {feature: lora}, holds: native, when: {not: {platform: [cpu, metal]}}"
    never = "about: {feature: lora}, holds: unsupported, when: {platform: metal}"
    assert hops((mostly, never), "lora")["lora"].state == "holds"
    assert hops((mostly, never), "lora", platform="cuda")["lora"].state == "holds"
    assert hops((mostly, never), "lora", platform="metal")["lora"].state == "fails"


def test_a_setting_says_nothing_of_a_method_that_no_claim_names(hops):
    setting = SETTING.replace("lora:", "speculation.method:")
    assert hops((EAGLE,), "speculation", engine=setting, speculation__method="medusa")["speculation"].state == "unknown"


@pytest.mark.parametrize(
    ("there", "before", "finding"),
    [
        ("unsupported", (), "Up to 8 adapters; not on rocm"),
        ("native", ("unsupported",), "Up to 8 adapters."),
        ("unsupported", ("native",), "Up to 8 adapters; not on rocm"),
        ("unsupported, when: {setting.graphs: true}", (), "Up to 8 adapters."),
        ("unsupported, when: {lora: true}", (), "Up to 8 adapters; not on rocm"),
    ],
)
def test_without_hardware_the_places_that_lack_it_at_this_version_are_named(hops, there, before, finding):
    on_rocm = "about: {feature: lora, platform: rocm}, holds: %s"
    earlier = tuple(on_rocm % status for status in before)
    found = hops((LORA, on_rocm % there), "lora", before=earlier, lora=True)["lora"]
    assert (found.state, found.finding) == ("holds", f"LoRA adapters: {finding}")


@pytest.mark.parametrize(
    ("method", "release", "state", "finding"),
    [
        ("medusa", None, "fails", "speculative decoding: EngA has --draft for it, which does not take medusa"),
        ("medusa", "1.0.0", "unknown", "speculative decoding: EngA has --draft for it, which does not take medusa in the newest release on record"),
        ("small", None, "unknown", "no source of EngA in the catalog speaks of speculative decoding by small here"),
        ("ngram", None, "fails", "speculative decoding: not supported"),
    ],
)
def test_a_closed_list_refuses_a_method_that_no_claim_names(hops, method, release, state, finding):
    setting = SETTING.replace("lora: {flag: --adapters", "speculation.method: {flag: --draft, values: [eagle3, small]")
    claims = () if release else (EAGLE, NO_NGRAM)
    found = hops(claims or (NATIVE,), "speculation", engine=setting, release=release, speculation__method=method)["speculation"]
    assert (found.state, found.finding) == (state, finding)


@pytest.mark.parametrize(
    ("claim", "task", "state"),
    [
        ("about: {feature: structured-output}, holds: native", "generate", "holds"),
        ("about: {feature: structured-output}, holds: native", "embed", "unknown"),
        ("about: {feature: structured-output}, holds: partial, lacks: Only JSON.", "rerank", "unknown"),
        ("about: {feature: structured-output}, holds: native, when: {not: {task: rerank}}", "embed", "holds"),
        ("about: {feature: structured-output}, holds: unsupported", "embed", "fails"),
    ],
)
def test_what_is_said_of_generation_says_nothing_of_a_server_that_pools(hops, claim, task, state):
    assert hops((claim,), "structured-output", task=task, request__structured_output=True)["structured-output"].state == state
