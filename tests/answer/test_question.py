"""Questions: which release, engine, hardware and facts are meant, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs import gotcha
from infercompat.answer.question import (
    Question,
    Refused,
    components,
    engine_named,
    hardware_of,
    newest_before,
    ranks_of,
    read_setting,
    release_of,
    told_of,
    with_changes,
)
from infercompat.condition import FACTS

from .stacks import BASE, HEAD, engine


@pytest.mark.parametrize(
    ("id", "wanted", "expected"),
    [
        ("enga", None, ("1.1.0", "2026-02-01", True)),
        ("enga", "latest", ("1.1.0", "2026-02-01", True)),
        ("enga", "1.0.0", ("1.0.0", "2026-01-01", False)),
        ("enga", "v1.0.0", ("1.0.0", "2026-01-01", False)),
        ("enga", "1.0.*", ("1.0.0", "2026-01-01", False)),
        ("enga", "1.*", ("1.1.0", "2026-02-01", False)),
        ("enga", "2026-01-31", ("1.0.0", "2026-01-01", False)),
        ("enga", "1.4.0", ("1.4.0", None, False)),
        ("enga", "1.1.0rc1.dev7", ("1.1.0rc1.dev7", None, False)),
        ("enga", "nightly", ("nightly", None, False)),
        ("enga", "main@2026-02-20", ("main", "2026-02-20", False)),
        ("enga", "1.1.0+pr12", ("1.1.0", "2026-02-01", False)),
        ("enga", "1.1.0+cu130.pr12", ("1.1.0", "2026-02-01", False)),
        ("enga", "1.0.0@2026-01-01", ("1.0.0", "2026-01-01", False)),
        ("enga", "0.1.dev200@2026-02-20", ("0.1.dev200", "2026-02-20", False)),
        ("engb", "b200+pr7", ("b200", "2026-01-15", False)),
        ("engb", None, ("b200", "2026-01-15", True)),
        ("engb", "200", ("b200", "2026-01-15", False)),
        ("engb", "b7000", ("b7000", None, False)),
    ],
)
def test_the_release_that_is_meant(base, id, wanted, expected):
    found = release_of(base.catalog.records[id], wanted)
    assert (found.version, found.date, found.assumed) == expected


@pytest.mark.parametrize("wanted", ["1..0", "one", "0.9.*", "2025-12-31", ">=1.0", "1.0.0 or so"])
def test_what_is_no_version_is_refused_with_the_releases_there_are(base, wanted):
    with pytest.raises(Refused, match=r"'.+' is no pep440 version of enga: write numbers such as .+; releases in the catalog: 1\.1\.0, 1\.0\.0$"):
        release_of(base.catalog.records["enga"], wanted)


@pytest.mark.parametrize(
    ("engine", "wanted", "sound"),
    [
        ("vllm", "b10488", False),
        ("vllm", "0.33.0x", False),
        ("vllm", "latestt", False),
        ("llama.cpp", "b10488x", False),
        ("ollama", "0.33.0x", False),
        # What was not released yet, builds without a tag, commits, images and branches.
        ("vllm", "0.40.0", True),
        ("vllm", "0.34.0rc1", True),
        ("vllm", "0.34.0rc1.dev12+g1a2b3c4", True),
        ("vllm", "0.1.dev20073", True),
        ("vllm", "4b12345", True),
        ("vllm", "vllm-openai:gptoss", True),
        ("vllm", "nightly-cu129", True),
        ("vllm", "0.33.0-custom", True),
        ("llama.cpp", "b99999", True),
        ("ollama", "v0.40.0-rc0", True),
    ],
)
def test_the_forms_of_versions(real, engine, wanted, sound):
    """A slip is told how the engine's versions are written; what may well exist is taken as it stands."""
    if sound:
        assert release_of(real.catalog.records[engine], wanted).version == wanted
    else:
        with pytest.raises(Refused, match=r"^'.+' is no \w+ version of .+: write (numbers|the number) .+ releases in the catalog: "):
            release_of(real.catalog.records[engine], wanted)


def test_a_release_is_of_one_day(base):
    with pytest.raises(Refused, match=r"^enga 1\.0\.0 is of 2026-01-01, not of 2026-01-02$"):
        release_of(base.catalog.records["enga"], "1.0.0@2026-01-02")


