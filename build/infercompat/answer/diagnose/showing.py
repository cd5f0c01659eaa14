"""A diagnosis for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from infercompat.answer import reply
from infercompat.answer.diagnose.diagnosis import Diagnosis, Matched
from infercompat.answer.diagnose.seen import Seen
from infercompat.answer.diagnose.understanding import Hardware, Understood


def as_data(diagnosis: Diagnosis) -> dict[str, Any]:
    """The JSON contract of `diagnose`. `check` is the whole answer of that verb, or null like the verdict."""
    answer = reply.as_data(diagnosis.reply, diagnosis.assessor) if diagnosis.reply else None
    return {
        "schema_version": 1,
        "understood": _understood(diagnosis.understood),
        "matched": [_matched(one) for one in diagnosis.matched],
        "gotchas": answer["gotchas"] if answer else [],
        "log": [{"what": one.name, "value": one.value, **_place(one)} for one in diagnosis.understood.log],
        "verdict": answer["verdict"] if answer else None,
        "missing": list(diagnosis.missing),
        "next": [step._asdict() for step in diagnosis.steps],
        "check": answer,
    }


def _place(seen: Seen | Hardware | Any) -> dict[str, Any]:
    return {"source": seen.source, "line": seen.line}


def _said(seen: Seen | None) -> dict[str, Any] | None:
    return {"value": seen.value, **_place(seen)} if seen else None


def _understood(found: Understood) -> dict[str, Any]:
    return {
        "engine": found.engine and {"id": found.engine.name, **_place(found.engine)},
        "version": _said(found.version),
        "model": found.model and {"id": found.model_id, "written": found.model.value, **_place(found.model)},
        "hardware": [{"id": kind.id, "written": kind.name, "count": kind.count, **_place(kind)} for kind in found.hardware],
        "components": {name: _said(one) for name, one in found.components.items()},
        "given": {name: _said(one) for name, one in found.given.items()},
        "not_understood": [{"flag": one.name, "value": one.value, **_place(one)} for one in found.unread],
        "notes": [{"text": one.value, **_place(one)} for one in found.notes],
    }


def _matched(one: Matched) -> dict[str, Any]:
    data = one.gotcha.data
    return {
        "id": one.gotcha.id,
        "title": one.gotcha.name,
        "severity": data["severity"],
        "symptom": data["symptom"],
        "status": data["status"],
        "by": one.match.pattern.by,
        "state": one.state,
        "count": one.match.count,
        "text": one.match.text,
        **_place(one.match),
        "workarounds": data["workarounds"],
    }


def print_data(data: Mapping[str, Any], verbose: bool = False) -> None:
    """The same for people: what was understood, the answer, then what the log proves and which known faults it shows."""
    _print_understood(data["understood"])
    if data["check"]:
        click.echo("")
        reply.print_data(data["check"], verbose)
    else:
        click.echo(f"\nNo verdict: the paste names no {' and no '.join(data['missing'])} of the catalog. Add a line, such as")
        for step in data["next"]:
            click.echo(f"  {step['add']:<34} {step['why']}")
    _section("In the log", (f"{_where(one)} {one['what']}: {one['value']}" for one in data["log"]))
    if data["matched"]:
        click.echo("\nKnown faults in the log:")
    for one in data["matched"]:
        sign = "" if one["by"] == "error" else " (a sign, no proof)"
        click.echo(f"  {one['severity']:<8} {one['id']}{sign}: {one['title']}")
        click.echo(f"           {_where(one)} {one['text']}" + (f"  ({one['count']} times)" if one["count"] > 1 else ""))
        for workaround in one["workarounds"][:3]:
            click.echo(f"           do: {_workaround(workaround)}")


def _print_understood(found: Mapping[str, Any]) -> None:
    click.echo("Understood:")
    engine, version, model = found["engine"], found["version"], found["model"]
    rows = [
        ("engine", f"{engine['id']} {version['value'] if version else '(no version)'}" if engine else "", engine),
        ("model", f"{model['written']}" + (f" -> {model['id']}" if model["id"] else " (not in the catalog)") if model else "", model),
        *(("hardware", f"{kind['count']}x {kind['id'] or kind['written']}", kind) for kind in found["hardware"]),
        *(("given", f"{name} = {_plain(one['value'])}", one) for name, one in found["given"].items()),
        *(("version", f"{name} {one['value']}", one) for name, one in found["components"].items()),
    ]
    for label, text, place in rows:
        click.echo(f"  {label:<9} {text or 'not found'}" + (f"  [{_where(place)}]" if place else ""))
    if found["not_understood"]:
        flags = " ".join(one["flag"] + ("" if one["value"] is None else f" {_plain(one['value'])}") for one in found["not_understood"])
        click.echo(f"  not understood: {flags}")
    for note in found["notes"]:
        click.echo(f"  note: {note['text']}" + (f"  [{_where(note)}]" if note["line"] else ""))


def _section(title: str, rows: Iterable[str]) -> None:
    rows = list(rows)
    if rows:
        click.echo(f"\n{title}:")
    for row in rows:
        click.echo(f"  {row}")


def _where(place: Mapping[str, Any]) -> str:
    return f"{place['source']}:{place['line']}" if place["source"] else f"line {place['line']}"


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _workaround(workaround: Mapping[str, Any]) -> str:
    """A recorded workaround in a line."""
    if "advice" in workaround:
        return workaround["advice"]
    if "drop" in workaround:
        return f"leave out {workaround['drop']}"
    verb, changes = next((verb, workaround[verb]) for verb in ("set", "upgrade", "downgrade") if verb in workaround)
    return f"{verb} " + ", ".join(f"{name} to {_plain(value)}" for name, value in changes.items())
