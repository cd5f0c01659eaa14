"""A compiled snapshot of a clean catalog, so that a question need not read and check four thousand files again.

The wheel brings that of its own catalog. That of a checkout lies in the user's cache, under a key made of every file's path, size and time;
a catalog that changed or has faults is read anew.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct, convert
from msgspec.json import decode

from infercompat import __version__, places
from infercompat.aside import aside
from infercompat.link import Catalog
from infercompat.products import Products, reference_date
from infercompat.records import Document, Files, Record, subject_of


def _parsed(text: bytes | memoryview) -> Any:
    try:
        return decode(text)
    except ValueError:
        return json.loads(bytes(text))  # slower, and takes what is no text, such as the name of a folder


class Stored(Record):
    """A record whose data is parsed when it is first asked for: a question needs a few of thousands."""

    def __init__(self, told: Sequence[Any], text: memoryview, claims: memoryview):
        self.id, self.kind, self.path, self.aliases, self.engine, self.affected, self.live, *_ = told
        self.text, self.claims_text = text, claims

    @cached_property
    def data(self) -> dict:
        data = _parsed(self.text)
        return _Snapshot(self, data) if self.claims_text else data

    @cached_property
    def _claims(self) -> dict[str, Raw]:
        return decode(self.claims_text, type=dict[str, Raw]) if self.claims_text else {}

    def claims_on(self, subject: str) -> Sequence[dict[str, Any]]:
        """A snapshot's claims on one subject, parsed when they are asked for."""
        found = self._claims.get(subject)
        if isinstance(found, Raw):
            found = self._claims[subject] = [claim for _, claim in decode(found)]
        return found or ()

    @cached_property
    def document(self) -> Document:
        return Document(self.path, self.data, {}, {}, {}, ())


class _Snapshot(dict):
    """The data of a support snapshot, whose thousands of claims are parsed when somebody asks for all of them."""

    def __init__(self, record: Stored, data: dict[str, Any]):
        super().__init__(data)
        self._record = record

    def __missing__(self, key: str) -> Any:
        if key != "claims":
            raise KeyError(key)
        numbered = [pair for pairs in decode(self._record.claims_text).values() for pair in pairs]
        self[key] = [claim for _, claim in sorted(numbered, key=itemgetter(0))]
        return self[key]


class Shelf(Mapping[str, Record]):
    """The records of a snapshot by id, in the catalog's order, each made when it is first asked for."""

    def __init__(self, told: Mapping[str, Mapping[str, Raw | list[Any]]], bodies: memoryview):
        self._told, self._bodies = told, bodies
        self._made: dict[str, Stored] = {}
        self._live: dict[str, list[Record]] = {}

    def __getitem__(self, id: str) -> Stored:
        if id not in self._made:
            told = next((kind[id] for kind in self._told.values() if id in kind), None)
            if told is None:
                raise KeyError(id)
            self._made[id] = self._make(decode(told) if isinstance(told, Raw) else told)
        return self._made[id]

    def _make(self, told: Sequence[Any]) -> Stored:
        start, length, claims = told[-3:]
        middle = start + length
        return Stored(told, self._bodies[start:middle], self._bodies[middle : middle + claims])

    def __iter__(self) -> Iterator[str]:
        return (id for kind in self._told.values() for id in kind)

    def __len__(self) -> int:
        return sum(map(len, self._told.values()))

    def of_kind(self, kind: str) -> list[Record]:
        """The live records of one kind, by id."""
        if kind not in self._live:
            self._live[kind] = [record for record in map(self.__getitem__, self._told.get(kind, ())) if record.live]
        return self._live[kind]


class _Kept(Catalog):
    """The catalog of a snapshot: what is asked of one kind makes the records of that kind alone."""

    def of_kind(self, kind: str) -> list[Record]:
        return list(self.records.of_kind(kind))


class _Head(Struct):
    """What is said before the records: the word lists, and of each record by kind and id what is asked of all of them."""

    vocabulary: dict[str, Any]
    aliases: dict[str, str]
    newest: str
    count: int
    records: dict[str, dict[str, Raw]]


