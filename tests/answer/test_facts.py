"""Facts: what is given, what hardware and engine add, and that everything nobody named is said to be assumed."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, MODEL, changed
from infercompat.answer.facts import own_word, platform_of
from infercompat.condition import Range

from .stacks import BASE, SETTINGS, engine


def assumed(answer) -> dict[str, tuple]:
    return {one.fact: (one.value, one.because) for one in answer.found.resolved.assumed}


def test_nothing_given(ask):
    answer = ask()
    assert assumed(answer) == {
        "task": ("generate", "what the model is made for"),
        "prefix_caching": (True, "the default of --disable-prefixes"),
        "chunked_prefill": (True, "the default of --chunked-prefill"),
        "lora": (False, "the default of --enable-lora"),
        "tensor_parallel": (1, "the default of --tp"),
        "pipeline_parallel": (1, "the default of --pp"),
        "gpu_memory_utilization": (0.5, "the default of --share"),
        "setting.disable_fast": (False, "the default of --disable-fast"),
        "setting.careful": (False, "the default of --config.careful"),
        "max_model_len": (4096, "the model's own context"),
        "cache.dtype": ("bf16", "auto is the model's own type"),
        "cache.k.dtype": ("bf16", "as cache.dtype"),
        "cache.v.dtype": ("bf16", "as cache.dtype"),
        "query.dtype": ("bf16", "queries are only quantized for a quantized cache"),
        "weights.format": ("bf16", "the checkpoint's own format"),
    }
    assert answer.facts["sequence_length"] == Range(1, 4096)
    assert answer.facts["libx.version"] == "2.0"
    assert (answer.facts["setting.quiet"], "attention.backend" in answer.facts) == (None, False)


def test_one_device_is_one_rank_for_an_engine_without_a_default(ask):
    files = {ENGINE: engine({**SETTINGS, "tensor_parallel": "flag: --shards"})}
    answer = ask(files)
    assert (answer.facts["tensor_parallel"], "tensor_parallel" in assumed(answer)) == (1, False)
    assert ask(files, gpus=4).facts["tensor_parallel"] == 4


def test_every_default_cites_where_it_stands(ask):
    of_engine = [one for one in ask().found.resolved.assumed if one.because.startswith("the default of")]
    assert len(of_engine) == 8
    assert all(one.cites == ({"id": "enga-registry"},) for one in of_engine)


@pytest.mark.parametrize(
    ("settings", "fact", "value"),
    [
        (["lora=true"], "lora", True),
        (["prefix_caching=false"], "prefix_caching", False),
        (["tensor_parallel=4"], "tensor_parallel", 4),
        (["max_model_len=100"], "sequence_length", Range(1, 100)),
        (["max_model_len=100", "sequence_length=50"], "sequence_length", 50),
        (["cache.dtype=bfloat16"], "cache.dtype", "bf16"),
        (["cache.dtype=bfloat16"], "cache.k.dtype", "bf16"),
        (["cache.dtype=fp8_e4m3"], "cache.v.dtype", "fp8_e4m3"),
        (["cache.dtype=auto"], "cache.dtype", "bf16"),
        (["cache.v.dtype=fp8"], "cache.k.dtype", "bf16"),
        (["libx.version=9.9"], "libx.version", "9.9"),
        (["hardware.class=gfx942"], "platform", "rocm"),
        (["setting.mode=on"], "setting.mode", "on"),
        (["setting.mode=true"], "setting.mode", "on"),
        (["setting.careful=on"], "setting.careful", True),
        (["setting.unheard_of=on"], "setting.unheard_of", "on"),
    ],
)
def test_what_is_given_holds(ask, settings, fact, value):
    answer = ask(settings=settings)
    assert answer.facts[fact] == value
    decided = {text.partition("=")[0] for text in settings if not text.endswith("=auto")}
    assert not decided & assumed(answer).keys()


def test_a_release_brings_its_own_components(ask):
    assert ask(engine="enga@1.0.0").facts["libx.version"] == "1.0"
    assert "libx.version" not in ask(engine="enga@1.0.5").facts


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        (None, {"hardware.id": None, "hardware.class": None, "platform": None, "hardware.memory_bytes": None}),
        ("card-base", {"hardware.id": "card-base", "hardware.class": "sm100", "platform": "cuda", "hardware.memory_bytes": None}),
        ("card-big", {"hardware.memory_bytes": 10_000_000, "hardware.shared_memory_per_block_bytes": 4096}),
        ("card-other", {"hardware.class": "gfx942", "platform": "rocm"}),
    ],
)
def test_hardware(ask, hardware, expected):
    facts = ask(hardware=hardware).facts
    assert {name: facts.get(name) for name in expected} == expected


def test_the_stated_size_where_no_driver_told_one(ask):
    assert (
        ask({"hardware/card-big.yaml": BASE["hardware/card-big.yaml"].replace("visible_bytes: 10000000\n", "")}, hardware="card-big").facts[
            "hardware.memory_bytes"
        ]
        == 11_000_000
    )


def test_every_class_of_hardware_belongs_to_a_platform(real):
    classes, platforms = real.catalog.words("hardware-class"), real.catalog.words("platform")
    assert {platform_of(word) for word in classes} == set(platforms)
    assert [platform_of(word) for word in ("sm120", "gfx1100", "apple-gpu", "tpu", "nothing")] == ["cuda", "rocm", "metal", "tpu", None]
    vendors = {"cuda": "nvidia", "rocm": "amd", "metal": "apple", "tpu": "google", "ascend": "huawei"}
    vendors |= dict.fromkeys(("xpu", "gaudi", "cpu"), "intel")
    assert all(vendors[platform_of(one.data["class"])] == one.data["vendor"] for one in real.catalog.of_kind("hardware"))


@pytest.mark.parametrize(("word", "own"), [("bfloat16", "bf16"), ("half", "fp16"), ("float32", "fp32"), ("f16", "f16"), ("fp8", "fp8"), (2, 2)])
def test_words_of_pytorch(word, own):
    assert own_word(word) == own


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ([], {"speculation.tokens": None, "speculation.query_length": None, "speculation.draft_kind": None}),
        (["speculation.method=none"], {"speculation.tokens": None, "speculation.query_length": None}),
        (["speculation.method=mtp"], {"speculation.tokens": 3, "speculation.query_length": 4, "speculation.draft_kind": "head"}),
        (["speculation.method=EAGLE", "speculation.tokens=7"], {"speculation.query_length": 8, "speculation.draft_kind": "head"}),
        (["speculation.method=ngram", "speculation.tokens=1"], {"speculation.query_length": 2, "speculation.draft_kind": "ngram"}),
        (["speculation.method=draft_model"], {"speculation.draft_kind": "model"}),
        (["speculation.tokens=5"], {"speculation.tokens": 5, "speculation.query_length": None}),
    ],
)
def test_speculation_has_tokens_only_while_it_is_on(ask, settings, expected):
    """An engine's default of drafted tokens says nothing of a stack that does not draft."""
    facts = ask(settings=settings).facts
    assert {name: facts.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("options", "ranks"),
    [
        ({}, 1),
        ({"gpus": 4}, 4),
        ({"gpus": 4, "tp": 2}, 2),
        ({"gpus": 8, "settings": ["pipeline_parallel=2"]}, 4),
        ({"gpus": 8, "settings": ["pipeline_parallel=2", "data_parallel=2"]}, 2),
        ({"gpus": 2, "settings": ["pipeline_parallel=2"]}, 1),
        ({"tp": 8}, 8),
    ],
)
def test_devices_that_nobody_said_how_to_share(ask, options, ranks):
    assert ask(**options).facts["tensor_parallel"] == ranks


