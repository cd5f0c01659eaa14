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
from .stacks import ATTENDING, BACKENDS, BASE, HEAD, SELECTION, SERVE, SETTINGS, engine, record, varied


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


SPANS = """attention_tables:
  - {version: "1.3.0", cites: [{id: enga-cache, at: names}]}
  - {version: "1.1.0", cites: [{id: enga-registry, at: names}]}
attention_backends:
  - {name: FAST, classes: [cuda], cites: [{id: enga-cache}]}
  - {name: PLAIN, classes: [cuda], cites: [{id: enga-cache}], also: [{version: "1.1.0", cites: [{id: enga-registry, at: PLAIN}]}]}
  - {name: OLD, version: "1.1.0", classes: [sm80], cites: [{id: enga-registry, at: OLD}]}
attention_selection:
  - {when: {hardware.class: [sm80, sm100]}, order: [FAST, PLAIN], cites: [{id: enga-cache}]}
  - {when: {hardware.class: sm100}, version: "1.1.0", order: [OLD, PLAIN], cites: [{id: enga-registry}]}
  - {when: {hardware.class: sm80}, version: "1.1.0", order: [OLD, PLAIN], cites: [{id: enga-registry}]}
  - {order: [PLAIN], cites: [{id: enga-cache}], also: [{version: "1.1.0", cites: [{id: enga-registry, at: order}]}]}
"""
OLDEST = "the backends of 1.3.0, 1.1.0 are on record, those of 1.0.0 are not"
SPANNED = BASE | {ENGINE: engine(SETTINGS, more=SERVE + SPANS, head=HEAD.replace("releases:\n", 'releases:\n  - {version: "1.3.0", date: 2026-03-20}\n'))}


@pytest.mark.parametrize(
    ("version", "settings", "state", "value", "finding", "how"),
    [
        ("1.3.0", ["hardware.class=sm100"], "holds", "FAST", "FAST: auto resolves to it", "exact"),
        ("1.1.0", ["hardware.class=sm100"], "holds", "PLAIN", "PLAIN: auto resolves to it, because OLD does not run on sm100", "exact"),
        ("1.1.4", ["hardware.class=sm80"], "holds", "OLD", "OLD: auto resolves to it", "same-minor"),
        # between the two: the same one, another one, one that is in one table alone
        ("1.2.0", ["hardware.class=sm90"], "holds", "PLAIN", "PLAIN: auto resolves to it", "interpolated"),
        ("1.2.0", ["hardware.class=sm80"], "holds", None, "OLD at 1.1.0, FAST at 1.3.0: which one it takes changed in (1.1.0, 1.3.0]", "interpolated"),
        ("1.2.0", ["hardware.class=sm100"], "holds", None, "PLAIN at 1.1.0, FAST at 1.3.0: which one it takes changed in (1.1.0, 1.3.0]", "interpolated"),
        ("1.2.0", ["hardware.class=sm80", "attention.backend=PLAIN"], "holds", "PLAIN", "PLAIN: as asked", "interpolated"),
        (
            "1.2.0", ["hardware.class=sm90", "attention.backend=FAST"], "unknown", None,
            "at 1.1.0 no backend is left: FAST is not among the backends of 1.1.0; at 1.3.0 FAST: as asked; changed in (1.1.0, 1.3.0]", "changed",
        ),
        (
            "1.2.0", ["hardware.class=sm90", "attention.backend=OLD"], "fails", None,
            "at 1.1.0 no backend is left: OLD does not run on sm90; at 1.3.0 no backend is left: OLD is not among the backends of 1.3.0", "interpolated",
        ),
        # a version before a release is of its X.Y, a build of the main branch is not
        ("1.3.0rc1", ["hardware.class=sm100"], "holds", "FAST", "FAST: auto resolves to it", "same-minor"),
        ("1.2.0rc1", ["hardware.class=sm90"], "holds", "PLAIN", "PLAIN: auto resolves to it", "interpolated"),
        ("1.3.0rc1.dev7", ["hardware.class=sm90"], "holds", "PLAIN", "PLAIN: auto resolves to it", "carried"),
        # before the oldest nothing is known, whatever the oldest refuses
        ("1.0.0", ["hardware.class=sm100"], "unknown", None, OLDEST, "exact"),
        ("1.0.0", ["hardware.class=sm90", "attention.backend=OLD"], "unknown", None, OLDEST, "exact"),
        ("1.4.0", ["hardware.class=sm100"], "holds", "FAST", "FAST: auto resolves to it", "carried"),
        # nobody named hardware
        ("1.2.0", ["attention.backend=PLAIN"], "holds", None, "a backend is left on any cuda", "interpolated"),
        ("1.2.0", ["attention.backend=FAST"], "unknown", None, "whether a backend is left changed in (1.1.0, 1.3.0], of any cuda", "changed"),
        ("1.1.0", ["attention.backend=OLD"], "fails", None, "a backend is left on sm80 alone", "exact"),
    ],
)  # fmt: skip
def test_the_table_of_the_version_decides_and_two_that_agree(ask, version, settings, state, value, finding, how):
    found = ask(SPANNED, engine=f"enga@{version}", settings=settings).hop("attention")
    assert (found.state, found.value, found.finding, found.how) == (state, value, finding, how)


