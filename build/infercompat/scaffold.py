"""`infercompat new`: a record to fill in, made from its kind's schema, with what each field holds beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from infercompat.read import plain_scalar
from infercompat.records import FOLDER_OF_KIND
from infercompat.shape import Shapes, schemas

FOLDER_HELP = {"model": "--publisher", "support": "--engine", "gotcha": "--engine", "recipe": "--engine", "citation": "--url"}
"""The option that decides the folder, for kinds that have one below their own."""


class Refused(Exception):
    """Why no record was made."""


def place(kind: str, id: str, publisher: str | None, engine: str | None, url: str | None) -> Path:
    """Where the record's file goes, below the catalog. Raises Refused for a bad id, or when an option that decides it is missing or bad."""
    if not _is_id(id):
        raise Refused(f"'{id}' is no id: lower-case letters, digits, . and -, a letter or digit first")
    folder = {"model": publisher, "support": engine, "gotcha": engine, "recipe": engine, "citation": _host(url)}.get(kind, "")
    if folder is None:
        raise Refused(f"a {kind} lies in a folder of its own kind: give {FOLDER_HELP[kind]}")
    if folder and not _is_id(folder):
        raise Refused(f"'{folder}' is no name of a folder: {FOLDER_HELP[kind]} takes lower-case letters, digits, . and -")
    return Path(FOLDER_OF_KIND[kind], folder, f"{id}.yaml")


def _is_id(text: str) -> bool:
    form = schemas()["common"]["$defs"]["id"]
    return bool(re.fullmatch(form["pattern"], text)) and len(text) <= form["maxLength"]


def _host(url: str | None) -> str | None:
    if not url:
        return None
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    if not host:
        raise Refused(f"'{url}' is no address; give it whole, such as https://example.com/page")
    return host


def skeleton(kind: str, known: dict[str, Any], vocabulary: dict[str, Any]) -> str:
    """The text of a new record: needed fields first, with values where known, then the optional ones as comments."""
    describe, fields = Shapes(vocabulary).description, schemas()[kind]["properties"]
    known = {name: value for name, value in known.items() if name in fields}
    needed = dict.fromkeys((*schemas()[kind]["required"], *known))
    optional = [name for name in fields if name not in needed and name != "withdrawn"]
    lines = [_written(name, known[name]) if name in known else f"{name}:  # {describe(fields[name])}" for name in needed]
    return "\n".join([*lines, "# Optional:", *(f"# {name}: {describe(fields[name])}" for name in optional)]) + "\n"


class _Dumper(yaml.SafeDumper):
    """Writes strings on one line, and in quotes where the catalog's own reading would make something else of them, such as 1e5."""


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    quoted = "\n" in text or plain_scalar(text) != text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)


_Dumper.add_representer(str, _string)


def _written(name: str, value: Any) -> str:
    # Lists of scalars stand on one line; a line is never wrapped, since a string may not run over several.
    flow = None if isinstance(value, (dict, list)) else False
    return yaml.dump({name: value}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1 << 20, default_flow_style=flow).rstrip()


def model_from_config(path: Path) -> dict[str, Any]:
    """The fields that a config.json gives; its source and basis stay for a person to state."""
    from infercompat.answer.cache import Unreadable, of_file

    if path.suffix.lower() == ".gguf":
        raise Refused(f"{path} is no config.json: a record holds the fields of the publisher's own")
    try:
        subject = of_file(path)
    except Unreadable as error:
        raise Refused(str(error)) from None
    known: dict[str, Any] = {"config": {"basis": "", "cites": [], "values": subject.values}}
    if subject.architecture:
        known = {"architecture": subject.architecture, **known}
    return known
