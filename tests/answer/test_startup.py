"""Starting on devices: the card of test_memory.py, of ten million bytes, whose engine takes half; and logs of real starts.

A token of the plain model takes 1,024 bytes, a block of 16 tokens 16,384. Weights of 2,000,000 bytes leave 3,000,000, less what logs show
that the engine takes itself: 100,000 to 902,848 bytes, which leave 177 and 128 blocks.
"""

from __future__ import annotations

import pytest

from catalogs import ENGINE
from infercompat.answer.cache import as_data, of_record
from infercompat.answer.check import Assessor
from infercompat.answer.engine_cache import asked
from infercompat.answer.question import Refused, engine_named
from infercompat.answer.startup import between, print_startup, start, startup_part

from .conftest import BASE
from .stacks import SERVE, SETTINGS, engine
from .test_memory import LEFT, SIZED, measured

BLOCKS = """cache_policies:
  - algorithm: vllm-blocks/1
    title: Blocks
    seen_at: ["1.1.0"]
    parameters:
      block_size: 16
      group_slack: 1.5
      uneven_pages: pad
      token_line: concurrency
      in_flight: one-batch
      estimate: groups
      null_block: false
      chunks_in_hybrid_manager: true
      state_prefix_caching: false
      checkpoints: []
      batch_by_memory: [{gib: 0, tokens: 2048}]
      small_devices: []
    cites: [{id: enga-cache}]
"""
FILES = SIZED | {ENGINE: engine(SETTINGS, more=SERVE + BLOCKS)}


def started(products, name="plain-model", version="enga@1.1.0", hardware="card-big", length=2048, dtype="bf16", settings=None, tp=None, **options):
    subject = of_record(products.catalog.follow(name))
    record, release = engine_named(products.catalog, version)
    how = asked(record, release, tensor_parallel=tp, max_model_len=length, settings=settings or {})
    begun = start(Assessor(products), subject, how, dtype, {"hardware": hardware, **options})
    return startup_part(begun, subject.architecture, dtype)


@pytest.fixture
def products(make):
    found = make(BASE | FILES | measured(100_000, 300_000, 902_848))
    assert found.diagnostics == []
    return found


def test_an_interval_in_the_words_of_the_log(products):
    part = started(products)
    assert part["weights_bytes"] == [2_000_000, 2_000_000]
    assert part["available_bytes"] == [LEFT - 902_848, LEFT - 100_000]
    assert part["capacity_tokens"] == [128 * 16, 177 * 16]
    assert part["max_concurrency"] == [1.0, 177 / 128]
    assert list(between(*part["log_lines"])) == [
        "Available KV cache memory: 0.00 GiB",
        "GPU KV cache size: 2,048 to 2,832 tokens",
        "Maximum concurrency for 2,048 tokens per request: 1.00 to 1.38x",
    ]


def test_stated_weights_stand_instead_of_those_worked_out(products):
    part = started(products, weights=1_000_000)
    assert (part["weights_bytes"], part["available_bytes"][1]) == ([1_000_000, 1_000_000], LEFT + 900_000)


def test_the_share_of_the_device_follows_its_setting(products):
    assert started(products, settings={"gpu_memory_utilization": 0.4})["available_bytes"][1] == LEFT - 1_100_000


def test_ranks_share_weights_and_heads(products):
    """Two ranks hold 1,000,000 bytes and 512 of each token: 8,192 a block."""
    part = started(products, gpus=2)
    assert (part["gpus"], part["available_bytes"]) == (2, [LEFT + 97_152, LEFT + 900_000])
    assert part["capacity_tokens"] == [378 * 16, 476 * 16]


def test_where_only_one_end_is_known(make):
    part = started(make(BASE | FILES | measured(100_000)))
    assert (part["available_bytes"], part["capacity_tokens"]) == ([None, LEFT - 100_000], [None, 177 * 16])
    assert part["log_lines"][0] is None


def test_weights_that_leave_no_room(products):
    part = started(products, weights=9_000_000)
    assert part["available_bytes"][1] < 0
    assert part["capacity_tokens"] == [None, None]


def test_lines_that_say_different_things_stand_apart():
    assert list(between(["it fits"], ["it fits not", "2 are left"])) == ["it fits (at least)", "it fits not (at most)", "2 are left (at most)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hardware": "card-huge"}, "there is no hardware card-huge"),
        ({"checkpoint": "acme/other"}, "has no checkpoint acme/other; it lists "),
        ({"gpus": 2, "tp": 4}, "tensor_parallel 4 take 4 devices, not 2"),
    ],
)
def test_what_cannot_be_asked(products, options, message):
    with pytest.raises(Refused, match=message):
        started(products, **options)


def test_a_log_of_a_real_start_lies_in_the_interval(real):
    """An L4 with Llama 3.2 1B in FP8 printed 17.20 GiB, 563,744 tokens and 275.27x."""
    checkpoint = "unsloth/Llama-3.2-1B-Instruct-FP8-Block"
    share = {"gpu_memory_utilization": 0.8661508568217998}
    part = started(real, "llama-3.2-1b", "vllm@0.11.2", "l4", checkpoint=checkpoint, settings=share)
    for name, logged in (("available_bytes", 17.20 * 2**30), ("capacity_tokens", 563744), ("max_concurrency", 275.27)):
        low, high = part[name]
        assert low < logged < high and high < 1.25 * low, name


def test_a_draft_says_that_its_weights_are_missing(products):
    record, release = engine_named(products.catalog, "enga@1.1.0")
    subject = of_record(products.catalog.follow("plain-model"))
    how = asked(record, release, max_model_len=2048, draft=subject.derived)
    assert startup_part(start(Assessor(products), subject, how, "bf16", {"hardware": "card-big"}), None, "bf16")["missing"] == ["the weights of the draft"]


def test_the_answer_for_people(products, capsys):
    from infercompat.answer.cache import print_data

    subject = of_record(products.catalog.follow("plain-model"))
    record, release = engine_named(products.catalog, "enga@1.1.0")
    begun = start(Assessor(products), subject, asked(record, release, max_model_len=2048), "bf16", {"hardware": "card-big"})
    data = as_data(subject, [1024], engine=begun.how)
    data["cache"]["engine"]["startup"] = startup_part(begun, subject.architecture, "bf16")
    print_data(data)
    shown = capsys.readouterr().out
    assert "started on 1x card-big, a device" in shown
    assert "holds   2,048 to 2,832 tokens" in shown
    assert "it logs: GPU KV cache size: 2,048 to 2,832 tokens" in shown


def test_a_device_of_unknown_memory_has_no_figure(real, capsys):
    print_startup(started(real, "llama-3.1-8b", "vllm", "xeon-amx"))
    shown = capsys.readouterr().out
    assert "GiB of" not in shown and "0 B" not in shown
    assert "the device's memory is not in its record" in shown
