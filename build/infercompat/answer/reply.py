"""An answer to `check`, put together once for every surface: verdict, chain, gotchas, memory, command, repairs."""

from __future__ import annotations

import shlex
from typing import Any

import click
from msgspec import Struct

from infercompat.answer import check, memory
from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.command import command, recipe_of
from infercompat.answer.observed import logged
from infercompat.answer.question import Question, engine_named, newest_before, release_of
from infercompat.answer.repairs import MOST_SHOWN, Repair, Search, search
from infercompat.answer.spoken import notes
from infercompat.link import Catalog
from infercompat.units import format_bytes

EXIT_STATUS = {"yes": 0, "no": 1, "only-with": 3, "unknown": 4}

CLEARED = "Cleared by, cheapest first"
PARTLY_CLEARED = "Clears what is met, and what is unknown stays unknown"


class Reply(Struct, frozen=True):
    """The assessment as asked, the verdict after repairs were looked for, and the repairs.

    Those whose own verdict is unknown clear what is met and no more; they stand behind the others.
    """

    found: Assessment
    verdict: str
    reason: str
    repairs: tuple[Repair, ...]
    missing: tuple[str, ...] = ()


def reply(assessor: Assessor, question: Question) -> Reply:
    """Assesses a question, and looks for repairs where something that can be changed stands in the way.

    What blocks is met whatever else is unknown: if nothing clears it the answer is no, and if a change makes all of it clean, only-with.
    """
    found = assessor.assess(question)
    blocked = bool(found.blocking) or any(check.changeable(hop) and hop.state == "fails" and not hop.avoided_by for hop in found.hops)
    if not (blocked and found.verdict in ("no", "unknown")) and not found.could_block:
        return Reply(found, found.verdict, found.reason, (), found.missing)
    tried = search(assessor, found)
    if found.verdict == "no" or (blocked and found.verdict == "unknown"):
        return _decided(found, tried)
    return Reply(found, found.verdict, found.reason, tried.repairs, found.missing)


def _decided(found: Assessment, tried: Search) -> Reply:
    """The verdict where something blocks, after changes were tried."""
    cleared, clears, complete = tried.repairs, tried.clears, tried.complete
    met = f"{found.blocking[0].gotcha.id}: {found.blocking[0].gotcha.name}" if found.verdict == "unknown" and found.blocking else found.reason
    if cleared:
        rest = "" if cleared[0].after.verdict == "yes" else f"; after that {cleared[0].after.reason}"
        return Reply(found, "only-with", f"{met}; cleared by: {_words(cleared[0])}{rest}", (*cleared, *tried.partial)[:MOST_SHOWN])
    if found.verdict == "unknown" and clears:
        return Reply(found, "unknown", found.reason, tried.partial, found.missing)
    lasting = any(hop.state == "fails" and not hop.avoided_by and not check.changeable(hop) for hop in found.hops)
    if not complete and not lasting:
        return Reply(found, "unknown", f"{met}; not all changes were tried", (), ("repairs",))
    return Reply(found, "no", met, ())


def _repair(repair: Repair) -> dict[str, Any]:
    """A repair in words, and as what to set, to take back and to release, so that a program can apply it."""
    return {
        **{"changes": [change.words for change in repair.changes], "verdict": repair.after.verdict},
        "set": {name: value for change in repair.changes for name, value in change.set},
        "drop": sorted(name for change in repair.changes for name in change.drop),
        "version": next((change.version for change in repair.changes if change.version), None),
    }


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
            "newest_known": newest_before(question.engine, question.release),
            "hardware": question.hardware.id if question.hardware else None,
            "gpus": question.gpus,
            "given": dict(question.given),
            "required": sorted(question.required),
            "assumed": [{"fact": a.fact, "value": _plain(a.value), "because": a.because} for a in found.resolved.assumed],
        },
        "notes": notes(assessor.products.catalog, question),
        "chain": check.chain(found, assessor.ledger),
        "missing": list(answer.missing),
        "provided": list(found.provided),
        "gotchas": check.gotchas(found),
        "command": command(found.resolved, first, recipe_of(assessor.products.catalog, question)),
        "memory": memory.as_data(found.memory, logged(assessor.products, found.resolved)),
        "repairs": [_repair(repair) for repair in answer.repairs],
    }


