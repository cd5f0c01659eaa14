"""The verdict by its five rules, gotchas that bite, can bite and are just missed, and that knowledge is never made up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs import ENGINE, NATIVE, OFFERS, REGISTRY, WINDOW, WINDOWED, changed, citation, gotcha, snapshot
from infercompat.answer.check import Assessor
from infercompat.condition import YES
from infercompat.derive import Unknown

from .conftest import question
from .stacks import HEAD, MET, SERVE, SETTINGS, engine, record, varied

LLAMA = "about: {architecture: LlamaForCausalLM}, holds: native"
LACKS = {REGISTRY: snapshot(NATIVE, complete=True)}
"""A whole registry without the plain model's class."""
SILENT = {REGISTRY: snapshot(NATIVE)}
AVOIDABLE = {OFFERS: snapshot(WINDOWED.replace("native", "unsupported"))} | changed(
    WINDOW,
    (
        "consequence: memory-overpay",
        'consequence: wrong-output\nmatters_when: {relation: "sequence_length > model.window"}\navoided_by: Stay inside the window.',
    ),
)


def met(when: str = "", **fields: str) -> dict[str, str]:
    return {MET: gotcha(when=when, **fields)}


WAITS = met("{max_num_seqs: 4}")


@pytest.mark.parametrize(
    ("files", "options", "verdict", "reason", "missing", "provided"),
    [
        ({}, {}, "yes", "every hop holds", (), ()),
        # 1: a negative hop, and a blocking hit; before anything unknown
        (LACKS, {}, "no", "architecture: LlamaForCausalLM is absent from the whole registry (A source)", (), ()),
        (LACKS | met(), {}, "no", "architecture: LlamaForCausalLM is absent from the whole registry (A source)", (), ()),
        (met(), {}, "no", "met: Goes wrong", (), ()),
        (met(symptom="hang"), {}, "no", "met: Goes wrong", (), ()),
        # 2: a hop that nobody speaks of
        (SILENT, {}, "unknown", "architecture: no source of EngA in the catalog speaks of LlamaForCausalLM", ("architecture",), ()),
        (SILENT | WAITS, {}, "unknown", "architecture: no source of EngA in the catalog speaks of LlamaForCausalLM", ("architecture",), ()),
        # 4: a blocking gotcha that waits for a fact that the person left out
        (WAITS, {}, "only-with", "met depends on max_num_seqs", (), ("max_num_seqs",)),
        (WAITS, {"settings": ["max_num_seqs=5"]}, "yes", "every hop holds", (), ()),
        (met("{all: [{max_num_seqs: 4}, {driver.version: '570'}]}"), {}, "only-with", "met depends on max_num_seqs, driver.version", (),
         ("max_num_seqs", "driver.version")),
        (met(hardware="{scope: list, seen_on: [sm100]}"), {}, "only-with", "met depends on hardware", (), ("hardware",)),
        # 5: what is untested, slow, overpaid or not proven never blocks
        (met("{max_num_seqs: 8}", clean_when="{max_num_seqs: 1}"), {"settings": ["max_num_seqs=4"]}, "yes", "every hop holds", (), ()),
        (met(hardware="{scope: list, seen_on: [sm90]}"), {"hardware": "card-base"}, "yes", "every hop holds", (), ()),
        (met(symptom="performance-cliff"), {}, "yes", "every hop holds", (), ()),
        (met(symptom="silent-memory-overpay", detectability="silent", detector="{kind: test, look_for: A.}"), {}, "yes", "every hop holds", (), ()),
        (met(symptom="wrong-docs"), {}, "yes", "every hop holds", (), ()),
        (met(evidence="[{id: enga-issue-1, strength: single-report, shows: A.}]"), {}, "yes", "every hop holds", (), ()),
        (met("{max_num_seqs: 4}", symptom="lost-feature"), {}, "yes", "every hop holds", (), ()),
    ],
)  # fmt: skip
def test_the_five_rules(ask, files, options, verdict, reason, missing, provided):
    found = ask(files, **options).found
    assert (found.verdict, found.reason, found.missing, found.provided) == (verdict, reason, missing, provided)


def test_rule_three_is_a_failure_that_can_be_kept_clear_of(ask):
    found = ask(AVOIDABLE, "tiny-model").found
    assert (found.verdict, found.reason) == ("only-with", "Stay inside the window.")
    assert ask(AVOIDABLE, "tiny-model", length=1024).found.verdict == "yes"
    assert ask(AVOIDABLE, "tiny-model", length=1025).found.verdict == "only-with"


