"""The header of a GGUF file: its keys and the list of its tensors, read without touching the tensors themselves.

The layout is that of ggml/src/gguf.cpp (llama.cpp). The `gguf` package is not used here: it maps the whole file and makes a view of
every tensor, so that the beginning of a file is not enough; it takes a numpy object for each entry of a vocabulary (21 s and 1.4 GiB
for that of Gemma); and a length that is wrong makes it count up to it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO

from msgspec import Struct

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""struct codes of the value types that are numbers; 8 is a string and 9 an array."""
STRING, ARRAY = 8, 9

TENSOR_TYPES = {
    **dict(enumerate(["F32", "F16", "Q4_0", "Q4_1"])),
    **dict(enumerate(["Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K"], 6)),
    **dict(enumerate(["IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS"], 16)),
    **dict(enumerate(["I8", "I16", "I32", "I64", "F64", "IQ1_M", "BF16"], 24)),
    **dict(enumerate(["TQ1_0", "TQ2_0"], 34)),
    **dict(enumerate(["MXFP4", "NVFP4", "Q1_0", "Q2_0"], 39)),
}
"""Names of tensor types by their number (enum ggml_type); the gaps are numbers that were taken back."""

MOST_KEYS, MOST_TENSORS, MOST_STRINGS, MOST_BYTES = 1 << 16, 1 << 17, 1 << 22, 1 << 30
LONGEST_KEPT, MOST_KEPT, MOST_DIMENSIONS = 1 << 12, 1 << 12, 4


class Unreadable(Struct, frozen=True):
    """A file that could not be read, and why."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class Length(Struct, frozen=True):
    """Stands for a list or a text that was too long to keep."""

    count: int


class TensorInfo(Struct, frozen=True):
    """A tensor's name, its dimensions with the length of a row first, and its type."""

    name: str
    dimensions: tuple[int, ...]
    type: str

    @property
    def elements(self) -> int:
        return prod(self.dimensions)


class Header(Struct, frozen=True):
    """Values by key, lists as tuples, and the tensors in the order of the file."""

    fields: Mapping[str, Any]
    tensors: tuple[TensorInfo, ...]

    @property
    def architecture(self) -> str | None:
        name = self.fields.get("general.architecture")
        return name if isinstance(name, str) and name else None


class _Fault(Exception):
    """What is wrong with the file; leaves this module as an Unreadable."""


def read_header(path: Path | str) -> Header | Unreadable:
    """The header of the file, or why it cannot be read."""
    try:
        # A pipe or a device would wait, or never end.
        if not S_ISREG(Path(path).stat().st_mode):
            return Unreadable(str(path), "is not a regular file")
        with Path(path).open("rb") as file:
            return _header(_Cursor(file))
    except OSError as error:
        return Unreadable(str(path), f"cannot be read: {error.strerror or error}")
    except (ValueError, _Fault) as error:
        return Unreadable(str(path), str(error)[:200])


class _Cursor:
    """A place in the file that reads numbers and texts and knows where the file ends."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.order = file, "<"
        self.end = min(file.seek(0, 2), MOST_BYTES)
        self.cut = file.tell() <= MOST_BYTES
        file.seek(0)

    def take(self, count: int) -> bytes:
        found = self.file.read(count) if self.file.tell() + count <= self.end else b""
        if len(found) != count:
            raise _Fault("ends within its header" if self.cut else f"its header is longer than {MOST_BYTES >> 30} GiB")
        return found

    def skip(self, count: int) -> None:
        if self.file.tell() + count > self.end:
            self.take(count)
        self.file.seek(count, 1)

    def skip_texts(self, count: int) -> None:
        """Past texts of which a vocabulary has a quarter of a million, so without the ceremony of `skip`."""
        length, read, seek = struct.Struct(self.order + "Q").unpack, self.file.read, self.file.seek
        for _ in range(count):
            found = read(8)
            if len(found) != 8 or (size := length(found)[0]) > self.end:
                self.take(self.end)
            seek(size, 1)
        self.skip(0)

    def number(self, code: str) -> Any:
        return struct.unpack(self.order + code, self.take(struct.calcsize(self.order + code)))[0]

    def numbers(self, code: str, count: int) -> tuple[Any, ...]:
        return struct.unpack(f"{self.order}{count}{code}", self.take(count * struct.calcsize(self.order + code)))

    def text(self) -> str | Length:
        length = self.number("Q")
        if length > LONGEST_KEPT:
            self.skip(length)
            return Length(length)
        return self.take(length).decode("utf-8", "replace")


def _header(cursor: _Cursor) -> Header:
    if cursor.end < 4 or cursor.take(4) != b"GGUF":
        raise _Fault("not a GGUF file: it does not begin with GGUF")
    version = cursor.number("I")
    if version & 0xFFFF == 0:
        cursor.order, version = ">", int.from_bytes(version.to_bytes(4, "little"), "big")
    if version not in (2, 3):
        raise _Fault(f"GGUF version {version} is not 2 or 3")
    tensors, keys = cursor.number("Q"), cursor.number("Q")
    if keys > MOST_KEYS or tensors > MOST_TENSORS:
        raise _Fault(f"claims {keys:,} keys and {tensors:,} tensors, more than a model has")
    fields: dict[str, Any] = {}
    for _ in range(keys):
        key = cursor.text()
        if not isinstance(key, str) or key in fields:
            raise _Fault(f"has the key {key[:60]!r} twice" if isinstance(key, str) else "has a key that is no name")
        fields[key] = _value(cursor, cursor.number("I"))
    return Header(fields, tuple(_tensor(cursor) for _ in range(tensors)))


def _value(cursor: _Cursor, kind: int) -> Any:
    if kind in SCALARS:
        return cursor.number(SCALARS[kind])
    if kind == STRING:
        return cursor.text()
    if kind == ARRAY:
        return _array(cursor, cursor.number("I"), cursor.number("Q"))
    raise _Fault(f"has a value of the unknown type {kind}")


def _array(cursor: _Cursor, kind: int, count: int) -> tuple[Any, ...] | Length:
    """A list of numbers if it is short; of longer lists and of texts only the length."""
    if kind in SCALARS and count <= MOST_KEPT:
        return cursor.numbers(SCALARS[kind], count)
    if kind in SCALARS:
        cursor.skip(count * struct.calcsize("<" + SCALARS[kind]))
    elif kind != STRING or count > MOST_STRINGS:
        raise _Fault(f"has a list of {count:,} entries of the type {kind}")
    else:
        cursor.skip_texts(count)
    return Length(count)


def _tensor(cursor: _Cursor) -> TensorInfo:
    name, rank = cursor.text(), cursor.number("I")
    if not isinstance(name, str) or rank > MOST_DIMENSIONS:
        raise _Fault(f"has a tensor of {rank} dimensions" if isinstance(name, str) else "has a tensor whose name is no name")
    dimensions, kind = cursor.numbers("Q", rank), cursor.number("I")
    cursor.skip(8)
    return TensorInfo(name, dimensions, TENSOR_TYPES.get(kind, f"type {kind}"))
