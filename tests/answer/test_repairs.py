"""Repairs: the smallest sets of allowed changes that make the whole question clean, cheapest first, and never what was required."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs import ENGINE, REGISTRY, changed, gotcha, snapshot
from infercompat.answer import repairs
from infercompat.answer.check import Assessor
from infercompat.answer.repairs import search

from .conftest import answered
from .stacks import ATTENDING, BACKENDS, HEAD, MET, SELECTION, SERVE, SETTINGS, engine, record, varied


def changes(answer) -> list[list[str]]:
    return [[change.words for change in repair.changes] for repair in answer.reply.repairs]


def met(when: str, workarounds: str = "[]", **fields: str) -> dict[str, str]:
    return {MET: gotcha(when=when, workarounds=workarounds, **fields)}


LORA, BOTH = "{lora: true}", "{all: [{lora: true}, {chunked_prefill: true}]}"


OFFERED = "about: {feature: lora, architecture: LlamaForCausalLM}, holds: %s"
PAIR = "about: {feature: chunked-prefill-with-lora}, holds: unsupported, lacks: It refuses both."


@pytest.mark.parametrize(
    ("claims", "options", "verdict", "expected"),
    [
        ((OFFERED % "native",), {"settings": ["lora=true"]}, "yes", []),
        ((OFFERED % "unsupported",), {}, "yes", []),
        ((OFFERED % "unsupported",), {"settings": ["lora=true"]}, "only-with", [["leave lora at its default"]]),
        ((OFFERED % "unsupported",), {"required": ["lora=true"]}, "no", []),
        ((OFFERED % "untested",), {"settings": ["lora=true"]}, "unknown", []),
        ((OFFERED % "native", PAIR), {"settings": ["chunked_prefill=true"], "required": ["lora=true"]}, "only-with",
         [["leave chunked_prefill at its default"]]),
    ],
)  # fmt: skip
def test_a_feature_that_the_engine_lacks_is_left_out_unless_it_is_required(ask, claims, options, verdict, expected):
    answer = ask({"support/enga/enga-1-1-0-features.yaml": snapshot(*claims)}, **options)
    assert (answer.reply.verdict, changes(answer)) == (verdict, expected)


@pytest.mark.parametrize(
    ("files", "options", "verdict", "expected"),
    [
        (met(LORA), {}, "yes", []),
        (met(LORA), {"settings": ["lora=true"]}, "only-with", [["leave lora at its default"]]),
        (met(LORA), {"required": ["lora=true"]}, "no", []),
        (met(BOTH, "[{set: {chunked_prefill: false}}]"), {"required": ["lora=true"]}, "only-with", [["set chunked_prefill = false"]]),
        (met(BOTH, "[{set: {chunked_prefill: false}}]"), {"required": ["lora=true", "chunked_prefill=true"]}, "no", []),
        (met(LORA, "[{drop: lora}, {drop: lora}]"), {"settings": ["lora=true"]}, "only-with", [["leave lora at its default"]]),
        (met(LORA, "[{drop: lora}]"), {"required": ["lora=true"]}, "no", []),
        (met(BOTH, "[{set: {chunked_prefill: true}}]"), {"required": ["lora=true"]}, "no", []),
        (met(LORA, "[{advice: Do without.}]"), {"required": ["lora=true"]}, "no", []),
        (met("{speculation.tokens: {min: 3}}", "[{drop: speculation}]"),
         {"settings": ["speculation.method=ngram", "speculation.tokens=4"]}, "only-with", [["leave out speculation"]]),
        (met("{speculation.tokens: {min: 3}}", "[{drop: speculation}]"),
         {"settings": ["speculation.method=ngram"], "required": ["speculation.tokens=4"]}, "no", []),
        (met("{cache.k.dtype: fp8_e4m3}", "[{set: {cache.dtype: bfloat16}}]"),
         {"settings": ["cache.dtype=fp8_e4m3"]}, "only-with", [["leave cache.dtype at its default"], ["set cache.dtype = bfloat16"]]),
        (met("{cache.k.dtype: fp8_e4m3}", "[{set: {cache.k.dtype: bf16, cache.v.dtype: bf16}}]"), {"required": ["cache.dtype=fp8_e4m3"]}, "no", []),
        (met("{model.layers: 2}", "[{set: {model.layers: 3}}]"), {}, "no", []),
        (met("{hardware.class: sm100}", "[{set: {hardware.class: sm90}}]"), {"hardware": "card-base"}, "no", []),
        (met("{hardware.class: sm100}"), {"settings": ["hardware.class=sm100"]}, "no", []),
        (met("{os: linux}"), {"settings": ["os=linux"]}, "no", []),
        (met('{relation: "sequence_length > 100"}'), {"length": 200}, "no", []),
        (met('{relation: "sequence_length > 100"}', "[{set: {max_model_len: 100}}]"), {"length": 200}, "only-with", [["set max_model_len = 100"]]),
        (met(LORA, symptom="performance-cliff"), {"settings": ["lora=true"]}, "yes", []),
    ],
)  # fmt: skip
def test_what_may_be_changed(ask, files, options, verdict, expected):
    answer = ask(files, **options)
    assert (answer.reply.verdict, changes(answer)) == (verdict, expected)


MENDED = 'fixed: {first_release: "2.1", cites: [{id: enga-issue-1}]}'
OF_LIBRARY = f'{{all: [{{engine: enga, observed: ["1.1.0"]}}, {{component: libx, observed: ["2.0"], {MENDED}}}]}}'
FIXED = '{all: [{engine: enga, observed: ["1.1.0"], fixed: {first_release: "1.2.0", cites: [{id: enga-issue-1}]}}]}'
INTRODUCED = '{all: [{engine: enga, introduced: {version: "1.1.0", cites: [{id: enga-issue-1}]}}]}'
NEWER = {ENGINE: engine(SETTINGS, more=SERVE, head=HEAD.replace("releases:\n", 'releases:\n  - {version: "1.2.0", date: 2026-02-20}\n'))}
NEWEST = {ENGINE: engine(SETTINGS, more=SERVE, head=HEAD.replace("releases:\n", 'releases:\n  - {version: "1.3.0", date: 2026-02-21}\n'))}


@pytest.mark.parametrize(
    ("files", "options", "verdict", "expected"),
    [
        (NEWER | met("", '[{upgrade: {enga: "1.2.0"}}]', affects=FIXED), {"engine": "enga@1.1.0"}, "only-with", [["take EngA 1.2.0"]]),
        (
            NEWEST | met("", '[{upgrade: {enga: "1.2.0"}}]', affects=FIXED),
            {"engine": "enga@1.1.0"},
            "only-with",
            [["take EngA 1.2.0"], ["take EngA 1.3.0"]],
        ),
        (met("", '[{downgrade: {enga: "1.0.0"}}]', affects=INTRODUCED), {"engine": "enga@1.1.0"}, "no", []),
        (met("", '[{upgrade: {enga: "1..2"}}]'), {}, "no", []),
        (met("", '[{upgrade: {libx: "2.1"}}]', affects=OF_LIBRARY), {}, "only-with", [["take libx 2.1"]]),
        (met("", '[{upgrade: {libx: "2.1"}}]', affects=OF_LIBRARY), {"required": ["libx.version=2.0"]}, "no", []),
    ],
)
def test_other_versions(ask, files, options, verdict, expected):
    """An older release with nothing on record is no repair: it comes out unknown."""
    answer = ask(files, **options)
    assert (answer.reply.verdict, changes(answer)) == (verdict, expected)


def test_a_change_that_leads_into_another_fault_is_no_repair(ask):
    files = met(LORA, "[{set: {chunked_prefill: false}}]") | {"gotchas/enga/next.yaml": gotcha(when="{lora: false}")}
    answer = ask(files, settings=["lora=true"])
    assert (answer.reply.verdict, changes(answer)) == ("no", [])
    assert answer.reply.reason == "met: Goes wrong"


def test_a_change_that_leads_into_a_question_is_no_repair(ask):
    files = met(LORA) | {"gotchas/enga/next.yaml": gotcha(when="{all: [{lora: false}, {max_num_seqs: 4}]}")}
    assert changes(ask(files, settings=["lora=true"])) == []
    assert changes(ask(files, settings=["lora=true", "max_num_seqs=5"])) == [["leave lora at its default"]]


def test_cheaper_first(ask):
    """Dropping a feature, then another backend, then another type, then another version."""
    when = "{all: [{speculation.method: ngram}, {attention.backend: PLAIN}, {cache.dtype: bf16}]}"
    workarounds = '[{upgrade: {enga: "1.1.1"}}, {set: {cache.dtype: fp8_e4m3}}, {set: {attention.backend: FAST}}, {drop: speculation}]'
    backends = BACKENDS | {"PLAIN": "classes: [cuda], head_dims: {any: true}"}
    files = ATTENDING | {ENGINE: engine(SETTINGS, backends, more=SERVE + SELECTION)} | met(when, workarounds, affects=FIXED.replace("1.2.0", "1.1.1"))
    answer = ask(files, hardware="card-base", settings=["speculation.method=ngram", "attention.backend=PLAIN"])
    assert changes(answer) == [
        ["leave out speculation"], ["leave attention.backend at its default"], ["set attention.backend = FAST"], ["set cache.dtype = fp8_e4m3"],
        ["take EngA 1.1.1"],
    ]  # fmt: skip


SWITCHES = ("lora", "setting.a", "setting.b", "setting.c", "setting.d", "setting.e")
SWITCHED = SETTINGS | {name: f"flag: --{name[-1]}, default: false" for name in SWITCHES[1:]}


def test_five_are_shown_at_most(ask):
    files = met("{all: [" + ", ".join(f"{{{name}: true}}" for name in SWITCHES) + "]}") | {ENGINE: engine(SWITCHED)}
    answer = ask(files, settings=[f"{name}=true" for name in SWITCHES])
    assert [len(repair.changes) for repair in answer.reply.repairs] == [1] * 5


def test_backends_that_are_refused_are_left_for_another(ask):
    files = ATTENDING | {ENGINE: engine(SETTINGS, BACKENDS, more=SERVE + SELECTION)}
    answer = ask(files, "tiny-model", hardware="card-big", cache_dtype="fp8_e4m3", settings=["attention.backend=PLAIN"])
    assert (answer.reply.verdict, changes(answer)[0]) == ("only-with", ["leave attention.backend at its default"])
    fixed = ask(files, "tiny-model", hardware="card-big", cache_dtype="fp8_e4m3", required=["attention.backend=PLAIN"])
    assert changes(fixed) == [["leave cache.dtype at its default"]]
    assert ask(files, "tiny-model", hardware="card-big", required=["attention.backend=PLAIN", "cache.dtype=fp8_e4m3"]).reply.verdict == "no"


def test_what_the_hardware_is_is_never_forgotten_to_pass(ask):
    """A stack whose hardware is named by its class stays on that class."""
    answer = ask(ATTENDING, settings=["hardware.class=sm80"], required=["attention.backend=FAST"])
    assert (answer.reply.verdict, changes(answer)) == ("no", [])


def test_when_not_all_could_be_tried_the_answer_is_unknown(ask, monkeypatch):
    files = met("{any: [{lora: true}, {setting.a: true}, {setting.b: true}]}") | {ENGINE: engine(SWITCHED)}
    options = {"settings": ["lora=true", "setting.a=true", "setting.b=true"]}
    assert changes(ask(files, **options)) == [["leave lora at its default", "leave setting.a at its default", "leave setting.b at its default"]]
    monkeypatch.setattr(repairs, "MOST_TRIED", 4)
    answer = ask(files, **options)
    assert (answer.reply.verdict, answer.data["missing"], changes(answer)) == ("unknown", ["repairs"], [])
    assert answer.reply.reason == "met: Goes wrong; not all changes were tried"


def fault(names: frozenset[str]) -> dict:
    """A gotcha that is met while all of these are on, with no workaround but to turn one off."""
    return {
        **{"title": "Goes wrong", "engine": "enga", "symptom": "hang", "severity": "blocker", "detectability": "loud-at-init", "status": "open"},
        **{"affects": {"all": [{"engine": "enga", "observed": ["1.1.0"]}]}, "hardware": {"scope": "any"}, "read_on": "2026-02-02", "workarounds": []},
        "when": {"all": [{name: True} for name in sorted(names)]},
        "evidence": [{"id": "enga-issue-1", "strength": "reproducible-case", "shows": "A script."}],
    }


def test_against_trying_every_set_of_switches(base):
    """The repairs are the smallest sets of free switches that, taken back, leave no fault with all of its switches on."""
    enga = base.catalog.records["enga"].data
    switches = {name: {"flag": f"--{name[-1]}", "default": False, "cites": [{"id": "enga-registry"}]} for name in SWITCHES}
    products = varied(base, record("enga", "engine", enga | {"settings": enga["settings"] | switches}))
    some = st.frozensets(st.sampled_from(SWITCHES[:5]), max_size=3)

    @settings(max_examples=40)
    @given(st.lists(st.frozensets(st.sampled_from(SWITCHES[:5]), min_size=1), min_size=1, max_size=4), some)
    def check(faults, required):
        faulty = varied(products, *(record(f"fault-{index}", "gotcha", fault(names)) for index, names in enumerate(faults)))
        said = {"required": [f"{name}=true" for name in sorted(required)], "settings": [f"{name}=true" for name in SWITCHES if name not in required]}
        answer = answered(Assessor(faulty), "plain-model", "enga", **said)
        free = [name for name in SWITCHES if name not in required]
        sets = [set(chosen) for size in (1, 2, 3) for chosen in itertools.combinations(free, size)]
        clearing = [chosen for chosen in sets if all(names & chosen for names in faults)]
        smallest = {frozenset(chosen) for chosen in clearing if len(chosen) == min(map(len, clearing))}
        found = [frozenset(name for change in repair.changes for name in change.drop) for repair in answer.reply.repairs]
        assert answer.reply.verdict == ("only-with" if smallest else "no")
        assert set(found) <= smallest
        assert len(set(found)) == len(found) == min(len(smallest), 5)
        for repair in answer.reply.repairs:
            left = [name for name in SWITCHES if repair.after.question.given.get(name)]
            assert required <= set(left)
            assert answered(Assessor(faulty), "plain-model", "enga", settings=[f"{name}=true" for name in left]).reply.verdict == "yes"

    check()


def test_no_repair_contains_another_and_each_is_run_again_whole(real_assessor, ask_real):
    options = {
        "hardware": "b200", "cache_dtype": "fp8",
        "settings": [
            "attention.backend=FLASHINFER", "setting.disable_flashinfer_q_quantization=true", "speculation.method=mtp", "speculation.tokens=7",
        ],
    }  # fmt: skip
    answer = ask_real("gemma-4-31b", "vllm@0.33.0", **options)
    assert answer.reply.verdict == "only-with"
    found = [frozenset(repair.changes) for repair in answer.reply.repairs]
    assert found
    assert not any(one < other for one in found for other in found)
    assert all(1 <= len(one) <= 3 for one in found)
    for repair in answer.reply.repairs:
        assert real_assessor.assess(repair.after.question).verdict == "yes"
        assert (repair.after.question.model.id, repair.after.question.hardware.id) == ("gemma-4-31b", "b200")


def test_a_search_without_changes_is_complete_and_finds_nothing(ask):
    answer = ask(met(""))
    found = search(answer.assessor, answer.found)
    assert (found.repairs, found.clears, found.complete) == ((), False, True)


RANKS = "{relation: model.heads % tensor_parallel != 0}"


@pytest.mark.parametrize(
    ("options", "verdict", "expected"),
    [
        # Four heads: of the numbers below 3, 2 and 1 divide them.
        ({"tp": 3}, "only-with", [["set tensor_parallel = 2"], ["set tensor_parallel = 1"]]),
        # Three devices share by themselves; the ranks may still be named.
        ({"gpus": 3}, "only-with", [["set tensor_parallel = 2"], ["set tensor_parallel = 1"]]),
        # Of four devices three were to share: all do where nobody says, and of what may be said four are as near as two and use all.
        ({"tp": 3, "gpus": 4}, "only-with",
         [["leave tensor_parallel at its default"], ["set tensor_parallel = 4"], ["set tensor_parallel = 2"], ["set tensor_parallel = 1"]]),
        # Two stages take half of the devices.
        ({"tp": 3, "gpus": 6, "settings": ["pipeline_parallel=2"]}, "only-with", [["set tensor_parallel = 2"], ["set tensor_parallel = 1"]]),
        ({"required": ["tensor_parallel=3"]}, "no", []),
        ({"tp": 2}, "yes", []),
        # Of the numbers below 7, 4, 2 and 1 divide them, 4 being the nearest.
        ({"tp": 7}, "only-with", [["set tensor_parallel = 4"], ["set tensor_parallel = 2"], ["set tensor_parallel = 1"]]),
    ],
)  # fmt: skip
def test_ranks_that_do_not_divide_are_changed_to_some_that_do(ask, options, verdict, expected):
    answer = ask(met(RANKS), **options)
    assert (answer.reply.verdict, changes(answer)) == (verdict, expected)


def test_ranks_must_suit_all_that_is_met(ask):
    """Two faults at 3 ranks, one of which is also met at 2: one rank is left."""
    files = met(RANKS) | {"gotchas/enga/next.yaml": gotcha(when="{relation: tensor_parallel > 1}")}
    assert changes(ask(files, tp=3)) == [["set tensor_parallel = 1"]]


def test_what_clears_a_fault_and_leaves_the_answer_unknown(ask):
    """Nobody speaks of the architecture. What brings another unknown, or another question, is not told."""
    files = met(LORA, "[{set: {chunked_prefill: false}}]") | {REGISTRY: snapshot("about: {architecture: OtherForCausalLM}, holds: native")}
    answer = ask(files, settings=["lora=true"])
    assert (answer.reply.verdict, changes(answer)) == ("unknown", [["leave lora at its default"]])
    assert [repair["verdict"] for repair in answer.data["repairs"]] == ["unknown"]
    waiting = {"gotchas/enga/next.yaml": gotcha(when="{all: [{lora: false}, {max_num_seqs: 4}]}")}
    assert changes(ask(files | waiting, settings=["lora=true"])) == []


def test_gpt_oss_with_flashinfer_at_0_17_is_told_another_backend(ask_real):
    """The thread's way out clears the refusal; a later release makes it a yes. What is required stays: then the release alone helps."""
    stack = {"hardware": "rtx-pro-6000-blackwell"}
    free = ask_real("gpt-oss-20b", "vllm@0.17.0", settings=["attention.backend=FLASHINFER"], **stack)
    told = {repair["changes"][0]: repair["verdict"] for repair in free.data["repairs"]}
    assert (free.reply.verdict, told["take vLLM 0.33.0"], told["set attention.backend = TRITON_ATTN"]) == ("only-with", "yes", "yes")
    held = ask_real("gpt-oss-20b", "vllm@0.17.0", required=["attention.backend=FLASHINFER"], **stack)
    assert (held.reply.verdict, changes(held)[0]) == ("only-with", ["take vLLM 0.28.0"])
    both = ask_real("gpt-oss-20b", "vllm", required=["version=0.17.0", "attention.backend=FLASHINFER"], **stack)
    assert (both.reply.verdict, changes(both)) == ("no", [])


