"""The picture that a link to the site is shown as: the matrix, one cell a verdict, below the project's name."""

from __future__ import annotations

import struct
import zlib

from infercompat.join import VERDICTS, Matrix

PATH = "assets/card.png"
WIDTH, HEIGHT = 1200, 630
"""Pixels, as the services that show cards ask for."""
MARGIN, TOP, DOT = 60, 190, 9
GROUND, INK = (0x20, 0x34, 0x4F), (0xFF, 0xFF, 0xFF)
COLOURS = {"yes": (0x4F, 0xB2, 0x7A), "only-with": (0xE6, 0xB4, 0x4C), "unknown": (0x4A, 0x5D, 0x78), "no": (0xD1, 0x5B, 0x62)}
_PALETTE = [GROUND, INK, *(COLOURS[verdict] for verdict in VERDICTS)]
_GLYPHS = {
    "i": "00100 00000 01100 00100 00100 00100 01110", "n": "00000 00000 10110 11001 10001 10001 10001",
    "f": "00110 01001 01000 11100 01000 01000 01000", "e": "00000 00000 01110 10001 11111 10000 01110",
    "r": "00000 00000 10110 11001 10000 10000 10000", "c": "00000 00000 01110 10000 10000 10001 01110",
    "o": "00000 00000 01110 10001 10001 10001 01110", "m": "00000 00000 11010 10101 10101 10101 10101",
    "p": "00000 00000 11110 10001 11110 10000 10000", "a": "00000 00000 01110 00001 01111 10001 01111",
    "t": "01000 01000 11100 01000 01000 01001 00110",
}  # fmt: skip
"""The letters of the name, seven rows of five dots."""


def card(matrix: Matrix) -> bytes:
    """A PNG of 1,200 by 630: models from left to right, engines from top to bottom."""
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    for place, letter in enumerate("infercompat"):
        for y, line in enumerate(_GLYPHS[letter].split()):
            for x, dot in enumerate(line):
                if dot == "1":
                    _fill(rows, MARGIN + DOT * (6 * place + x), MARGIN + DOT * y, DOT, DOT, 1)
    models = [model for found in matrix.families.values() for model in found]
    columns, lines = max(len(models), 1), max(len(matrix.engines), 1)
    for across, model in enumerate(models):
        left, right = (MARGIN + (WIDTH - 2 * MARGIN) * place // columns for place in (across, across + 1))
        for down, engine in enumerate(matrix.engines):
            top, bottom = (TOP + (HEIGHT - TOP - MARGIN) * place // lines for place in (down, down + 1))
            _fill(rows, left, top, max(right - left - 1, 1), max(bottom - top - 2, 1), 2 + VERDICTS.index(matrix.cell(model, engine).verdict))
    return _png(rows)


def _fill(rows: list[bytearray], left: int, top: int, width: int, height: int, colour: int) -> None:
    for row in rows[top : top + height]:
        row[left : left + width] = bytes([colour]) * width


def _png(rows: list[bytearray]) -> bytes:
    """Rows of palette numbers as a file."""
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    palette = b"".join(bytes(colour) for colour in _PALETTE)
    packed = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", packed), (b"IEND", b"")))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