TWO = changed(MODEL, ("  - {hub: acme/tiny-it,", "  - {hub: acme/tiny-fp8, format: fp8}\n  - {hub: acme/tiny-it,"))


@pytest.mark.parametrize(("checkpoint", "format"), [(None, "fp8"), ("acme/tiny-it", "bf16"), ("ACME/Tiny-FP8", "fp8"), ("me/my-tune", None)])
def test_the_format_is_that_of_the_checkpoint(ask, checkpoint, format):
    assert ask(TWO, "tiny-model", checkpoint=checkpoint).facts.get("weights.format") == format


def test_a_type_for_the_whole_cache_is_said_of_its_parts(ask):
    """Where an engine has a flag for keys and one for values, their defaults do not outweigh what was said of both."""
    parts = {f"cache.{part}.dtype": f"flag: --type-{part}, default: f16" for part in "kv"}
    files = {ENGINE: engine({name: entry for name, entry in SETTINGS.items() if name != "cache.dtype"} | parts)}
    assert ask(files).facts["cache.k.dtype"] == "f16"
    facts = ask(files, cache_dtype="q8_0", settings=["cache.v.dtype=q4_0"]).facts
    assert (facts["cache.k.dtype"], facts["cache.v.dtype"]) == ("q8_0", "q4_0")


def test_the_task_is_what_the_model_is_made_for(ask):
    embedder = changed(MODEL, ("family:", "task: embed\nfamily:"))
    assert ask(embedder, model="tiny-model").facts["task"] == "embed"
    assert ask(embedder, model="tiny-model", settings=("task=rerank",)).facts["task"] == "rerank"


def test_what_is_on_record_of_the_checkpoint_holds_in_its_format_alone(ask):
    headed = changed("models/acme/plain-model.yaml", ("{hub: acme/plain, format: bf16}", "{hub: acme/plain, format: bf16, drafts: false, kv_scales: true}"))
    facts = ask(headed).facts
    assert (facts["checkpoint.draft_head"], facts["checkpoint.kv_scales"]) == (False, True)
    assert "checkpoint.draft_head" not in ask(headed, settings=("weights.format=fp8",)).facts
