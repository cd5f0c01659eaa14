"""The answer on every surface: the verdict after repairs, the JSON contract, exit statuses, and the same for people."""

from __future__ import annotations

import json

import pytest

from catalogs import ENGINE, NATIVE, OFFERS, REGISTRY, changed, copy_tiny, gotcha, snapshot
from infercompat.answer.reply import EXIT_STATUS, unjudged
from infercompat.join import VERDICTS

from .stacks import ATTENDING, BACKENDS, BASE, HEAD, HOLDING, MET, POLICY, SELECTION, SERVE, SETTINGS, engine

LORA = {MET: gotcha(when="{lora: true}")}
ALWAYS = {MET: gotcha(when="")}
SILENT = {REGISTRY: snapshot(NATIVE)}
CLEARED = {MET: gotcha(when="{chunked_prefill: true}", workarounds="[{set: {chunked_prefill: false}}]")}
HIDDEN = {OFFERS: None}
"""Nobody speaks of windows, so what the tiny model gets is unknown."""


@pytest.mark.parametrize(
    ("files", "options", "verdict", "reason", "repairs"),
    [
        ({}, {}, "yes", "every hop holds", []),
        (ALWAYS, {}, "no", "met: Goes wrong", []),
        (CLEARED, {}, "only-with", "met: Goes wrong; cleared by: set chunked_prefill = false", [["set chunked_prefill = false"]]),
        (CLEARED, {"required": ["chunked_prefill=true"]}, "no", "met: Goes wrong", []),
        (SILENT, {}, "unknown", "architecture: no source of EngA in the catalog speaks of LlamaForCausalLM", []),
        # What blocks is met whatever else is unknown: with nothing that clears it the answer is no, else what is unknown stays so.
        (SILENT | ALWAYS, {}, "no", "met: Goes wrong", []),
        (SILENT | CLEARED, {}, "unknown", "architecture: no source of EngA in the catalog speaks of LlamaForCausalLM", [["set chunked_prefill = false"]]),
        (SILENT | CLEARED, {"required": ["chunked_prefill=true"]}, "no", "met: Goes wrong", []),
        (SILENT | LORA, {"settings": ["lora=true"]}, "unknown", "architecture: no source of EngA in the catalog speaks of LlamaForCausalLM",
         [["leave lora at its default"]]),
        (SILENT | LORA, {"required": ["lora=true"]}, "no", "met: Goes wrong", []),
    ],
)  # fmt: skip
def test_the_verdict_after_repairs(ask, files, options, verdict, reason, repairs):
    answer = ask(files, **options)
    assert (answer.reply.verdict, answer.reply.reason) == (verdict, reason)
    assert [repair["changes"] for repair in answer.data["repairs"]] == repairs
    assert (answer.data["missing"] != []) is (verdict == "unknown")


def test_a_newer_release_that_is_clean_is_a_way_out_of_what_blocks_here(ask):
    """At the release in question hops are unknown and a fault is met: that is no unknown answer, since another release is whole.

    A release between clears the fault too, and leaves unknown what is unknown: it stands behind, with that verdict of its own.
    """
    head = HEAD.replace("releases:\n", 'releases:\n  - {version: "1.2.0", date: 2026-02-20}\n')
    affects = '{all: [{engine: enga, observed: ["1.1.0"], fixed: {first_release: "1.1.5", cites: [{id: enga-issue-1}]}}]}'
    files = {
        ENGINE: engine(SETTINGS, more=SERVE, head=head),
        REGISTRY: snapshot("about: {architecture: LlamaForCausalLM}, holds: native", version="1.2.0"),
        MET: gotcha(when="", affects=affects, workarounds='[{upgrade: {enga: "1.1.5"}}]'),
    }
    answer = ask(files, engine="enga@1.1.0")
    assert answer.found.verdict == "unknown"
    assert (answer.reply.verdict, answer.data["missing"]) == ("only-with", [])
    told = [(repair["changes"], repair["verdict"]) for repair in answer.data["repairs"]]
    assert told == [(["take EngA 1.2.0"], "yes"), (["take EngA 1.1.5"], "unknown")]
    assert {name: answer.data["repairs"][0][name] for name in ("set", "drop", "version")} == {"set": {}, "drop": [], "version": "1.2.0"}


