"""`upgrade`: what changes for one stack between two versions: verdicts, hops, gotchas that leave and arrive, components."""

from __future__ import annotations

import json

import pytest

from catalogs import ENGINE, REGISTRY, copy_tiny, gotcha, snapshot
from infercompat.answer.check import Assessor
from infercompat.answer.question import Refused
from infercompat.answer.upgrade import print_data, upgrade

from .conftest import question
from .stacks import BASE, HEAD, NATIVES, SERVE, SETTINGS, engine

FIXED = '{all: [{engine: enga, observed: ["1.0.0"], fixed: {first_release: "1.1.0", cites: [{id: enga-issue-1}]}}]}'
BROUGHT = '{all: [{engine: enga, introduced: {version: "1.1.0", cites: [{id: enga-issue-1}]}}]}'
FILES = BASE | {
    REGISTRY: snapshot(*NATIVES, complete=True),
    "support/enga/older.yaml": snapshot(NATIVES[1].replace("native", "fallback"), version="1.0.0"),
    "gotchas/enga/fixed.yaml": gotcha(when="{lora: true}", affects=FIXED, status="fixed", title="Was there"),
    "gotchas/enga/brought.yaml": gotcha(when="{lora: true}", affects=BROUGHT, title="Came along", severity="major", symptom="performance-cliff"),
}


@pytest.fixture
def move(make):
    """What changes for the plain model on a changed catalog."""

    def moved(files=None, before: str = "1.0.0", after: str = "1.1.0", **options):
        products = make(FILES | (files or {}))
        assert products.diagnostics == []
        return upgrade(Assessor(products), question(products, "plain-model", "enga", **options), before, after)

    return moved


def test_what_leaves_and_what_arrives(move):
    found = move(settings=["lora=true"])
    assert found == {
        "schema_version": 1,
        "model": "plain-model",
        "engine": "enga",
        "from": {"version": "1.0.0", "verdict": "only-with", "reason": "fixed: Was there; cleared by: leave lora at its default"},
        "to": {"version": "1.1.0", "verdict": "yes", "reason": "every hop holds"},
        "hops": [
            {"hop": "architecture", "from": "holds", "to": "holds", "finding": "LlamaForCausalLM is implemented by the engine itself (A source)"},
        ],
        "defaults": [],
        "gotchas_left": [{"id": "fixed", "state": "hit", "severity": "blocker", "title": "Was there"}],
        "gotchas_arrived": [{"id": "brought", "state": "hit", "severity": "major", "title": "Came along"}],
        "components": [{"component": "libx", "from": "1.0", "to": "2.0"}],
    }


def test_back_again_is_the_other_way_round(move):
    there, back = move(settings=["lora=true"]), move(before="1.1.0", after="1.0.0", settings=["lora=true"])
    assert (back["from"], back["to"]) == (there["to"], there["from"])
    assert (back["gotchas_left"], back["gotchas_arrived"]) == (there["gotchas_arrived"], there["gotchas_left"])
    assert back["components"] == [{"component": "libx", "from": "2.0", "to": "1.0"}]


def test_the_verdict_is_that_of_check(move, ask):
    """Whatever clears a fault there clears it here."""
    for required, verdict in (((), "only-with"), (("lora=true",), "no")):
        options = {"required": list(required)} if required else {"settings": ["lora=true"]}
        assert move(**options)["from"]["verdict"] == ask(FILES, engine="enga@1.0.0", **options).reply.verdict == verdict


def test_what_is_just_missed_neither_leaves_nor_arrives(move):
    found = move()
    assert (found["gotchas_left"], found["gotchas_arrived"]) == ([], [])


def test_nothing_changes_from_a_version_to_itself(move):
    found = move(before="1.1.0", after="v1.1.0", settings=["lora=true"])
    assert found["from"] == found["to"]
    assert [found[name] for name in ("hops", "gotchas_left", "gotchas_arrived", "components")] == [[], [], [], []]


def test_versions_are_read_as_anywhere(move):
    found = move(before="1.0.*", after="2026-02-02")
    assert (found["from"]["version"], found["to"]["version"]) == ("1.0.0", "1.1.0")
    with pytest.raises(Refused, match=r"'1\.\.0' is no pep440 version of enga"):
        move(before="1..0")


def test_a_hop_that_was_not_asked_before(move):
    """At the older version the architecture fails, so that nothing behind it is looked at."""
    lacking = {"support/enga/older.yaml": snapshot(NATIVES[0], version="1.0.0", complete=True)}
    found = move(lacking)
    assert (found["from"]["verdict"], found["to"]["verdict"]) == ("no", "yes")
    assert [(hop["hop"], hop["from"], hop["to"]) for hop in found["hops"]] == [("architecture", "fails", "holds"), ("config", "not asked", "holds")]


def test_a_component_that_only_one_side_knows_is_no_move(move):
    head = HEAD.replace(', bundles: {libx: "1.0"}', "")
    found = move({ENGINE: engine(SETTINGS, more=SERVE, head=head)})
    assert found["components"] == []


def test_for_people(move, capsys):
    print_data(move(settings=["lora=true"]))
    assert capsys.readouterr().out.splitlines() == [
        "plain-model on enga: 1.0.0 only-with -> 1.1.0 yes",
        "  1.0.0      fixed: Was there; cleared by: leave lora at its default",
        "  1.1.0      every hop holds",
        "",
        "Gotchas that leave:",
        "  blocker  hit    fixed: Was there",
        "",
        "Gotchas that arrive:",
        "  major    hit    brought: Came along",
        "",
        "Hops that change:",
        "  architecture         holds -> holds: LlamaForCausalLM is implemented by the engine itself (A source)",
        "",
        "Defaults that change: none that is on record",
        "",
        "Components:",
        "  libx                 1.0 -> 2.0",
    ]


