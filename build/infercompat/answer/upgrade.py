"""`infercompat upgrade`: what changes for one stack from one version of an engine to another."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.command import said
from infercompat.answer.facts import default_here
from infercompat.answer.question import Question, release_of, told_of, with_changes
from infercompat.answer.reply import reply
from infercompat.condition import MISSING, evaluate, in_words, parse
from infercompat.join import Gate, gates
from infercompat.join.flips import Flip, flips_of
from infercompat.join.paths import parts
from infercompat.versions import within


def upgrade(assessor: Assessor, question: Question, before: str, after: str) -> dict[str, Any]:
    """Verdicts on both sides, hops and defaults that change, gotchas that leave and arrive, and component versions that move."""
    was, will = (reply(assessor, _at(question, version)) for version in (before, after))
    old, new = was.found, will.found
    return {
        "schema_version": 1,
        "model": question.model.id,
        "engine": question.engine.id,
        "from": {"version": old.question.release.version, "verdict": was.verdict, "reason": was.reason},
        "to": {"version": new.question.release.version, "verdict": will.verdict, "reason": will.reason},
        "hops": _hops(old, new),
        "defaults": _defaults(old, new, flips_of(assessor.products.catalog, question.engine)),
        "gotchas_left": _gotchas(old, new, assessor),
        "gotchas_arrived": _gotchas(new, old, assessor),
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


def _gotchas(here: Assessment, there: Assessment, assessor: Assessor) -> list[dict[str, Any]]:
    """Gotchas met or possible on one side and, because of the versions, not on the other.

    Those that were never seen on such hardware are of another machine. What is only possible for want of facts here, and told apart there
    since more is on record, has not moved: it would be as possible there with the facts of here.
    """
    kept = {gate.gotcha.id for gate in there.gates if gate.state != "almost"}
    gone = [gate for gate in here.gates if gate.state != "almost" and gate.gotcha.id not in kept and not _of_other_hardware(gate)]
    if any(gate.state == "maybe" for gate in gone):
        still = _possible_at(there, here, assessor)
        gone = [gate for gate in gone if gate.state == "hit" or gate.gotcha.id not in still]
    return [{"id": gate.gotcha.id, "state": gate.state, "severity": gate.severity, "title": gate.gotcha.name} for gate in gone]


def _of_other_hardware(gate: Gate) -> bool:
    return any(reason.kind == "untested" and reason.fact == "hardware.class" for reason in gate.truth.because)


def _possible_at(there: Assessment, here: Assessment, assessor: Assessor) -> set[str]:
    """The gotchas that would be met or possible at the release of one side with the facts of the other, but for the versions of components."""
    versions = {name: value for name, value in there.resolved.facts.items() if name.endswith(".version")}
    facts = {name: value for name, value in here.resolved.facts.items() if not name.endswith(".version")} | versions
    stack, question = replace(here.resolved, facts=facts).stack, there.question
    catalog = assessor.products.catalog
    paths = (question.engine, *parts(catalog, question.engine))
    return {gate.gotcha.id for path in paths for gate in gates(catalog, path, question.release, stack, assessor.products.today)}


def _defaults(old: Assessment, new: Assessment, known: list[Flip]) -> list[dict[str, Any]]:
    """Settings that nobody named and that have another default, or are there at all, on one side only, as the engine's record has them.

    Those that do nothing on such a stack are left out. Each with what brings the earlier one back, the release at which it flipped, and the
    gotchas that tell of that flip.
    """
    settings = new.question.engine.data.get("settings") or {}
    before, after = (
        {one.fact: one for one in side.resolved.assumed if one.fact in settings and (one.cites or one.fact == "attention.backend")} for side in (old, new)
    )
    changed = []
    for fact, setting in settings.items():
        if fact in old.question.given or fact in new.question.given or not (_touches(setting, old) or _touches(setting, new)):
            continue
        there = [within(side.question.engine.data, setting, side.question.release.version, side.question.release.date) for side in (old, new)]
        if all(there) and "defaults" in setting and any(default_here(setting, side.question, side.resolved.facts) is MISSING for side in (old, new)):
            continue  # what is not known on one side has not moved
        values = [side[fact].value if fact in side and here else None for side, here in zip((before, after), there, strict=True)]
        if values[0] != values[1] or there[0] is not there[1]:
            flipped = [flip for flip in known if all(there) and flip.fact == fact and _between(flip, old, new)]
            changed.append(
                {
                    **{"fact": fact, "flag": setting["flag"], "from": values[0], "to": values[1], "exists": there, "cites": setting["cites"]},
                    "since": next((flip.since for flip in flipped if values[1] in (flip.now, flip.was)), None),
                    "back": said(fact, setting, values[0]) if all(there) and values[0] is not None else "",
                    "gotchas": sorted({gotcha.id for flip in flipped for gotcha in flip.gotchas}),
                }
            )
    return changed


def _between(flip: Flip, old: Assessment, new: Assessment) -> bool:
    """Whether one release lies before a flip and the other does not, on a stack that it can be true of."""
    if flip.since is None:
        return False
    passed = [within(flip.engine.data, {"since": flip.since}, side.question.release.version, side.question.release.date) for side in (old, new)]
    return passed[0] != passed[1] and not (flip.where and evaluate(parse(flip.where)[0], new.resolved.stack).no)


def _touches(setting: dict[str, Any], side: Assessment) -> bool:
    """Whether the setting can do anything on the stack."""
    return "touches" not in setting or not evaluate(parse(setting["touches"])[0], side.resolved.stack).no


def _components(old: Assessment, new: Assessment) -> list[dict[str, Any]]:
    """What both releases are known to bundle, in other versions: of what is on record for one of them only, nobody knows whether it moved."""
    before, after = ({name: value for name, value in side.resolved.facts.items() if name.endswith(".version")} for side in (old, new))
    moved = [name for name in sorted(before.keys() & after.keys()) if before[name] != after[name]]
    return [{"component": name.removesuffix(".version"), "from": before[name], "to": after[name]} for name in moved]


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
    click.echo("\nDefaults that change:" + ("" if data["defaults"] else " none that is on record"))
    for one in data["defaults"]:
        words = [_shown(value) if there else "no such setting" for value, there in zip((one["from"], one["to"]), one["exists"], strict=True)]
        since = f", at {one['since']}" if one["since"] else ""
        click.echo(f"  {one['fact']:<20} {words[0]} -> {words[1]}  ({one['flag']}{since})")
        if one["back"]:
            click.echo(f"  {'':<20} back with {one['back']}")
        for gotcha in one["gotchas"]:
            click.echo(f"  {'':<20} see {gotcha}")
    if data["components"]:
        click.echo("\nComponents:")
    for moved in data["components"]:
        click.echo(f"  {moved['component']:<20} {moved['from']} -> {moved['to']}")


def _shown(value: Any) -> str:
    return "not set" if value is None else in_words(value)