def test_what_decided_is_cited_at_the_version_that_was_read(ask):
    old = ask(SPANNED, engine="enga@1.1.0", settings=["hardware.class=sm90"]).hop("attention")
    between = ask(SPANNED, engine="enga@1.2.0", settings=["hardware.class=sm90"]).hop("attention")
    assert [(source.id, source.at) for source in old.sources] == [("enga-registry", "PLAIN")]
    absent = ask(SPANNED, engine="enga@1.1.0", settings=["hardware.class=sm90", "attention.backend=FAST"]).hop("attention")
    assert [(source.id, source.at) for source in between.sources] == [("enga-registry", "PLAIN"), ("enga-cache", "")]
    assert [(source.id, source.at) for source in absent.sources] == [("enga-registry", "names")]


def test_reasons_that_differ_between_two_tables_are_left_out(ask):
    """Each says why in its own way; that both come to the same one is what holds in between."""
    files = SPANNED | {ENGINE: SPANNED[ENGINE].replace("order: [FAST, PLAIN], cites", "order: [PLAIN, FAST], cites")}
    found = ask(files, engine="enga@1.2.0", settings=["hardware.class=sm100"]).hop("attention")
    assert (found.value, found.finding) == ("PLAIN", "PLAIN: auto resolves to it, at 1.1.0 as at 1.3.0")


def test_what_changed_in_between_decides_only_where_something_was_asked_of_it(ask):
    """A backend that one of the two tables lacks leaves the answer open; that another one is taken does not."""
    files = SPANNED | {"support/enga/enga-1-1-0.yaml": snapshot("about: {architecture: LlamaForCausalLM}, holds: native", version="1.2.0")}
    assert ask(files, engine="enga@1.2.0", settings=["hardware.class=sm80"]).reply.verdict == "yes"
    answer = ask(files, engine="enga@1.2.0", settings=["hardware.class=sm80", "attention.backend=FAST"])
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


OF_OLDER = [
    # vLLM 0.16.0, cuda.py L76-L82: FLASH_ATTN first but on 10.x; L69-L75: FLASHINFER first there.
    ("llama-3.1-8b", "vllm@0.16.0", "h100-sxm", {}, "FLASH_ATTN", "exact"),
    ("llama-3.1-8b", "vllm@0.16.0", "b200-sxm", {}, "FLASHINFER", "exact"),
    # flash_attn.py L147-L182 takes FP8 with FA3 alone, so the next of the order.
    ("llama-3.1-8b", "vllm@0.16.0", "a100-sxm-80gb", {"cache_dtype": "fp8"}, "FLASHINFER", "exact"),
    # config/model.py L1117-L1126: images attend both ways in Gemma 3, which Triton and Flex alone take.
    ("gemma-3-27b", "vllm@0.16.0", "h100-sxm", {}, "TRITON_ATTN", "exact"),
    # 0.11.0, cuda.py L357-L362: sinks go to Triton but on 9.0; L142-L150: CUTLASS_MLA is set on 10.0.
    ("gpt-oss-20b", "vllm@0.11.0", "a100-sxm-80gb", {}, "TRITON_ATTN", "exact"),
    ("gpt-oss-20b", "vllm@0.11.2", "h100-sxm", {}, "FLASH_ATTN", "same-minor"),
    ("deepseek-v3", "vllm@0.11.0", "b200-sxm", {}, "CUTLASS_MLA", "exact"),
    # models/config.py forces Triton on Gemma 4 at 0.23.0 (L87-L99), and FA4 where that is at 0.28.0 (L228-L234).
    ("gemma-4-31b", "vllm@0.23.0", "h100-sxm", {}, "TRITON_ATTN", "exact"),
    ("gemma-4-31b", "vllm@0.28.0", "h100-sxm", {}, "FLASH_ATTN", "exact"),
    ("gemma-4-31b", "vllm@0.26.0", "h100-sxm", {}, None, "interpolated"),
    # flashinfer.py takes sinks on 12.x from 0.28.0 on (L542-L560), at 0.23.0 on 10.x alone (L412-L426).
    ("gpt-oss-20b", "vllm@0.23.0", "rtx-pro-6000-blackwell", {}, "TRITON_ATTN", "exact"),
    ("gpt-oss-20b", "vllm@0.28.0", "rtx-pro-6000-blackwell", {}, "FLASHINFER", "exact"),
    # ROCm: Triton at 0.16.0 (rocm.py L343-L378), ROCM_ATTN first at 0.23.0 (L411-L415).
    ("llama-3.1-8b", "vllm@0.16.0", "mi300x", {}, "TRITON_ATTN", "exact"),
    ("llama-3.1-8b", "vllm@0.23.0rc1", "mi300x", {}, "ROCM_ATTN", "same-minor"),
    ("llama-3.1-8b", "vllm@0.19.0", "h100-sxm", {}, "FLASH_ATTN", "interpolated"),
    # SGLang 0.5.12, server_args.py L2224-L2227, L2008-L2019, L1887-L1901, L2612-L2620.
    ("gemma-4-31b", "sglang@0.5.12", "b200-sxm", {}, "triton", "exact"),
    ("gpt-oss-20b", "sglang@0.5.12", "rtx-pro-6000-blackwell", {}, "triton", "exact"),
    ("deepseek-v3", "sglang@0.5.12", "b200-sxm", {}, "trtllm_mla", "exact"),
    ("llama-3.1-8b", "sglang@0.5.12", "b200-sxm", {}, "trtllm_mha", "exact"),
    # llama.cpp at 4df29be4f, fattn.cu L442-L446: K and V of one type, else auto turns it off; not so at 0c1e57098.
    ("llama-3.1-8b", "llama.cpp@4df29be4f", "h100-sxm", {"settings": ["cache.k.dtype=q8_0"]}, "--flash-attn off", "exact"),
    ("llama-3.1-8b", "llama.cpp@0c1e57098", "h100-sxm", {"settings": ["cache.k.dtype=q8_0"]}, "--flash-attn on", "exact"),
]