CHANGED = SETTINGS | {
    "async_scheduling": 'flag: --async, default: true, defaults: [{when: {enga.version: {below: "1.1.0"}}, value: false}, {value: true}]',
    "setting.later": 'flag: --later, default: 7, since: "1.1.0"',
    "setting.mode": 'flag: --mode, default: auto, since: "1.0.0"',
}


def test_defaults_that_change(move, capsys):
    """Off until 1.0.0 and on from 1.1.0, where a setting begins, too; one that was named has no default."""
    told = 'default: {fact: async_scheduling, was: false, is: true, since: "1.1.0", cites: [{id: enga-issue-1}]}\n'
    files = {ENGINE: engine(CHANGED, more=SERVE), "gotchas/enga/brought.yaml": FILES["gotchas/enga/brought.yaml"] + told}
    found = move(files)
    cites = [{"id": "enga-registry"}]
    assert found["defaults"] == [
        {"fact": "async_scheduling", "flag": "--async", "from": False, "to": True, "exists": [True, True], "cites": cites}
        | {"since": "1.1.0", "back": "--no-async", "gotchas": ["brought"]},
        {"fact": "setting.later", "flag": "--later", "from": None, "to": 7, "exists": [False, True], "cites": cites}
        | {"since": None, "back": "", "gotchas": []},
    ]
    print_data(found)
    printed = capsys.readouterr().out
    assert "  async_scheduling     false -> true  (--async, at 1.1.0)\n" in printed
    assert "back with --no-async\n" in printed
    assert "see brought\n" in printed
    assert "  setting.later        no such setting -> 7  (--later)\n" in printed
    assert [one["fact"] for one in move(files, settings=["async_scheduling=true"])["defaults"]] == ["setting.later"]
    assert move(files, before="1.1.0", after="1.1.0")["defaults"] == []


def test_a_setting_that_does_nothing_there_is_left_out(move):
    """Nor is one that is gone taken for one that is there."""
    for touches, left in (("{tensor_parallel: {above: 1}}", []), ("{platform: cuda}", ["async_scheduling"])):
        changed = CHANGED | {"async_scheduling": CHANGED["async_scheduling"] + f", touches: {touches}", "setting.later": "flag: --later, default: 7"}
        assert [one["fact"] for one in move({ENGINE: engine(changed, more=SERVE)})["defaults"]] == left
    gone = CHANGED | {"setting.later": 'flag: --later, default: 7, until: "1.1.0"'}
    assert [one["exists"] for one in move({ENGINE: engine(gone, more=SERVE)})["defaults"] if one["fact"] == "setting.later"] == [[True, False]]


def test_a_gotcha_of_other_hardware_neither_leaves_nor_arrives(move):
    """Seen on sm75 and fixed: for a card of sm90 it never was there, for one of sm75 and for hardware that nobody named it leaves."""
    seen = {"gotchas/enga/fixed.yaml": gotcha(when="{lora: true}", affects=FIXED, status="fixed", hardware="{scope: list, seen_on: [sm75]}")}
    left = {word: [one["id"] for one in move(seen, settings=["lora=true", *said])["gotchas_left"]] for word, said in
            (("sm90", ["hardware.class=sm90"]), ("sm75", ["hardware.class=sm75"]), ("none", []))}  # fmt: skip
    assert left == {"sm90": [], "sm75": ["fixed"], "none": ["fixed"]}


def test_what_is_only_told_apart_on_one_side_has_not_moved(move):
    """On one side nobody knows the value, on the other the record has it: the version changes nothing of the fault."""
    asking = {"gotchas/enga/fixed.yaml": gotcha(when="{async_scheduling: false}", title="As before")}
    known = SETTINGS | {"async_scheduling": 'flag: --async, default: true, defaults: [{when: {enga.version: {min: "1.1.0"}}, value: true}]'}
    found = move({ENGINE: engine(known, more=SERVE), **asking})
    assert (found["gotchas_left"], found["gotchas_arrived"]) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["enga", "1.0.0", "1.1.0", "--model", "plain-model"], 0),
        (["enga", "1.0.0", "1..1", "--model", "plain-model"], 2),
        (["engaa", "1.0.0", "1.1.0", "--model", "plain-model"], 2),
        (["enga", "1.0.0", "1.1.0", "--model", "plain-modle"], 2),
        (["enga", "1.0.0", "1.1.0"], 2),
    ],
)
def test_exit_statuses(run, tmp_path, arguments, status):
    folder = copy_tiny(tmp_path / "upgrade", FILES)
    result = run("upgrade", *arguments, "--json", catalog=folder)
    assert result.exit_code == status
    assert status or json.loads(result.stdout)["to"]["version"] == "1.1.0"


def test_gpt_oss_gets_flashinfer_on_sm120(real_assessor):
    """The fix of 0.28.0 takes the refusal away, and the package of kernels moves along."""
    asked = question(real_assessor.products, "gpt-oss-20b", "vllm", hardware="rtx-pro-6000-blackwell", required=["attention.backend=FLASHINFER"])
    found = upgrade(real_assessor, asked, "0.27.1", "0.33.0")
    assert (found["from"]["verdict"], found["to"]["verdict"]) == ("only-with", "yes")
    assert "vllm-gptoss-flashinfer-sink-rejected-sm120" in [one["id"] for one in found["gotchas_left"]]
    assert {"component": "flashinfer", "from": "0.6.16.post3", "to": "0.7.2.post1"} in found["components"]
