"""Serve commands in pasted text: which engine, which model, and what the flags say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from infercompat.answer.diagnose.flags import FlagTable, normal
from infercompat.answer.diagnose.redact import redact
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, reading
from infercompat.answer.diagnose.spellings import BY_NAME, DRAFTS, METHODS
from infercompat.answer.diagnose.words import Flag, Word, command_at, expand, flags, is_flag, until_operator
from infercompat.link import Catalog


class Program(NamedTuple):
    """The words that start an engine, its id, and the flags and variables that name the model; the first word that is no flag names it, too.

    `others` are engines that the same program starts, by a pattern of a word up to the program (its path, an image) or of a flag with its value.
    """

    words: tuple[str, ...]
    engine: str
    model_flags: tuple[str, ...] = ("--model",)
    others: Mapping[str, str] = {}


_VLLM = {
    **{r"\S*vllm-ascend": "vllm-ascend", r"\S*vllm-(?:gaudi|hpu)": "vllm-gaudi", r"\S*vllm-metal": "vllm-metal"},
    r"\S*vllm-tpu": "tpu-inference",
}
_SGLANG = {r"--kt-": "ktransformers"}
_SGLANG_MODEL = ("--model-path", "--model")
_LLAMA = {r"(?:-mla|-amb|-fmoe|-no-fmoe|-rtr|-ger|-ser|-khad|-vhad|-smgs|--mla-use|--run-time-repack|--k-cache-hadamard)=|\S*ik_llama": "ik-llama.cpp"}
_LLAMA_MODEL = ("--model", "-m", "-hf", "-hfr", "--hf-repo", "-mu", "--model-url", "LLAMA_ARG_MODEL", "LLAMA_ARG_HF_REPO", "LLAMA_ARG_MODEL_URL")
_LMDEPLOY = {r"--backend=pytorch": "lmdeploy-pytorch"}
PROGRAMS = (
    Program(("vllm", "serve"), "vllm", ("--model", "--model-tag"), _VLLM),
    Program(("vllm.entrypoints.openai.api_server",), "vllm", others=_VLLM),
    Program(("vllm.entrypoints.api_server",), "vllm", others=_VLLM),
    Program(("sglang.launch_server",), "sglang", _SGLANG_MODEL, _SGLANG),
    Program(("sglang", "serve"), "sglang", _SGLANG_MODEL, _SGLANG),
    Program(("kt", "run"), "ktransformers", ("--model-path",)),
    Program(("ktransformers/server/main.py",), "ktransformers", ("--model_path",)),
    Program(("ktransformers.local_chat",), "ktransformers", ("--model_path",)),
    Program(("trtllm-serve", "serve"), "tensorrt-llm"),
    Program(("trtllm-serve",), "tensorrt-llm"),
    Program(("llama-server",), "llama.cpp", _LLAMA_MODEL, _LLAMA),
    Program(("llama-cli",), "llama.cpp", _LLAMA_MODEL, _LLAMA),
    *(Program((f"mlx_lm.{verb}",), "mlx-lm") for verb in ("server", "generate")),
    *(Program(("mlx_lm", verb), "mlx-lm") for verb in ("server", "generate")),
    *(Program((f"mlx_vlm.{verb}",), "mlx-vlm") for verb in ("server", "generate")),
    *(Program(("mlx_vlm", verb), "mlx-vlm") for verb in ("server", "generate")),
    *(Program(("ollama", verb), "ollama") for verb in ("serve", "run")),
    Program(("lmdeploy", "serve", "api_server"), "lmdeploy-turbomind", others=_LMDEPLOY),
    Program(("lmdeploy", "serve"), "lmdeploy-turbomind", others=_LMDEPLOY),
    Program(("text-generation-launcher",), "tgi", ("--model-id", "MODEL_ID")),
    Program(("mlc_llm", "serve"), "mlc-llm"),
    Program(("ovms",), "openvino-genai", ("--source_model", "--model_path", "--model_name")),
    Program(("optimum-cli", "export", "openvino"), "optimum-intel", ("--model", "-m")),
    Program(("transformers", "serve"), "transformers", ("--force-model", "--model")),
    Program(("tabbyAPI/main.py",), "exllamav3", ("--model-name",)),
)
IMAGES = (
    ("vllm/vllm-openai", "vllm serve"),
    ("vllm/vllm-tpu", ""),
    ("rocm/vllm", ""),
    ("intel/llm-scaler-vllm", ""),
    ("ascend/vllm-ascend", ""),
    ("lmsysorg/sglang", ""),
    ("tensorrt-llm/release", ""),
    ("ggml-org/llama.cpp", "llama-server"),
    ("openmmlab/lmdeploy", ""),
    ("huggingface/text-generation-inference", "text-generation-launcher"),
    ("ollama/ollama", "ollama serve"),
    ("openvino/model_server", "ovms"),
    ("theroyallab/tabbyapi", "tabbyAPI/main.py"),
)
"""Images of engines whose tag is the engine's version, and the program that is their entry point; where there is none the command names it."""