BUNDLED = "snapshot.jsonl"
"""The snapshot beside the catalog of an installed package."""
OLDEST = 30 * 24 * 3600
"""Seconds after which the snapshot of a checkout that nobody asked again goes."""
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What reading a snapshot raises that is not there, or that somebody cut short or wrote over."""


def load(folder: Path) -> Products:
    """The whole pipeline; imported late, since an answer from a snapshot needs no YAML and no schemas."""
    from infercompat import pipeline

    return pipeline.load(folder)


def quick(folder: Path, key: Callable[[], str] | None = None) -> Products:
    """The products of a catalog for answering: records without spans from the snapshot, or the whole pipeline where there is none.

    `key` gives the sum over the catalog's files, if somebody has begun to work it out.
    """
    bundled = folder.parent / BUNDLED
    if folder.parent == places.BUNDLED and bundled.is_file():
        return _products(folder, bundled.read_bytes())
    place = _place(folder, key)
    if place is None:
        return load(folder)
    try:
        return _products(folder, place.read_bytes())
    except _BROKEN:
        products = load(folder)
        if not products.diagnostics:
            _store(place, products)
        return products


def key_aside(folder: Path) -> Callable[[], str] | None:
    """Begins to work out the sum over a catalog's files, which takes as long as loading the program; None where it is not needed."""
    return None if folder.parent == places.BUNDLED or not folder.is_dir() else aside(lambda: _key(folder))


def _place(folder: Path, key: Callable[[], str] | None = None) -> Path | None:
    """Where the snapshot of a folder as it now is lies; None for a user without a home, as containers have."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if base.startswith("~"):
        return None
    return Path(base, "infercompat", f"{_sums(str(folder.resolve()))}-{key() if key else _key(folder)}.jsonl")


def _key(folder: Path) -> str:
    return _sums(f"{__version__} {folder}\n{''.join(sorted(_files(folder)))}")


def _sums(text: str) -> str:
    data = text.encode(errors="surrogateescape")
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"  # two sums: a digest would cost more to load than to make


def _files(folder: Path | str) -> Iterator[str]:
    """A line for every file below a folder: its path, size and time."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = entry.path
            if entry.is_dir(follow_symlinks=False):  # a folder behind a link is not read either
                yield from _files(path)
            else:
                about = entry.stat(follow_symlinks=not entry.is_symlink() or os.path.exists(path))  # a link may lead nowhere
                yield f"{path} {about.st_size} {about.st_mtime_ns}\n"


def _store(place: Path, products: Products) -> None:
    """Puts a catalog's snapshot into the cache, instead of the one that it had and of those that nobody needs any more."""
    from infercompat.write import write_file

    try:
        for old in place.parent.glob("*.json*"):
            if old.name.partition("-")[0] == place.name.partition("-")[0] or time.time() - old.stat().st_mtime > OLDEST:
                old.unlink(missing_ok=True)
        write_file(place, compiled(products))
    except OSError:
        return  # a cache that cannot be written costs time and nothing else


def compiled(products: Products) -> bytes:
    """A snapshot: a check sum, a line with what is asked of every record, and behind it the data of each as JSON, claims by subject."""
    catalog = products.catalog
    texts, told, start = [], {}, 0
    for record in catalog.records.values():
        claims = _by_subject(record)
        parts = [_text({name: value for name, value in record.data.items() if name != "claims" or not claims}), _text(claims) if claims else b""]
        told.setdefault(record.kind, {})[record.id] = [*_told(record), start, *map(len, parts)]
        texts += parts
        start += sum(map(len, parts))
    head = {
        "vocabulary": catalog.vocabulary,
        "aliases": catalog.aliases,
        "newest": catalog.newest_date(),
        "count": products.files.count,
        "records": told,
    }
    content = json.dumps(head).encode() + b"\n" + b"".join(texts)
    return b"%08x\n" % zlib.crc32(content) + content


def _text(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")


def _by_subject(record: Record) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """A snapshot's claims, each with its number, by what they are about; empty for any other record."""
    numbered: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, claim in enumerate(record.data.get("claims", ()) if record.kind == "support" else ()):
        numbered.setdefault(subject_of(claim["about"]), []).append((number, claim))
    return numbered


def _told(record: Record) -> tuple[str, str, str, list[str], str | None, list[str], bool]:
    return record.id, record.kind, record.path, list(record.aliases), record.engine, list(record.affected), record.live


def _products(folder: Path, content: bytes) -> Products:
    if content[:9] != b"%08x\n" % zlib.crc32(memoryview(content)[9:]):
        raise ValueError("cut short or written over")
    end = content.index(b"\n", 9)
    head = _head(content[9:end])
    catalog = _Kept(Shelf(head.records, memoryview(content)[end + 1 :]), head.aliases, head.vocabulary)
    today = reference_date(catalog) if os.environ.get("SOURCE_DATE_EPOCH", "").isdigit() else head.newest
    return Products(folder, Files((), {}, head.count), catalog, [], today)


def _head(text: bytes) -> _Head:
    try:
        return decode(text, type=_Head)
    except ValueError:
        head = _Head(**json.loads(text))  # slower, and takes what is no text, such as the name of a file
        convert(head.records, dict[str, dict[str, list]])
        return head
