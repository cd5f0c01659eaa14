"""Reading headers: what the gguf package writes, and files that are cut off, of another kind, or lie about lengths."""

import os
import struct
import time

import gguf
import pytest

from infercompat.derive.gguf import Header, Unreadable, read_header
from infercompat.derive.gguf.header import SCALARS, TENSOR_TYPES, Length, TensorInfo

from . import files


def test_types_are_those_of_the_package():
    assert {kind.value: kind.name for kind in gguf.GGMLQuantizationType}.items() <= TENSOR_TYPES.items()
    scalars = {kind.value for kind in gguf.GGUFValueType} - {gguf.GGUFValueType.STRING, gguf.GGUFValueType.ARRAY}
    assert scalars == set(SCALARS)


@pytest.fixture
def path(tmp_path):
    keys = {"block_count": 2, "scale": 0.5, "flag": True, "word": "yarn", "list": [1, 2, 3], "flags": [True, False], "general.name": "Ω"}
    tensors = {"token_embd.weight": ((8, 64), "Q8_0"), "output_norm.weight": ((64,), "F32")}
    return files.write(tmp_path / "small.gguf", "llama", keys, tensors, tokens=5000)


def test_every_kind_of_value(path):
    header = read_header(path)
    assert header.architecture == "llama"
    values = {name.removeprefix("llama."): value for name, value in header.fields.items()}
    assert [values[name] for name in ("block_count", "scale", "flag", "word", "list", "flags", "general.name")] == [
        *(2, 0.5, True, "yarn", (1, 2, 3), (True, False), "Ω")
    ]
    assert values["tokenizer.ggml.tokens"] == values["tokenizer.ggml.scores"] == Length(5000)
    assert header.tensors == (TensorInfo("token_embd.weight", (64, 8), "Q8_0"), TensorInfo("output_norm.weight", (64,), "F32"))


def test_the_tensors_themselves_are_not_needed(path):
    whole = path.read_bytes()
    path.write_bytes(whole[: -8 * 64 // 32 * 34])
    assert isinstance(read_header(path), Header)


def test_a_header_of_the_other_byte_order(tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "big.gguf", "llama", endianess=gguf.GGUFEndian.BIG)
    writer.add_block_count(7)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert read_header(tmp_path / "big.gguf").fields["llama.block_count"] == 7


def test_a_header_that_is_cut_off_anywhere(path):
    whole = path.read_bytes()
    for end in [*range(300), *range(300, 2000, 37)]:
        path.write_bytes(whole[:end])
        answer = read_header(path)
        assert isinstance(answer, Unreadable)
        assert str(answer).startswith(f"{path}: ")


def _string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def _file(keys, tensors=b"", version=3, counts=None):
    counts = counts or (0, len(keys))
    return b"GGUF" + struct.pack("<IQQ", version, *counts) + b"".join(_string(name) + value for name, value in keys) + tensors


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a GGUF file"),
        (b"GG", "not a GGUF file"),
        (b"PK\x03\x04" + b"\0" * 64, "not a GGUF file"),
        (b"GGUF" + struct.pack("<I", 1), "GGUF version 1 is not 2 or 3"),
        (_file([], version=77), "GGUF version 77"),
        (_file([], counts=(0, 1 << 60)), "more than a model has"),
        (_file([], counts=(1 << 60, 0)), "more than a model has"),
        (_file([("a", struct.pack("<I", 99))]), "a value of the unknown type 99"),
        (_file([("a", struct.pack("<II", 4, 1)), ("a", struct.pack("<II", 4, 1))]), "the key 'a' twice"),
        (_file([("a", struct.pack("<IIQ", 9, 9, 2))]), "a list of 2 entries of the type 9"),
        (_file([("a", struct.pack("<IIQ", 9, 8, 1 << 40))]), "a list of 1,099,511,627,776 entries"),
        (_file([("a", struct.pack("<IIQ", 9, 4, 1 << 62))]), "ends within its header"),
        (_file([("a", struct.pack("<IQ", 8, 1 << 62))]), "ends within its header"),
        (_file([("a" * 5000, struct.pack("<II", 4, 1))]), "a key that is no name"),
        (_file([], _string("t") + struct.pack("<I", 9), counts=(1, 0)), "a tensor of 9 dimensions"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, content, reason):
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    answer = read_header(path)
    assert isinstance(answer, Unreadable)
    assert reason in answer.reason


def test_a_long_text_is_kept_as_its_length(tmp_path):
    path = tmp_path / "long.gguf"
    path.write_bytes(_file([("a", struct.pack("<IQ", 8, 10_000) + b"x" * 10_000), ("b", struct.pack("<II", 4, 1))]))
    assert read_header(path).fields == {"a": Length(10_000), "b": 1}


def test_no_file_a_folder_and_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    start = time.monotonic()
    answers = [str(read_header(name)) for name in (tmp_path / "none", tmp_path, tmp_path / "pipe", "a\0b")]
    assert time.monotonic() - start < 1
    assert ["cannot be read: No such file" in answers[0], "regular" in answers[1], "regular" in answers[2], "null" in answers[3]] == [True] * 4
