"""Attention must hold jointly: one backend that meets all demands, by the engine's own order, at the version that was read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs import ENGINE, OFFERS, changed, snapshot
from infercompat.answer import attention as attention_module
from infercompat.answer.attention import said
from infercompat.answer.check import Assessor
from infercompat.condition import Reason

from .conftest import answered
from .stacks import ATTENDING, BACKENDS, HEAD, SELECTION, SERVE, SETTINGS, engine, record, varied


def of(backends: dict[str, str], selection: str = SELECTION, head: str = HEAD) -> dict[str, str]:
    """The files with these backends instead."""
    return ATTENDING | {ENGINE: engine(SETTINGS, backends, more=SERVE + selection, head=head)}


def hop(answer) -> tuple[str, str | None, str] | None:
    found = answer.hop("attention")
    return found and (found.state, found.value, found.finding)


@pytest.mark.parametrize(
    ("options", "state", "value", "finding"),
    [
        ({"hardware": "card-big"}, "holds", "FAST", "FAST: auto resolves to it"),
        ({"hardware": "card-big", "settings": ["attention.backend=auto"]}, "holds", "FAST", "FAST: auto resolves to it"),
        ({"hardware": "card-big", "settings": ["attention.backend=PLAIN"]}, "holds", "PLAIN", "PLAIN: as asked"),
        ({"settings": ["hardware.class=sm90"]}, "holds", "FAST", "FAST: auto resolves to it"),
        ({"settings": ["hardware.class=sm80"]}, "holds", "PLAIN", "PLAIN: auto resolves to it, because FAST does not run on sm80"),
        ({"hardware": "card-big", "cache_dtype": "fp8"}, "holds", "FAST", "FAST: auto resolves to it"),
        ({"hardware": "card-big", "cache_dtype": "bfloat16"}, "holds", "FAST", "FAST: auto resolves to it"),
        ({"hardware": "card-big", "settings": ["block_size=32"]}, "holds", "FAST", "FAST: auto resolves to it"),
        (
            {"hardware": "card-big", "settings": ["block_size=24"]},
            "holds", "PLAIN", "PLAIN: auto resolves to it, because FAST does not take blocks of 24",
        ),
        (
            {"hardware": "card-big", "cache_dtype": "fp8_e4m3", "settings": ["attention.backend=PLAIN"]},
            "fails", None, "no backend is left: PLAIN does not take a fp8_e4m3 cache",
        ),
        (
            {"hardware": "card-big", "settings": ["cache.v.dtype=q8_0"]},
            "fails", None, "no backend is left: FAST, PLAIN do not take a q8_0 cache",
        ),
        (
            {"settings": ["hardware.class=sm80"], "cache_dtype": "fp8_e4m3"},
            "fails", None, "no backend is left: FAST does not run on sm80; PLAIN does not take a fp8_e4m3 cache",
        ),
        ({"hardware": "card-big", "settings": ["attention.backend=FASTER"]}, "unknown", None, "FASTER the catalog does not list what it accepts"),
        ({"settings": ["platform=cuda"]}, "holds", None, "FAST or PLAIN: FAST depends on hardware.class"),
        ({"settings": ["platform=cuda", "attention.backend=FAST"]}, "unknown", None, "FAST depends on hardware.class"),
    ],
)  # fmt: skip
def test_the_first_that_meets_all_demands(ask, options, state, value, finding):
    assert hop(ask(ATTENDING, **options)) == (state, value, finding)


def test_sinks_from_one_and_fp8_from_another_do_not_add_up(ask):
    """Each demand is met by some backend, and no backend meets both."""
    one_each = {
        "A": "classes: [sm100], cache_dtypes: [fp8_e4m3], kinds: [full]",
        "B": "classes: [sm100], cache_dtypes: [auto], kinds: [full, sliding]",
    }
    files = of(one_each, SELECTION.replace("FAST, PLAIN", "A, B"))
    answer = ask(files, "tiny-model", hardware="card-big", cache_dtype="fp8_e4m3", required=["cache.dtype=fp8_e4m3"])
    assert hop(answer) == ("fails", None, "no backend is left: A does not run sliding layers; B does not take a fp8_e4m3 cache")
    assert answer.reply.verdict == "no"
    assert ask(files, hardware="card-big", cache_dtype="fp8_e4m3").hop("attention").value == "A"
    assert ask(files, "tiny-model", hardware="card-big").hop("attention").value == "B"


@pytest.mark.parametrize(
    ("rule", "width", "takes"),
    [
        ("head_dims: {list: [64, 128]}", 64, True),
        ("head_dims: {list: [64, 128]}", 96, False),
        ("head_dims: {max: 128}", 128, True),
        ("head_dims: {max: 128}", 129, False),
        ("head_dims: {max: 128, multiple_of: 32}", 96, True),
        ("head_dims: {max: 128, multiple_of: 32}", 80, False),
        ("head_dims: {any: true}", 7, True),
        ("kinds: [full]", 64, True),
        ("kinds: [sliding]", 64, False),
    ],
)
def test_head_sizes_and_kinds(ask, rule, width, takes):
    wide = changed("models/acme/plain-model.yaml", ("head_dim: 64", f"head_dim: {width}"))
    found = ask(of({"ONE": f"classes: [cuda], {rule}"}, SELECTION.replace("FAST, PLAIN", "ONE")) | wide, hardware="card-big")
    assert (found.hop("attention").value == "ONE", found.reply.verdict) == (takes, "yes" if takes else "no")


@pytest.mark.parametrize(
    ("entry", "settings", "state", "finding"),
    [
        ("when: {setting.careful: false}", [], "holds", "ONE: auto resolves to it"),
        ("when: {not: {setting.careful: true}}", [], "holds", "ONE: auto resolves to it"),
        ("when: {setting.careful: true}", [], "fails", "no backend is left: ONE is ruled out: setting.careful is not true"),
        ("when: {not: {requires: moe}}", [], "holds", "ONE: auto resolves to it"),
        ("when: {requires: sliding-window}", [], "fails", "no backend is left: ONE is ruled out: the model does not require sliding-window"),
        ("when: {not: {model.layers: 2}}", [], "fails", "no backend is left: ONE is ruled out: model.layers is 2"),
        ("when: {max_num_seqs: 8}", [], "unknown", "ONE depends on max_num_seqs"),
        ("when: {max_num_seqs: 8}", ["max_num_seqs=8"], "holds", "ONE: auto resolves to it"),
        ("when: {max_num_seqs: 8}", ["max_num_seqs=9"], "fails", "no backend is left: ONE is ruled out: max_num_seqs is not 8"),
    ],
)
def test_what_else_a_backend_asks_for(ask, entry, settings, state, finding):
    found = ask(of({"ONE": f"classes: [cuda], {entry}"}, SELECTION.replace("FAST, PLAIN", "ONE")), hardware="card-big", settings=settings)
    assert (found.hop("attention").state, found.hop("attention").finding) == (state, finding)
    assert found.found.verdict == {"holds": "yes", "fails": "no", "unknown": "unknown"}[state]


OPEN = {"ONE": "classes: [cuda], when: {max_num_seqs: 8}", "TWO": "classes: [cuda]"}


def test_an_open_backend_before_a_sure_one_leaves_open_which(ask):
    selection = SELECTION.replace("FAST, PLAIN", "ONE, TWO")
    answer = ask(of(OPEN, selection), hardware="card-big")
    assert hop(answer) == ("holds", None, "ONE or TWO: ONE depends on max_num_seqs")
    assert "attention.backend" not in answer.facts
    behind = ask(of(OPEN, selection.replace("ONE, TWO", "TWO, ONE")), hardware="card-big")
    assert behind.facts["attention.backend"] == "TWO"


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ("", ("holds", None, "FAST or PLAIN or NAMED: which one the engine takes is not on record")),
        ("  - {when: {platform: rocm}, order: [FAST], cites: [{id: enga-registry}]}\n", ("holds", None, "FAST or PLAIN or NAMED: which one")),
        ("  - {order: [NAMED, FAST], cites: [{id: enga-registry}]}\n", ("holds", "NAMED", "NAMED: auto resolves to it")),
        (
            "  - {when: {max_num_seqs: 1}, order: [PLAIN], cites: [{id: enga-registry}]}\n  - {order: [FAST], cites: [{id: enga-registry}]}\n",
            ("holds", None, "PLAIN or FAST: which one the engine takes is not on record"),
        ),
        (
            "  - {when: {max_num_seqs: 1}, order: [GONE], cites: [{id: enga-registry}]}\n  - {order: [FAST], cites: [{id: enga-registry}]}\n",
            ("holds", None, "GONE or FAST: GONE the catalog does not list what it accepts"),
        ),
    ],
)
def test_the_order_is_the_engines_own_or_said_to_be_unknown(ask, selection, expected):
    state, value, finding = hop(ask(of(BACKENDS, f"attention_selection:\n{selection}" if selection else ""), hardware="card-big"))
    assert (state, value) == expected[:2]
    assert finding.startswith(expected[2])


def test_the_only_one_that_takes_it_needs_no_order(ask):
    assert hop(ask(of({"ONE": "classes: [cuda]", "TWO": "classes: [rocm]"}, ""), hardware="card-big")) == (
        "holds", "ONE", "ONE: the only one that takes it",
    )  # fmt: skip


OFFER = "about: {requirement: sliding-window}, holds: native"


@pytest.mark.parametrize(
    ("claims", "value"),
    [
        ([OFFER], "FAST"),
        ([OFFER, "about: {requirement: sliding-window, backend: FAST}, holds: unsupported"], "PLAIN"),
        ([OFFER, "about: {requirement: sliding-window, backend: FAST, platform: sm100}, holds: unsupported"], "PLAIN"),
        ([OFFER, "about: {requirement: sliding-window, backend: FAST, platform: sm90}, holds: unsupported"], "FAST"),
        ([OFFER, "about: {requirement: sliding-window, backend: FAST}, holds: unsupported, when: {lora: true}"], "FAST"),
        ([OFFER, "about: {requirement: sliding-window, backend: FAST}, holds: removed"], "PLAIN"),
    ],
)
def test_a_backend_that_lacks_a_requirement_is_out(ask, claims, value):
    assert ask(ATTENDING | {OFFERS: snapshot(*claims)}, "tiny-model", hardware="card-big").hop("attention").value == value


def test_what_a_backend_lacked_at_an_older_version_does_not_count(ask):
    older = snapshot("about: {requirement: sliding-window, backend: FAST}, holds: unsupported", version="1.0.0")
    newer = snapshot(OFFER, "about: {requirement: sliding-window, backend: FAST}, holds: native")
    assert ask(ATTENDING | {OFFERS: newer, "support/enga/a-older.yaml": older}, "tiny-model", hardware="card-big").hop("attention").value == "FAST"


NEWER = HEAD.replace("releases:\n", 'releases:\n  - {version: "1.3.0", date: 2026-02-20}\n')


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.1.0", ("holds", "exact", False)),
        ("1.1.9", ("holds", "same-minor", False)),
        ("1.2.0", ("holds", "carried", True)),
        ("1.0.0", ("unknown", "exact", False)),
        ("2.0.0", ("unknown", "exact", False)),
    ],
)
def test_backends_are_known_for_the_version_that_was_read(ask, version, expected):
    """What a newer release accepts says nothing of an older one: a fix may lie between."""
    found = ask(ATTENDING, engine=f"enga@{version}", hardware="card-big").hop("attention")
    assert (found.state, found.how, found.stale) == expected


def test_backends_of_another_version_decide_only_where_something_was_asked_of_them(ask):
    """What nobody asks for leaves the verdict to the other hops, and the answer says what is not on record."""
    files = ATTENDING | {"support/enga/enga-1-0-0.yaml": snapshot("about: {architecture: LlamaForCausalLM}, holds: native", version="1.0.0")}
    plain = ask(files, engine="enga@1.0.0", hardware="card-big")
    assert hop(plain) == ("unknown", None, "the backends of 1.1.0 are on record, those of 1.0.0 are not")
    assert (plain.reply.verdict, plain.reply.reason) == ("yes", "every hop that has to holds; not on record: attention")
    assert plain.found.grade.word == "unverified"
    for setting in ("attention.backend=NAMED", "cache.dtype=fp8_e4m3", "block_size=64"):
        answer = ask(files, engine="enga@1.0.0", hardware="card-big", settings=[setting])
        assert (answer.reply.verdict, answer.reply.missing) == ("unknown", ("attention",))


ANYWHERE = {
    "FAST": "classes: [sm90, sm100], cache_dtypes: [auto, fp8_e4m3]",
    "PLAIN": "classes: [cuda], cache_dtypes: [auto]",
    "AMD": "classes: [rocm], cache_dtypes: [auto]",
}
EVERYWHERE = SELECTION + "  - {when: {platform: rocm}, order: [AMD], cites: [{id: enga-registry}]}\n"


@pytest.mark.parametrize(
    ("options", "verdict", "finding"),
    [
        ({}, "yes", None),
        ({"settings": ["attention.backend=auto"]}, "yes", None),
        ({"cache_dtype": "bf16"}, "yes", "a backend is left on any cuda, any rocm"),
        ({"cache_dtype": "fp8_e4m3"}, "only-with", "a backend is left on sm90, sm100 alone"),
        ({"settings": ["attention.backend=FAST"]}, "only-with", "a backend is left on sm90, sm100 alone"),
        ({"required": ["cache.dtype=q8_0"]}, "no", "no class of hardware leaves a backend: FAST does not run on sm70; PLAIN does not take"),
    ],
)
def test_without_hardware_what_was_named_is_tried_on_every_class(ask, options, verdict, finding):
    answer = ask(of(ANYWHERE, EVERYWHERE), **options)
    found = answer.hop("attention")
    assert (answer.reply.verdict, found is None) == (verdict, finding is None)
    assert found is None or found.finding.startswith(finding)


def test_without_hardware_the_classes_that_work_are_named(ask):
    answer = ask(of(ANYWHERE, EVERYWHERE), cache_dtype="fp8_e4m3")
    assert (answer.reply.reason, answer.data["provided"]) == ("Take hardware of class sm90, sm100.", ["hardware"])


@pytest.mark.parametrize(
    ("some", "expected"),
    [
        (["sm70", "cpu"], "sm70, cpu"),
        (["sm80", "sm86", "sm89", "sm90", "gfx942", "gfx950"], "cuda from sm80 on, any rocm"),
        (["sm70", "sm75", "sm80", "sm86", "sm89", "sm90", "cpu"], "any cuda, cpu"),
        (["sm70", "sm75", "sm86", "sm90", "gfx942", "cpu"], "sm70, sm75, sm86, sm90, gfx942, cpu"),
    ],
)
def test_classes_of_hardware_in_short(some, expected):
    classes = ["sm70", "sm75", "sm80", "sm86", "sm89", "sm90", "gfx942", "gfx950", "cpu"]
    assert attention_module._in_short(some, classes) == expected


def test_no_backends_on_record_and_layers_that_do_not_attend_ask_for_none(ask, ask_real):
    assert ask(hardware="card-big").hop("attention") is None
    assert ask_real("mamba-2.8b", "vllm", hardware="h100-sxm").hop("attention") is None


@pytest.mark.parametrize(
    ("text", "fact", "kind", "words"),
    [
        ("lora is true", "lora", "true", "lora is true"),
        ("lora is true", "lora", "false", "lora is not true"),
        ("the model requires moe", "model.architecture", "false", "the model does not require moe"),
        ("sequence_length > model.window", "sequence_length", "false", "not so: sequence_length > model.window"),
        ("enga 1.1.0 holds the fix", "enga.version", "false", "enga 1.1.0 holds the fix"),
        ("enga 1.1.0 is before 1.2.0, which brought it", "enga.version", "false", "enga 1.1.0 is before 1.2.0, which brought it"),
        ("cuda.version is 13.0", "cuda.version", "false", "cuda.version is not 13.0"),
        ("setting.swa_full is true", "setting.swa_full", "false", "setting.swa_full is not true"),
        ("lora is true", "lora", "missing", "lora is true"),
    ],
)
def test_a_reason_says_what_is_so(text, fact, kind, words):
    assert said(Reason(text, fact, kind)) == words


def test_whatever_the_order_the_first_that_takes_everything_is_chosen(base):
    """Against the plain rule: walk the order, and take the first that neither a type nor a kind rules out."""

    @given(st.permutations(["A", "B", "C", "D"]), st.sets(st.sampled_from("ABCD")), st.sets(st.sampled_from("ABCD")))
    def check(order, narrow, unable):
        entries = [
            {
                "name": name, "classes": ["cuda"], "cites": [{"id": "enga-cache"}],
                "cache_dtypes": ["auto"] if name in narrow else ["auto", "fp8_e4m3"], "kinds": ["sliding"] if name in unable else ["full"],
            }
            for name in "ABCD"
        ]  # fmt: skip
        selection = [{"order": order, "cites": [{"id": "enga-cache"}]}]
        enga = base.catalog.records["enga"].data | {"attention_backends": entries, "attention_selection": selection}
        assessor = Assessor(varied(base, record("enga", "engine", enga)))
        answer = answered(assessor, "plain-model", "enga", hardware="card-big", required=["cache.dtype=fp8_e4m3"])
        expected = next((name for name in order if name not in narrow | unable), None)
        assert answer.hop("attention").value == expected
        assert answer.reply.verdict == ("yes" if expected else "no")

    check()


def test_latents_are_held_against_their_own_width(ask_real):
    """DeepSeek keeps 512 and 64 of rotary part; what its heads expand to is no size of the kernel."""
    found = ask_real("deepseek-v3", "vllm", hardware="h100-sxm", settings=["attention.backend=FLASHMLA"])
    assert (found.hop("attention").state, found.hop("attention").value) == ("holds", "FLASHMLA")
    refused = ask_real("deepseek-v3", "vllm", hardware="h100-sxm", settings=["attention.backend=FLASH_ATTN"])
    assert "FLASH_ATTN does not run latent layers" in refused.hop("attention").finding


def test_gemma_4_runs_on_triton_where_flash_attention_cannot(ask_real):
    """What one backend lacks on a class says nothing of the others there: a thread runs it on RTX 40 and 50 with TRITON_ATTN."""
    answer = ask_real("gemma-4-31b", "vllm@0.33.0", hardware="rtx-pro-6000-blackwell")
    assert (answer.hop("head-dim-over-256").state, answer.facts["attention.backend"]) == ("holds", "TRITON_ATTN")
    assert answer.reply.verdict == "only-with"
    assert answer.reply.reason.startswith("memory: the cache of the model's own 262,144 tokens needs")  # of 96 GB; a shorter length is the way


@pytest.mark.parametrize(
    ("text", "fact", "kind", "words"),
    [
        ("model.architecture is A or B", "model.architecture", "false", "model.architecture is not A or B"),
        ("model.architecture is A or B or C or D or E or F", "model.architecture", "false", "model.architecture is none of the 6 that are listed"),
        ("model.architecture is A or B or C or D or E or F", "model.architecture", "true", "model.architecture is one of the 6 that are listed"),
    ],
)
def test_a_long_row_of_alternatives_is_counted(text, fact, kind, words):
    assert said(Reason(text, fact, kind)) == words