def test_a_gap_is_a_yes_that_says_what_is_missing(ask):
    found = ask(model="tiny-model").found
    assert (found.verdict, found.reason) == ("yes", "sliding-window: The mask is right and the cache keeps every token.")


@pytest.mark.parametrize(
    ("options", "state"),
    [({}, None), ({"hardware": "card-base"}, None), ({"hardware": "card-other"}, None), ({"settings": ["hardware.class=tpu"]}, "unknown")],
)
def test_a_platform_that_the_engines_documents_do_not_name_is_unknown(ask, options, state):
    answer = ask(**options)
    assert (answer.hop("hardware") and answer.hop("hardware").state) == state
    assert answer.reply.verdict == ("unknown" if state else "yes")


def test_the_hardware_hop_cites_the_documents(ask):
    answer = ask(settings=["hardware.class=apple-gpu"])
    assert answer.reply.missing == ("hardware",)
    assert answer.hop("hardware").finding == "the documents of EngA name cuda, rocm, cpu, and say nothing of metal"
    assert [source.id for source in answer.hop("hardware").sources] == ["enga-registry"]
    silent = {ENGINE: engine(SETTINGS, more=SERVE, head=HEAD.replace("platforms: [cuda, rocm, cpu]\n", ""))}
    assert ask(silent, settings=["hardware.class=apple-gpu"]).hop("hardware") is None


def test_a_source_that_says_no_to_a_platform_decides(ask):
    refusal = "about: {platform: metal}, holds: unsupported, lacks: There is no plugin for it."
    answer = ask({OFFERS: snapshot(refusal)}, settings=["hardware.class=apple-gpu"])
    assert (answer.reply.verdict, answer.hop("hardware").state) == ("no", "fails")
    assert answer.reply.reason == "hardware: There is no plugin for it."


OF_TINY = "about: {requirement: sliding-window, architecture: TinyForCausalLM}, holds: native"
BY_ANY = "about: {requirement: sliding-window, backend: ANY}, holds: native"
ON_SM100 = "about: {requirement: sliding-window, platform: sm100}, holds: unsupported, consequence: refuses, lacks: No kernel for it."


@pytest.mark.parametrize(
    ("claims", "hardware", "state"),
    [
        ([WINDOWED, ON_SM100], "card-base", "fails"),
        ([WINDOWED, ON_SM100], "card-other", "holds"),
        ([WINDOWED, ON_SM100], None, "holds"),
        ([OF_TINY, ON_SM100], "card-base", "unknown"),
        ([OF_TINY, ON_SM100], "card-other", "holds"),
        ([OF_TINY, ON_SM100], None, "holds"),
        ([OF_TINY.replace("architecture:", "platform: sm100, architecture:"), ON_SM100], "card-base", "holds"),
        ([OF_TINY, ON_SM100.replace("platform: sm100", "platform: sm100, backend: FAST")], "card-base", "holds"),
        ([OF_TINY, ON_SM100 + ", when: {lora: true}"], "card-base", "holds"),
        # What one backend lacks on a class says nothing of the others there.
        ([BY_ANY, ON_SM100.replace("platform", "backend: FAST, platform")], "card-base", "holds"),
        ([BY_ANY, ON_SM100], "card-base", "fails"),
    ],
)
def test_a_claim_on_the_hardware_and_one_on_the_model(ask, claims, hardware, state):
    """Where neither is the narrower one, and they disagree, nobody knows."""
    assert ask({OFFERS: snapshot(*claims)}, "tiny-model", hardware=hardware).hop("sliding-window").state == state


def test_mxfp4_below_compute_capability_8_is_not_promised(ask_real):
    """The loaders of vLLM and SGLang ask for it (their get_min_capability); where nobody named hardware, the answer says so."""
    for served_by in ("vllm@0.33.0", "sglang@0.5.23"):
        for card in ("t4", "v100-sxm2-32gb"):
            refused = ask_real("gpt-oss-20b", served_by, hardware=card)
            assert (refused.reply.verdict, refused.hop("mxfp4-weights").state) == ("no", "fails")
        assert ask_real("gpt-oss-20b", served_by, hardware="a10g").hop("mxfp4-weights").state == "holds"
        anywhere = ask_real("gpt-oss-20b", served_by).hop("mxfp4-weights")
        assert (anywhere.state, "; not on sm75 or sm70" in anywhere.finding) == ("holds", True)


LIBRARY = """name: LibX
role: kernel-library
repository: https://example.com/acme/libx
scheme: pep440
releases:
  - {version: "2.0", date: 2026-01-20}
"""


