"""`infercompat cache`: what a model's cache takes, from a catalog id, a checkpoint, a config.json or a GGUF file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from infercompat.answer.engine_cache import Asked, engine_part
from infercompat.derive import Derived, Unknown, derive
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.units import format_bytes, format_times

if TYPE_CHECKING:
    from infercompat.derive.weights.loaded import LaidOut

CONTEXTS = (8192, 32768, 131072)


class Subject(Struct, frozen=True):
    """What the question is about: its name, the architecture as written, what could be derived, its record if it has one, and of a GGUF
    file how its weights lie in it."""

    name: str
    architecture: str | None
    derived: Derived | Unknown
    values: Mapping[str, Any]
    record: Record | None = None
    file: LaidOut | Unknown | None = None


class Unreadable(Exception):
    """A file that holds no config; the message says where and why."""


def of_record(record: Record) -> Subject:
    """A model of the catalog."""
    values = record.data["config"]["values"]
    return Subject(record.id, record.data["architecture"], derive(values, record.data["architecture"]), values, record)


def of_file(path: Path, architecture: str | None = None) -> Subject:
    """A config.json, nested or flat, or a GGUF file. Raises Unreadable for what is neither, with line and column."""
    if path.suffix.lower() == ".gguf":
        return _of_gguf(path)
    try:
        values = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{path}:1:1: not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}:1:1: not a config: {str(error)[:120]}") from None
    if not isinstance(values, dict):
        raise Unreadable(f"{path}:1:1: a config is a JSON object, this is a {type(values).__name__}")
    named = values.get("architectures")
    written = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
    return Subject(path.name, architecture or written, derive(values, architecture), values)


def _of_gguf(path: Path) -> Subject:
    from infercompat.derive import gguf  # few questions are of a file

    header = gguf.read_header(path)
    if isinstance(header, gguf.Unreadable):
        raise Unreadable(str(header))
    values = gguf.config_of_header(header)
    if isinstance(values, Unknown):
        return Subject(path.name, None, values, {})
    return Subject(path.name, values["architectures"][0], derive(values), values, file=gguf.laid_out_file(header, values))


def find_model(catalog: Catalog, target: str) -> Record | None:
    """The model of an id, an alias or a checkpoint's hub id, in any case."""
    found = catalog.follow(target) or catalog.follow(target.lower())
    if found is not None:
        return found if found.kind == "model" else None
    wanted = target.lower()
    return next((m for m in catalog.of_kind("model") if any(c["hub"].lower() == wanted for c in m.data["checkpoints"])), None)


def as_data(
    subject: Subject, contexts: Sequence[int] = CONTEXTS, dtype: str = "bf16", parts: Mapping[str, str] | None = None, engine: Asked | None = None
) -> dict[str, Any]:
    """The answer in the shape of the JSON contract; `cache` is None where it is unknown, with what is missing."""
    derived = subject.derived
    data: dict[str, Any] = {"schema_version": 1, "model": subject.name, "architecture": subject.architecture}
    if isinstance(derived, Unknown):
        return data | {"layers": None, "defaults_used": [], "cache": None, "missing": list(derived.missing), "reason": derived.reason}
    cost = derived.cost(dtype, **(parts or {}))
    ideal = cost.ideal
    data["layers"] = derived.counts() | {"shared": derived.counts().get("shared", 0)}
    data["defaults_used"] = list(derived.defaults_used)
    data["notes"] = list(derived.notes)
    data["cache"] = {
        "dtype": dtype,
        "dtypes": dict(cost.dtypes),
        "state_dtypes": list(cost.state_dtypes),
        "naive": {"bytes_per_token": cost.naive.bytes_per_token, "at": {str(n): cost.naive_bytes(n) for n in contexts}},
        "ideal": {
            "growing_bytes_per_token": ideal.growing_bytes_per_token,
            "window_bytes": ideal.window_bytes,
            "state_bytes_per_sequence": ideal.state_bytes_per_sequence,
            "at": {str(n): cost.ideal_bytes(n) for n in contexts},
        },
        "overpay": {str(n): None if (ratio := cost.overpay(n)) is None else round(float(ratio), 4) for n in contexts},
        "engine": engine_part(derived, subject.architecture, dtype, replace(engine, config=subject.values), contexts) if engine else None,
    }
    data["context"] = {"native": derived.context.native, "method": derived.context.method, "extended": derived.context.extended}
    data["missing"] = []
    return data


