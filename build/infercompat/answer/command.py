"""The serve command for a question: what to start, with which flags, and why each is there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from infercompat.answer.facts import PARTS, Resolved, as_written, own_word
from infercompat.answer.question import Question
from infercompat.answer.repairs import Repair
from infercompat.condition import in_words, lookup
from infercompat.link import Catalog
from infercompat.records import Record

SKIPPED = ("hardware.", "model.", "checkpoint.", "platform", "weights.format", "task")
"""Facts that no flag sets: they describe the machine, the model or its weights."""


NEEDED = "serving"
"""What a flag of a recipe is for that belongs in every command; the others are offered beside it."""


def recipe_of(catalog: Catalog, question: Question) -> Record | None:
    """How the question's engine is started for its model, where that is on record."""
    recipes = catalog.of_kind("recipe")
    return next((recipe for recipe in recipes if recipe.engine == question.engine.id and question.model.id in recipe.data["models"]), None)


def command(resolved: Resolved, repair: Repair | None, recipe: Record | None = None) -> dict[str, Any] | None:
    """`argv`, `environment` and `because`, one reason a flag; None for engines whose way of serving the catalog does not hold.

    `without_flag` has what was asked for and has no flag that is on record. `options` are flags of the recipe that this model can have
    and need not: what each is for, its words, why, and the sources; `image` is the container that the recipe starts.
    """
    resolved = repair.after.resolved if repair else resolved
    question = resolved.question
    serve = question.engine.data.get("serve")
    if serve is None:
        return None
    checkpoint = _checkpoint(question)
    argv = [part.replace("{checkpoint}", checkpoint) for part in serve["argv"]]
    because = [f"{' '.join(argv)}: the engine's own way to serve {checkpoint}"]
    settings = question.engine.data.get("settings") or {}
    wanted = _wanted(resolved, settings)
    repaired = {name for change in repair.changes for name, _ in change.set} if repair else set()
    unsaid, environment, objects = [], {}, {}
    for name, value in wanted.items():
        setting = settings.get(name)
        flag = setting["flag"] if setting else ""
        if name.startswith(SKIPPED) or (not setting and _says_no_flag(name)):
            continue
        if flag.isupper():
            environment[flag] = _word(setting, int(value) if isinstance(value, bool) else value)
            shown = flag
        elif not flag.startswith("-"):
            unsaid.append(f"{name} = {_word({}, value)}")
            continue
        elif "json_key" in setting:
            objects.setdefault(flag, {})[setting["json_key"]] = _in_its_words(setting, value)
            shown = f"{flag} {setting['json_key']}"
        else:
            words = _flag(name, setting, value)
            argv += words
            shown = words[0] if words else ""
        if shown:
            because.append(f"{shown}: {'the repair' if name in repaired else 'asked for'}")
    for flag, members in objects.items():
        argv += [flag, json.dumps(members)]
    found = {"argv": argv, "environment": environment, "because": because, "without_flag": unsaid}
    return found if recipe is None else found | _with_recipe(argv, because, recipe)


def _with_recipe(argv: list[str], because: list[str], recipe: Record) -> dict[str, Any]:
    """What a recipe adds: flags that are not there yet, those that serving needs in the command and the others beside it."""
    options = []
    for flag in recipe.data["flags"]:
        if flag["argv"][0] in argv:
            continue
        if flag["for"] == NEEDED:
            argv = [*argv, *flag["argv"]]
            because = [*because, f"{flag['argv'][0]}: {flag['why']}"]
        else:
            options.append({"for": flag["for"], "argv": flag["argv"], "why": flag["why"], "cites": flag["cites"]})
    image = recipe.data.get("image", {}).get("name")
    return {"argv": argv, "because": because, "options": options, "image": image, "recipe": recipe.id, "recipe_version": recipe.data["version"]}


def _checkpoint(question: Question) -> str:
    listed = question.model.data["checkpoints"]
    return question.checkpoint or (listed[0]["hub"] if listed else question.model.id)


def _wanted(resolved: Resolved, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What was named, with the ranks that follow from several devices, and a type for the whole cache where K and V have flags of their own."""
    wanted = {name: as_written(settings.get(name, {}), value) for name, value in resolved.question.given.items()}
    if resolved.question.gpus > 1 and "tensor_parallel" in settings and "tensor_parallel" in resolved.facts:
        wanted.setdefault("tensor_parallel", resolved.facts["tensor_parallel"])
    if "cache.dtype" in wanted and "cache.dtype" not in settings and settings.keys() & set(PARTS):
        whole = wanted.pop("cache.dtype")
        wanted = {part: whole for part in PARTS if part in settings} | wanted
    return wanted


def _says_no_flag(name: str) -> bool:
    """Whether a fact is none that a command could say: a version, or something of the workload."""
    fact = lookup(name)
    return fact is None or name.endswith((".version", ".has_pr")) or fact.kind == "workload" or name in ("os", "container")


def _flag(name: str, setting: Mapping[str, Any], value: Any) -> list[str]:
    """A flag as the engine takes it: bare for what is switched on, --no-… for what is switched off.

    A flag such as --disable-x turns off a fact that is not named so, and is left out where that is on. A key of a JSON flag, such as
    --config.key, always takes a value.
    """
    flag = setting["flag"]
    if isinstance(setting.get("default"), bool) and not isinstance(value, bool) and isinstance(value, int):
        value = value > 1  # a switch for what is counted elsewhere
    if "argument" in setting and isinstance(value, bool):
        return [flag, setting["argument"]] if value else []
    if "." in flag:
        return [flag, json.dumps(value) if isinstance(value, bool) else _word(setting, value)]
    if not isinstance(value, bool):
        return [flag, _word(setting, value)]
    turns_off = "disable" in flag
    if turns_off and "disable" not in name:
        return [] if value else [flag]
    if value:
        return [flag]
    return [] if turns_off or setting.get("default") is False else [flag.replace("--", "--no-", 1)]


def _word(setting: Mapping[str, Any], value: Any) -> str:
    return in_words(_in_its_words(setting, value))


def _in_its_words(setting: Mapping[str, Any], value: Any) -> Any:
    """The value as the engine spells it, where its record lists the words."""
    if isinstance(value, str) and value in setting.get("words", ()):
        return setting["words"][value]
    listed = setting.get("values", ())
    if value in listed or not isinstance(value, str):
        return value
    own = own_word(value)
    same = [word for word in listed if str(word).lower() == value.lower() or own in (own_word(word), LETTERS.get(word))]
    return same[0] if same else value


LETTERS = {"f16": "fp16", "f32": "fp32"}
"""Words of llama.cpp for element types that are called otherwise here."""