def test_a_fault_of_a_library_is_met_where_an_engine_brings_it_along(ask):
    files = met(engine="libx", affects='{all: [{component: libx, observed: ["2.0"]}]}') | {"engines/libx.yaml": LIBRARY}
    assert ask(files).gate("met").state == "hit"
    assert ask(files, engine="enga@1.0.0").gate("met").state == "maybe"
    assert ask(files | {"support/engb/b.yaml": snapshot(LLAMA, engine="engb", version="b200")}, engine="engb").gate("met") is None


def test_after_a_failed_architecture_nothing_else_is_asked(ask):
    answer = ask(LACKS | met(), hardware="card-big", length=100)
    assert ([hop.name for hop in answer.found.hops], answer.found.gates, answer.found.memory) == (["architecture"], (), None)


ALMOST = "{all: [{requires: sliding-window}, {lora: true}, {cache.dtype: fp8}]}"


@pytest.mark.parametrize(
    ("files", "options", "state"),
    [
        (met(ALMOST), {"settings": ["lora=true"], "cache_dtype": "fp8"}, "hit"),
        (met(ALMOST), {"settings": ["lora=true"]}, "almost"),
        (met(ALMOST), {"cache_dtype": "fp8"}, "almost"),
        (met(ALMOST), {}, None),
        (met(ALMOST), {"model": "plain-model", "settings": ["lora=true"], "cache_dtype": "fp8"}, None),
        (met("{model.layers: 5}"), {}, None),
        (met("{any: [{lora: true}, {chunked_prefill: false}]}"), {}, None),
        (met("{not: {chunked_prefill: true}}"), {}, "almost"),
        (met(affects='{all: [{engine: enga, introduced: {version: "1.2.0", cites: [{id: enga-issue-1}]}}]}'), {}, "almost"),
        (met(affects='{all: [{engine: enga, observed: ["1.0.0"], fixed: {first_release: "1.1.0", cites: [{id: enga-issue-1}]}}]}'), {}, "almost"),
        (met(hardware="{scope: list, seen_on: [sm90], clean_on: [sm100]}"), {"hardware": "card-base"}, "almost"),
        (met(hardware="{scope: list, seen_on: [sm90]}"), {"hardware": "card-other"}, "almost"),
        (met(hardware="{scope: list, seen_on: [sm90]}"), {"hardware": "card-base"}, "maybe"),
        (met(ALMOST, hardware="{scope: list, seen_on: [sm90], clean_on: [sm100]}"), {"hardware": "card-base", "settings": ["lora=true"]}, None),
        (met("{lora: true}", affects='{all: [{engine: engb, observed: ["b200"]}]}', engine="engb"), {}, None),
    ],
)
def test_just_missed_by_one_setting_version_or_hardware(ask, files, options, state):
    gate = ask(files, **{"model": "tiny-model"} | options).gate("met")
    assert (gate and gate.state) == state
    assert state != "almost" or len(gate.truth.because) == 1


def test_gotchas_say_what_is_so(ask):
    files = met("{all: [{requires: sliding-window}, {not: {lora: true}}, {cache.dtype: fp8}]}", workarounds="[{set: {cache.dtype: bf16}}]")
    [hit] = [one for one in ask(files, "tiny-model", cache_dtype="fp8").data["gotchas"] if one["id"] == "met"]
    assert hit == {
        "id": "met",
        "title": "Goes wrong",
        "state": "hit",
        "severity": "blocker",
        "proven": True,
        "blocks": True,
        "untested": False,
        "because": ["enga 1.1.0 is where it was observed", "the model requires sliding-window", "lora is not true", "cache.dtype is fp8"],
        "workarounds": [{"set": {"cache.dtype": "bf16"}}],
    }
    [almost] = [one for one in ask(files, "tiny-model").data["gotchas"] if one["id"] == "met"]
    assert (almost["state"], almost["because"]) == ("almost", ["cache.dtype is not fp8"])


def test_the_chain_cites_every_hop(ask):
    chain = ask(model="tiny-model").data["chain"]
    assert [(hop["hop"], hop["state"], hop["value"]) for hop in chain] == [
        ("architecture", "holds", "native"), ("config", "holds", "official"), ("sliding-window", "gap", "partial"),
    ]  # fmt: skip
    assert chain[0]["cites"] == [{"id": "enga-registry", "url": "https://example.com/acme/enga/blob/v1.1.0/registry.py", "at": "L1"}]


