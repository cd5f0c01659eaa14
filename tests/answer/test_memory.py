"""Memory: figures of one device, worked out by hand on a card of ten million bytes, and what fits surely, possibly and not.

The plain model takes 2 layers x 2 heads x 64 elements x K and V x 2 bytes = 1,024 bytes a token. A million parameters in bf16 are
2,000,000 bytes. The engine takes half of the card: 5,000,000 - 2,000,000 = 3,000,000 bytes are left where it takes nothing itself.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs import ENGINE, changed, snapshot
from infercompat.answer import memory
from infercompat.answer.facts import resolve
from infercompat.answer.memory import Memory, as_data

from .conftest import question
from .stacks import BIG, HOLDING, POLICY, SERVE, SETTINGS, card, engine

PLAIN = "models/acme/plain-model.yaml"
SIZED = HOLDING | changed(PLAIN, ("config:\n", "parameters: {total: 1000000, total_counts: All of them., cites: [{id: plain-config}]}\nconfig:\n"))
LEFT = 3_000_000


def measured(*overheads: int) -> dict[str, str]:
    """Logs of another model on enga that show such overheads: weights of 2,000,000 bytes, and the cache memory that was left beside them."""
    files = {}
    for index, overhead in enumerate(overheads):
        of_log = f'model: tiny-model\nengine: enga\nversion: "1.1.0"\nmethod: engine-log\nreproducible: false\ncites: [{{id: log-{index}}}]\n'
        files[f"citations/example.com/log-{index}.yaml"] = (
            f"title: A log\nurl: https://example.com/{index}\ntype: issue\npublisher: acme\nretrieved: 2026-02-02\n"
        )
        files[f"measurements/weights-{index}.yaml"] = f"name: Weights\n{of_log}metric: weights.bytes\nvalue: 2000000\nunit: B\n"
        files[f"measurements/left-{index}.yaml"] = (
            f"name: Left\n{of_log}metric: device.cache_bytes\nvalue: {LEFT - overhead}\nunit: B\nhardware: card-big\n"
            "conditions: {settings: {gpu_memory_utilization: 0.5}}\n"
        )
    return files


def test_the_figures_of_one_device(ask):
    answer = ask(SIZED, hardware="card-big", length=2048)
    assert answer.data["memory"] == {
        "weights_bytes": 2_000_000,
        "weights_low_bytes": 2_000_000,
        "cache_bytes": 2048 * 1024,
        "cache_bounds_bytes": None,
        "state_bytes": 0,
        "device_bytes": 10_000_000,
        "available_bytes": LEFT,
        "available_low_bytes": None,
        "fits": None,
        "longest_context": None,
        "sequences": None,
        "missing": [],
        "logged": [],
    }


def test_a_share_of_what_is_free_is_taken_after_the_weights(ask):
    without = {name: flag for name, flag in SETTINGS.items() if name != "gpu_memory_utilization"}
    policy = POLICY.replace("parameters: {}", "parameters: {free_fraction: 0.8}")
    files = SIZED | {ENGINE: engine(without, more=SERVE + policy)}
    answer = ask(files, hardware="card-big", length=2048)
    # four fifths of the 8,000,000 bytes beside the weights
    assert answer.data["memory"]["available_bytes"] == 6_400_000
    named = ask(files, hardware="card-big", length=2048, settings=("setting.cache_max_entry_count=0.5",))
    assert named.data["memory"]["available_bytes"] == 4_000_000


@pytest.mark.parametrize(
    ("overheads", "length", "expected"),
    [
        ((100_000, 300_000, 902_848), 2048, (True, LEFT - 902_848, LEFT - 100_000)),
        ((100_000, 300_000, 902_849), 2048, (None, LEFT - 902_849, LEFT - 100_000)),
        ((902_848, 950_000, 990_000), 2048, (None, LEFT - 990_000, LEFT - 902_848)),
        ((902_849, 950_000, 990_000), 2048, (False, LEFT - 990_000, LEFT - 902_849)),
        ((100_000, 902_848), 2048, (None, None, LEFT - 100_000)),
        ((1_000_000, 1_100_000), 2048, (False, None, LEFT - 1_000_000)),
        ((-50_000, 0, 10), 2048, (True, LEFT - 10, LEFT)),
        ((0, 0, 0), 2929, (True, LEFT, LEFT)),
        ((0, 0, 0), 2930, (False, LEFT, LEFT)),
    ],
)
def test_it_fits_only_at_the_high_overhead_and_fails_only_below_the_low_one(ask, overheads, length, expected):
    """Fewer than three logs bound nothing from above, so that nothing surely fits."""
    answer = ask(SIZED | measured(*overheads), hardware="card-big", length=length)
    found = answer.found.memory
    assert (found.fits, *found.available) == expected
    assert answer.hop("memory").state == {True: "holds", None: "gap", False: "fails"}[found.fits]
    bounded = len(overheads) >= 3  # else nothing surely fits, whatever is changed
    assert answer.reply.verdict == ("yes" if found.fits else "only-with" if bounded or found.fits is None else "no")
    if found.fits is False and bounded:  # nearly half of the card is still free
        assert answer.reply.repairs[0].changes[0].words == "set gpu_memory_utilization = 0.95"


def test_what_may_fit_names_what_would_settle_it(ask):
    answer = ask(SIZED | measured(100_000, 300_000, 902_849), hardware="card-big", length=2048)
    assert answer.data["provided"] == [">= 2 MiB left for the cache, or a shorter max_model_len"]
    assert answer.reply.reason == (
        "memory: the cache needs 2 MiB a device; at most 2.77 MiB is left beside weights of 1.91 MiB, less what the engine takes itself"
    )


def test_what_does_not_fit_says_by_how_much(ask):
    answer = ask(SIZED, hardware="card-big", length=4096)
    assert answer.reply.reason == "memory: the cache needs 4 MiB a device and at most 2.86 MiB is left beside weights of 1.91 MiB"
    assert answer.hop("memory").consequence == "refuses"


def test_weights_that_exceed_the_device(ask):
    small = SIZED | {BIG: card("A card with memory", more="memory_bytes: 1999999\n")}
    assert ask(small, hardware="card-big", length=1).reply.reason == "memory: weights of 1.91 MiB a device exceed its 1.91 MiB"
    assert ask(small, hardware="card-big").reply.verdict == "no"  # whatever the length
    alone = ask(small, hardware="card-big", gpus=2)  # 500 kB of weights each, and nobody asked for a length
    assert alone.reply.reason == "memory: the cache of the model's own 4,096 tokens needs 2 MiB a device and at most 0 B is left beside weights of 976.56 KiB"
    assert ask(small, hardware="card-big", gpus=2, length=1).reply.reason.startswith("memory: the cache needs")
    file = {ENGINE: small[ENGINE].replace('"{checkpoint}"', "FILE")}
    assert ask(small | file, hardware="card-big").hop("memory") is None  # it serves another file, of weights that nobody named


def test_devices_do_not_share_where_the_engine_cannot(ask):
    small = SIZED | {BIG: card("A card with memory", more="memory_bytes: 1999999\n")}
    alone = {"support/enga/enga-1-1-0-features.yaml": snapshot("about: {feature: tensor-parallel}, holds: unsupported")}
    answer = ask(small | alone, hardware="card-big", gpus=2, length=1)
    assert answer.reply.reason == "memory: weights of 1.91 MiB a device exceed its 1.91 MiB"
    assert [one["fact"] for one in answer.data["question"]["assumed"] if one["fact"] == "tensor_parallel"] == []


def test_weights_of_which_only_bounds_are_known_fail_at_their_least(ask):
    """No quantization_config says which modules are in FP8: at least the experts or the MLPs, at most all layers."""
    whole = ("    hidden_size: 256\n", "    hidden_size: 256\n    intermediate_size: 512\n    vocab_size: 1000\n")
    tiny = changed(PLAIN, ("format: bf16", "format: fp8"), whole)
    found = ask(HOLDING | tiny, hardware="card-big").found.memory
    assert 0 < found.weights_low < found.weights
    between = (found.weights_low + found.weights) // 2
    for memory_bytes, verdict in ((found.weights_low - 1, "no"), (between, "no"), (found.weights * 2, "only-with"), (found.weights + (64 << 20), "yes")):
        card_ = {BIG: card("A card with memory", more=f"memory_bytes: {memory_bytes}\n")}
        assert ask(HOLDING | tiny | card_, hardware="card-big").reply.verdict == verdict


def test_the_hop_cites_what_it_rests_on(ask):
    """The policy of the version in question, and for weights what counts them and the card."""
    policies = (
        POLICY
        + """  - algorithm: transformers-tensors/1
    title: An older one
    until: "1.1.0"
    seen_at: ["1.0.0"]
    parameters: {}
    cites: [{id: enga-registry}]
