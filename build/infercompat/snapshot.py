"""A compiled snapshot of a clean catalog, so that a question need not read and check two thousand files again.

It lies in the user's cache, under a key made of every file's path, size and time; a catalog that changed or has faults is read anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from infercompat import __version__
from infercompat.link import link
from infercompat.pipeline import Products, load, reference_date
from infercompat.read import Files
from infercompat.records import Document, Record
from infercompat.write import write_file

_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What reading a snapshot raises that is not there, or that somebody cut short or wrote over."""


def quick(folder: Path) -> Products:
    """The products of a catalog for answering: records without spans from the snapshot, or the whole pipeline where there is none."""
    place = _place(folder)
    if place is None:
        return load(folder)
    try:
        stored = json.loads(place.read_bytes())
        return _products(folder, stored)
    except _BROKEN:
        products = load(folder)
        if not products.diagnostics:
            _store(place, products)
        return products


def _place(folder: Path) -> Path | None:
    """Where the snapshot of a folder as it now is lies; None for a user without a home, as containers have."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return None if base.startswith("~") else Path(base, "infercompat", f"{_key(folder)}.json")


def _key(folder: Path) -> str:
    digest = hashlib.sha256(f"{__version__} {folder.resolve()}".encode(errors="surrogateescape"))
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            about = os.stat(path) if os.path.exists(path) else os.lstat(path)  # a link may lead nowhere
            digest.update(f"{path} {about.st_size} {about.st_mtime_ns}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:32]


def _store(place: Path, products: Products) -> None:
    records = [[record.id, record.kind, record.path, record.data] for record in products.catalog.records.values()]
    stored = {"vocabulary": products.catalog.vocabulary, "newest": products.catalog.newest_date(), "count": products.files.count, "records": records}
    try:
        for old in place.parent.glob("*.json"):
            old.unlink(missing_ok=True)
        write_file(place, json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass"))
    except OSError:
        return  # a cache that cannot be written costs time and nothing else


def _products(folder: Path, stored: dict) -> Products:
    records = tuple(Record(id, kind, data, Document(path, data, {}, {}, {}, ())) for id, kind, path, data in stored["records"])
    catalog = link(records, dict(stored["vocabulary"]))
    today = reference_date(catalog) if os.environ.get("SOURCE_DATE_EPOCH", "").isdigit() else stored["newest"]
    return Products(folder, Files(records, {}, stored["count"]), catalog, [], today)