def test_grades_follow_the_evidence(ask):
    assert (ask(model="tiny-model").found.grade.word, ask(SILENT).found.grade) == ("verified", None)
    contested = citation("documentation") | {"support/enga/docs.yaml": snapshot(LLAMA.replace("native", "unsupported"), cites="doc")}
    assert ask(contested).found.grade.word == "contested"
    assert ask(engine="enga@1.2.0").found.grade.word == "stale"


# What is known of the real catalog from threads and sources: section 6 of the rules.

SPECULATING = ("attention.backend=FLASHINFER", "setting.disable_flashinfer_q_quantization=true", "speculation.method=mtp", "speculation.tokens=7")
CORRUPTS = "gotcha-flashinfer-bf16q-fp8kv-spec-decode-corrupts-swa"


@pytest.mark.parametrize("stack", [("vllm@0.23.1rc1.dev843", "flashinfer.version=0.6.14"), ("vllm@0.33.0", None)])
@pytest.mark.parametrize(
    ("changes", "dtype", "state", "untested"),
    [
        ({}, "fp8", "hit", False),
        ({"setting.disable_flashinfer_q_quantization": "false"}, "fp8", "almost", False),
        ({"setting.disable_flashinfer_q_quantization": None}, "fp8", "almost", False),
        ({"speculation.method": None, "speculation.tokens": None}, "fp8", "almost", False),
        ({"speculation.tokens": "3"}, "fp8", "almost", False),
        ({"speculation.tokens": "2"}, "fp8", "maybe", True),
        ({"max_model_len": "1024"}, "fp8", "almost", False),
        ({}, "bfloat16", "almost", False),
    ],
)
def test_gemma_4_with_speculation_on_b200(real_assessor, stack, changes, dtype, state, untested):
    """Wrong at 8 query tokens, clean at 1, 2 and 4: so 3 drafted tokens are clean, and 2 are untested."""
    version, component = stack
    facts = {**dict(text.split("=") for text in SPECULATING), **changes, **(dict([component.split("=")]) if component else {})}
    said = [f"{name}={value}" for name, value in facts.items() if value is not None]
    found = real_assessor.assess(question(real_assessor.products, "gemma-4-31b", version, hardware="b200", cache_dtype=dtype, settings=said))
    [gate] = [gate for gate in found.gates if gate.gotcha.id == CORRUPTS]
    assert (gate.state, gate.truth.untested) == (state, untested)


def test_gemma_4_without_its_component_waits_for_it(real_assessor):
    """A nightly whose bundled kernels nobody knows: the version that would decide is named, and may be given."""
    asked = question(real_assessor.products, "gemma-4-31b", "vllm@0.23.1rc1.dev843", hardware="b200", cache_dtype="fp8", settings=SPECULATING)
    [gate] = [gate for gate in real_assessor.assess(asked).gates if gate.gotcha.id == CORRUPTS]
    assert (gate.state, gate.left_out) == ("maybe", ("flashinfer.version",))


@pytest.mark.parametrize(
    ("version", "hardware", "state"),
    [
        ("0.17.0", "rtx-pro-6000-blackwell", "hit"),
        ("0.27.1", "rtx-pro-6000-blackwell", "hit"),
        ("0.28.0", "rtx-pro-6000-blackwell", "almost"),
        ("0.33.0", "rtx-pro-6000-blackwell", "almost"),
        ("0.27.1", "gb10", "hit"),
        ("0.10.1", "rtx-pro-6000-blackwell", "maybe"),
        ("0.16.0", "rtx-pro-6000-blackwell", "hit"),
        ("0.27.1", "mi300x", "almost"),
    ],
)
def test_gpt_oss_on_flashinfer_before_and_after_the_fix(real_assessor, version, hardware, state):
    asked = question(real_assessor.products, "gpt-oss-20b", f"vllm@{version}", hardware=hardware, settings=["attention.backend=FLASHINFER"])
    gates = {gate.gotcha.id: gate.state for gate in real_assessor.assess(asked).gates}
    assert gates.get("vllm-gptoss-flashinfer-sink-rejected-sm120") == state


def test_olmo_3_changed_between_two_registries(real):
    """Native at 0.11.0 and through the generic path at 0.33.0: in between nobody can say, unless a registry there was read."""
    registries = [one for one in real.catalog.of_kind("support") if one.data["engine"] == "vllm" and one.data.get("complete")]
    ends = [one for one in registries if one.data["version"] in ("0.11.0", "0.33.0")]
    assert len(ends) == 2 < len(registries)
    few = Assessor(varied(real, without=[one.id for one in registries if one not in ends]))
    found = {version: few.assess(question(few.products, "olmo-3-7b", f"vllm@{version}")).hops[0] for version in ("0.11.0", "0.20.0", "0.33.0")}
    assert [(found[version].state, found[version].value) for version in found] == [("holds", "native"), ("unknown", None), ("holds", "fallback")]
    assert "changed in (0.11.0, 0.33.0]" in found["0.20.0"].finding