STARTS = (*(" ".join(program.words) for program in PROGRAMS), *(f"{tool} run" for tool in ("docker", "podman", "nerdctl")))
"""What a line must hold for a command to be looked for."""
ASSIGNMENT = re.compile(
    r"\s*(?:[$>#]\s+)?(?:(?:export|set|ENV)\s+|Environment=[\"']?)?([A-Za-z_]\w*)=(?:\"([^\"]*)\"|'([^']*)'|([^\s\\;\"']*))[\"']?\s*\\?;?\s*$"
)
IN_FRONT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.S)
VERSION = re.compile(r"(?:.*vllm[_-])?v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev|a|b)\d+)*)")
BUILD = re.compile(r"\bb\d{3,}\b")
MOVING = re.compile(r"(?:latest|nightly|dev|main|server|full|light|cuda|rocm|gpu|sha-\w+)(?:[-_.].*)?")
"""Tags that name no version: what they mean moves on, or is a commit."""
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
    program = _by_words(program, words[:start], arguments)
    environment = {**variables, **_environment(words[: start if image is None else at + 1])}
    said = list(_arguments(program, arguments, environment, catalog)) + (list(_of_image(program, image)) if image else [])
    if not said and not any(is_flag(word.text) for word in arguments):
        return None
    return Seen("command", program.engine, tuple(said), words[max(start - 1, 0)].line)


def _by_words(program: Program, before: Sequence[Word], arguments: Sequence[Word]) -> Program:
    """The program with the engine that a word or a flag means instead of its own."""
    texts = [*(word.text for word in before), *(f"{flag.name}={flag.value}" for flag in flags(arguments, lambda name: False)[0])]
    named = (engine for pattern, engine in program.others.items() if any(re.match(pattern, text) for text in texts))
    return program._replace(engine=next(named, program.engine))


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
    paths = [word.text.strip("`'\"").replace("\\", "/").removesuffix(".exe") for word in words]
    for index in range(len(paths)):
        for program in PROGRAMS:
            end = index + len(program.words)
            if end <= len(paths) and all(f"/{path}".endswith(f"/{word}") for path, word in zip(paths[index:end], program.words, strict=True)):
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
    naming = {normal(name) for name in program.model_flags}
    found, between = flags(words, lambda name: table is not None and normal(name) not in naming and table.bare(name))
    found = [_clean(flag) for flag in found]
    named = next((flag for flag in found if normal(flag.name) in naming and flag.value), None)
    first = (Flag("", word.text.rstrip("`.,;)"), word.line) for word in between if is_model(word.text))
    stated = (Flag(name, environment[name].text, environment[name].line) for name in program.model_flags if name in environment)
    model = named or next(first, None) or next(stated, None)
    if model is not None:
        yield Seen("model", "", str(model.value), model.line)
    given = [flag for flag in found if flag is not named]
    if table is None:
        yield from (Seen("flag", flag.name, flag.value, flag.line) for flag in given)
        return
    for name in sorted(set(environment).difference(program.model_flags)):
        if written := table.variable(name):
            given.append(_clean(Flag(written, environment[name].text, environment[name].line)))
    said = [seen for flag in given for seen in table.read(flag)]
    yield from said
    if not any(seen.name == "speculation.method" for seen in said):
        yield from _method(program.engine, given)


def _clean(flag: Flag) -> Flag:
    """A flag without the secret that a variable may have brought into its value."""
    return replace(flag, value=redact(f"{flag.name}={flag.value}").removeprefix(f"{flag.name}=")) if isinstance(flag.value, str) else flag


def _method(engine: str, given: Sequence[Flag]) -> Iterator[Seen]:
    """The method that an engine takes from the draft, where a command names the draft and no method."""
    for flag in given:
        if normal(flag.name) in DRAFTS.get(engine, ()) and flag.value:
            named = (method for word, method in METHODS.items() if engine in BY_NAME and word in str(flag.value).lower())
            method = next(named, "draft_model")
            yield Seen("fact", "speculation.method", method, flag.line)
            yield Seen("note", "speculation.method", f"no method is named: {method}, by the name of the draft", flag.line)


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