"""
    )
    both = SIZED | {ENGINE: engine(SETTINGS, more=SERVE + policies)}
    assert [source.id for source in ask(both, hardware="card-big", length=2048).hop("memory").sources] == ["enga-cache"]
    assert [source.id for source in ask(both, engine="enga@1.0.0", hardware="card-big", length=2048).hop("memory").sources] == ["enga-registry"]
    small = SIZED | {BIG: card("A card with memory", more="memory_bytes: 1999999\n")}
    answer = ask(small, hardware="card-big", length=2048)
    assert [source.id for source in answer.hop("memory").sources] == ["plain-config", "card-page"]
    assert answer.found.grade.confidence > 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"gpus": 2}, (1_000_000, 2048 * 512, LEFT + 1_000_000)),
        ({"tp": 2}, (1_000_000, 2048 * 512, LEFT + 1_000_000)),
        ({"settings": ["gpu_memory_utilization=1"]}, (2_000_000, 2048 * 1024, LEFT + 5_000_000)),
        ({"settings": ["hardware.memory_bytes=6000000"]}, (2_000_000, 2048 * 1024, LEFT - 2_000_000)),
        ({"settings": ["weights.format=fp32"]}, (4_000_000, 2048 * 1024, LEFT - 2_000_000)),
        ({"cache_dtype": "fp8_e4m3"}, (2_000_000, None, LEFT)),
    ],
)
def test_what_was_named_counts(ask, options, expected):
    found = ask(SIZED, hardware="card-big", length=2048, **options).found.memory
    assert (found.weights, found.cache, found.available[1]) == expected


@pytest.mark.parametrize(
    ("files", "options", "missing"),
    [
        (HOLDING, {}, "weights: "),
        (SIZED, {"hardware": "card-base"}, "the device's memory is not in its record"),
        (SIZED | {ENGINE: engine(SETTINGS, more=SERVE)}, {}, "cache: no cache policy of EngA is known for 1.1.0"),
        (SIZED, {"engine": "enga@1.0.0"}, "cache: no cache policy of EngA is known for 1.0.0"),
        (SIZED, {"cache_dtype": "fp8_e4m3"}, "cache: a quantized cache is not worked out"),
    ],
)
def test_what_is_missing_is_named_and_is_no_fit(ask, files, options, missing):
    answer = ask(files, **{"hardware": "card-big", "length": 2048} | options)
    assert answer.found.memory.fits is None
    assert any(why.startswith(missing) for why in answer.data["memory"]["missing"])
    assert (answer.hop("memory").state, answer.hop("memory").optional) == ("unknown", False)
    assert answer.reply.verdict == "unknown"  # nobody knows that it fits


def test_an_unknown_share_is_taken_as_at_least_four_fifths_and_at_most_all(ask):
    """Of ten million bytes, with weights of two: 6,000,000 less the largest overhead of any log, to 8,000,000 less the least."""
    files = SIZED | measured(100_000, 300_000, 900_000) | {ENGINE: engine({"lora": SETTINGS["lora"]}, more=SERVE + POLICY)}
    assert ask(files, hardware="card-big", length=2048).found.memory.available == (5_100_000, 7_900_000)
    assert ask(files, hardware="card-big", length=4980).found.memory.fits is True  # 5,099,520
    assert ask(files, hardware="card-big", length=4981).found.memory.fits is None
    assert ask(files, hardware="card-big", length=7715).found.memory.fits is False  # 7,900,160


def test_an_engine_without_logs_takes_at_most_what_those_of_others_show(ask):
    files = SIZED | {path: text.replace("engine: enga", "engine: engb") for path, text in measured(100_000, 300_000, 900_000).items()}
    files |= {"engines/engb.yaml": engine(SETTINGS, more=SERVE + POLICY).replace("EngA", "EngB")}
    found = ask(files, hardware="card-big", length=2048).found.memory
    assert (found.fits, *found.available) == (True, LEFT - 900_000, LEFT)
    assert ask(files, hardware="card-big", length=2051).found.memory.fits is None  # 2,100,224
    assert ask(files, hardware="card-big", length=2930).found.memory.fits is False


def test_no_memory_without_hardware_or_layers(ask):
    assert ask(SIZED, length=2048).data["memory"] is None
    assert ask(SIZED | changed(PLAIN, ("model_type: llama", "model_type: unheard-of"), ("[LlamaForCausalLM]", "[UnheardOf]"),
                               ("architecture: LlamaForCausalLM", "architecture: UnheardOf")),
               hardware="card-big", length=2048).data["memory"] is None  # fmt: skip


STATIC = {ENGINE: engine(SETTINGS | {"setting.cache_implementation": "flag: --cache, default: static"}, more=SERVE + POLICY)}


def test_what_is_set_aside_counts_rather_than_what_grows(ask):
    """A static cache keeps the window of the tiny model too: 2 layers of 2,048 tokens, 2 of 1,024, at 512 bytes."""
    answer = ask(SIZED | STATIC, "tiny-model", hardware="card-big", length=2048)
    assert answer.found.memory.cache == 2 * 2048 * 512 + 2 * 1024 * 512
    growing = ask(SIZED, "tiny-model", hardware="card-big", length=2048)
    assert growing.found.memory.cache == 2 * 2048 * 512 + 2 * 1023 * 512


def test_keys_and_values_may_have_types_of_their_own(ask_real):
    """llama.cpp keeps q8_0 in 34 bytes for 32 elements: 32 layers x 8 heads x 128 x 8,192 tokens of K so, and of V in two bytes."""
    elements = 32 * 8 * 128 * 8192
    found = ask_real("llama-3.1-8b", "llama.cpp", hardware="h100-sxm", length=8192, settings=["cache.k.dtype=q8_0"]).found.memory
    assert found.cache == elements * 34 // 32 + elements * 2
    both = ask_real("llama-3.1-8b", "llama.cpp", hardware="h100-sxm", length=8192, cache_dtype="q8_0").found.memory
    assert both.cache == 2 * elements * 34 // 32


def test_what_the_logs_bound_gives_the_sequences_that_fit(ask_real):
    found = ask_real("llama-3.1-8b", "vllm@0.33.0", hardware="h100-sxm", length=8192).found.memory
    assert found.cache == 8192 * 32 * 2 * 8 * 128 * 2
    assert found.fits is True
    assert found.sequences == pytest.approx(found.available[0] / found.cache, rel=0.01)


@given(st.integers(0, 1 << 50), st.integers(0, 1 << 50), st.none() | st.integers(-(1 << 40), 1 << 50), st.integers(-(1 << 40), 1 << 50))
def test_three_answers_and_no_fourth(least, more, low, high):
    """Whatever the figures: true if all of it fits the low end, false if the least exceeds the high one, and more need never fits better."""
    low = None if low is None else min(low, high)
    fits = memory._fits((least, least + more), (low, high))
    assert fits is (False if least > high else True if low is not None and least + more <= low else None)
    order = (True, None, False)
    assert order.index(memory._fits((least + 1, least + more + 1), (low, high))) >= order.index(fits)
    assert memory._fits(None, (low, high)) is memory._fits((least, least), None) is None


@pytest.mark.parametrize(
    ("model", "length", "bounds"),
    [("plain-model", 2048, [2048 * 1024, 2048 * 1024]), ("tiny-model", 4096, [2 * 512 * 4096 + 2 * 512 * 1024, 4 * 512 * 4096])],
)
def test_without_a_policy_the_cache_lies_between_what_layers_need_and_every_layer_full(ask, model, length, bounds):
    """The plain model has no windows; two of the four layers of the tiny one look back 1,024 tokens."""
    found = ask(
        {name: text for name, text in SIZED.items() if name != ENGINE} | {ENGINE: engine(SETTINGS, more=SERVE)}, model=model, hardware="card-big", length=length
    )
    assert found.data["memory"]["cache_bytes"] is None
    assert found.data["memory"]["cache_bounds_bytes"] == bounds


def test_the_least_and_the_most_overhead_are_passed_in(make):
    products = make(SIZED)
    asked = question(products, "plain-model", "enga", hardware="card-big", length=2048)
    found = memory.memory(resolve(asked, products.catalog), (1, 3))
    assert found.available == (LEFT - 3, LEFT - 1)
    assert as_data(Memory(why=("nothing is known",)))["missing"] == ["nothing is known"]
    assert as_data(None) is None


def test_a_length_that_the_engine_would_start_with_and_then_refuse_does_not_fit(ask_real):
    """SGLang starts with any pool; a request of 131,072 tokens of gpt-oss 120B keeps 18 full layers x 2,048 bytes a token at least."""
    found = ask_real("gpt-oss-120b", "sglang@0.5.23", hardware="h100-sxm", length=131072).found.memory
    assert found.cache >= 131072 * 18 * 2048