# Knowledge is monotone: what nobody says is unknown, and what is said of others changes nothing.

SAMPLE = (
    ("gpt-oss-20b", "vllm"),
    ("gemma-3-27b", "sglang"),
    ("llama-3.1-8b", "tensorrt-llm@1.3.0rc29"),
    ("qwen3-8b", "exllamav3"),
    ("mistral-7b-v0.1", "mlx-lm"),
)


def silenced(snapshot, requirement: str):
    """A snapshot without what it says of a requirement."""
    left = [claim for claim in snapshot.data["claims"] if claim["about"].get("requirement") != requirement]
    return record(snapshot.id, "support", snapshot.data | {"claims": left})


@pytest.mark.parametrize(("model", "engine"), SAMPLE)
def test_without_all_records_of_a_hop_the_answer_is_unknown_and_names_it(real, real_assessor, model, engine):
    catalog, asked = real.catalog, question(real, model, engine)
    before = real_assessor.assess(asked)
    assert before.verdict in ("yes", "only-with")
    own = [one for one in catalog.of_kind("support") if one.data["engine"] == asked.engine.id]
    tried = 0
    for hop in before.hops:
        if hop.name == "architecture":
            said = real_assessor.ledger.on_architecture(asked.engine, before.resolved.stack.names, lambda tree: YES)
            fewer = varied(real, without={statement.snapshot.id for statement in said})
        elif hop.name in catalog.records:
            fewer = varied(real, *(silenced(one, hop.name) for one in own))
        else:
            continue
        data = catalog.records[hop.name].data if hop.name in catalog.records else {}
        after = Assessor(fewer).assess(question(fewer, model, engine))
        left = next(one for one in after.hops if one.name == hop.name)
        if data.get("part_of_architecture"):
            assert (left.state, left.finding) == ("holds", "a part of the architecture, which the engine implements itself")
            continue
        tried += 1
        assert left.state == "unknown"
        if not data.get("optional"):
            assert (after.verdict, hop.name in after.missing) == ("unknown", True)
    assert tried >= 1


def test_without_a_config_the_answer_is_unknown(real, real_assessor):
    model = real.catalog.records["gpt-oss-20b"]
    bare = model.data | {"config": model.data["config"] | {"values": {"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss"}}}
    fewer = varied(real, record(model.id, "model", bare))
    found = Assessor(fewer).assess(question(fewer, "gpt-oss-20b", "vllm"))
    assert isinstance(found.question.derived, Unknown)
    assert (found.verdict, found.missing) == ("unknown", ("config",))


def test_one_of_two_redundant_snapshots_may_go(ask):
    again = {"support/enga/again.yaml": snapshot(NATIVE, LLAMA)}
    assert ask(again).found.verdict == ask(again | {REGISTRY: None}).found.verdict == "yes"
    assert ask({REGISTRY: None}).found.verdict == "unknown"


def test_what_is_said_of_others_never_answers_for_this_one(base):
    """Any claims on other architectures, requirements, engines and versions out of reach leave an unknown answer unknown."""
    products = varied(base, without=["enga-1-1-0-registry"])
    before = Assessor(products).assess(question(products, "plain-model", "enga"))
    assert (before.verdict, before.missing) == ("unknown", ("architecture",))
    abouts = [
        {"architecture": "OtherForCausalLM"}, {"architecture": "LlamaForCausalLM", "feature": "lora"}, {"requirement": "sliding-window"},
        {"requirement": "sliding-window", "architecture": "LlamaForCausalLM"}, {"requirement": "logit-softcap", "backend": "FAST"},
    ]  # fmt: skip
    holding = st.sampled_from(["native", "unsupported"])
    claim = st.builds(lambda about, holds: {"about": about, "holds": holds, "at": "L1"}, st.sampled_from(abouts), holding)
    elsewhere = st.sampled_from([("engb", "b200"), ("enga", "0.1.0"), ("enga", "9.0.0")])
    mine = {"about": {"architecture": "LlamaForCausalLM"}, "holds": "native", "at": "L1"}

    @settings(max_examples=40)
    @given(st.lists(claim, min_size=1, max_size=4), elsewhere)
    def check(claims, place):
        shared = {"title": "A source", "cites": [{"id": "enga-registry"}], "read_on": "2026-02-02"}
        here = record("here", "support", shared | {"engine": "enga", "version": "1.1.0", "claims": claims})
        there = record("there", "support", shared | {"engine": place[0], "version": place[1], "claims": [mine]})
        more = varied(products, here, there)
        after = Assessor(more).assess(question(more, "plain-model", "enga"))
        assert (after.verdict, after.missing) == ("unknown", ("architecture",))

    check()


