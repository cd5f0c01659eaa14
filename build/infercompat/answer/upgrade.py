"""`infercompat upgrade`: what changes for one stack from one version of an engine to another."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.question import Question, release_of, told_of, with_changes
from infercompat.answer.reply import reply


def upgrade(assessor: Assessor, question: Question, before: str, after: str) -> dict[str, Any]:
    """Verdicts on both sides, hops that change, gotchas that leave and arrive, and component versions that move."""
    was, will = (reply(assessor, _at(question, version)) for version in (before, after))
    old, new = was.found, will.found
    return {
        "schema_version": 1,
        "model": question.model.id,
        "engine": question.engine.id,
        "from": {"version": old.question.release.version, "verdict": was.verdict, "reason": was.reason},
        "to": {"version": new.question.release.version, "verdict": will.verdict, "reason": will.reason},
        "hops": _hops(old, new),
        "gotchas_left": _gotchas(old, new),
        "gotchas_arrived": _gotchas(new, old),
        "components": _components(old, new),
    }


def _at(question: Question, version: str) -> Question:
    """The question at another version, with the changes that this is told to hold."""
    given = with_changes(question.given, told_of(question.engine, version))
    return replace(question, release=release_of(question.engine, version), given=given)


def _hops(old: Assessment, new: Assessment) -> list[dict[str, Any]]:
    earlier = {hop.name: hop for hop in old.hops}
    changed = []
    for hop in new.hops:
        was = earlier.get(hop.name)
        if was is None or (was.state, was.value) != (hop.state, hop.value):
            changed.append({"hop": hop.name, "from": was.state if was else "not asked", "to": hop.state, "finding": hop.finding})
    return changed


def _gotchas(here: Assessment, there: Assessment) -> list[dict[str, Any]]:
    """Gotchas met or possible on one side and not on the other."""
    kept = {gate.gotcha.id for gate in there.gates if gate.state != "almost"}
    return [
        {"id": gate.gotcha.id, "state": gate.state, "severity": gate.severity, "title": gate.gotcha.name}
        for gate in here.gates
        if gate.state != "almost" and gate.gotcha.id not in kept
    ]


def _components(old: Assessment, new: Assessment) -> list[dict[str, Any]]:
    before, after = ({name: value for name, value in side.resolved.facts.items() if name.endswith(".version")} for side in (old, new))
    names = sorted(before.keys() | after.keys())
    return [{"component": n.removesuffix(".version"), "from": before.get(n), "to": after.get(n)} for n in names if before.get(n) != after.get(n)]


def print_data(data: dict[str, Any]) -> None:
    """The same for people."""
    click.echo(f"{data['model']} on {data['engine']}: {data['from']['version']} {data['from']['verdict']} -> {data['to']['version']} {data['to']['verdict']}")
    for side in ("from", "to"):
        click.echo(f"  {data[side]['version']:<10} {data[side]['reason']}")
    for title, key in (("Gotchas that leave", "gotchas_left"), ("Gotchas that arrive", "gotchas_arrived")):
        if data[key]:
            click.echo(f"\n{title}:")
        for gotcha in data[key]:
            click.echo(f"  {gotcha['severity']:<8} {gotcha['state']:<6} {gotcha['id']}: {gotcha['title']}")
    if data["hops"]:
        click.echo("\nHops that change:")
    for hop in data["hops"]:
        click.echo(f"  {hop['hop']:<20} {hop['from']} -> {hop['to']}: {hop['finding']}")
    if data["components"]:
        click.echo("\nComponents:")
    for moved in data["components"]:
        click.echo(f"  {moved['component']:<20} {moved['from'] or 'not known'} -> {moved['to'] or 'not known'}")