def test_flashinfer_required_is_a_no_and_without_is_only_with(ask):
    """The case of gpt-oss on RTX PRO 6000: the backend that was asked for is refused, and another one runs."""
    files = ATTENDING | {ENGINE: engine(SETTINGS, BACKENDS, more=SERVE + SELECTION)}
    files |= {MET: gotcha(symptom="unsupported-combination", hardware="{scope: list, seen_on: [sm100]}", when="{attention.backend: FAST}",
                          workarounds="[{set: {attention.backend: PLAIN}}]")}  # fmt: skip
    required = ask(files, hardware="card-base", required=["attention.backend=FAST"])
    assert (required.reply.verdict, required.data["repairs"]) == ("no", [])
    asked = ask(files, hardware="card-base", settings=["attention.backend=FAST"])
    assert (asked.reply.verdict, [repair["changes"] for repair in asked.data["repairs"]]) == ("only-with", [["set attention.backend = PLAIN"]])
    assert {name: asked.data["repairs"][0][name] for name in ("set", "drop", "version")} == {"set": {"attention.backend": "PLAIN"}, "drop": [], "version": None}
    assert asked.data["command"]["argv"] == ["enga", "serve", "acme/plain", "--backend", "PLAIN"]


@pytest.mark.parametrize("version", ["0.17.0", "0.27.1"])
def test_gpt_oss_on_flashinfer_is_cleared_by_the_release_that_has_the_fix(ask_real, version):
    answer = ask_real("gpt-oss-20b", f"vllm@{version}", hardware="rtx-pro-6000-blackwell", required=["attention.backend=FLASHINFER"])
    assert answer.reply.verdict == "only-with"
    assert all(change.startswith("take vLLM 0.") for repair in answer.data["repairs"] for change in repair["changes"])
    assert ask_real("gpt-oss-20b", "vllm@0.33.0", hardware="rtx-pro-6000-blackwell", required=["attention.backend=FLASHINFER"]).reply.verdict == "yes"


TOP = {
    "schema_version", "verdict", "reason", "grade", "confidence", "question", "notes", "chain", "missing", "provided", "gotchas", "command", "memory",
    "repairs",
}  # fmt: skip
MEMORY = {"weights_bytes", "cache_bytes", "state_bytes", "available_bytes", "fits"}


@pytest.mark.parametrize(
    ("model", "engine", "options"),
    [
        ("gpt-oss-20b", "vllm", {"hardware": "b200", "length": 8192}),
        ("gemma-4-31b", "vllm", {"hardware": "b200", "cache_dtype": "fp8", "settings": ["attention.backend=FLASHINFER"]}),
        ("gpt-oss-20b", "vllm@0.26.0", {"hardware": "rtx-pro-6000-blackwell"}),
        ("qwen3-8b", "mlx-lm", {"hardware": "m4-max", "length": 4096}),
        ("rwkv-7-world-1.5b", "vllm", {}),
        ("whisper-large-v3", "sglang", {}),
    ],
)
def test_the_contract_of_the_json(ask_real, model, engine, options):
    data = json.loads(json.dumps(ask_real(model, engine, **options).data, allow_nan=False))
    assert data.keys() >= TOP
    assert data["verdict"] in VERDICTS
    assert data["question"].keys() >= {"model", "engine", "version", "version_assumed", "hardware", "gpus", "given", "required", "assumed"}
    assert data["chain"]
    for hop in data["chain"]:
        assert hop.keys() >= {"hop", "finding", "value", "cites"}
        assert all(cite.keys() >= {"id", "url", "at"} and cite["url"].startswith("https://") for cite in hop["cites"])
    for one in data["gotchas"]:
        assert one.keys() >= {"id", "state", "severity", "because", "workarounds"}
        assert one["state"] in ("hit", "maybe", "almost")
    assert data["command"].keys() >= {"argv", "because"}
    assert all(isinstance(word, str) for word in data["command"]["argv"])
    assert (data["memory"] is None) == ("hardware" not in options)
    if data["memory"]:
        assert data["memory"].keys() >= MEMORY
        assert all(type(value) in (int, type(None)) for name, value in data["memory"].items() if name.endswith("_bytes"))
        assert data["memory"]["fits"] in (True, False, None)
    assert (data["grade"] is None) == (data["confidence"] is None) == (data["verdict"] == "unknown")
    assert bool(data["missing"]) == (data["verdict"] == "unknown")
    assert not data["repairs"] or all(repair["verdict"] == "yes" for repair in data["repairs"])


def test_what_was_said_comes_back(ask):
    asked = ask(hardware="card-big", gpus=2, settings=["lora=true"], required=["chunked_prefill=false"], length=100).data["question"]
    assert asked["given"] == {"lora": True, "chunked_prefill": False, "max_model_len": 100}
    assert (asked["required"], asked["hardware"], asked["gpus"], asked["version"], asked["version_assumed"]) == (
        ["chunked_prefill"], "card-big", 2, "1.1.0", True,
    )  # fmt: skip
    assert {"fact": "tensor_parallel", "value": 2, "because": "2 devices, and nobody said how they share"} in asked["assumed"]
    assert ask(engine="enga@1.1.0").data["question"]["version_assumed"] is False


