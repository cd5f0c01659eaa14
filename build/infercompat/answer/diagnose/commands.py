"""Serve commands in pasted text: which engine, which model, and what the flags say."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from infercompat.answer.diagnose.flags import FlagTable, normal, plain
from infercompat.answer.diagnose.packages import PINNED
from infercompat.answer.diagnose.programs import CONTAINERS, IMAGES, PROGRAMS, STARTS, Program
from infercompat.answer.diagnose.redact import cleaned
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.answer.diagnose.spellings import BY_NAME, DRAFTS, METHODS, REFUSE_TWICE
from infercompat.answer.diagnose.words import Flag, Word, array_at, command_at, comment_inside, expand, filled, flags, is_flag, until_operator
from infercompat.link import Catalog

ASSIGNMENT = re.compile(
    r"\s*(?:[$>#]\s+)?(?:(?:export|set|ENV)\s+|Environment=[\"']?)?([A-Za-z_]\w*)=(?: (?=[\w-]+/))?"
    r"(?:\"([^\"]*)\"|'([^']*)'|([^\s\\;\"']*))[\"']?\s*\\?;?\s*(?:\s#.*)?$"
)
SHELL = re.compile(r"(?:^|[/\\])(?:(?:ba|z|da)?sh|cmd|powershell|pwsh)(?:\.exe)?$")
ASKING = ("--version", "--help", "-h")
"""Flags with which a program starts nothing."""
IN_FRONT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.S)
VERSION = re.compile(r"(?:.*vllm[_-])?v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev|a|b)\d+)*)")
BUILD = re.compile(r"\bb\d{3,}\b")
MOVING = re.compile(r"(?:latest|nightly|dev|main|server|full|light|cuda|rocm|gpu|sha-\w+)(?:[-_.].*)?")
"""Tags that name no version: what they mean moves on, or is a commit."""
MODEL = re.compile(r"(?:[~/$.]|[A-Za-z]:\\)?[\w.][^\s'\"<>|]*")
MOST_COMMANDS = 50
MODEL_FLAGS = frozenset(normal(flag) for program in PROGRAMS for flag in program.model_flags if flag.startswith("--"))
QUOTES, BACKSLASH = "`'\"", "\\"


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The serve commands of a text, each with all that it says, as one thing seen."""
    seen: list[Seen] = []
    taken: set[int] = set()
    variables: dict[str, Word] = {}
    number, tried, arrays = 0, 0, 0
    inside: Word | None = None
    begun = holding(lines, STARTS)
    while number < len(lines):
        line = lines[number]
        if tried < MOST_COMMANDS and number in begun:
            tried += 1
            words, end = command_at(lines, number)
            found = command(words, variables, catalog, inside)
            if found is None and any(word.text in CONTAINERS for word in words):
                inside = _image(words)[0] or inside
            if found is not None:
                seen.append(found)
                if comment := comment_inside(lines, number, end):
                    seen.append(
                        Seen("note", "command", "a comment stands between the flags: a shell ends the command there, and those below are not given", comment)
                    )
                taken.update(range(number + 1, end + 1))
                number = end
                continue
            seen += _unknown(words)
        arrays += "=(" in line
        if "=(" in line and len(line) < 500 and arrays <= MOST_COMMANDS and (array := array_at(lines, number)):
            before = f"{variables[array[0]].text} " if "+=(" in line and array[0] in variables else ""
            variables[array[0]] = Word(before + array[1], number + 1)
        elif "=" in line and len(line) < 500 and (match := ASSIGNMENT.match(line)):
            text = next(group for group in match.groups()[1:] if group is not None)
            variables[match[1]] = Word(text if match[3] is not None else filled(text, variables), number + 1)  # single quotes keep their dollars
        number += 1
    return reading(seen, taken)


def starts(line: str) -> bool:
    return any(start in line for start in STARTS)


def command(words: Sequence[Word], variables: Mapping[str, Word], catalog: Catalog, inside: Word | None = None) -> Seen | None:
    """What a command says; None where it starts no engine or is a mention in a sentence.

    `inside` is the image of a container that was started before, with a shell: what follows runs in it.
    """
    words = _unwrapped(words)
    variables = {**variables, **_set_before(words)}
    words = expand(words, variables)
    program, start = _program(words)
    image, at = _image(words[:start] if program else words)
    if program is None and image:
        entry = next(entry for name, entry in IMAGES if name in image.text)
        program = next((program for program in PROGRAMS if " ".join(program.words) == entry), None)
        start = at + 1
    if program is None:
        return None
    arguments = until_operator(words[start:])
    if any(word.text in ASKING for word in arguments):
        return None
    if image is None and inside is not None:
        image, words, start, at = inside, [inside, *words], start + 1, 0
    program = _by_words(program, words[:start], arguments)
    environment = {**variables, **_environment(words[: start if image is None else at + 1])}
    said = (
        list(_pinned(program, words[:start])) + list(_arguments(program, arguments, environment, catalog)) + (list(_of_image(program, image)) if image else [])
    )
    if not said and not any(is_flag(word.text) for word in arguments):
        return None
    return Seen("command", program.engine, tuple(said), words[max(start - 1, 0)].line)


