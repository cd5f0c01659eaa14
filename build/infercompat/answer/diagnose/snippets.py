"""Calls in Python code that start an engine: `LLM(model=…)`, `sgl.Engine(…)`, `from_pretrained(…)`, `mlx_lm.load(…)` and their like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from infercompat.answer.diagnose.commands import clean, is_model
from infercompat.answer.diagnose.flags import FlagTable
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.answer.diagnose.words import Flag, leaves, literal
from infercompat.link import Catalog

MOST_CALLS, MOST_CHARACTERS, MOST_ARGUMENTS, MOST_NESTING = 20, 20_000, 30, 6
"""How many calls a text has, how long one is, how many arguments a person writes (one with more is a dump, whose defaults tell nothing), how deep they nest."""


LONGEST = 1000
"""No line that sets a variable is longer."""


class Call(NamedTuple):
    """A call by the pattern of its name, the engine that it starts, a word that the text must hold, and the arguments that name the model."""

    name: str
    engine: str
    word: str = ""
    model: tuple[str, ...] = ("model",)


CALLS = (
    Call(r"(?:\w+\.)?LLM", "tensorrt-llm", "tensorrt_llm"),
    Call(r"(?:\w+\.)?LLM", "vllm"),
    Call(r"(?:\w+\.)*(?:Async)?EngineArgs", "vllm"),
    Call(r"(?:\w+\.)?LLMConfig", "vllm", "", ("model_source", "model_id")),
    Call(r"(?:sgl|sglang)\.(?:Engine|Runtime)|Engine", "sglang", "sgl", ("model_path",)),
    Call(r"(?:llama_cpp\.)?Llama\.from_pretrained", "llama.cpp", "", ("repo_id",)),
    Call(r"(?:llama_cpp\.)?Llama", "llama.cpp", "llama_cpp", ("model_path",)),
    Call(r"mlx_vlm\.load", "mlx-vlm", "", ("path_or_hf_repo",)),
    Call(r"mlx_lm\.load", "mlx-lm", "", ("path_or_hf_repo",)),
    Call(r"load", "mlx-vlm", "from mlx_vlm", ("path_or_hf_repo",)),
    Call(r"load", "mlx-lm", "from mlx_lm", ("path_or_hf_repo",)),
    Call(r"(?:lmdeploy\.)?(?:pipeline|serve)", "lmdeploy-turbomind", "lmdeploy", ("model_path",)),
    Call(r"(?:\w+\.)?(?:AutoModel\w*|\w+For\w+)\.from_pretrained", "transformers", "", ("pretrained_model_name_or_path",)),
)
"""The first whose name and word fit."""
BY_CLASS = {"PytorchEngineConfig": "lmdeploy-pytorch", "TurbomindEngineConfig": "lmdeploy-turbomind"}
"""The engine by the class of an argument."""
FLAGS = {"n_ctx": "ctx-size", "n_batch": "batch-size", "n_ubatch": "ubatch-size"}
"""Arguments of llama-cpp-python whose names are not those of llama.cpp's flags."""
APART = ("engine_kwargs", "backend_config", "model_loading_config", "model_kwargs")
"""Arguments whose own keys stand for arguments of the call."""
WORDS = ("LLM(", "EngineArgs(", "LLMConfig(", "Engine(", "Runtime(", "Llama(", "from_pretrained(", "load(", "pipeline(", "serve(")
NAME = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\(")
ASSIGNED = re.compile(
    r"[ \t]{0,80}([A-Za-z_]\w{0,80})[ \t]{0,40}(?::[ \t]*[\w\[\]]{1,80}[ \t]{0,40})?=[ \t]{0,40}"
    r"(\"[^\"\n]*\"|'[^'\n]*'|[-+]?[\d.][\w.]{0,40}|True|False)[ \t]{0,80}(?:#.*)?$"
)
KEYWORD = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.S)
INNER = re.compile(r"((?:\w+\.)*\w+)\((.*)\)$", re.S)


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The calls of a text that start an engine, each with all that it says, as one thing seen."""
    places = holding(lines, WORDS)
    if not places:
        return reading([])
    text = "\n".join(lines)
    variables = {match[1]: literal(match[2]) for line in lines if "=" in line and len(line) < LONGEST and (match := ASSIGNED.match(line))}
    seen: list[Seen] = []
    taken: set[int] = set()
    start, tried = 0, 0
    for place, line in enumerate(lines):
        if place in places and place + 1 not in taken and len(line) < MOST_CHARACTERS and tried < MOST_CALLS:
            for match in NAME.finditer(line):
                call = next((call for call in CALLS if call.word in text and re.fullmatch(call.name, match[1])), None)
                end = closing(text, start + match.end()) if call else None
                if call is None or end is None:
                    continue
                tried += 1
                found = _said(call, text[start + match.end() : end], place + 1, variables, catalog)
                if found is not None:
                    seen.append(found)
                    taken.update(range(place + 1, place + 2 + text.count("\n", start + match.end(), end)))
                break
        start += len(line) + 1
    return reading(seen, taken)


def closing(text: str, start: int) -> int | None:
    """The place of the bracket that closes one opened before a place; None where none does in reach."""
    depth, at, limit = 1, start, min(len(text), start + MOST_CHARACTERS)
    while at < limit:
        letter = text[at]
        if letter in "'\"":
            end = text.find(letter, at + 1, limit)
            if end < 0 or "\n" in text[at:end]:
                return None
            at = end
        elif letter == "#":
            at = text.find("\n", at, limit)
            if at < 0:
                return None
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if not depth:
                return at
        at += 1
    return None


def arguments(text: str) -> Iterator[tuple[str, int]]:
    """The arguments of a call as they are written, without comments, each with the lines that stand before it."""
    depth, part, at, lines, began = 0, "", 0, 0, 0
    while at < len(text):
        letter = text[at]
        if letter in "'\"":
            end = text.find(letter, at + 1)
            end = len(text) if end < 0 else end + 1
            part, at = part + text[at:end], end
            continue
        if letter == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if letter == "," and not depth:
            yield part, began
            part, began = "", lines
        else:
            depth += (letter in "([{") - (letter in ")]}")
            part += letter
        lines += letter == "\n"
        if not part.strip():
            began = lines
        at += 1
    if part.strip():
        yield part, began


def _values(text: str, line: int, variables: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any, int]]:
    """The arguments of a call with their values: those of calls inside as keys of their own, behind the name of the class for `=`."""
    for part, before in arguments(text):
        match = KEYWORD.fullmatch(part.strip())
        name, written = (match[1], match[2]) if match else ("", part.strip())
        inner = INNER.fullmatch(written) if depth < MOST_NESTING else None
        if inner and name in APART:
            yield "=", inner[1].rpartition(".")[2], line + before
            yield from _values(inner[2], line + before, variables, depth + 1)
        elif inner and inner[1] == "dict":
            yield name, {key: value for key, value, _ in _values(inner[2], line + before, variables, depth + 1) if key != "="}, line + before
        else:
            value = variables.get(written) if re.fullmatch(r"[A-Za-z_]\w*", written) and written not in ("True", "False", "None") else literal(written)
            if name in APART and isinstance(value, dict):
                yield from ((str(key), one, line + before) for key, one in value.items())
            else:
                yield name, value, line + before


def _said(call: Call, text: str, line: int, variables: Mapping[str, Any], catalog: Catalog) -> Seen | None:
    values = list(_values(text, line, variables))
    engine = next((BY_CLASS[value] for name, value, _ in values if name == "=" and value in BY_CLASS), call.engine)
    table = FlagTable(catalog.follow(engine), catalog)
    named = [(value, at) for key in (*call.model, "") for name, value, at in values if name == key and isinstance(value, str) and is_model(value)]
    given = [one for one in values if one[0] not in ("", "=", *call.model) and one[1] is not None]
    flags = [flag for name, value, at in given for flag in _flags(FLAGS.get(name, name), value, at)]
    said = [seen for flag in flags for seen in table.read(clean(flag))]
    facts = [seen for seen in said if seen.kind == "fact" and (len(values) < MOST_ARGUMENTS or seen.value != table.default(seen.name))]
    known = any(seen.kind == "fact" for seen in said) or engine == "transformers"
    if not (named or facts) or not (known or call.word or any(sure in text for sure in ("hf", "/"))):
        return None
    parts: list[Seen] = [Seen("model", "", value, at) for value, at in named[:1]]
    parts += facts if len(values) >= MOST_ARGUMENTS else said
    return Seen("command", engine, tuple(parts), line)


def _flags(name: str, value: Any, line: int) -> Iterator[Flag]:
    if isinstance(value, dict):
        yield from (Flag(f"--{name}.{key}", inner, line) for key, inner in leaves(value))
    else:
        yield Flag(f"--{name}", value, line)