@pytest.mark.parametrize(("model", "engine", "hardware", "options", "backend", "how"), OF_OLDER)
def test_what_auto_came_to_at_older_versions(ask_real, model, engine, hardware, options, backend, how):
    found = ask_real(model, engine, hardware=hardware, **options).hop("attention")
    assert (found.state, found.value, found.how) == ("holds", backend, how)


@pytest.mark.parametrize(
    ("model", "engine", "hardware", "setting", "state", "words"),
    [
        ("gpt-oss-20b", "vllm@0.16.0", "rtx-pro-6000-blackwell", "attention.backend=FLASHINFER", "fails", "hardware.class is not sm100 or sm103"),
        ("gpt-oss-20b", "vllm@0.25.0", "rtx-pro-6000-blackwell", "attention.backend=FLASHINFER", "unknown", "changed in (0.23.0, 0.28.0]"),
        ("llama-3.1-8b", "vllm@0.16.0", "h100-sxm", "attention.backend=TURBOQUANT", "fails", "TURBOQUANT is not among the backends of 0.16.0"),
        ("llama-3.1-8b", "vllm@0.33.0", "h100-sxm", "attention.backend=XFORMERS", "fails", "XFORMERS is not among the backends of 0.33.0"),
        ("llama-3.1-8b", "vllm@0.19.0", "b200-sxm", "cache.dtype=nvfp4", "unknown", "changed in (0.16.0, 0.23.0]"),
        ("llama-3.1-8b", "vllm@0.25.0", "b200-sxm", "cache.dtype=nvfp4", "holds", "FLASHINFER"),
        ("llama-3.1-8b", "vllm@0.10.2", "h100-sxm", "attention.backend=FLASH_ATTN", "unknown", "those of 0.10.2 are not"),
        ("deepseek-v3", "sglang@0.5.12", "b200-sxm", "attention.backend=cutlass_mla", "holds", "cutlass_mla: as asked"),
        ("deepseek-v3", "sglang@0.5.23", "b200-sxm", "attention.backend=cutlass_mla", "fails", "cutlass_mla is not among the backends of 0.5.23"),
    ],
)
def test_what_was_asked_for_at_older_versions(ask_real, model, engine, hardware, setting, state, words):
    found = ask_real(model, engine, hardware=hardware, settings=[setting]).hop("attention")
    assert (found.state, words in found.finding) == (state, True), found.finding


def test_an_older_version_is_answered_from_its_own_source(ask_real):
    found = ask_real("llama-3.1-8b", "vllm@0.16.0", hardware="h100-sxm").hop("attention")
    assert {source.id for source in found.sources} == {"vllm-flash-attn-backend-0-16-0", "vllm-fa-utils-0-16-0"}