@pytest.mark.parametrize(("model", "engine"), [("gpt-oss-20b", "lmdeploy-turbomind@0.13.0"), ("gpt-oss-20b", "tensorrt-llm@1.2.1")])
def test_nothing_said_of_other_engines_turns_a_real_unknown_into_a_yes(real, real_assessor, model, engine):
    asked = question(real, model, engine)
    before = real_assessor.assess(asked)
    assert before.verdict == "unknown"
    copied = [
        record(f"copied-{one.id}", "support", one.data | {"engine": other, "complete": False})
        for one in real.catalog.of_kind("support")
        if one.data["engine"] == asked.engine.id
        for other in ("ollama", "transformers")
    ]
    renamed = record("renamed", "support", {
        "engine": asked.engine.id, "version": asked.release.version, "title": "A source", "read_on": "2026-11-01",
        "cites": [{"id": "config-gpt-oss-20b"}],
        "claims": [{"about": {"architecture": "SomeoneElsesForCausalLM", "requirement": name}, "holds": "native"} for name in before.missing],
    })  # fmt: skip
    more = varied(real, *copied, renamed)
    after = Assessor(more).assess(question(more, model, engine))
    assert (after.verdict, after.missing) == ("unknown", before.missing)


def test_an_answer_is_the_same_every_time(ask, ask_real):
    assert ask(WAITS).data == ask(WAITS).data
    one, other = (ask_real("gpt-oss-20b", "vllm", hardware="b200") for _ in range(2))
    assert one.data == other.data


WHOLE_HEAD = "role: engine\nrepository: https://example.com/w\nscheme: pep440\n"
PATHS = {
    "engines/whole.yaml": f'name: Whole\n{WHOLE_HEAD}releases: [{{version: "2.0", date: 2026-02-01}}]\n',
    "engines/first.yaml": f'name: First path\n{WHOLE_HEAD}part_of: whole\nreleases: [{{version: "2.0", date: 2026-02-01}}]\n',
    "engines/second.yaml": f'name: Second path\n{WHOLE_HEAD}part_of: whole\nreleases: [{{version: "2.0", date: 2026-02-01}}]\n',
    "support/first/first-page.yaml": snapshot("about: {architecture: OtherForCausalLM}, holds: native", engine="first", version="2.0", complete=True),
    "support/second/second-page.yaml": snapshot(
        NATIVE, WINDOWED, "about: {requirement: logit-softcap}, holds: native", engine="second", version="2.0", complete=True
    ),
}


def test_the_best_path_is_taken_and_named(make):
    assessor = Assessor(make(PATHS))
    found = assessor.assess(question(assessor.products, "tiny-model", "whole"))
    assert (found.verdict, found.hops[0].state) == ("yes", "holds")
    assert found.hops[0].finding.startswith("through Second path: TinyForCausalLM is")


def test_a_model_that_no_path_has_is_no(make):
    assessor = Assessor(make(PATHS))
    found = assessor.assess(question(assessor.products, "plain-model", "whole@2.0"))
    assert (found.verdict, found.reason) == ("no", "architecture: through First path: LlamaForCausalLM is absent from the whole registry (A source)")


@pytest.mark.parametrize(("card", "verdict"), [("arc-b580", "no"), ("h200-sxm", "only-with")])
def test_a_class_that_its_package_refuses_on_intel_gpus(ask_real, card, verdict):
    """vllm/models/glm5next/__init__.py L6-L7 of vLLM 0.33.0 raises there, though the released build has code for the card."""
    found = ask_real("glm-5.3-flash", "vllm@0.33.0", hardware=card)
    hop = found.hop("architecture on hardware")
    assert (hop and hop.state) == ("fails" if verdict == "no" else None)
    assert found.hop("binary").state == "holds"