def test_a_setting_above_what_there_is_is_brought_down_to_it(ask):
    """The change that the relation itself names: no more sequences than blocks."""
    files = met("{relation: max_num_seqs > num_blocks}")
    answer = ask(files, settings=["max_num_seqs=256", "num_blocks=95"])
    assert (answer.reply.verdict, ["set max_num_seqs = 95"] in changes(answer)) == ("only-with", True)
    fixed = ask(files, settings=["num_blocks=95"], required=["max_num_seqs=256"])
    assert (fixed.reply.verdict, changes(fixed)) == ("no", [])


TAKES = "about: {feature: beyond-context}, holds: partial, lacks: It is taken with a warning."


LONG = changed("models/acme/plain-model.yaml", ("max_position_embeddings: 4096", "max_position_embeddings: 131072"))
WITHOUT_LENGTH = {ENGINE: engine({name: line for name, line in SETTINGS.items() if name != "max_model_len"}, more=SERVE)}


@pytest.mark.parametrize(
    ("when", "files", "options", "verdict", "expected"),
    [
        ("{sequence_length: {min: 58000}}", {}, {}, "only-with", [["set max_model_len = 57999"]]),
        ("{sequence_length: {above: 58000}}", {}, {}, "only-with", [["set max_model_len = 58000"]]),
        ("{sequence_length: {min: 58000}}", WITHOUT_LENGTH, {}, "only-with", [["keep requests to 57999 tokens"]]),
        ("{all: [{sequence_length: {min: 58000}}, {lora: true}]}", {}, {"required": ["lora=true"]}, "only-with", [["set max_model_len = 57999"]]),
        ("{sequence_length: {min: 2000}}", {}, {}, "no", []),
        ("{sequence_length: {min: 58000}}", {}, {"length": 100_000}, "no", []),
        ("{sequence_length: {min: 58000}}", {}, {"length": 32_768}, "yes", []),
        ("{sequence_length: {min: 58000}}", {}, {"settings": ["sequence_length=60000"]}, "no", []),
        ("{sequence_length: {max: 58000}}", {}, {}, "no", []),
    ],
)
def test_where_nobody_named_a_length_the_longest_that_is_left_alone_is_told(ask, when, files, options, verdict, expected):
    answer = ask(met(when) | LONG | files, **options)
    assert (answer.reply.verdict, changes(answer)) == (verdict, expected)


