"""What was seen on the very stack decides before what is worked out: the card of ten million bytes of the memory tests."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, gotcha

from .stacks import MET, SERVE, SETTINGS, engine
from .test_memory import LEFT, SIZED

CITED = {
    "citations/example.com/thread.yaml": "title: A run\nurl: https://example.com/run\ntype: issue\npublisher: acme\n"
    "published: 2026-02-03\nretrieved: 2026-02-05\n"
}


def run(value: str, context: int = 4096, version: str = '"1.1.0"', more: str = "") -> dict[str, str]:
    """An outcome of the plain model on the big card: with 4,096 tokens its cache takes 4,194,304 of the 3,000,000 bytes that are left."""
    at = f"version: {version}\n" if version else ""
    return CITED | {
        "measurements/run.yaml": f"name: A run\nmodel: plain-model\nengine: enga\n{at}hardware: card-big\nmetric: outcome\nvalue: {value}\n"
        f"unit: word\nmethod: benchmark\nreproducible: false\nconditions: {{context: {context}{more}}}\ncites: [{{id: thread}}]\n"
    }


@pytest.mark.parametrize(
    ("files", "length", "state"),
    [
        ({}, 4096, "fails"),
        (run("ran"), 4096, "holds"),
        (run("ran"), 2000, "holds"),  # shorter than what ran
        (run("ran"), 4097, "fails"),  # longer: the figures decide
        (run("out-of-memory", 2048), 2048, "fails"),
        (run("out-of-memory", 2048), 4096, "fails"),
        (run("out-of-memory", 2048), 1024, "gap"),
        (run("ran", more=", tensor_parallel: 2"), 4096, "fails"),  # another number of ranks
        (run("ran", more=", settings: {gpu_memory_utilization: 0.9}"), 4096, "fails"),  # it had more of the card
        (run("ran", more=", settings: {gpu_memory_utilization: 0.4}"), 4096, "holds"),
        (run("ran", more=", settings: {lora: true}"), 4096, "fails"),  # set up in another way
        (run("ran", version=""), 4096, "holds"),  # two days after the release
    ],
)
def test_an_outcome_decides_for_its_own_stack(ask, files, length, state):
    assert ask(SIZED | files, hardware="card-big", length=length).hop("memory").state == state


def test_it_says_what_was_seen(ask):
    hop = ask(SIZED | run("ran"), hardware="card-big", length=4096).hop("memory")
    assert hop.finding == "it was seen to run: A run; the cache needs 4 MiB a device"
    assert [source.id for source in hop.sources] == ["thread"]


def test_a_step_that_nobody_speaks_of_holds_where_the_stack_ran(ask):
    """Without a cache policy memory is unknown; the run settles it."""
    bare = SIZED | {ENGINE: engine(SETTINGS, more=SERVE)}
    assert ask(bare, hardware="card-big", length=2048).reply.verdict == "unknown"
    assert ask(bare | run("ran"), hardware="card-big", length=2048).reply.verdict == "yes"


def test_what_a_log_says_is_left_stands_before_what_is_worked_out(ask):
    """2,500,000 bytes at half of the card are 3,500,000 at six tenths of it."""
    files = SIZED | CITED | {
        "measurements/left.yaml": 'name: Left\nmodel: plain-model\nengine: enga\nversion: "1.1.0"\nhardware: card-big\nmetric: device.cache_bytes\n'
        "value: 2500000\nunit: B\nmethod: engine-log\nreproducible: false\nconditions: {settings: {gpu_memory_utilization: 0.5}}\ncites: [{id: thread}]\n"
    }  # fmt: skip
    assert ask(files, hardware="card-big", length=2048).found.memory.available == (2_500_000, 2_500_000)
    wider = ask(files, hardware="card-big", length=2048, settings=["gpu_memory_utilization=0.6"])
    assert wider.found.memory.available == (3_500_000, 3_500_000)
    [logged] = wider.data["memory"]["logged"]
    assert (logged["metric"], logged["value"], logged["version"], logged["cites"]) == ("device.cache_bytes", 2500000, "1.1.0", [{"id": "thread", "at": ""}])
    assert ask(SIZED, hardware="card-big", length=2048).found.memory.available == (None, LEFT)


@pytest.mark.parametrize(
    ("share", "given", "state"), [("", [], "hit"), (", settings: {gpu_memory_utilization: 0.4}", [], None), ("", ["gpu_memory_utilization=0.4"], None)]
)
def test_blocks_that_a_log_counts_decide_what_is_asked_of_them(ask, share, given, state):
    """A log of this stack counts 100 blocks; a fault needs fewer blocks than sequences, of which 128 are asked for."""
    counted = CITED | {
        "measurements/blocks.yaml": 'name: Blocks\nmodel: plain-model\nengine: enga\nversion: "1.1.0"\nhardware: card-big\nmetric: engine.blocks\nvalue: 100\n'
        f"unit: blocks\nmethod: engine-log\nreproducible: false\nconditions: {{checkpoint: acme/plain{share}}}\ncites: [{{id: thread}}]\n"
    }
    files = counted | {MET: gotcha(when="{relation: max_num_seqs > num_blocks}")}
    found = ask(SIZED | files, hardware="card-big", settings=["max_num_seqs=128", *given]).data["gotchas"]
    states = {entry["id"]: entry["state"] for entry in found}
    assert states.get("met") == state or (state is None and states.get("met") != "hit")
