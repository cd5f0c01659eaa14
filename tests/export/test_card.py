"""The picture of a link: a PNG that opens, of the size that services ask for, with a cell for each verdict."""

from __future__ import annotations

import struct
import zlib

from infercompat.export.card import COLOURS, HEIGHT, MARGIN, TOP, WIDTH, card
from infercompat.join import Matrix


def chunks(content: bytes) -> dict[bytes, bytes]:
    """The parts of a PNG by name, each held against its checksum."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = {}, 8
    while at < len(content):
        length, name = struct.unpack(">I4s", content[at : at + 8])
        data = content[at + 8 : at + 8 + length]
        assert struct.unpack(">I", content[at + 8 + length : at + 12 + length]) == (zlib.crc32(name + data),)
        found[name] = data
        at += 12 + length
    return found


def test_it_is_a_picture_of_the_matrix(tiny):
    """Two models across 1,080 pixels and two engines down 380: the first cell's corner has the first verdict's colour, the margin none."""
    found = chunks(card(Matrix(tiny)))
    assert struct.unpack(">IIBBBBB", found[b"IHDR"]) == (WIDTH, HEIGHT, 8, 3, 0, 0, 0) == (1200, 630, 8, 3, 0, 0, 0)
    lines = zlib.decompress(found[b"IDAT"])
    assert len(lines) == HEIGHT * (WIDTH + 1)
    palette = [tuple(found[b"PLTE"][place : place + 3]) for place in range(0, len(found[b"PLTE"]), 3)]

    def colour(x: int, y: int) -> tuple[int, ...]:
        return palette[lines[y * (WIDTH + 1) + 1 + x]]

    matrix = Matrix(tiny)
    models = [model for found in matrix.families.values() for model in found]
    assert colour(MARGIN, TOP) == COLOURS[matrix.cell(models[0], matrix.engines[0]).verdict]
    assert colour(WIDTH - MARGIN - 2, HEIGHT - MARGIN - 3) == COLOURS[matrix.cell(models[-1], matrix.engines[-1]).verdict]
    assert colour(0, 0) == (0x20, 0x34, 0x4F)
