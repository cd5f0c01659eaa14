"""Options of `cache` that are more than a number: memory sizes, parts, images, sounds, and the engine with its settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer import inputs
from infercompat.answer.cache import of_record
from infercompat.answer.question import Refused

ASKED = {"engine": "enga", "tp": None, "max_model_len": None, "available": None, "settings": ()}


@pytest.mark.parametrize(
    ("text", "bytes"),
    [
        ("0", 0),
        ("1048576", 1048576),
        ("4096B", 4096),
        ("24.54GiB", 26349624360),
        ("1 KiB", 1024),
        ("1.5MiB", 1572864),
        ("2TiB", 2199023255552),
        ("80GB", 80_000_000_000),
        ("80 gb", 80_000_000_000),
        ("0.5kb", 500),
        (" 3MB ", 3_000_000),
    ],
)
def test_sizes(text, bytes):
    assert inputs.bytes_of(text) == bytes


@pytest.mark.parametrize("text", ["", "GiB", "-1GiB", "1e9", "80G", "1,5GiB", "24.54GiB left", "0x10"])
def test_what_is_no_size(text):
    with pytest.raises(Refused, match=r"is no memory size; write 24\.54GiB, 80GB or bytes$"):
        inputs.bytes_of(text)


@pytest.mark.parametrize("text", ["24", "0.5", " 80 ", "1048575"])
def test_a_small_number_without_a_unit_is_asked_for_one(text):
    with pytest.raises(Refused, match=rf"^{text.strip()} has no unit; write {text.strip()}GiB, or {text.strip()}B for bytes$"):
        inputs.bytes_of(text)


@given(st.integers(1 << 20, 1 << 60), st.sampled_from(["B", "KiB", "MiB", "GiB", "TiB", "KB", "MB", "GB", "TB", ""]), st.booleans())
def test_whole_sizes_are_exact(number, unit, lower):
    scale = {"": 1, "B": 1, "K": 1, "M": 2, "G": 3, "T": 4}[unit[:1]]
    expected = number if unit in ("", "B") else number * (1024 if "i" in unit else 1000) ** scale
    assert inputs.bytes_of(f"{number}{unit.lower() if lower else unit}") == expected


def test_parts():
    assert inputs.parts_of([]) == {}
    assert inputs.parts_of(["k=q8_0", "state=fp32"]) == {"k": "q8_0", "state": "fp32"}


@pytest.mark.parametrize("text", ["k", "k=", "q=fp8", "k=fp9", "=fp8", "k=fp8=fp8"])
def test_what_is_no_part(text):
    with pytest.raises(Refused, match=r"^--part takes one of k, v, latent, index, convolution, state and a dtype \(fp32, "):
        inputs.parts_of([text])


def test_the_engine_and_how_it_is_started(base):
    options = {"engine": "enga@1.0.0", "tp": 2, "max_model_len": 100, "available": "1GiB", "settings": ["block_size=32"]}
    found = inputs.engine_of(base.catalog, ASKED | options)
    assert (found.engine.id, found.release.version, found.release.assumed) == ("enga", "1.0.0", False)
    assert (found.tensor_parallel, found.max_model_len, found.available_bytes, found.settings) == (2, 100, 1 << 30, {"block_size": 32})
    bare = inputs.engine_of(base.catalog, ASKED)
    assert (bare.release.version, bare.release.assumed, bare.tensor_parallel, bare.available_bytes, bare.settings) == ("1.1.0", True, None, None, {})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "engaa"}, "there is no engine engaa"),
        ({"engine": "enga@1..0"}, "'1..0' is no pep440 version of enga"),
        ({"available": "much"}, "'much' is no memory size"),
        ({"settings": ["block_sise=32"]}, "there is no fact block_sise; nearest: block_size"),
        ({"settings": ["block_size=0"]}, "block_size is 1 or more, not 0"),
        ({"settings": ["pipeline_parallel=4097"]}, "pipeline_parallel is 4096 at most, not 4097"),
        ({"settings": ["hardware.class=sm1"]}, 'hardware.class is never "sm1"'),
    ],
)
def test_an_engine_that_cannot_be_asked(base, options, words):
    with pytest.raises(Refused) as refused:
        inputs.engine_of(base.catalog, ASKED | options)
    assert str(refused.value).startswith(words)


def test_images_and_sounds(real):
    gemma, hearing, whisper = (of_record(real.catalog.records[id]) for id in ("gemma-3-27b", "gemma-3n-e2b", "whisper-large-v3"))
    assert inputs.media_of(gemma, None, None) == {}
    assert inputs.media_of(gemma, "1024x768", None)["image"]["tokens"] == 256  # a fixed grid, whatever the size
    assert inputs.media_of(gemma, " 1X1 ", None)["image"]["tokens"] == 256
    assert inputs.media_of(hearing, None, 3.0)["audio"]["tokens"] == 188  # any clip of up to 30 seconds
    heard = inputs.media_of(whisper, None, 30.0)["audio"]
    assert (heard["tokens"], heard["how"]) == (0, "1500 encoder frames for a window of 30 seconds, one window at a time")  # none of the decoder's own


def test_what_a_model_cannot_take_is_unknown_and_says_why(base):
    plain = of_record(base.catalog.records["plain-model"])
    found = inputs.media_of(plain, "64x64", 1.0)
    assert [found[kind]["tokens"] for kind in ("image", "audio")] == [None, None]
    assert all(found[kind]["missing"] and found[kind]["reason"] for kind in ("image", "audio"))


@pytest.mark.parametrize("image", ["1024", "0x10", "10x0", "10x10x10", "axb", "-1x5", "1000000x1"])
def test_what_is_no_image(base, image):
    with pytest.raises(Refused, match=r"^--image takes a size such as 1024x768, not "):
        inputs.media_of(of_record(base.catalog.records["plain-model"]), image, None)


def test_for_people(capsys):
    inputs.print_media({"image": {"tokens": 256, "how": "a grid"}, "audio": {"tokens": None, "reason": "there is no encoder"}})
    assert capsys.readouterr().out == "image   256 tokens: a grid\naudio   unknown: there is no encoder\n"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("setting.decode_context_parallel_size=on", "setting.decode_context_parallel_size is a number, not on"),
        ("setting.cpu_offload_gb=-1", "setting.cpu_offload_gb is 0 or more, not -1"),
    ],
)
def test_a_setting_of_the_wrong_kind(real, setting, words):
    with pytest.raises(Refused) as refused:
        inputs.engine_of(real.catalog, ASKED | {"engine": "vllm", "settings": [setting]})
    assert str(refused.value) == words
