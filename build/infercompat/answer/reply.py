"""An answer to `check`, put together once for every surface: verdict, chain, gotchas, memory, command, repairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from infercompat.answer import check, memory
from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.command import command
from infercompat.answer.question import Question
from infercompat.answer.repairs import Repair, repairs
from infercompat.units import format_bytes

EXIT_STATUS = {"yes": 0, "no": 1, "only-with": 3, "unknown": 4}


@dataclass(frozen=True)
class Reply:
    """The assessment as asked, the verdict after repairs were looked for, and the repairs."""

    found: Assessment
    verdict: str
    reason: str
    repairs: tuple[Repair, ...]


def reply(assessor: Assessor, question: Question) -> Reply:
    """Assesses a question, and looks for repairs where something that can be changed stands in the way."""
    found = assessor.assess(question)
    blocked = found.blocking or any(hop.name == "attention" and hop.state == "fails" for hop in found.hops)
    if not (found.verdict == "no" and blocked) and not found.could_block:
        return Reply(found, found.verdict, found.reason, ())
    cleared = tuple(repairs(assessor, found))
    if found.verdict == "no" and cleared:
        return Reply(found, "only-with", f"{found.reason}; cleared by: {_words(cleared[0])}", cleared)
    return Reply(found, found.verdict, found.reason, cleared)


def _words(repair: Repair) -> str:
    return ", ".join(change.words for change in repair.changes)


def as_data(answer: Reply, assessor: Assessor) -> dict[str, Any]:
    """The JSON contract of `check`."""
    found, question = answer.found, answer.found.question
    first = answer.repairs[0] if answer.repairs else None
    return {
        "schema_version": 1,
        "verdict": answer.verdict,
        "reason": answer.reason,
        "grade": found.grade.word if found.grade else None,
        "confidence": found.grade.confidence if found.grade else None,
        "question": {
            "model": question.model.id,
            "engine": question.engine.id,
            "version": question.release.version,
            "version_assumed": question.release.assumed,
            "hardware": question.hardware.id if question.hardware else None,
            "gpus": question.gpus,
            "given": dict(question.given),
            "required": sorted(question.required),
            "assumed": [{"fact": a.fact, "value": _plain(a.value), "because": a.because} for a in found.resolved.assumed],
        },
        "chain": check.chain(found, assessor.ledger),
        "missing": list(found.missing),
        "provided": list(found.provided),
        "gotchas": check.gotchas(found),
        "command": command(found.resolved, first),
        "memory": memory.as_data(found.memory),
        "repairs": [{"changes": [change.words for change in repair.changes], "verdict": repair.after.verdict} for repair in answer.repairs],
    }


def _print_gotchas(gotchas: list[dict[str, Any]], verbose: bool) -> None:
    """Those met first; of the others the few that matter, and how many are left out."""
    groups = (
        ("Met", [g for g in gotchas if g["state"] == "hit"]),
        ("Can be met, depending on", [g for g in gotchas if g["state"] == "maybe" and (verbose or not g["untested"])]),
        ("Just missed", [g for g in gotchas if g["state"] == "almost" and (verbose or (g["severity"] == "blocker" and g["proven"]))]),
    )
    for title, rows in groups:
        if rows:
            click.echo(f"\n{title}:")
        for gotcha in rows:
            click.echo(f"  {gotcha['severity']:<8} {gotcha['id']}{'' if gotcha['proven'] else ' (not proven)'}: {gotcha['title']}")
            click.echo(f"           {'; '.join(gotcha['because'][:3])}")
    left = len(gotchas) - sum(len(rows) for _, rows in groups)
    if left:
        click.echo(f"\n{left} more that are untested here or just missed: --all shows them")


def _print_memory(found: dict[str, Any]) -> None:
    words = (("weights_bytes", "weights"), ("cache_bytes", "cache"), ("available_bytes", "at most left for the cache"), ("device_bytes", "device"))
    shown = ", ".join(f"{label} {format_bytes(found[name])}" for name, label in words if found[name] is not None)
    click.echo(f"\nA device: {shown or 'unknown'}" + (f" ({'; '.join(found['missing'])})" if found["missing"] else ""))
    if found["sequences"]:
        click.echo(f"          {found['sequences']:.1f} sequences of that length at once" + (f", longest {found['longest_context']:,} tokens" if found["longest_context"] else ""))


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def print_data(data: dict[str, Any], verbose: bool = False) -> None:
    """The same answer for people: the verdict first, then why, what bites, and what to do."""
    question = data["question"]
    where = f" on {question['gpus']}x {question['hardware']}" if question["hardware"] else ""
    assumed = " (newest in the catalog)" if question["version_assumed"] else ""
    grade = f"   [{data['grade']} · {data['confidence']:.2f}]" if data["grade"] else ""
    click.echo(f"{data['verdict'].upper()}{grade}   {question['model']} on {question['engine']} {question['version']}{assumed}{where}")
    click.echo(f"  {data['reason']}\n")
    for hop in data["chain"]:
        cite = f"  [{hop['cites'][0]['id']} {hop['cites'][0]['at']}".rstrip() + "]" if hop["cites"] else ""
        click.echo(f"  {hop['hop']:<20} {hop['state']:<8} {hop['finding']}{cite}")
    _print_gotchas(data["gotchas"], verbose)
    if data["memory"]:
        _print_memory(data["memory"])
    if data["repairs"]:
        click.echo("\nCleared by, cheapest first:")
        for repair in data["repairs"]:
            click.echo(f"  {', and '.join(repair['changes'])}")
    if data["command"]:
        click.echo("\n" + " ".join(data["command"]["argv"]))
    if data["provided"]:
        click.echo(f"\nSay more to decide: {', '.join(data['provided'])}")
    if data["missing"]:
        click.echo(f"\nMissing in the catalog: {', '.join(data['missing'])}")