def test_what_a_version_tells_beside_itself(base):
    engine = base.catalog.records["enga"]
    assert told_of(engine, "1.1.0+pr12.pr9") == {"enga.has_pr": (9, 12)}
    assert told_of(engine, "1.1.0") == told_of(engine, None) == {}
    assert with_changes({"enga.has_pr": (9, 12), "lora": True}, {"enga.has_pr": (12, 3)}) == {"enga.has_pr": (3, 9, 12), "lora": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("enga.has_pr=57754", ("enga.has_pr", (57754,))),
        ("engine.has_pr=57800,57754", ("engine.has_pr", (57754, 57800))),
        ("libx.has_pr=https://example.com/acme/libx/pull/5", ("libx.has_pr", (5,))),
        ("lora=true", ("lora", True)),
        ("lora=off", ("lora", False)),
        ("lora = ON", ("lora", True)),
        ("tensor_parallel=8", ("tensor_parallel", 8)),
        ("max_model_len=131_072", ("max_model_len", 131072)),
        ("speculation.tokens=0", ("speculation.tokens", 0)),
        ("requests_served=0", ("requests_served", 0)),
        ("gpu_memory_utilization=0.9", ("gpu_memory_utilization", 0.9)),
        ("gpu_memory_utilization=1", ("gpu_memory_utilization", 1)),
        ("cache.dtype=fp8", ("cache.dtype", "fp8")),
        ("driver.version=570.86", ("driver.version", "570.86")),
        ("libx.version=2.0rc1", ("libx.version", "2.0rc1")),
        ("weights.format=mxfp4", ("weights.format", "mxfp4")),
        ("setting.any=true", ("setting.any", True)),
        ("setting.any=on", ("setting.any", "on")),
        ("setting.any=32", ("setting.any", 32)),
        ("setting.any=0.5", ("setting.any", 0.5)),
        ("setting.any=nan", ("setting.any", "nan")),
        ("setting.any=a=b", ("setting.any", "a=b")),
        ("decode.tensor_parallel=2", ("decode.tensor_parallel", 2)),
    ],
)
def test_settings(base, text, expected):
    found = read_setting(text, base.catalog)
    assert (found, type(found[1])) == (expected, type(expected[1]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tensor_parallel", "--set and --require take fact=value, not 'tensor_parallel'"),
        ("=8", "--set and --require take fact=value, not '=8'"),
        ("tensor_parallel=", "--set and --require take fact=value, not 'tensor_parallel='"),
        ("tensor_paralel=8", "there is no fact tensor_paralel; nearest: tensor_parallel, "),
        ("zzzzzzz=8", "there is no fact zzzzzzz; infercompat explain facts lists them"),
        ("liby.version=1.0", "there is no fact liby.version; nearest: libx.version"),
        ("enja.has_pr=5", "there is no fact enja.has_pr; nearest: "),
        ("engien.has_pr=5", "there is no fact engien.has_pr; nearest: engine.has_pr"),
        ("engine.version=1.0", "there is no fact engine.version; version is that of the engine that is asked about, and "),
        ("prefill.libx.version=1.0", "there is no fact prefill.libx.version"),
        ("enga.has_pr=new", "enga.has_pr takes numbers of merged changes such as 57754 or 57754,57800, not 'new'"),
        ("model.linears=3", "model.linears follows from the model: it is not set"),
        ("tensor_parallel=two", 'tensor_parallel is a whole number, not "two"'),
        ("tensor_parallel=2.5", "tensor_parallel is a whole number, not 2.5"),
        ("tensor_parallel=0", "tensor_parallel is 1 or more, not 0"),
        ("max_model_len=-1", "max_model_len is 1 or more, not -1"),
        ("speculation.tokens=-1", "speculation.tokens is 0 or more, not -1"),
        ("gpu_memory_utilization=0", "gpu_memory_utilization is a share above 0, 1 at most, not 0"),
        ("gpu_memory_utilization=92", "gpu_memory_utilization is a share above 0, 1 at most, not 92"),
        ("gpu_memory_utilization=nan", 'gpu_memory_utilization is a number, not "nan"'),
        ("model.window=5", "model.window follows from the model: it is not set"),
        ("draft.model.layers=2", "draft.model.layers follows from the model: it is not set"),
        ("lora=maybe", 'lora is true or false, not "maybe"'),
        ("disaggregation=both", 'disaggregation is never "both"; it is one of none, prefill, decode'),
        ("hardware.class=sm999", 'hardware.class is never "sm999"; it is one of sm70, '),
        ("weights.format=fp5", 'weights.format is never "fp5"; it is one of bf16, '),
        ("platform=vulkan", 'platform is never "vulkan"; it is one of cuda, '),
        ("driver.version=new", 'driver.version is a quoted version such as "12.8", not "new"'),
    ],
)
def test_settings_that_are_refused(base, text, words):
    with pytest.raises(Refused) as refused:
        read_setting(text, base.catalog)
    assert str(refused.value).startswith(words)


@given(st.sampled_from([*FACTS, "setting.x"]), st.text(max_size=12))
def test_a_setting_is_read_or_refused_whatever_it_says(name, value):
    try:
        fact, read = read_setting(f"{name}={value}")
    except Refused as refused:
        assert str(refused)
    else:
        assert (fact, name.startswith("model.")) == (name, False)
        assert isinstance(read, (bool, int, float, str))
        assert read == read  # no NaN, which no JSON can hold


@given(st.integers(1, 1 << 40))
def test_a_number_is_read_as_it_is_written(number):
    assert read_setting(f"max_num_seqs={number}") == ("max_num_seqs", number)
    assert read_setting(f"setting.x=-{number}") == ("setting.x", -number)


