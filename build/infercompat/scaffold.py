"""`infercompat new`: a record to fill in, made from its kind's schema, with what each field holds beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from infercompat.records import FOLDER_OF_KIND
from infercompat.shape import Shapes, schemas

FOLDER_HELP = {"model": "--publisher", "support": "--engine", "gotcha": "--engine", "citation": "--url"}
"""The option that decides the folder, for kinds that have one below their own."""


class Refused(Exception):
    """Why no record was made."""


def place(kind: str, id: str, publisher: str | None, engine: str | None, url: str | None) -> Path:
    """Where the record's file goes, below the catalog. Raises Refused when an option that decides it is missing."""
    folder = {"model": publisher, "support": engine, "gotcha": engine, "citation": urlsplit(url).hostname if url else None}.get(kind, "")
    if folder is None:
        raise Refused(f"a {kind} lies in a folder of its own kind: give {FOLDER_HELP[kind]}")
    return Path(FOLDER_OF_KIND[kind], folder, f"{id}.yaml")


def skeleton(kind: str, known: dict[str, Any], vocabulary: dict[str, Any]) -> str:
    """The text of a new record: needed fields first, with values where known, then the optional ones as comments."""
    describe, fields = Shapes(vocabulary).description, schemas()[kind]["properties"]
    needed = dict.fromkeys((*schemas()[kind]["required"], *known))
    optional = [name for name in fields if name not in needed and name != "withdrawn"]
    lines = [_written(name, known[name]) if name in known else f"{name}:  # {describe(fields[name])}" for name in needed]
    return "\n".join([*lines, "# Optional:", *(f"# {name}: {describe(fields[name])}" for name in optional)]) + "\n"


def _written(name: str, value: Any) -> str:
    # Lists of scalars stand on one line; a line is never wrapped, since a string may not run over several.
    flow = None if isinstance(value, (dict, list)) else False
    return yaml.safe_dump({name: value}, sort_keys=False, allow_unicode=True, width=1 << 20, default_flow_style=flow).rstrip()


def model_from_config(path: Path) -> dict[str, Any]:
    """The fields that a config.json gives; its source and basis stay for a person to state."""
    from infercompat.answer.cache import Unreadable, of_file

    try:
        subject = of_file(path)
    except Unreadable as error:
        raise Refused(str(error)) from None
    values = json.loads(path.read_text("utf-8-sig"))
    known: dict[str, Any] = {"config": {"basis": "", "cites": [], "values": values}}
    if subject.architecture:
        known = {"architecture": subject.architecture, **known}
    return known
