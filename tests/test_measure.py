"""Measurements recomputed. The tiny model has two full and two sliding layers of 512 bytes a token, with a window of 1,024."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, Files, changed, text_of
from infercompat.measure import Computed, computed, overheads

HEAD = "name: A figure\nmodel: {model}\nmethod: {method}\nreproducible: true\ncites: [{{id: tiny-config}}]\n"


@pytest.mark.parametrize(
    ("fields", "value", "error"),
    [
        # 2 layers * 512 B * 1,024 + 2 layers * 512 B * 8,192
        ("metric: cache.ideal.bytes\nvalue: 9437184\nunit: B\nconditions: {context: 8192}", 9_437_184, 0),
        ("metric: cache.ideal.bytes\nvalue: 9.5\nunit: MiB\nconditions: {context: 8192}", 9, -0.5 / 9.5),
        ("metric: cache.ideal.bytes\nvalue: 4.5\nunit: MiB\nconditions: {context: 8192, cache_dtype: fp8}", 4.5, 0),
        # 4,718,592 elements in blocks of 32 that take 34 bytes
        ("metric: cache.ideal.bytes\nvalue: 5013504\nunit: B\nconditions: {context: 8192, cache_dtype: q8_0}", 5_013_504, 0),
        ("metric: cache.ideal.bytes_per_token\nvalue: 1000\nunit: B/token\nconditions: {context: 8192}", 1152, 0.152),
        ("metric: cache.ideal.growing_bytes_per_token\nvalue: 1024\nunit: B/token", 1024, 0),
        ("metric: cache.naive.bytes\nvalue: 32768\nunit: KiB\nconditions: {context: 8192}", 16_384, -0.5),
        ("metric: cache.naive.bytes_per_token\nvalue: 2048\nunit: B/token", 2048, 0),
        ("metric: cache.overpay\nvalue: 2\nunit: x\nconditions: {context: 8192}", 16 / 9, -1 / 9),
        ("metric: cache.ideal.bytes\nvalue: about 9 MB\nunit: B\nconditions: {context: 8192}", 9_437_184, None),
        ("metric: cache.ideal.bytes\nvalue: 0\nunit: B\nconditions: {context: 8192}", 9_437_184, None),
    ],
)
def test_computed(make, fields, value, error):
    products = make({"measurements/a.yaml": HEAD.format(model="tiny-model", method="engine-log") + fields + "\n"})
    assert products.diagnostics == []
    found = computed(products, products.catalog.records["a"])
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.error == (None if error is None else pytest.approx(error, abs=1e-12))


def test_a_derived_figure_has_a_value_and_no_error(tiny):
    found = computed(tiny, tiny.catalog.records["tiny-at-8k"])
    assert (found.value, found.error) == (9_437_184, None)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("metric: outcome\nvalue: ran\nunit: word", "an outcome is observed"),
        ("metric: cache.ideal.bytes\nvalue: 1\nunit: B", "names no context"),
        ("metric: cache.ideal.bytes\nvalue: 1\nunit: word\nconditions: {context: 8192}", "in word"),
        ("metric: cache.ideal.bytes\nvalue: 1\nunit: B\nconditions: {context: 8192, cache_dtype: auto}", "auto cache"),
    ],
)
def test_what_cannot_be_computed_says_why(make, fields, why):
    products = make({"measurements/a.yaml": HEAD.format(model="tiny-model", method="engine-log") + fields + "\n"})
    assert products.diagnostics == []
    found = computed(products, products.catalog.records["a"])
    assert (found.value, found.error) == (None, None)
    assert why in found.why


@pytest.mark.parametrize("model", ["nobody", "enga"])
def test_a_model_that_is_not_there_is_no_crash(make, model):
    products = make({"measurements/a.yaml": HEAD.format(model=model, method="derived") + "metric: cache.ideal.bytes\nunit: B\nconditions: {context: 1}\n"})
    assert computed(products, products.catalog.records["a"]).value is None


# Figures of engines. The plain model has two layers of 512 bytes a token, so a block of 16 tokens takes 16 KiB.

POLICIES = """\
cache_policies:
  - algorithm: vllm-blocks/1
    title: One pool of blocks
    since: "1.1.0"
    seen_at: ["1.1.0"]
    parameters:
      {block_size: 16, group_slack: 1.5, uneven_pages: pad, token_line: concurrency, in_flight: stages-and-one, estimate: groups,
       null_block: true, chunks_in_hybrid_manager: true, state_prefix_caching: true}
    cites: [{id: enga-cache}]
  - algorithm: transformers-tensors/1
    title: Tensors of one sequence
    until: "1.1.0"
    seen_at: ["1.0.0"]
    parameters: {}
    cites: [{id: enga-cache}]