def test_components_are_engines_and_what_they_bundle_and_gotchas_blame(make):
    blamed = gotcha(affects='{all: [{engine: enga, observed: ["1.1.0"]}, {component: liby, observed: ["1"]}]}')
    assert components(make(BASE).catalog) == {"libx", "enga", "engb"}
    assert components(make(BASE | {"gotchas/enga/met.yaml": blamed}).catalog) == {"libx", "liby", "enga", "engb"}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("enga", ("enga", None)),
        ("ENGA", ("enga", None)),
        ("enga@1.0.0", ("enga", "1.0.0")),
        ("enga@", ("enga", None)),
        ("engb@b1@2", ("engb", "b1@2")),
    ],
)
def test_engines_and_their_versions(base, wanted, expected):
    found, version = engine_named(base.catalog, wanted)
    assert (found.id, version) == expected


def test_an_engine_that_is_none(make):
    library = engine(head=HEAD.replace("role: engine", "role: kernel-library").replace("EngA", "LibC"))
    catalog = make(BASE | {"engines/libc.yaml": library}).catalog
    with pytest.raises(Refused, match=r"^there is no engine engaa; nearest: enga, engb"):
        engine_named(catalog, "engaa")
    with pytest.raises(Refused, match=r"^there is no engine zzzz; known: enga, engb, libc$"):
        engine_named(catalog, "zzzz")
    with pytest.raises(Refused, match=r"^there is no engine tiny-model"):
        engine_named(catalog, "tiny-model")
    with pytest.raises(Refused, match=r"^LibC is a kernel library: it gates engines and serves no model itself$"):
        engine_named(catalog, "libc")


@pytest.mark.parametrize("wanted", ["card-big", "CARD-BIG", "Card Big", " card-big ", "big-one", "NVIDIA Card Big", "nvidia geforce card-big"])
def test_hardware_by_id_alias_and_spelling(make, wanted):
    files = BASE | {"hardware/card-big.yaml": BASE["hardware/card-big.yaml"] + "aliases: [big-one]\n"}
    assert hardware_of(make(files).catalog, wanted).id == "card-big"


def test_a_slip_in_the_hardware_names_the_nearest(base, real):
    with pytest.raises(Refused, match=r"^there is no hardware card-bigg; nearest: card-big, card-base"):
        hardware_of(base.catalog, "card-bigg")
    with pytest.raises(Refused, match=r"^there is no hardware xyz; known: card-base, card-big, card-other$"):
        hardware_of(base.catalog, "xyz")
    with pytest.raises(Refused, match=r"^there is no hardware card; nearest: card-base, card-big, card-other$"):
        hardware_of(base.catalog, "card")
    for counted in ("8xcard-big", "8 x NVIDIA Card Big", "8×card-big"):
        with pytest.raises(Refused, match=r"; for 8 devices write --hardware card-big --gpus 8$"):
            hardware_of(base.catalog, counted)
    with pytest.raises(Refused, match=r"^there is no hardware tiny-model"):
        hardware_of(base.catalog, "tiny-model")
    with pytest.raises(Refused, match=r"nearest: .*rtx-pro-6000-blackwell"):
        hardware_of(real.catalog, "rtx-pro-6000-blackwel")


def test_a_changed_question_keeps_the_rest(base):
    catalog = base.catalog
    asked = Question(
        catalog.records["plain-model"], base.derived["plain-model"], catalog.records["enga"], release_of(catalog.records["enga"], None), None, 2,
        {"lora": True, "tensor_parallel": 2}, frozenset({"lora"}), "acme/plain-awq",
    )  # fmt: skip
    changed = asked.changed({"chunked_prefill": False, "lora": False}, frozenset({"tensor_parallel"}))
    assert changed.given == {"chunked_prefill": False, "lora": False}
    assert (changed.gpus, changed.required, changed.checkpoint) == (2, frozenset({"lora"}), "acme/plain-awq")
    assert asked.given == {"lora": True, "tensor_parallel": 2}
    assert (asked.context, asked.changed({"max_model_len": 100}).context) == (4096, 100)


@pytest.mark.parametrize(("version", "newest"), [("9.9", "1.1.0"), ("1.1.1", "1.1.0"), ("1.1.0", None), ("1.0.5", None)])
def test_a_version_newer_than_any_on_record_is_told_apart(make, version, newest):
    engine = make(BASE).catalog.records["enga"]
    assert newest_before(engine, release_of(engine, version)) == newest


@pytest.mark.parametrize(
    ("given", "ranks"),
    [
        ({}, (1, 1, 1)),
        ({"tensor_parallel": 8, "data_parallel": 8}, (8, 1, 8)),
        ({"tensor_parallel": 8, "data_parallel": 8, "setting.enable_dp_attention": True}, (8, 1, 1)),
        ({"tensor_parallel": 4, "pipeline_parallel": 2, "data_parallel": 4, "setting.enable_dp_attention": True}, (4, 2, 1)),
    ],
)
def test_replicas_of_attention_lie_within_the_tensor_parallel_ranks(given, ranks):
    """SGLang serves DeepSeek with --tp 8 --dp 8 --enable-dp-attention on eight devices (issue 23554)."""
    assert tuple(ranks_of(given).values()) == ranks
