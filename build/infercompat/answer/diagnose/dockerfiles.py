"""Dockerfiles and Ollama's Modelfiles: what an image starts by its ENTRYPOINT and CMD, and a model by its parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from infercompat.answer.diagnose.commands import IN_FRONT, command
from infercompat.answer.diagnose.flags import FlagTable
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.answer.diagnose.words import Flag, Word, command_at, filled
from infercompat.link import Catalog

FROM = re.compile(r"\s*FROM\s+(?:--platform=\S+\s+)?([\w./:@${}-]+)(?:\s+[Aa][Ss]\s+\S+)?\s*$")
STARTED = re.compile(r"\s*(ENTRYPOINT|CMD)\s+(.*)$", re.S)
SET = re.compile(r"\s*(?:ENV|ARG)\s+(.*)$")
PARAMETER = re.compile(r"\s*PARAMETER\s+(\w+)\s+(\S.*?)\s*$")
MODELFILE = re.compile(r"\s*(?:PARAMETER|TEMPLATE|SYSTEM|ADAPTER)\s")
MOST_LINES, MOST_BEFORE = 400, 40


def read(lines: Lines, catalog: Catalog) -> Reading:
    """What the stages of Dockerfiles start, and what Modelfiles set."""
    seen: list[Seen] = []
    taken: set[int] = set()
    places = [place for place in sorted(holding(lines, ("FROM",))) if len(lines[place]) < 400 and FROM.match(lines[place])]
    for place, after in zip(places, [*places[1:], len(lines)][: len(places)], strict=True):
        end = min(after, place + MOST_LINES)
        is_model = any(MODELFILE.match(line) for line in lines[place:end])
        for one, used in (_model if is_model else _image)(lines, place, end, catalog):
            seen.append(one)
            taken.update(used)
    return reading(seen, taken)


def _model(lines: Lines, place: int, end: int, catalog: Catalog) -> Iterator[tuple[Seen, set[int]]]:
    engine = catalog.follow("ollama")
    match = FROM.match(lines[place])
    if engine is not None and match:
        table = FlagTable(engine, catalog)
        set_by = [(PARAMETER.match(lines[number]), number + 1) for number in range(place, end)]
        facts = [one for found, number in set_by if found for one in table.read(Flag(found[1], found[2], number)) if one.kind == "fact"]
        yield Seen("command", engine.id, (Seen("model", "", match[1], place + 1), *facts), place + 1), {place + 1}


def _image(lines: Lines, place: int, end: int, catalog: Catalog) -> Iterator[tuple[Seen, set[int]]]:
    match = FROM.match(lines[place])
    started: dict[str, list[Word]] = {}
    before: dict[str, Word] = {}
    variables: dict[str, Word] = {}
    for number in range(max(0, place - MOST_BEFORE), place):
        if lines[number].lstrip().startswith("ARG "):
            _set(lines, number, before)
    words = [Word(filled(match[1] if match else "", before), place + 1)]
    used = {place + 1}
    for number in range(place + 1, end):
        line = lines[number]
        if (found := STARTED.match(line)) and len(line) < 4000:
            texts, after = command_at(lines, number)
            started[found[1]] = _listed(lines, number, after, found[2]) or texts[1:]
            used.update(range(number + 1, after + 1))
        elif SET.match(line):
            _set(lines, number, variables)
    words += [*started.get("ENTRYPOINT", ()), *started.get("CMD", ())]
    said = command(words, variables, catalog)
    if said is not None and any(part.kind != "fact" or part.name != "container" for part in said.value):
        yield said, used


def _set(lines: Lines, number: int, variables: dict[str, Word]) -> None:
    """Adds what ENV or ARG set in a line, and in those that go on from it."""
    for word in command_at(lines, number)[0]:
        if pair := IN_FRONT.fullmatch(word.text):
            variables[pair[1]] = Word(filled(pair[2], variables), word.line)


def _listed(lines: Lines, number: int, end: int, text: str) -> list[Word]:
    """The words of a JSON list, which may go on over lines that end in a backslash."""
    whole = " ".join([text, *lines[number + 1 : end]]).replace("\\ ", " ").strip()
    try:
        found = json.loads(re.sub(r"\\\s*$", "", whole))
    except ValueError:
        return []
    return [Word(str(word), number + 1) for word in found] if isinstance(found, list) else []
