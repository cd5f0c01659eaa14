"""What a person states in a line of its own: `model: google/gemma-3-27b-it`, `engine: vllm 0.33.0`, `hardware: 2x h100-sxm`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.answer.diagnose.commands import is_model
from infercompat.answer.diagnose.machines import Device
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.link import Catalog

STATED = re.compile(r"\s{0,3}(?:[-*] )?(model|engine|hardware|GPUs?)\s*:\s+[\"']?([\w.@/:+-]+)[\"']?(?:[ ,@=]+v?([\w.+-]+))?,?\s*$")
COUNTED = re.compile(r"\s{0,3}(?:[-*] )?(?:hardware|GPUs?)\s*:\s+(\d{1,4})\s*[x*×]?\s+([\w.-]+(?: [\w.-]+){0,4})\s*$")
WORDS = ("model:", "engine:", "hardware:", "GPU:", "GPUs:", "model :", "engine :", "hardware :")


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The model, the engine with its version and the hardware that lines state."""
    seen: list[Seen] = []
    for place in sorted(holding(lines, WORDS)):
        if len(lines[place]) < 300:
            seen += _of_line(lines[place], place + 1, catalog)
    return reading(seen)


def _of_line(line: str, number: int, catalog: Catalog) -> Iterator[Seen]:
    if match := COUNTED.match(line):
        yield from _devices(match[2], int(match[1]), number, catalog)
    elif match := STATED.match(line):
        what, text, version = match.groups()
        record = catalog.follow(text.partition("@")[0].lower()) if what == "engine" else None
        if what == "model":
            yield from [Seen("model", "", text, number)] if is_model(text) else []
        elif what != "engine":
            yield from _devices(text, 1, number, catalog)
        elif record is not None and record.kind == "engine" and record.data["role"] != "kernel-library":
            yield Seen("engine", record.id, 1, number)
            if said := version or text.partition("@")[2]:
                yield Seen("component", record.id, said, number)


def _devices(name: str, count: int, number: int, catalog: Catalog) -> Iterator[Seen]:
    record = catalog.follow(name.lower().replace(" ", "-"))
    if record is not None and record.kind == "hardware":
        stated = record.data.get("visible_bytes") or record.data.get("memory_bytes")
        name, mebibytes = record.id.replace("-", " "), stated >> 20 if stated else None
        yield from (Seen("device", "", Device(name, str(index), mebibytes), number) for index in range(min(count, 64)))