@pytest.mark.parametrize(
    ("model", "engine", "state"),
    [
        # Every number of its checkpoint is the decoder's; src/llama-context.cpp L3883 of llama.cpp refuses a context for layers that are not there.
        ("gpt-oss-20b", "llama.cpp", "fails"),
        ("gpt-oss-20b", "ollama-gguf", "fails"),  # llm/llama_server.go L803 of Ollama 0.32.15 hands it on
        ("qwen3-next-80b-a3b", "llama.cpp", "holds"),  # src/models/qwen3next.cpp L132; its config does not count them
        ("glm-4.5", "ollama-gguf", "holds"),
        ("gemma-4-31b", "llama.cpp", "holds"),  # by an assistant
        ("kimi-k2", "sglang", "fails"),  # num_nextn_predict_layers is 0
        ("qwen3-30b-a3b", "sglang", "fails"),  # though configs/model_config.py L1155 of SGLang 0.5.23 has a class for such a head
        ("gpt-oss-20b", "transformers", "fails"),  # generation/utils.py L1333 of Transformers 5.24.0
        ("minimax-text-01", "ktransformers", "unknown"),
    ],
)
def test_mtp_needs_layers_of_the_model(ask_real, model, engine, state):
    assert ask_real(model, engine, settings=("speculation.method=mtp",)).hop("speculation").state == state


@pytest.mark.parametrize("engine", ["vllm@0.33.0", "sglang@0.5.23"])
@pytest.mark.parametrize("setting", ["speculation.method=eagle3", "request.structured_output=true"])
def test_a_server_that_embeds_drafts_nothing_and_holds_no_schema(ask_real, engine, setting):
    """vllm/v1/worker/gpu_model_runner.py L4198-L4205 and vllm/v1/engine/input_processor.py L151-L155 of vLLM 0.33.0, srt/managers/scheduler.py
    L4915-L4924 of SGLang 0.5.23.
    """
    name = "speculation" if setting.startswith("speculation") else "structured-output"
    assert ask_real("qwen3-embedding-0.6b", engine, settings=(setting,)).hop(name).state == "fails"


def test_stages_with_drafts_on_vllm(ask_real):
    """verify_supports_aux_hidden_states_over_pp of vLLM 0.33.0 asks the decoder inside; qwen3_vl.py L1890-L1893 hands on no states of earlier stages."""
    for model, state in (("qwen2.5-vl-7b", None), ("qwen3-vl-8b", "fails"), ("kimi-k2.5", "fails"), ("qwen3-8b", None), ("gpt-oss-20b", "fails")):
        found = ask_real(model, "vllm@0.33.0", settings=("speculation.method=eagle3", "pipeline_parallel=2"))
        hop = found.hop("pipeline-parallel with speculation")
        assert (hop and hop.state) == state, model


@pytest.mark.parametrize(
    ("engine", "platform", "state"),
    [
        ("llama.cpp", "metal", "fails"),  # ggml/CMakeLists.txt L209-L252 at 0c1e57098: options for graphs of CUDA, HIP, MUSA and SYCL
        ("llama.cpp", "cpu", "fails"),
        ("llama.cpp", "xpu", "gap"),  # ggml/src/ggml-sycl/ggml-sycl.cpp L353: off unless the environment says otherwise
        ("mlx-lm", "metal", "fails"),  # mlx/backend/cuda/device.cpp L18 of MLX 0.32.1, and nothing in the backends beside it
        ("vllm", "metal", "gap"),  # vllm/platforms/__init__.py L193 of vLLM 0.33.0: the platform for processors, without graphs
        ("vllm-metal", "metal", "fails"),
        ("llama.cpp", "cuda", "holds"),
    ],
)
def test_graphs_where_the_device_has_none(ask_real, engine, platform, state):
    assert ask_real("qwen3-8b", engine, settings=("cuda_graphs=piecewise", f"platform={platform}")).hop("cuda-graphs").state == state


HEADS, KV, REPLICAS = "sglang-tp-must-divide-heads", "vllm-tp-must-suit-kv-heads", "sglang-attention-replicas-must-divide-ranks"


@pytest.mark.parametrize(
    ("model", "ranks", "met"),
    [
        # 32 heads and 8 KV heads: SGLang 0.5.23 layers/linear.py L1139-L1145 divides the heads by the ranks, and the larger of KV heads and ranks by the other.
        ("qwen3-8b", {"tp": 3}, True),
        ("qwen3-8b", {"gpus": 3}, True),
        ("qwen3-8b", {"tp": 4096}, True),
        ("qwen3-8b", {"tp": 64}, True),
        *(("qwen3-8b", {"tp": ranks}, False) for ranks in (1, 2, 4, 8, 16, 32)),
        # Latent attention has no KV heads to divide (models/deepseek_v2.py L2057).
        ("deepseek-v3", {"tp": 16}, False),
        ("deepseek-v3", {"tp": 24}, True),
        # Of the ranks, those that replicas leave share attention (runtime_context.py L73-L76).
        ("deepseek-v3", {"tp": 24, "settings": ["setting.enable_dp_attention=true", "data_parallel=3"]}, False),
    ],
)
def test_sglang_divides_heads(ask_real, model, ranks, met):
    gate = ask_real(model, "sglang@0.5.23", **ranks).gate(HEADS)
    assert (gate is not None and gate.blocks) is met