def _set_before(words: Sequence[Word]) -> dict[str, Word]:
    """Variables that a line sets before its command: `MODEL=a/b; vllm serve $MODEL`."""
    pairs = ((IN_FRONT.fullmatch(word.text.removesuffix(";")), word, after.text) for word, after in itertools.pairwise(words))
    return {match[1]: Word(match[2], word.line) for match, word, after in pairs if match and (word.text.endswith(";") or after in ("&&", ";"))}


def _unknown(words: Sequence[Word]) -> list[Seen]:
    """What is said of a container that serves a model and is of no engine on record; nothing of any other command."""
    models = [word for word in words if normal(word.text.partition("=")[0]) in MODEL_FLAGS and is_flag(word.text)]
    if not models or not any(word.text in CONTAINERS for word in words):
        return []
    return [Seen("note", "command", "a container is started that shows no engine on record: its command is not understood", models[0].line)]


def _by_words(program: Program, before: Sequence[Word], arguments: Sequence[Word]) -> Program:
    """The program with the engine that a word or a flag means instead of its own."""
    texts = [*(word.text for word in before), *(f"{flag.name}={flag.value}" for flag in flags(arguments, lambda name: False)[0])]
    named = (engine for pattern, engine in program.others.items() if any(re.match(pattern, text) for text in texts))
    return program._replace(engine=next(named, program.engine))


def _unwrapped(words: Sequence[Word]) -> list[Word]:
    """The words with the script behind `bash -c` taken apart."""
    for index, word in enumerate(words[:-1]):
        inner = words[index + 1]
        if word.text in ("-c", "-lc", "-ec", "/c", "/k", "-Command") and index and SHELL.search(words[index - 1].text) and " " in inner.text:
            lines = inner.text.split("\n")
            first = next((number for number, line in enumerate(lines) if starts(line)), 0)
            return [*words[:index], *(Word(found.text, found.line + inner.line - 1) for found in command_at(lines, first)[0])]
    return list(words)


def _program(words: Sequence[Word]) -> tuple[Program | None, int]:
    """The program that the words start, and the index of its first argument: the first that has one, as `cd ovms && ovms --x` has two."""
    paths = [f"/{word.text.strip(QUOTES).replace(BACKSLASH, '/').removesuffix('.exe')}" for word in words]
    found = ((program, index + len(program.words)) for index in range(len(paths)) for program in PROGRAMS if _starts(program, paths[index:]))
    met = list(itertools.islice(found, MOST_COMMANDS))
    return next((one for one in met if until_operator(words[one[1] :])), met[0] if met else (None, 0))


def _starts(program: Program, paths: Sequence[str]) -> bool:
    return len(program.words) <= len(paths) and all(path.endswith(f"/{word}") for path, word in zip(paths, program.words, strict=False))


def _image(words: Sequence[Word]) -> tuple[Word | None, int]:
    return next(((word, index) for index, word in enumerate(words) if any(name in word.text for name, _ in IMAGES)), (None, 0))


def _environment(words: Sequence[Word]) -> dict[str, Word]:
    """Variables in front of a command, and those that `-e` and `--env` give to a container."""
    pairs = ((IN_FRONT.fullmatch(word.text.removeprefix("--env=")), word) for word in words)
    return {match[1]: Word(match[2], word.line) for match, word in pairs if match}


def _arguments(program: Program, words: Sequence[Word], environment: Mapping[str, Word], catalog: Catalog) -> Iterator[Seen]:
    record = catalog.follow(program.engine)
    table = FlagTable(record, catalog) if record and record.kind == "engine" else None
    naming = {normal(name) for name in program.model_flags}
    found, between = flags(words, lambda name: table is not None and normal(name) not in naming and table.bare(name))
    found = [clean(flag) for flag in found]
    named = _named(program, [flag for flag in found if normal(flag.name) in naming and flag.value])
    first = (Flag("", word.text.rstrip("`.,;)"), word.line) for word in between if is_model(word.text))
    stated = (Flag(name, environment[name].text, environment[name].line) for name in program.model_flags if name in environment)
    model = named or next(first, None) or next(stated, None)
    if model is not None:
        yield Seen("model", "", str(model.value), model.line)
    given = [flag for flag in found if flag is not named and not (named and flag.value and normal(flag.name) == normal(named.name))]
    if table is None:
        yield from (Seen("flag", flag.name, flag.value, flag.line) for flag in given)
        return
    names = [(name, written) for name in sorted(set(environment).difference(program.model_flags)) if (written := table.variable(name))]
    stated = [clean(Flag(written, environment[name].text, environment[name].line)) for name, written in names]
    given = _whole(given)
    said = list(_counting(given, stated, program, table))
    yield from said
    if not any(seen.name == "speculation.method" for seen in said):
        yield from _method(program.engine, [*given, *stated])