"""
WITH_POLICIES = {ENGINE: text_of(ENGINE) + POLICIES}
HARDWARE = "hardware/card-base.yaml"
MIB, GIB = 1 << 20, 1 << 30


def logged(metric: str, value: object, unit: str, conditions: str = "{}", more: str = 'version: "1.1.0"\n', model: str = "plain-model") -> str:
    head = f"name: A figure\nmodel: {model}\nengine: enga\nmethod: engine-log\nreproducible: true\ncites: [{{id: enga-cache}}]\n"
    return f"{head}metric: {metric}\nvalue: {value}\nunit: {unit}\nconditions: {conditions}\n{more}"


@pytest.fixture
def found(make):
    """What is computed for one measurement of the catalog with the policies above."""

    def of(text: str, files: Files | None = None) -> Computed:
        products = make({**WITH_POLICIES, **(files or {}), "measurements/a.yaml": text})
        assert products.diagnostics == []
        return computed(products, products.catalog.records["a"])

    return of


MEMORY = "available_bytes: 16777216"


@pytest.mark.parametrize(
    ("metric", "unit", "conditions", "value"),
    [
        ("engine.block_size", "tokens", "{context: 4096}", 16),
        ("engine.bytes_per_block", "KiB", "{context: 4096}", 16),
        ("engine.bytes_per_block", "KiB", "{context: 4096, cache_dtype: fp8}", 8),
        ("engine.bytes_per_block", "KiB", "{context: 4096, tensor_parallel: 2}", 8),
        ("engine.resident_bytes", "MiB", "{context: 4096}", 4),
        ("engine.resident_bytes", "B", "{context: 17}", 2 * 16 * 1024),
        ("engine.reserved_bytes", "MiB", "{context: 4096}", 4),
        ("engine.needed_bytes", "MiB", "{context: 4096}", 4),
        # 16 MiB are 1,024 blocks, in which four sequences of 4,096 tokens fit.
        ("engine.capacity_tokens", "tokens", f"{{context: 4096, {MEMORY}}}", 16384),
        ("engine.max_concurrency", "x", f"{{context: 4096, {MEMORY}}}", 4),
        ("engine.longest", "tokens", f"{{context: 4096, {MEMORY}}}", 4096),
        ("engine.capacity_tokens", "tokens", f"{{context: 4096, {MEMORY}, settings: {{tensor_parallel: 2, block_size: 32}}}}", 32768),
        ("engine.max_concurrency", "x", f"{{{MEMORY}, settings: {{max_model_len: 1024}}}}", 16),
        ("engine.block_size", "tokens", "{context: 4096, settings: {block_size: 32}}", 32),
    ],
)
def test_figures_of_an_engine(found, metric, unit, conditions, value):
    right, half = found(logged(metric, value, unit, conditions)), found(logged(metric, 2 * value, unit, conditions))
    assert (right.value, right.error, right.rounding) == (value, 0, True)
    assert (half.value, half.error, half.rounding) == (value, -0.5, False)


@pytest.mark.parametrize(
    ("digits", "half", "low", "high", "inside"),
    [
        # Half of the last printed digit of the memory is 1 MiB: a sixteenth of it, and so of the tokens.
        (0, MIB, 15360, 17408, True),
        (0, MIB // 4, 16128, 16640, False),
        (130, MIB // 4, 16128, 16640, True),
        (0, 0, 16384, 16384, False),
    ],
)
def test_the_rounding_of_the_memory_bounds_the_figure(found, digits, half, low, high, inside):
    conditions = f"{{context: 4096, {MEMORY}, available_rounding_bytes: {half}}}"
    answer = found(logged("engine.capacity_tokens", 16000, "tokens", conditions, f'version: "1.1.0"\ndigits: {digits}\n'))
    assert (answer.value, answer.error, answer.low, answer.high, answer.rounding) == (16384, pytest.approx(0.024), low, high, inside)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (logged("engine.capacity_tokens", 1, "tokens", "{context: 4096}"), "the log does not state the cache memory"),
        (logged("engine.longest", 1, "tokens", "{context: 4096}"), "the log does not state the cache memory"),
        (logged("engine.capacity_tokens", 1, "tokens", f"{{{MEMORY}}}", 'version: "1.0.0"\n'), "unknown: missing capacity_tokens"),
        (logged("engine.resident_bytes", 1, "B"), "unknown: missing resident_bytes"),
        (logged("engine.resident_bytes", 1, "B", "{context: 1}", 'version: "0.9.0"\n'), "no cache policy of EngA is known for 0.9.0"),
        (logged("engine.resident_bytes", 1, "word", "{context: 1}"), "nothing is computed in word"),
        (logged("engine.resident_bytes", 1, "B", "{context: 1}", 'version: "1.0.0"\n').replace("enga\n", "engb\n", 1), "no version of EngB"),
        (logged("engine.resident_bytes", 1, "B", "{context: 1}").replace("engine: enga\n", ""), "the measurement names no engine"),
        (logged("engine.resident_bytes", 1, "B", "{context: 1}", model="tiny-model"), "lacks the parameter batch_by_memory"),
        (logged("engine.block_size", 1, "tokens", "{settings: {tensor_parallel: two}}"), 'tensor_parallel is a whole number, not "two"'),
        (logged("engine.block_size", 1, "tokens", "{settings: {max_model_len: 1.5}}"), "max_model_len is a whole number, not 1.5"),
        (logged("engine.block_size", 1, "tokens", "{settings: {block_size: -16}}"), "block_size is never below 0"),
        (logged("device.cache_bytes", 1, "GiB"), "the overhead of an engine cannot be computed"),
    ],
)
def test_figures_of_an_engine_that_are_unknown_say_why(found, text, why):
    answer = found(text)
    assert (answer.value, answer.error) == (None, None)
    assert why in answer.why


@pytest.mark.parametrize(
    ("metric", "unit", "conditions", "value", "why"),
    [
        ("engine.resident_bytes", "MiB", "{context: 4096}", 4, ""),
        ("engine.resident_bytes", "B", "{context: 17}", None, "unknown: the log does not say its version; the policies on record differ"),
        ("engine.block_size", "tokens", "{context: 4096}", None, "the policies on record differ"),
    ],
)
def test_a_log_without_a_version_is_held_against_every_policy(found, metric, unit, conditions, value, why):
    answer = found(logged(metric, 1, unit, conditions, more=""))
    assert answer.value == value
    assert why in answer.why


# Weights

PLAIN = "models/acme/plain-model.yaml"
TOTAL = "parameters: {total: 1000000, total_counts: all, cites: [{id: plain-config}]}\n"
SECOND = ("  - {hub: acme/plain, format: bf16}\n", "  - {hub: acme/plain, format: bf16}\n  - {hub: acme/plain-fp32, format: fp32}\n")


@pytest.mark.parametrize(
    ("conditions", "mib"),
    [
        ("{}", 2_000_000 / MIB),
        ("{checkpoint: acme/plain}", 2_000_000 / MIB),
        ("{checkpoint: acme/plain-fp32}", 4_000_000 / MIB),
        ("{tensor_parallel: 2, pipeline_parallel: 4}", 250_000 / MIB),
    ],
)
def test_weights_of_a_rank(found, conditions, mib):
    text = {PLAIN: changed(PLAIN, SECOND)[PLAIN] + TOTAL}
    answer = found(logged("weights.bytes", 2 * mib, "MiB", conditions), text)
    assert (answer.value, answer.error) == (pytest.approx(mib), pytest.approx(-0.5))
    assert answer.low == answer.high == answer.value


def test_weights_between_bounds_are_computed_at_their_middle(found):
    """In FP8 nobody says which of the modules are quantized: a weight takes one byte or two."""
    sizes = "    hidden_size: 256\n    intermediate_size: 512\n    vocab_size: 1000\n    tie_word_embeddings: true\n"
    model = {PLAIN: changed(PLAIN, ("    hidden_size: 256\n", sizes), ("format: bf16", "format: fp8"))[PLAIN]}
    answer = found(logged("weights.bytes", 1.5, "MB"), model)
    assert answer.low < answer.value < answer.high
    assert answer.value == pytest.approx((answer.low + answer.high) / 2)
    assert answer.rounding is (answer.low <= 1.5 <= answer.high)


@pytest.mark.parametrize(
    ("conditions", "why"),
    [("{checkpoint: acme/other}", "unknown: the record does not list acme/other"), ("{}", "unknown: ")],
)
def test_weights_that_are_unknown(found, conditions, why):
    model = None if conditions == "{}" else {PLAIN: text_of(PLAIN) + TOTAL}
    answer = found(logged("weights.bytes", 1, "GiB", conditions), model)
    assert (answer.value, answer.error) == (None, None)
    assert answer.why.startswith(why)


# Overheads: half of a card of 16 GiB, less 3 GiB of weights, less 4 GiB of cache, leave 1 GiB.

CARD = {HARDWARE: text_of(HARDWARE) + "memory_bytes: 17179869184\n"}
SHARE = "{settings: {gpu_memory_utilization: 0.5}}"
ON_CARD = "hardware: card-base\n"
CACHE = {"measurements/cache.yaml": logged("device.cache_bytes", 4, "GiB", SHARE, ON_CARD)}
WEIGHTS = {"measurements/weights.yaml": logged("weights.bytes", 3, "GiB")}


def over(make, *changes: Files, engine: str = "enga") -> list[tuple[str, int]]:
    files = {name: text for change in (CARD, CACHE, WEIGHTS, *changes) for name, text in change.items() if text is not None}
    products = make(files)
    assert products.diagnostics == []
    return [(overhead.measurement.id, overhead.bytes) for overhead in overheads(products, engine)]


def test_an_overhead_is_what_a_log_leaves(make):
    assert over(make) == [("cache", GIB)]
    assert over(make, engine="engb") == []


def test_memory_that_programs_see_comes_before_that_of_the_card(make):
    assert over(make, {HARDWARE: CARD[HARDWARE] + "visible_bytes: 16106127360\n"}) == [("cache", GIB // 2)]


def test_overheads_come_smallest_first(make):
    more = logged("device.cache_bytes", 4.5, "GiB", SHARE, ON_CARD)
    assert over(make, {"measurements/another.yaml": more}) == [("another", GIB // 2), ("cache", GIB)]


DERIVED = "name: D\nmodel: plain-model\nengine: enga\nmethod: derived\nreproducible: true\ncites: [{id: enga-cache}]\nunit: GiB\n"


@pytest.mark.parametrize(
    "change",
    [
        {"measurements/cache.yaml": logged("device.cache_bytes", 4, "GiB", "{}", ON_CARD)},
        {"measurements/cache.yaml": logged("device.cache_bytes", 4, "GiB", "{settings: {gpu_memory_utilization: auto}}", ON_CARD)},
        {"measurements/cache.yaml": logged("device.cache_bytes", 4, "GiB", "{settings: {gpu_memory_utilization: true}}", ON_CARD)},
        {"measurements/cache.yaml": logged("device.cache_bytes", 4, "GiB", SHARE, "")},
        {"measurements/cache.yaml": logged("device.cache_bytes", "little", "word", SHARE, ON_CARD)},
        {"measurements/cache.yaml": f"{DERIVED}metric: device.cache_bytes\nconditions: {SHARE}\n{ON_CARD}"},
        {"measurements/weights.yaml": f"{DERIVED}metric: weights.bytes\n"},
        {"measurements/weights.yaml": logged("weights.bytes", "heavy", "word")},
        {"measurements/weights.yaml": logged("weights.bytes", 3, "GiB").replace("enga-cache", "enga-registry")},
        {"measurements/weights.yaml": logged("weights.bytes", 3, "GiB", model="tiny-model")},
        {"measurements/weights.yaml": logged("weights.bytes", 3, "GiB").replace("engine: enga", "engine: engb").replace('"1.1.0"', "b200")},
        {HARDWARE: text_of(HARDWARE)},
    ],
    ids=range(12),
)
def test_a_log_that_says_too_little_shows_no_overhead(make, change):
    assert over(make, change) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "bytes"),
    [
        ("checkpoint: acme/plain", "checkpoint: acme/plain", GIB),
        ("checkpoint: acme/plain", "tensor_parallel: 1", GIB),
        ("checkpoint: acme/plain", "checkpoint: acme/other", None),
        ("tensor_parallel: 2", "tensor_parallel: 4", None),
    ],
)
def test_weights_of_another_checkpoint_or_split_are_not_those_of_the_log(make, ours, theirs, bytes):
    cache = logged("device.cache_bytes", 4, "GiB", f"{{{ours}, {SHARE[1:]}", ON_CARD)
    weights = logged("weights.bytes", 3, "GiB", f"{{{theirs}}}")
    found = over(make, {"measurements/cache.yaml": cache, "measurements/weights.yaml": weights})
    assert found == ([("cache", bytes)] if bytes else [])
