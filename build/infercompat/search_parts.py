"""Cuts the parts of Pagefind's index that are larger than a search shall load; Pagefind itself has no setting for their size.

A part is gzipped CBOR behind a mark: one list of words in order, each with the pages it stands on. The index's meta file lists the parts by
their first and last word. Read from Pagefind 1.5.2, whose files come back byte for byte when they are decoded and encoded again.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cbor2

from infercompat.write import write_file

MOST_BYTES = 20_000
_MARK = b"pagefind_dcd"


def cut(folder: Path, most: int = MOST_BYTES) -> int:
    """Cuts every part of the index in `pagefind/` that has more bytes, between two words; returns how many parts there are then.

    A part of one word stays whole. Raises ValueError where the files are not of the form that is known.
    """
    metas = list(folder.glob("pagefind.*.pf_meta"))
    if not metas:
        raise ValueError(f"{folder} has no index")
    count = 0
    for path in metas:
        meta = _read(path)
        meta[2] = [part for first, last, name in meta[2] for part in _cut_part(folder / "index", first, last, name, most)]
        write_file(path, _packed(meta))
        count += len(meta[2])
    return count


def _cut_part(folder: Path, first: str, last: str, name: str, most: int) -> list[list[str]]:
    path = folder / f"{name}.pf_index"
    if path.stat().st_size <= most:
        return [[first, last, name]]
    [words] = _read(path)
    language, found = name.partition("_")[0], []
    for group in _groups(words, most):
        content = _packed([group])
        called = f"{language}_{hashlib.sha256(content).hexdigest()[:10]}"
        write_file(folder / f"{called}.pf_index", content)
        found.append([group[0][0], group[-1][0], called])
    path.unlink()
    return found


def _groups(words: list[Any], most: int) -> Iterator[list[Any]]:
    """The words in as few halves of halves as are small enough."""
    if len(words) < 2 or len(_packed([words])) <= most:
        yield words
        return
    sizes = [len(cbor2.dumps(word)) for word in words]
    half, place, before = sum(sizes) / 2, 0, 0
    while place < len(words) - 1 and (not place or before + sizes[place] <= half):
        before += sizes[place]
        place += 1
    yield from _groups(words[:place], most)
    yield from _groups(words[place:], most)


def _read(path: Path) -> list[Any]:
    try:
        content = gzip.decompress(path.read_bytes())
        if not content.startswith(_MARK):
            raise ValueError("without its mark")
        data = cbor2.loads(content[len(_MARK) :])
        if not isinstance(data, list):
            raise ValueError("no list in it")
        return data
    except (OSError, EOFError, ValueError, zlib.error, cbor2.CBORDecodeError) as error:
        raise ValueError(f"{path.name} is no index of Pagefind as this program knows it: {error}") from error


def _packed(data: list[Any]) -> bytes:
    return gzip.compress(_MARK + cbor2.dumps(data), 9, mtime=0)
