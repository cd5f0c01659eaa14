"""Serve commands in pasted text: which engine, which model, and what the flags say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from infercompat.answer.diagnose.flags import FlagTable
from infercompat.answer.diagnose.redact import redact
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, reading
from infercompat.answer.diagnose.words import Flag, Word, command_at, expand, flags, is_flag, until_operator
from infercompat.link import Catalog


class Program(NamedTuple):
    """The words that start an engine, its id, and the flags that name the model; the first word that is no flag names it, too.

    `others` are the engines that --backend starts instead.
    """

    words: tuple[str, ...]
    engine: str
    model_flags: tuple[str, ...] = ("--model",)
    others: Mapping[str, str] = {}


_PATHS = {"pytorch": "lmdeploy-pytorch"}
_LLAMA_MODEL = ("--model", "-m", "-hf", "-hfr", "--hf-repo", "-mu", "--model-url")
PROGRAMS = (
    Program(("vllm", "serve"), "vllm", ("--model", "--model-tag")),
    Program(("vllm.entrypoints.openai.api_server",), "vllm"),
    Program(("vllm.entrypoints.api_server",), "vllm"),
    Program(("sglang.launch_server",), "sglang", ("--model-path", "--model")),
    Program(("sglang", "serve"), "sglang", ("--model-path", "--model")),
    Program(("trtllm-serve", "serve"), "tensorrt-llm"),
    Program(("trtllm-serve",), "tensorrt-llm"),
    Program(("llama-server",), "llama.cpp", _LLAMA_MODEL),
    Program(("llama-cli",), "llama.cpp", _LLAMA_MODEL),
    Program(("mlx_lm.server",), "mlx-lm"),
    Program(("mlx_lm.generate",), "mlx-lm"),
    Program(("mlx_lm", "server"), "mlx-lm"),
    Program(("mlx_lm", "generate"), "mlx-lm"),
    Program(("ollama", "run"), "ollama"),
    Program(("lmdeploy", "serve", "api_server"), "lmdeploy-turbomind", others=_PATHS),
    Program(("lmdeploy", "serve"), "lmdeploy-turbomind", others=_PATHS),
)
IMAGES = (
    ("vllm/vllm-openai", "vllm serve"),
    ("rocm/vllm", ""),
    ("intel/llm-scaler-vllm", ""),
    ("lmsysorg/sglang", ""),
    ("tensorrt-llm/release", ""),
    ("ggml-org/llama.cpp", "llama-server"),
    ("openmmlab/lmdeploy", ""),
)
"""Images of engines and the program that is their entry point; where there is none the command names it."""

STARTS = (
    *("vllm serve", "vllm.entrypoints.", "sglang.launch_server", "sglang serve", "trtllm-serve", "llama-server", "llama-cli"),
    *("mlx_lm.", "mlx_lm server", "mlx_lm generate", "ollama run", "lmdeploy serve", "docker run", "podman run", "nerdctl run"),
)
"""What a line must hold for a command to be looked for."""
ASSIGNMENT = re.compile(r"\s*(?:[$>#]\s+)?(?:(?:export|set|ENV)\s+)?([A-Za-z_]\w*)=(?:\"([^\"]*)\"|'([^']*)'|([^\s\\;]*))\s*\\?;?\s*$")
IN_FRONT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.S)
VERSION = re.compile(r"v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev|a|b)\d+)*)")
MODEL = re.compile(r"(?:[~/$.]|[A-Za-z]:\\)?[\w.][^\s'\"<>|]*")
MOST_COMMANDS = 50


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The serve commands of a text, each with all that it says, as one thing seen."""
    seen: list[Seen] = []
    taken: set[int] = set()
    variables: dict[str, Word] = {}
    number, tried = 0, 0
    while number < len(lines):
        line = lines[number]
        if tried < MOST_COMMANDS and starts(line):
            tried += 1
            words, end = command_at(lines, number)
            found = command(words, variables, catalog)
            if found is not None:
                seen.append(found)
                taken.update(range(number + 1, end + 1))
                number = end
                continue
        if "=" in line and len(line) < 500 and (match := ASSIGNMENT.match(line)):
            variables[match[1]] = Word(next(group for group in match.groups()[1:] if group is not None), number + 1)
        number += 1
    return reading(seen, taken)


def starts(line: str) -> bool:
    return any(start in line for start in STARTS)


def command(words: Sequence[Word], variables: Mapping[str, Word], catalog: Catalog) -> Seen | None:
    """What a command says; None where it starts no engine or is a mention in a sentence."""
    known = {name: word.text for name, word in variables.items()}
    words = expand(_unwrapped(words), known)
    program, start = _program(words)
    image, at = _image(words[:start] if program else words)
    if program is None and image:
        entry = next(entry for name, entry in IMAGES if name in image.text)
        program = next((program for program in PROGRAMS if " ".join(program.words) == entry), None)
        start = at + 1
    if program is None:
        return None
    arguments = until_operator(words[start:])
    program = _by_argument(program, arguments)
    environment = {**variables, **_environment(words[: start if image is None else at + 1])}
    said = list(_arguments(program, arguments, environment, catalog)) + (list(_of_image(program, image)) if image else [])
    if not any(seen.kind == "model" for seen in said) and not any(is_flag(word.text) for word in arguments):
        return None
    return Seen("command", program.engine, tuple(said), words[max(start - 1, 0)].line)


