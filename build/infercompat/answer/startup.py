"""What an engine says of its cache when it starts on given devices: weights and the engine's own share leave an interval of memory.

The memory is worked out as for `check`; the figures at both ends are the engine's own, in the words of its log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from infercompat.allocate import Allocation, allocate
from infercompat.answer.asking import devices, file_of, unlisted_model
from infercompat.answer.cache import Subject
from infercompat.answer.check import Assessor
from infercompat.answer.engine_cache import Asked, request
from infercompat.answer.facts import resolve
from infercompat.answer.memory import Memory, memory, settings_of
from infercompat.answer.observed import seen
from infercompat.answer.question import Question, Refused, hardware_of
from infercompat.derive import Unknown
from infercompat.units import format_bytes

NUMBER = re.compile(r"([0-9](?:[0-9.,]*[0-9])?)")
ENDS = ("at least", "at most")


class Start(Struct, frozen=True):
    """An engine that starts on devices: how the model is served there, and the memory of one of them."""

    how: Asked
    question: Question
    found: Memory


def start(assessor: Assessor, subject: Subject, how: Asked, dtype: str, options: Mapping[str, Any]) -> Start | None:
    """None for a model whose layers cannot be read. Raises Refused for devices, a checkpoint or settings that cannot be.

    Options: hardware (a name), gpus, weights (bytes of one device), checkpoint.
    """
    if isinstance(subject.derived, Unknown):
        return None
    catalog = assessor.products.catalog
    model = subject.record or unlisted_model(subject, subject.name, subject.name)
    given = {"cache.dtype": dtype} if dtype != "bf16" else {}
    given |= {name: value for name, value in (how.settings or {}).items() if not name.startswith("hardware.")}
    given |= {"tensor_parallel": how.tensor_parallel} if how.tensor_parallel else {}
    given |= {"max_model_len": how.max_model_len} if how.max_model_len else {}
    checkpoint = options.get("checkpoint")
    if checkpoint and checkpoint.lower().partition(":")[0] not in {entry["hub"].lower() for entry in model.data["checkpoints"]}:
        known = ", ".join(dict.fromkeys(entry["hub"] for entry in model.data["checkpoints"])) or "none"
        raise Refused(f"the record of {model.id} has no checkpoint {checkpoint}; it lists {known}")
    gpus, hardware = devices(options.get("gpus") or 1, given), hardware_of(catalog, options["hardware"])
    question = Question(model, subject.derived, how.engine, how.release, hardware, gpus, given, checkpoint=checkpoint or file_of(model))
    resolved = resolve(question, catalog)
    logged = seen(assessor.products, resolved)
    found = memory(resolved, assessor.overhead(how.engine.id), logged, options.get("weights"))
    if found is None:
        return None
    ranks = int(resolved.facts.get("tensor_parallel") or 1)
    return Start(replace(how, tensor_parallel=ranks, settings=settings_of(resolved.facts), config=subject.values), question, found)


def startup_part(start: Start, architecture: str | None, dtype: str) -> dict[str, Any]:
    """The `startup` object: figures of one device at both ends of the memory that is left; the lower end is null where no log bounds it."""
    question, found = start.question, start.found
    low, high = found.available or (None, None)
    answers = [_with(start, architecture, dtype, size) for size in (low, high)]
    missing = [*found.why, *(["the weights of the draft"] if start.how.draft is not None else [])]
    return {
        "hardware": question.hardware.id if question.hardware else None,
        "gpus": question.gpus,
        "device_bytes": found.total,
        "weights_bytes": [found.weights_low, found.weights],
        "available_bytes": [low, high],
        **{name: [None if answer is None else getattr(answer, name) for answer in answers] for name in ("capacity_tokens", "max_concurrency", "longest")},
        "log_lines": [None if answer is None else list(answer.log_lines()) for answer in answers],
        "from_log": found.seen is not None and low is not None and low == high,
        "missing": missing,
    }


def _with(start: Start, architecture: str | None, dtype: str, available: int | None) -> Allocation | None:
    if available is None or available <= 0 or isinstance(start.question.derived, Unknown):
        return None
    how = start.how
    answer = allocate(how.engine.data, how.release.version, request(start.question.derived, architecture, dtype, replace(how, available_bytes=available)))
    return answer if isinstance(answer, Allocation) else None


def between(low: Sequence[str], high: Sequence[str]) -> Iterator[str]:
    """The lines of both ends in one, with "a to b" where a number differs; apart where they say different things."""
    pairs = [(NUMBER.split(one), NUMBER.split(other)) for one, other in zip(low, high, strict=False)]
    if len(low) != len(high) or any(one[::2] != other[::2] for one, other in pairs):
        for end, lines in zip(ENDS, (low, high), strict=True):
            yield from (f"{line} ({end})" for line in lines)
        return
    for one, other in pairs:
        yield "".join(left if left == right else f"{left} to {right}" for left, right in zip(one, other, strict=True))


def print_startup(found: Mapping[str, Any]) -> None:
    """The same for people."""
    low, high = found["available_bytes"]
    click.echo(f"\nstarted on {found['gpus']}x {found['hardware']}, a device")
    if found["weights_bytes"][1] is not None:
        of_device = "" if found["device_bytes"] is None else f" of {format_bytes(found['device_bytes'])}"
        click.echo(f"weights {_interval(found['weights_bytes'], format_bytes)}{of_device}")
    if high is not None and high <= 0:
        click.echo("left    nothing for the cache: the weights do not leave room on such a device")
    elif high is not None:
        source = ", as a log of this stack says" if found["from_log"] else ""
        click.echo(f"left    {_interval([None if low is None else max(0, low), high], format_bytes)} for the cache{source}")
    if found["capacity_tokens"][1] is not None:
        click.echo(f"holds   {_interval(found['capacity_tokens'], '{:,}'.format)} tokens")
    if found["max_concurrency"][1] is not None:
        click.echo(f"        {_interval(found['max_concurrency'], '{:.2f}'.format)} sequences of the longest length at once")
    least, most = found["log_lines"]
    if most is not None:
        for line in between(least, most) if least is not None else (f"{line} (at most)" for line in most):
            click.echo(f"it logs: {line}")
    if found["missing"]:
        click.echo(f"more would follow from: {'; '.join(found['missing'])}")


def _interval(ends: Sequence[Any], words: Any) -> str:
    low, high = ends
    if low is None:
        return f"at most {words(high)}"
    return words(high) if words(low) == words(high) else f"{words(low)} to {words(high)}"
