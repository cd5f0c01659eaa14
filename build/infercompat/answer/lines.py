"""A command line as somebody would type it, answered without the command: for questions that are kept as lines."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infercompat.answer import asking, inputs
from infercompat.answer import cache as cache_answer
from infercompat.answer.check import Assessor
from infercompat.answer.question import NotInCatalog, Refused
from infercompat.answer.reply import as_data, reply, unlisted

CHECK: Mapping[str, Any] = {
    **{"hardware": None, "gpus": 1, "tp": None, "length": None, "cache_dtype": None, "checkpoint": None, "from_config": None},
    **{"settings": (), "required": ()},
}
CACHE: Mapping[str, Any] = {
    **{"contexts": None, "cache_dtype": "bf16", "engine": None, "tp": None, "max_model_len": None, "available": None},
    **{"settings": (), "parts": ()},
}
OTHER_NAMES = {"set": "settings", "require": "required", "part": "parts"}
NUMBERS = ("gpus", "tp", "length", "max_model_len")


def answer_line(assessor: Assessor, line: str) -> dict[str, Any]:
    """The JSON contract of `check` or `cache` for a line such as `check gemma-3-27b vllm --hardware b200`.

    Raises Refused for what the command refuses, and for words that it does not know.
    """
    verb, *words = shlex.split(line)
    if verb not in ("check", "cache"):
        raise Refused(f"a line begins with check or cache, not with {verb}")
    places, options = _options(words, CHECK if verb == "check" else CACHE, "length" if verb == "check" else "contexts")
    return _check(assessor, places, options) if verb == "check" else _cache(assessor, places[0], options)


def _options(words: list[str], known: Mapping[str, Any], context: str) -> tuple[list[str], dict[str, Any]]:
    places: list[str] = []
    options = dict(known)
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            places.append(word)
            continue
        name = word[2:].replace("-", "_")
        name = context if name == "context" else OTHER_NAMES.get(name, name)
        if name not in known:
            raise Refused(f"there is no option {word}")
        value = next(rest, None)
        if value is None:
            raise Refused(f"{word} takes a value")
        options[name] = (*options[name], value) if isinstance(known[name], tuple) else int(value) if name in NUMBERS else value
    return places, options


def _check(assessor: Assessor, places: list[str], options: dict[str, Any]) -> dict[str, Any]:
    model, engine = (*places, None, None)[:2]
    options["from_config"] = Path(options["from_config"]) if options["from_config"] else None
    try:
        [question] = asking.questions(assessor.products, model, engine, options)
    except NotInCatalog as error:
        return unlisted(assessor.products.catalog, str(model), engine, str(error))
    return as_data(reply(assessor, question), assessor)


def _cache(assessor: Assessor, target: str, options: dict[str, Any]) -> dict[str, Any]:
    catalog = assessor.products.catalog
    contexts = [int(tokens) for tokens in options["contexts"].split(",")] if options["contexts"] else list(cache_answer.CONTEXTS)
    engine = inputs.engine_of(catalog, options) if options["engine"] else None
    try:
        subject = cache_answer.of_record(asking.model_named(catalog, target))
    except NotInCatalog as error:
        return cache_answer.unlisted(target, str(error))
    return cache_answer.as_data(subject, contexts, options["cache_dtype"], inputs.parts_of(options["parts"]), engine)