def _by_argument(program: Program, arguments: Sequence[Word]) -> Program:
    """The program with the engine that --backend names instead of its own."""
    named = (flag.value for flag in flags(arguments, lambda name: False)[0] if flag.name == "--backend")
    return program._replace(engine=program.others.get(str(next(named, "")), program.engine))


def _unwrapped(words: Sequence[Word]) -> list[Word]:
    """The words with the script behind `bash -c` taken apart."""
    for index, word in enumerate(words[:-1]):
        inner = words[index + 1]
        if word.text in ("-c", "-lc", "-ec") and index and re.search(r"(?:^|/)(?:ba|z|da)?sh$", words[index - 1].text) and " " in inner.text:
            lines = inner.text.split("\n")
            first = next((number for number, line in enumerate(lines) if starts(line)), 0)
            return [*words[:index], *(Word(found.text, found.line + inner.line - 1) for found in command_at(lines, first)[0])]
    return list(words)


def _program(words: Sequence[Word]) -> tuple[Program | None, int]:
    """The program that the words start, and the index of its first argument."""
    names = [re.split(r"[/\\]", word.text.strip("`'\""))[-1].removesuffix(".exe") for word in words]
    for index in range(len(names)):
        for program in PROGRAMS:
            end = index + len(program.words)
            if tuple(names[index:end]) == program.words:
                return program, end
    return None, 0


def _image(words: Sequence[Word]) -> tuple[Word | None, int]:
    return next(((word, index) for index, word in enumerate(words) if any(name in word.text for name, _ in IMAGES)), (None, 0))


def _environment(words: Sequence[Word]) -> dict[str, Word]:
    """Variables in front of a command, and those that `-e` and `--env` give to a container."""
    pairs = ((IN_FRONT.fullmatch(word.text.removeprefix("--env=")), word) for word in words)
    return {match[1]: Word(match[2], word.line) for match, word in pairs if match}


def _arguments(program: Program, words: Sequence[Word], environment: Mapping[str, Word], catalog: Catalog) -> Iterator[Seen]:
    record = catalog.follow(program.engine)
    table = FlagTable(record, catalog) if record and record.kind == "engine" else None
    found, between = flags(words, table.bare if table else lambda name: False)
    found = [replace(flag, value=_clean(flag)) for flag in found]
    named = next((flag for flag in found if flag.name in program.model_flags and flag.value), None)
    first = next((word for word in between if is_model(word.text)), None)
    if named is not None or first is not None:
        yield Seen("model", "", str(named.value), named.line) if named else Seen("model", "", first.text.rstrip("`.,;)"), first.line)
    said: list[Seen] = []
    for flag in found:
        if flag is not named:
            said += table.read(flag) if table else [Seen("flag", flag.name, flag.value, flag.line)]
    if table is not None:
        for name in sorted(table.variables & set(environment)):
            said += table.read(Flag(name, environment[name].text, environment[name].line))
    yield from said
    if program.engine == "vllm" and not any(seen.name == "speculation.method" for seen in said):
        yield from _method(found)


def _clean(flag: Flag) -> Any:
    """A flag's value without the secret that a variable may have brought in."""
    return redact(f"{flag.name} {flag.value}").removeprefix(f"{flag.name} ") if isinstance(flag.value, str) else flag.value


def _method(found: Sequence[Flag]) -> Iterator[Seen]:
    """The method that vLLM takes from the draft, where a command names the draft and no method."""
    for flag in found:
        if flag.name.endswith("speculative-config.model") and flag.value:
            name = str(flag.value).lower()
            method = next((word for word in ("eagle3", "eagle", "dflash", "mtp", "assistant") if word in name), "draft_model")
            method = "mtp" if method == "assistant" else method
            yield Seen("fact", "speculation.method", method, flag.line)
            yield Seen("note", "speculation.method", f"no method is named: {method}, by the name of the draft", flag.line)


def _of_image(program: Program, image: Word) -> Iterator[Seen]:
    """The container, and the version that its tag gives."""
    yield Seen("fact", "container", image.text, image.line)
    tag = image.text.partition("@")[0].rpartition("/")[2].partition(":")[2]
    version = VERSION.match(tag)
    if version:
        yield Seen("component", program.engine, version[1], image.line)
    elif tag and tag not in ("latest", "nightly", "dev", "main", "server", "server-cuda", "full-cuda"):
        yield Seen("component", program.engine, build[0] if (build := re.search(r"\bb\d{3,}\b", tag)) else tag, image.line)


def is_model(text: str) -> bool:
    """Whether a word can be a hub id, a path or a model's name, and not a word of a sentence."""
    return bool(MODEL.fullmatch(text)) and bool(re.search(r"[/\\\d:~$]|-\w|\.gguf", text)) and not re.fullmatch(r"[\d.:]+[.,]?", text)
