"""Backends at older versions: the table of the version decides, two that agree hold in between, and what changed is named with both."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, snapshot

from .stacks import BASE, HEAD, SERVE, SETTINGS, engine

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