def unlisted(catalog: Catalog, model: str, engine: str | None, reason: str) -> dict[str, Any]:
    """The answer for a model that is not in the catalog, in the same shape: unknown, for want of the model."""
    found, version = engine_named(catalog, engine) if engine else (None, None)
    release = release_of(found, version) if found else None
    asked = {"model": model, "engine": found and found.id, "version": release and release.version}
    asked["version_assumed"] = release is None or release.assumed
    empty = {"newest_known": None, "hardware": None, "gpus": None, "given": {}, "required": [], "assumed": []}
    return {
        **{"schema_version": 1, "verdict": "unknown", "reason": reason, "grade": None, "confidence": None, "question": asked | empty},
        **{"notes": [], "chain": [], "missing": ["model"], "provided": [], "gotchas": [], "command": None, "memory": None, "repairs": []},
    }


def _print_gotchas(gotchas: list[dict[str, Any]], verbose: bool) -> None:
    """Those met first; of the others the few that matter, and how many are left out."""
    groups = (
        ("Met", [g for g in gotchas if g["state"] == "hit"]),
        ("Can be met, depending on", [g for g in gotchas if g["state"] == "maybe" and (verbose or not g["untested"])]),
        ("Just missed", [g for g in gotchas if g["state"] == "almost" and (verbose or (g["severity"] == "blocker" and g["proven"] and _is_near(g)))]),
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


def _is_near(gotcha: dict[str, Any]) -> bool:
    """Whether more than the format of the weights keeps it away: whoever has other weights knows."""
    return not all(because.startswith("weights.format ") for because in gotcha["because"])


def _print_memory(found: dict[str, Any]) -> None:
    words = (("weights_bytes", "weights"), ("cache_bytes", "cache"), ("available_bytes", "at most left for the cache"), ("device_bytes", "device"))
    shown = ", ".join(f"{label} {format_bytes(max(0, found[name]))}" for name, label in words if found[name] is not None)
    click.echo(f"\nA device: {shown or 'unknown'}" + (f" ({'; '.join(found['missing'])})" if found["missing"] else ""))
    for one in found.get("logged", ())[:3]:
        at = f" at {one['context']:,}" if one["context"] else ""
        value = f"{one['value']:,}" if isinstance(one["value"], (int, float)) else one["value"]
        words = one["metric"].partition(".")[2].replace("_", " ")
        click.echo(f"          a log of such a stack: {words} {value} {one['unit']}{at}, {one['version'] or 'no version said'}  [{one['cites'][0]['id']}]")
    if found["sequences"]:
        longest = f", longest {found['longest_context']:,} tokens" if found["longest_context"] else ""
        click.echo(f"          {found['sequences']:.1f} sequences of that length at once{longest}")


def _too_heavy(found: dict[str, Any] | None) -> bool:
    """Whether the weights alone are more than a device holds."""
    return bool(found) and None not in (found["weights_low_bytes"], found["device_bytes"]) and found["weights_low_bytes"] > found["device_bytes"]


def _is_stuck(data: dict[str, Any]) -> bool:
    """Whether something stands in the way that only a change can clear."""
    return data["verdict"] == "no" or (data["verdict"] == "unknown" and any(gotcha["blocks"] for gotcha in data["gotchas"]))


def _print_repairs(data: dict[str, Any]) -> None:
    """What clears what is met, and whether the answer is known then; and that nothing is known where nothing is."""
    for title, partial in ((CLEARED, False), (PARTLY_CLEARED, True)):
        rows = [repair for repair in data["repairs"] if (repair["verdict"] == "unknown") is partial]
        if rows:
            click.echo(f"\n{title}:")
        for repair in rows:
            click.echo(f"  {', and '.join(repair['changes'])}")
    if not data["repairs"] and _is_stuck(data):
        known = "not all changes were tried, and none of those that were" if "repairs" in data["missing"] else "no change is known that"
        click.echo(f"\nCleared by: {known} clears what stands in the way")


def unjudged(data: dict[str, Any]) -> str | None:
    """Why an answer that lets the stack be says nothing of the memory; None where that was judged, or stands in no one's way."""
    question, memory = data["question"], data["memory"]
    if data["verdict"] not in ("yes", "only-with") or any(hop["hop"] == "memory" for hop in data["chain"]):
        return None
    if question["hardware"] is None:
        return "no hardware was named"
    if memory is None:
        return "the config cannot be read into layers"
    if memory["device_bytes"] is None:
        return f"that of {question['hardware']} is not on record"
    return None if memory["fits"] or "max_model_len" in question["given"] else "no length was asked for"


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def print_data(data: dict[str, Any], verbose: bool = False) -> None:
    """The same answer for people: the verdict first, then why, what bites, and what to do."""
    question = data["question"]
    where = f" on {question['gpus']}x {question['hardware']}" if question["hardware"] else ""
    assumed = " (newest in the catalog)" if question["version_assumed"] else ""
    grade = f"   [{data['grade']} · {data['confidence']:.2f}]" if data["grade"] else ""
    engine = f" on {question['engine']} {question['version']}" if question["engine"] else ""
    silent = unjudged(data)
    memory = f"   (memory was not judged: {silent})" if silent else ""
    click.echo(f"{data['verdict'].upper()}{grade}   {question['model']}{engine}{assumed if engine else ''}{where}{memory}")
    if question["newest_known"]:
        newer = f"{question['engine']} {question['version']} is newer than any release on record (the newest known is {question['newest_known']})"
        click.echo(f"  {newer}: what follows is carried over from there as far as that is safe")
    click.echo(f"  {data['reason']}")
    for note in data["notes"]:
        click.echo(f"  note: {note}")
    if data["verdict"] != "no" and "max_model_len" not in question["given"] and _too_heavy(data["memory"]):
        click.echo("  but the weights do not fit the devices as asked, see below: more --gpus, or a smaller --checkpoint; --context makes memory count")
    click.echo()
    for hop in data["chain"]:
        cite = f"  [{hop['cites'][0]['id']} {hop['cites'][0]['at']}".rstrip() + "]" if hop["cites"] else ""
        click.echo(f"  {hop['hop']:<20} {hop['state']:<8} {hop['finding']}{cite}")
    _print_gotchas(data["gotchas"], verbose)
    if data["memory"]:
        _print_memory(data["memory"])
    _print_repairs(data)
    if data["command"] and (data["repairs"] or not _is_stuck(data)):
        if data["repairs"]:
            click.echo("\nWith the first of these:", nl=False)
        if data["command"]["prepare"]:
            click.echo()
        for step in data["command"]["prepare"]:
            click.echo(f"# {step['why']}\n{shlex.join(step['argv'])}")
        variables = [f"{name}={value}" for name, value in data["command"]["environment"].items()]
        click.echo("\n" + " ".join([*variables, *map(shlex.quote, data["command"]["argv"])]))
        if data["command"].get("image"):
            click.echo(f"  container: {data['command']['image']}   the recipe's own; other hardware can need another")
        for option in data["command"].get("options", ()):
            where = f" Where {option['if']}." if "if" in option else ""
            click.echo(f"  {option['for'] + ':':<10} {shlex.join(option['argv'])}   {option['why']}{where}")
    if data["provided"]:
        click.echo(f"\nSay more to decide: {', '.join(data['provided'])}")
    if data["missing"]:
        click.echo(f"\nMissing in the catalog: {', '.join(data['missing'])}")