def _named(program: Program, naming: Sequence[Flag]) -> Flag | None:
    """The flag that names the model: the last of its spelling, as parsers take it, and the first for `vllm serve`, which puts that one in front."""
    alike = [flag for flag in naming if normal(flag.name) == normal(naming[0].name)]
    return next(iter(alike if program.words == ("vllm", "serve") else reversed(alike)), None)


def _whole(given: Sequence[Flag]) -> list[Flag]:
    """The flags without those of a JSON value that counts no more: a later one stands in its place whole, and so do keys written as flags of their own."""
    roots = [normal(flag.name).partition(".")[0] for flag in given]
    dotted = {root for root, flag in zip(roots, given, strict=True) if flag.place < 0 and "." in flag.name}
    last = {root: flag.place for root, flag in zip(roots, given, strict=True) if flag.place >= 0}
    return [flag for root, flag in zip(roots, given, strict=True) if flag.place < 0 or (flag.place == last[root] and root not in dotted)]


def _counting(given: Sequence[Flag], stated: Sequence[Flag], program: Program, table: FlagTable) -> Iterator[Seen]:
    """What counts of what flags say: of one fact the last, but before all a flag that fixes it. Variables count where no flag speaks."""
    last = {normal(flag.name).removeprefix("no-"): flag for flag in given}
    held = [(table.fixes(flag.name), flag) for flag in given]
    read = [(fixes, one) for fixes, flag in held if not fixes or last[normal(flag.name)] is flag for one in table.read(flag)]
    beside = [one for flag in stated for one in table.read(flag)]
    counting = {one.name: one for one in (*beside, *(one for fixes, one in read if not fixes), *(one for fixes, one in read if fixes)) if one.kind == "fact"}
    yield from (one for one in (*(one for _, one in read), *beside) if one.kind != "fact" or counting[one.name] is one)
    for name, one in counting.items():
        said = [other for _, other in read if other.kind == "fact" and other.name == name]
        if any(other.value != one.value for other in said):
            counts = "its parser refuses that" if program.engine in REFUSE_TWICE else f"{plain(one.value)} counts"
            yield Seen("note", name, f"{name} is said twice: {counts}", one.line)


def clean(flag: Flag) -> Flag:
    """A flag without the secret that a variable may have brought into its value."""
    return replace(flag, value=cleaned(flag.value, flag.name))


def _method(engine: str, given: Sequence[Flag]) -> Iterator[Seen]:
    """The method that an engine takes from the draft, where a command names the draft and no method."""
    for flag in given:
        if normal(flag.name) in DRAFTS.get(engine, ()) and flag.value:
            named = (method for word, method in METHODS.items() if engine in BY_NAME and word in str(flag.value).lower())
            method = next(named, "draft_model")
            yield Seen("fact", "speculation.method", method, flag.line)
            yield Seen("note", "speculation.method", f"no method is named: {method}, by the name of the draft", flag.line)


def _pinned(program: Program, words: Sequence[Word]) -> Iterator[Seen]:
    """The version that a launcher is told to take: `uvx --from vllm==0.11.0 vllm serve …`."""
    for word in words:
        if match := PINNED.search(word.text):
            yield from [Seen("component", program.engine, match[2], word.line)] if match[1].lower() == program.engine else []


def _of_image(program: Program, image: Word) -> Iterator[Seen]:
    """The container, and the version that its tag gives."""
    yield Seen("fact", "container", image.text, image.line)
    tag = image.text.partition("@")[0].rpartition("/")[2].partition(":")[2]
    version = VERSION.match(tag)
    if version:
        yield Seen("component", program.engine, version[1], image.line)
    elif build := BUILD.search(tag):
        yield Seen("component", program.engine, build[0], image.line)
    elif tag and not MOVING.fullmatch(tag):
        yield Seen("component", program.engine, tag, image.line)


def is_model(text: str) -> bool:
    """Whether a word can be a hub id, a path or a model's name, and not a word of a sentence."""
    return bool(MODEL.fullmatch(text)) and bool(re.search(r"[/\\\d:~$]|-\w|\.gguf", text)) and not re.fullmatch(r"[\d.:]+[.,]?", text)