@pytest.fixture
def folder(tmp_path):
    """A catalog on disk whose answers are known."""
    return copy_tiny(tmp_path / "answers", BASE | CLEARED | {"gotchas/enga/other.yaml": gotcha(when="{lora: true}")})


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["plain-model", "enga", "--set", "chunked_prefill=false"], 0),
        (["plain-model", "enga", "--require", "lora=true"], 1),
        (["plain-model", "enga", "--tp", "0"], 2),
        (["plain-modle", "enga"], 2),
        (["plain-model", "engaa"], 2),
        (["plain-model", "enga@1..0"], 2),
        (["plain-model", "enga", "--hardware", "card-bigg"], 2),
        (["plain-model", "enga", "--set", "lora"], 2),
        (["plain-model", "enga", "--set", "tensor_paralel=2"], 2),
        (["plain-model", "enga", "--set", "lora=maybe"], 2),
        (["plain-model", "enga", "--cache-dtype", "fp8", "--set", "cache.dtype=bf16"], 2),
        (["plain-model", "enga"], 3),
        (["plain-model", "enga@3.0.0"], 4),
        (["me/entirely-my-own", "enga"], 4),
        (["enga", "plain-model", "--set", "chunked_prefill=false"], 0),
        (["plain-model"], 0),
        (["enga"], 0),
        ([], 0),
    ],
)
def test_exit_statuses(run, folder, arguments, status):
    result = run("check", *arguments, catalog=folder)
    assert result.exit_code == status
    assert (result.stderr != "") is (status == 2)
    assert (result.stdout != "") is (status != 2)
    assert result.stderr.count("\n") == 1 or status != 2 or "Usage:" in result.stderr


def test_every_verdict_has_a_status():
    assert EXIT_STATUS == {"yes": 0, "no": 1, "only-with": 3, "unknown": 4}
    assert set(EXIT_STATUS) == set(VERDICTS)


def test_an_unlisted_model_is_answered_in_the_same_shape(run, folder):
    result = run("check", "me/entirely-my-own", "enga@1.0.*", "--json", catalog=folder)
    data = json.loads(result.stdout)
    assert (result.exit_code, data["verdict"], data["missing"], data["grade"]) == (4, "unknown", ["model"], None)
    assert data.keys() == TOP
    assert (data["question"]["model"], data["question"]["engine"], data["question"]["version"]) == ("me/entirely-my-own", "enga", "1.0.0")
    assert run("check", "me/entirely-my-own", "engaa", catalog=folder).exit_code == 2
    alone = run("check", "me/entirely-my-own", catalog=folder)
    assert (alone.exit_code, alone.stdout.splitlines()[0]) == (4, "UNKNOWN   me/entirely-my-own")


NO_CHANGE = "Cleared by: no change is known that clears what stands in the way"


@pytest.mark.parametrize(
    ("files", "arguments", "shown", "not_shown"),
    [
        # Nothing clears it: that is said, and the command that fails is not printed.
        (ALWAYS, [], [NO_CHANGE], ["enga serve"]),
        (LORA, ["--require", "lora=true"], [NO_CHANGE], ["enga serve"]),
        # A change makes it a yes: the command has it in it, and says so.
        (CLEARED, [], ["Cleared by, cheapest first:", "  set chunked_prefill = false", "With the first of these:",
                       "enga serve acme/plain --no-chunked-prefill"], [NO_CHANGE]),
        # It clears what is met and leaves the rest unknown: it is not said to clear the question.
        (SILENT | CLEARED, [], ["Clears what is met, and what is unknown stays unknown:", "  set chunked_prefill = false"],
         ["Cleared by", NO_CHANGE]),
        # Unknown, and nothing is met: nothing has to be cleared.
        (SILENT, [], ["enga serve acme/plain"], ["Clears", "Cleared by"]),
        ({}, [], ["enga serve acme/plain"], ["Cleared by", "With the first"]),
    ],
)  # fmt: skip
def test_for_people_what_clears_it_or_that_nothing_is_known_to(run, tmp_path, files, arguments, shown, not_shown):
    catalog = copy_tiny(tmp_path / "clearing", BASE | {ENGINE: engine(SETTINGS, more=SERVE)} | files)
    lines = run("check", "plain-model", "enga", *arguments, catalog=catalog).stdout.splitlines()
    assert [one for one in shown if one not in lines] == []
    assert [one for one in not_shown if any(line.startswith(one) for line in lines)] == []


def test_over_all_models_and_engines(run, folder):
    answers = json.loads(run("check", "--json", catalog=folder).stdout)["answers"]
    asked = [(answer["question"]["model"], answer["question"]["engine"]) for answer in answers]
    assert sorted(asked) == [(model, engine) for model in ("plain-model", "tiny-model") for engine in ("enga", "engb")]
    assert all(answer.keys() >= TOP for answer in answers)
    lines = run("check", "enga", catalog=folder).stdout.splitlines()
    assert [line.split()[:4] for line in lines] == [["only-with", "plain-model", "enga", "1.1.0"], ["only-with", "tiny-model", "enga", "1.1.0"]]


