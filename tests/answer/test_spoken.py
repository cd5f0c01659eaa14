"""Words for a backend or a way to draft: slips are told with the nearest known ones, and refused where the engine's list is closed."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, changed, gotcha
from infercompat.answer.question import Refused

from .stacks import ATTENDING, BACKENDS, MET, SELECTION, SERVE, SETTINGS, engine

CLOSED = SETTINGS | {"attention.backend": "flag: --backend, default: auto, values: [auto, FAST, PLAIN]"}
FILES = ATTENDING | {ENGINE: engine(CLOSED, BACKENDS, more=SERVE + SELECTION)}
OPEN = ATTENDING | {ENGINE: engine(SETTINGS, BACKENDS, more=SERVE + SELECTION)}
ELSEWHERE = {MET: gotcha(when="{speculation.method: lookahead}", symptom="performance-cliff")}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("attention.backend=FASTT", "attention.backend is never FASTT on enga 1.1.0; nearest: FAST"),
        ("attention.backend=xyzzy", "attention.backend is never xyzzy on enga 1.1.0; known: FAST, PLAIN, auto"),
        ("speculation.method=eagel", "speculation.method is never eagel on enga 1.1.0; nearest: EAGLE"),
        ("speculation.method=ngram,eagel", "speculation.method is never eagel on enga 1.1.0; nearest: EAGLE"),
        ("decode.attention.backend=FASTT", "decode.attention.backend is never FASTT on enga 1.1.0; nearest: FAST"),
    ],
)
def test_a_slip_is_refused_where_the_engine_s_list_is_closed(ask, word, message):
    for said in ({"settings": [word]}, {"required": [word]}):
        with pytest.raises(Refused) as refused:
            ask(FILES, **said)
        assert str(refused.value) == message


@pytest.mark.parametrize(
    ("files", "version", "word", "notes"),
    [
        # The list was read at 1.1.0: of 1.0.0 nobody knows that it is closed.
        (FILES, "1.0.0", "attention.backend=FASTT", ["no record knows FASTT as a word for attention.backend; nearest: FAST"]),
        # This engine's setting lists no words; its backends are known.
        (OPEN, "1.1.0", "attention.backend=PLAN", ["no record knows PLAN as a word for attention.backend; nearest: PLAIN"]),
        # A backend on record, which is none of the closed list; nothing in the list comes near it.
        (FILES, "1.1.0", "attention.backend=NAMED", ["NAMED is none of the words of enga 1.1.0 for attention.backend; known: FAST, PLAIN, auto"]),
        # What another record speaks of, any letters' case, kinds with a value of their own, and what no record has to list.
        (FILES | ELSEWHERE, "1.1.0", "speculation.method=LookAhead", []),
        (FILES, "1.1.0", "speculation.method=eagle", []),
        (FILES, "1.1.0", "speculation.method=ngram:n_max=2,mtp", []),
        (FILES, "1.1.0", "speculation.method=none", []),
        (FILES, "1.1.0", "attention.backend=fast", []),
        (FILES, "1.1.0", "cache.dtype=fp8_e4m3", []),
    ],
)
def test_what_is_told_of_other_words(ask, files, version, word, notes):
    assert ask(files, engine=f"enga@{version}", settings=[word]).data["notes"] == notes


def test_a_pre_release_that_is_newer_than_the_one_that_is_meant_is_told(ask):
    ahead = changed(ENGINE, ("releases:\n", 'releases:\n  - {version: "1.2.0rc1", date: 2026-02-20}\n'))
    told = "1.1.0 is the newest final release on record; enga@1.2.0rc1 asks of the pre-release that the matrix shows"
    assert ask(ahead).data["notes"] == [told]
    assert ask(ahead, engine="enga@1.1.0").data["notes"] == []
    assert ask(ahead, engine="enga@1.2.0rc1").data["notes"] == []


def test_a_patch_release_has_the_list_of_its_minor_release(ask):
    """The list was read at 1.1.0, so that of 1.1.3 is taken to be the same, and that of 1.2.0 is not."""
    for version, closed in (("1.1.3", True), ("1.2.0", False)):
        if closed:
            with pytest.raises(Refused, match=r"never FASTT on enga 1\.1\.3"):
                ask(FILES, engine=f"enga@{version}", settings=["attention.backend=FASTT"])
        else:
            assert ask(FILES, engine=f"enga@{version}", settings=["attention.backend=FASTT"]).data["notes"] != []


def test_the_slips_of_the_review(ask_real):
    with pytest.raises(Refused, match=r"^attention\.backend is never FLASHINFR on vllm 0\.33\.0; nearest: FLASHINFER"):
        ask_real("gpt-oss-20b", "vllm@0.33.0", settings=["attention.backend=FLASHINFR"])
    with pytest.raises(Refused, match=r"^speculation\.method is never eaglle9 on vllm 0\.33\.0; nearest: eagle"):
        ask_real("llama-3.1-8b", "vllm@0.33.0", settings=["speculation.method=eaglle9"])


@pytest.mark.parametrize("engine", ["mlx-lm", "transformers", "tensorrt-llm", "sglang", "vllm"])
def test_a_slip_of_a_way_to_draft_is_told_alike_by_every_engine(ask_real, engine):
    """Whether or not its list is closed: no record of any engine has the word, and one that is nearly the same is there."""
    with pytest.raises(Refused, match=r"eagle33.*; nearest: (EAGLE3|eagle3)"):
        ask_real("qwen3-8b", engine, settings=["speculation.method=eagle33"])


def test_a_way_to_draft_that_only_a_newer_release_may_have_is_no_slip(ask_real):
    found = ask_real("qwen3-8b", "mlx-lm@9.0.0", settings=["speculation.method=eagle4"])
    assert found.data["notes"] == ["no record knows eagle4 as a word for speculation.method; nearest: EAGLE, EAGLE3, eagle2"]


SPOKEN = {MET: gotcha(when="{setting.spoken_of: true}", symptom="performance-cliff")}


@pytest.mark.parametrize(
    ("setting", "notes"),
    [
        ("setting.disable_fst=true", ["nothing on record of enga knows setting.disable_fst, so that it decides nothing here; nearest: setting.disable_fast"]),
        ("setting.zzz=1", ["nothing on record of enga knows setting.zzz, so that it decides nothing here"]),
        ("setting.spoken_of=true", []),
        ("setting.disable_fast=true", []),
        ("setting.mode=true", []),
        ("setting.mode=auto", []),
    ],
)
def test_a_setting_that_nothing_on_record_knows_is_told(ask, setting, notes):
    assert ask(SPOKEN, settings=[setting]).data["notes"] == notes


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("setting.mode=onn", "setting.mode is never onn on enga 1.1.0; nearest: on"),
        ("setting.mode=5", "setting.mode is never 5 on enga 1.1.0; known: on, off, auto"),
    ],
)
def test_a_value_outside_of_a_closed_list_is_refused(ask, setting, message):
    with pytest.raises(Refused) as refused:
        ask(settings=[setting])
    assert str(refused.value) == message
    told = ask(engine="enga@1.0.0", settings=[setting]).data["notes"]
    assert told == [f"{setting.partition('=')[2]} is none of the words of enga 1.1.0 for setting.mode; {message.partition('; ')[2]}"]


def test_words_of_other_engines_for_graphs(ask_real):
    """SGLang 0.5.23 knows full, breakable and disabled (arg_groups/choices.py), so a mode of vLLM's is refused there by its list."""
    found = ask_real("qwen3-8b", "sglang@0.5.23", settings=["cuda_graphs=piecewise"])
    assert (found.hop("cuda-graphs").state, found.reply.verdict) == ("fails", "only-with")
    with pytest.raises(Refused, match=r"^cuda_graphs is never FULLL on vllm 0\.33\.0; nearest: full"):
        ask_real("qwen3-8b", "vllm@0.33.0", settings=["cuda_graphs=FULLL"])