def unlisted(name: str, reason: str) -> dict[str, Any]:
    """The answer for a model that is not in the catalog, in the same shape."""
    return as_data(Subject(name, None, Unknown(("model",), reason), {}))


def print_data(data: Mapping[str, Any]) -> None:
    """The same answer for people."""
    click.echo(f"{data['model']}  {data['architecture'] or ''}")
    if data["cache"] is None:
        click.echo(f"unknown: {data['reason']}\nmissing: {', '.join(data['missing'])}")
        return
    cache = data["cache"]
    click.echo("layers  " + ", ".join(f"{count} {kind}" for kind, count in data["layers"].items() if count))
    for line in (*data["defaults_used"], *data["notes"]):
        click.echo(f"        {line}")
    states = f", state {', '.join(cache['state_dtypes'])}" if cache["state_dtypes"] else ""
    click.echo(f"dtype   {cache['dtype']}{states}")
    ideal = cache["ideal"]
    click.echo(f"a token {cache['naive']['bytes_per_token']:,} B if every layer keeps everything, {ideal['growing_bytes_per_token']:,} B past the windows")
    if ideal["state_bytes_per_sequence"]:
        click.echo(f"state   {format_bytes(ideal['state_bytes_per_sequence'])} a sequence")
    for tokens, needed in ideal["at"].items():
        full, ratio = cache["naive"]["at"][tokens], cache["overpay"][tokens]
        times = f"  {format_times(ratio)}" if ratio else ""
        click.echo(f"{int(tokens):>9,} tokens  needed {format_bytes(needed):>10} ({needed:,} B)  every layer full {format_bytes(full):>10}{times}")
    if cache["engine"]:
        _print_engine(cache["engine"])
        if cache["engine"].get("startup"):
            from infercompat.answer.startup import print_startup

            print_startup(cache["engine"]["startup"])


def _print_engine(engine: Mapping[str, Any]) -> None:
    assumed = ", newest in the catalog" if engine["version_assumed"] else ""
    click.echo(f"\n{engine['id']} {engine['version']}{assumed}")
    if engine["policy"] is None:
        click.echo(f"unknown: {engine['reason']} (missing: {', '.join(engine['missing'])})")
        return
    rank = engine["per_rank"]
    click.echo(f"policy  {engine['title']} [{', '.join(dict.fromkeys(cite['id'] for cite in engine['cites'][:3]))}]")
    for line in (*engine["because"], *engine["notes"]):
        click.echo(f"        {line}")
    if rank["block_size"]:
        click.echo(f"block   {rank['block_size']} tokens" + (f", {format_bytes(rank['bytes_per_block'])}" if rank["bytes_per_block"] else ""))
    for tokens, held in rank["resident"].items():
        ratio = engine["overpay"][tokens]
        click.echo(f"{int(tokens):>9,} tokens  held   {format_bytes(held):>10} a rank" + (f"  {format_times(ratio)} of what is needed" if ratio else ""))
    length = engine["max_model_len"]
    for name, label in (("reserved", "set aside for one request"), ("needed_bytes", "demanded before it starts")):
        if rank[name] is not None:
            click.echo(f"{label}: {format_bytes(rank[name])} a rank" + (f", at a length of {length:,}" if length else ""))
    for device, size in (rank["devices"] or {}).items():
        click.echo(f"on {device if device == 'host' else f'device {device}'}: {format_bytes(size)}")
    if rank["max_concurrency"] is not None:
        of_length = f"of {length:,} tokens" if length else "of the longest length"
        click.echo(f"sequences {of_length} that fit: {rank['max_concurrency']:.2f}")
    if rank["most_requests"] is not None:
        click.echo(f"requests that run at once, at most: {rank['most_requests']:,}")
    for line in engine["log_lines"]:
        click.echo(f"it logs: {line}")
    if engine["missing"]:
        click.echo(f"more would follow from: {', '.join(engine['missing'])}")