def test_for_people_the_verdict_comes_first(run, folder):
    shown = run("check", "plain-model", "enga", "--hardware", "card-big", "--gpus", "2", catalog=folder).stdout
    first, reason, *rest = shown.splitlines()
    assert first.startswith("ONLY-WITH   [") and first.endswith(
        "plain-model on enga 1.1.0 (newest in the catalog) on 2x card-big   (memory was not judged: no length was asked for)"
    )
    assert reason == "  met: Goes wrong; cleared by: set chunked_prefill = false"
    for line in ("Met:", "Cleared by, cheapest first:", "  set chunked_prefill = false", "enga serve acme/plain --no-chunked-prefill --tp 2"):
        assert line in rest
    assert any(line.startswith("  blocker  met: Goes wrong") for line in rest)


def test_of_what_is_just_missed_the_rest_is_shown_on_demand(run, tmp_path):
    titles = {name: f"A {name} one" for name in ("blocker", "major", "minor")}
    missed = {f"gotchas/enga/{name}.yaml": gotcha(when="{lora: true}", severity=name, title=title) for name, title in titles.items()}
    waits = {"gotchas/enga/waits.yaml": gotcha(hardware="{scope: list, seen_on: [sm90]}", title="Nobody tried", when="")}
    folder = copy_tiny(tmp_path / "missed", BASE | missed | waits)
    short = run("check", "plain-model", "enga", "--hardware", "card-base", catalog=folder).stdout
    assert [title for title in ("A blocker one", "A major one", "A minor one", "Nobody tried") if title in short] == ["A blocker one"]
    assert "\n3 more that are untested here or just missed: --all shows them\n" in short
    whole = run("check", "plain-model", "enga", "--hardware", "card-base", "--all", catalog=folder).stdout
    assert all(title in whole for title in ("A blocker one", "A major one", "A minor one", "Nobody tried"))
    assert "--all shows them" not in whole


def test_memory_for_people(run, tmp_path):
    """Where an engine serves another file than the checkpoint, weights that are too large are said and decide nothing."""
    parameters = "parameters: {total: 8000000, total_counts: All., cites: [{id: plain-config}]}\n"
    sized = changed("models/acme/plain-model.yaml", ("config:\n", f"{parameters}config:\n"))
    of_file = {ENGINE: engine(SETTINGS, more=SERVE.replace('"{checkpoint}"', "FILE") + POLICY)}
    folder = copy_tiny(tmp_path / "heavy", BASE | sized | of_file)
    shown = run("check", "plain-model", "enga", "--hardware", "card-big", catalog=folder).stdout
    assert shown.startswith("YES")
    assert "  but the weights do not fit the devices as asked" in shown.splitlines()[2]
    assert "\nA device: weights 15.26 MiB, cache 4 MiB, at most left for the cache 0 B, device 9.54 MiB\n" in shown
    fitting = run("check", "plain-model", "enga", "--hardware", "card-big", "--gpus", "8", catalog=folder).stdout
    assert "do not fit" not in fitting
    unknown = run("check", "plain-model", "enga", "--hardware", "card-base", catalog=folder).stdout
    assert "\nA device: weights 15.26 MiB, cache 4 MiB (the device's memory is not in its record)\n" in unknown


def test_what_would_decide_is_asked_for_last(run, tmp_path):
    waiting = copy_tiny(tmp_path / "waiting", BASE | {MET: gotcha(when="{max_num_seqs: 4}")})
    assert run("check", "plain-model", "enga", catalog=waiting).stdout.splitlines()[-1] == "Say more to decide: max_num_seqs"
    silent = copy_tiny(tmp_path / "silent", BASE | SILENT)
    assert run("check", "plain-model", "enga", catalog=silent).stdout.splitlines()[-1] == "Missing in the catalog: architecture"


@pytest.mark.parametrize(
    ("files", "options", "why"),
    [
        ({}, {}, "no hardware was named"),
        ({}, {"settings": ["hardware.class=sm90"], "length": 100}, "no hardware was named"),
        ({}, {"hardware": "card-base"}, "that of card-base is not on record"),
        ({}, {"hardware": "card-big"}, "no length was asked for"),
        (ALWAYS, {}, None),
        (SILENT, {}, None),
        (CLEARED, {}, "no hardware was named"),
        (HOLDING, {"hardware": "card-big", "length": 100}, None),
    ],
)
def test_a_yes_says_whether_memory_was_judged(ask, files, options, why):
    """An answer that something else decides, or that is unknown, needs no word on it."""
    assert unjudged(ask(files, **options).data) == why