@pytest.mark.parametrize(
    ("settings", "met"),
    [
        (["setting.enable_dp_attention=true", "data_parallel=3"], True),
        (["setting.enable_dp_attention=true", "data_parallel=4"], False),
        (["setting.attn_dp_size=3"], True),
        (["setting.attn_dp_size=8"], False),
        (["data_parallel=3"], False),
    ],
)
def test_sglang_s_replicas_of_attention_divide_the_ranks(ask_real, settings, met):
    """arg_groups/parallel_hook.py L326, and L49-L61 for the older switch; plain replicas have ranks of their own."""
    gate = ask_real("deepseek-v3", "sglang@0.5.23", tp=8, settings=settings).gate(REPLICAS)
    assert (gate is not None and gate.blocks) is met


def test_vllm_s_kv_heads_suit_the_ranks(ask_real):
    """vLLM 0.33.0 model_executor/layers/linear.py L1065-L1071: 24 heads divide by three ranks, and 8 KV heads do not."""
    assert ask_real("llama-3.2-3b", "vllm@0.33.0", tp=3).gate(KV).blocks
    for ranks in (2, 4, 8, 24):
        gate = ask_real("llama-3.2-3b", "vllm@0.33.0", tp=ranks).gate(KV)
        assert gate is None or not gate.blocks


def test_llamacpp_divides_layers_and_asks_nothing_of_heads(ask_real):
    three, two = ({gate.gotcha.id for gate in ask_real("qwen3-8b", "llama.cpp", tp=ranks).found.gates if gate.blocks} for ranks in (3, 2))
    assert three == two


def test_far_too_many_ranks_are_told_what_would_do(ask_real):
    changes = [[change.words for change in repair.changes] for repair in ask_real("qwen3-8b", "sglang@0.5.23", tp=4096).reply.repairs]
    assert ["set tensor_parallel = 32"] in changes


def test_the_estimate_of_graphs_is_made_on_gpus_alone(ask_real):
    """vLLM 0.33.0 v1/worker/gpu_worker.py L709-L717 makes it on NVIDIA, AMD and Intel GPUs; the worker for processors has none."""
    for place, met in (("cpu", False), ("apple-gpu", False), ("intel-xpu", True), ("sm90", True)):
        gate = ask_real("qwen3-8b", "vllm@0.33.0", settings=[f"hardware.class={place}"]).gate("vllm-cudagraph-memory-estimate-default-019")
        assert (gate is not None and gate.state == "hit") is met


OLD, NEW = "support/enga/enga-0-1-0-formats.yaml", "support/enga/enga-1-1-0-formats.yaml"
CLASS, PLATFORM = "about: {quantization: fp8, platform: sm100}", "about: {quantization: fp8, platform: cuda}"


@pytest.mark.parametrize(
    ("narrow", "wide", "state"),
    [
        (f"{CLASS}, holds: native", None, "unknown"),
        (f"{CLASS}, holds: native", f"{PLATFORM}, holds: native", "holds"),
        (f"{CLASS}, holds: native", f"{PLATFORM}, holds: partial, lacks: Slowly.", "gap"),
        (f"{CLASS}, holds: native", f"{PLATFORM}, holds: unsupported", "unknown"),
        (f"{CLASS}, holds: unsupported", f"{PLATFORM}, holds: unsupported", "fails"),
        (f"{CLASS}, holds: unsupported", f"{PLATFORM}, holds: native", "unknown"),
        (f"{CLASS}, holds: unsupported", "about: {quantization: fp8}, holds: unsupported", "fails"),
    ],
)
def test_an_old_claim_on_a_class_hides_no_newer_one_that_agrees(ask, narrow, wide, state):
    """What was said of the class alone, long ago, does not reach the version; where the two differ, the class may still be an exception."""
    files = {OLD: snapshot(narrow, version="0.1.0")} | ({NEW: snapshot(wide)} if wide else {})
    assert ask(files, settings=["hardware.class=sm100", "weights.format=fp8"]).hop("weights").state == state