def test_a_length_that_is_taken_stays_as_it_was_asked_for(ask):
    """What the model's own limit leaves open was open before the change, too."""
    found = ask({"support/enga/enga-1-1-0-limits.yaml": snapshot(TAKES), **met(LORA)}, length=5000, settings=["lora=true"])
    assert (found.reply.verdict, changes(found)) == ("only-with", [["leave lora at its default"]])
    assert found.reply.repairs[0].after.verdict == "only-with"


def test_a_clean_set_that_is_one_change_larger_stands_before_one_that_leaves_a_question(ask):
    """Without reuse of prefixes nothing is met, and what waits for the name of the system still does; one change more clears that."""
    blocks = gotcha(when="{all: [{prefix_caching: true}, {setting.quiet: 1}]}", workarounds="[{set: {prefix_caching: false}}]")
    waits = gotcha(when="{all: [{setting.careful: true}, {os: windows}]}", workarounds="[{set: {setting.careful: false}}]")
    files = {MET: blocks, "gotchas/enga/waits.yaml": waits}
    found = ask(files, required=["setting.quiet=1"], settings=["setting.careful=true"])
    assert found.reply.verdict == "only-with"
    assert ["set prefix_caching = false", "set setting.careful = false"] in [sorted(one) for one in changes(found)]
    assert {repair.after.verdict for repair in found.reply.repairs} == {"yes"}


def test_memory_that_is_tight_either_way_does_not_stand_against_a_change(ask_real):
    """A 27B fits a 24 GB card in a smaller file alone, with one slot's cache as with four that share one."""
    answer = ask_real("gemma-3-27b", "llama.cpp@0c1e57098", hardware="rtx-4090", length=8192)
    assert answer.hop("memory").state == "gap"
    assert answer.data["verdict"] == "only-with"
    assert "cleared by: set setting.kv_unified = false; after that memory: " in answer.data["reason"]
