"""The serve command for a question: what to start, with which flags, and why each is there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from infercompat.answer.facts import PARTS, UNDECIDED, Resolved, as_written, own_word
from infercompat.answer.question import RANKS, Question
from infercompat.answer.repairs import Repair
from infercompat.answer.serving import serving
from infercompat.condition import ALWAYS, Truth, evaluate, in_words, lookup, parse, words
from infercompat.join import Stack
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import within
from infercompat.weighing import checkpoint_of

SKIPPED = ("hardware.", "model.", "checkpoint.", "platform", "weights.format", "task")
"""Facts that no flag sets: they describe the machine, the model or its weights."""


NEEDED = "serving"
"""What a flag of a recipe is for that belongs in every command; the others are offered beside it."""


def recipe_of(catalog: Catalog, question: Question) -> Record | None:
    """How the question's engine is started for its model, where that is on record."""
    recipes = catalog.of_kind("recipe")
    return next((recipe for recipe in recipes if recipe.engine == question.engine.id and question.model.id in recipe.data["models"]), None)


def images_of(recipe: Record) -> list[dict[str, Any]]:
    """The container images that a recipe starts, each for some stacks, or the one for all."""
    one = recipe.data.get("image")
    return recipe.data.get("images") or ([one] if one else [])


def command(resolved: Resolved, repair: Repair | None, recipe: Record | None = None) -> dict[str, Any] | None:
    """`argv`, `environment` and `because`, one reason a flag; None for engines whose way of serving the catalog does not hold.

    `prepare` has what goes before it, where the engine loads files of its own: the words of each step, and why.
    `without_flag` has what was asked for and has no flag that is on record. `options` are flags of the recipe that this model can have
    and need not: what each is for, its words, why, and the sources, and `if` what decides it was left out; `image` is the recipe's container.
    """
    resolved = repair.after.resolved if repair else resolved
    question = resolved.question
    checkpoint = _checkpoint(question)
    entry = checkpoint_of(question.model, question.checkpoint)
    own_file = entry is not None and "laid_out" in entry
    served = serving(question.engine, checkpoint, resolved.facts.get("weights.format"), own_file, resolved.facts.get("task"))
    if served is None:
        return None
    line = Line(served.argv, [f"{' '.join(served.argv)}: the engine's own way to serve {checkpoint}"], {}, {}, [])
    every, release = question.engine.data.get("settings") or {}, question.release
    settings = {fact: setting for fact, setting in every.items() if within(question.engine.data, setting, release.version, release.date)}
    wanted = {name: value for name, value in _wanted(resolved, settings).items() if not _says_nothing(name, settings.get(name), value)}
    repaired = {name for change in repair.changes for name, _ in change.set} if repair else set()
    for name, value in wanted.items():
        shared = name == "tensor_parallel" and name not in question.given
        reason = "the repair" if name in repaired else f"{question.gpus} devices share the model" if shared else "asked for"
        _say(line, name, settings.get(name), value, reason)
    for need in _needs(wanted, settings, resolved):
        if not line.has(need["flag"], need.get("json_key")):
            _add(line, need["flag"], need.get("json_key"), need["argument"], need["why"])
    argv = [*line.argv, *(word for flag, members in line.objects.items() for word in (flag, json.dumps(members)))]
    prepare = [{"argv": step, "why": why} for step, why in served.prepare]
    found = {"prepare": prepare, "argv": argv, "environment": line.environment, "because": line.because, "without_flag": line.unsaid}
    return found if recipe is None else found | _with_recipe(argv, line.because, recipe, resolved.stack)


class Line(NamedTuple):
    """A command line as it is put together."""

    argv: list[str]
    because: list[str]
    environment: dict[str, str]
    objects: dict[str, dict[str, Any]]
    unsaid: list[str]

    def has(self, flag: str, key: str | None) -> bool:
        return flag in self.argv if key is None else key in self.objects.get(flag, {})


def said(name: str, setting: Mapping[str, Any], value: Any) -> str:
    """What sets a fact to a value, as it is typed: flags or a variable; empty where no flag of the record says it."""
    line = Line([], [], {}, {}, [])
    _say(line, name, setting, value, "")
    words = [*line.argv, *(word for flag, members in line.objects.items() for word in (flag, json.dumps(members)))]
    return " ".join([*(f"{variable}={shlex.quote(str(word))}" for variable, word in line.environment.items()), *map(shlex.quote, words)])


def _say(line: Line, name: str, setting: Mapping[str, Any] | None, value: Any, reason: str) -> None:
    """Adds what sets a fact: a variable, a member of an object, or a flag."""
    flag = setting["flag"] if setting else ""
    if flag.isupper():
        line.environment[flag] = _word(setting, int(value) if isinstance(value, bool) else value)
        line.because.append(f"{flag}: {reason}")
    elif flag in line.argv:
        if _word(setting, value) != line.argv[line.argv.index(flag) + 1]:
            line.unsaid.append(f"{name} = {_word({}, value)}")
    elif not flag.startswith("-") or not _can_say(setting, value):
        line.unsaid.append(f"{name} = {_word({}, value)}")
    elif "json_key" in setting:
        _add(line, flag, setting["json_key"], _in_its_words(setting, value), reason)
    elif words := _flag(name, setting, value):
        line.argv.extend(words)
        line.because.append(f"{words[0]}: {reason}")


def _can_say(setting: Mapping[str, Any], value: Any) -> bool:
    """Whether a flag has a word for a value, where it is a switch or all its words are listed; the default needs none."""
    words = {setting["switch"]} if "switch" in setting else setting.get("words") if "values" not in setting else None
    return words is None or in_words(value) in words or value == setting.get("default")


def _add(line: Line, flag: str, key: str | None, value: Any, reason: str) -> None:
    """Adds a flag with its value, or a member of the object that it takes."""
    if key is None:
        line.argv.extend([flag, str(value)])
    else:
        line.objects.setdefault(flag, {})[key] = value
    line.because.append(f"{flag}{f' {key}' if key else ''}: {reason}")


def _needs(wanted: Mapping[str, Any], settings: Mapping[str, Any], resolved: Resolved) -> list[dict[str, Any]]:
    """What the engine asks for beside that which is wanted."""
    needs = [need for name in wanted for need in settings.get(name, {}).get("needs", ())]
    return [need for need in needs if _applies(need, resolved.stack).yes]


def _with_recipe(argv: list[str], because: list[str], recipe: Record, stack: Stack) -> dict[str, Any]:
    """What a recipe adds: flags that are not there yet, those that serving needs in the command and the others beside it.

    What is for other stacks is left out; what may be, as somebody left out what decides it, stands beside the command with its condition.
    """
    options = []
    for flag in recipe.data["flags"]:
        holds = _applies(flag, stack)
        if flag["argv"][0] in argv or holds.no:
            continue
        if flag["for"] == NEEDED and holds.yes:
            argv = [*argv, *flag["argv"]]
            because = [*because, f"{flag['argv'][0]}: {flag['why']}"]
        else:
            where = {} if holds.yes else {"if": words(parse(flag["when"])[0])}
            options.append({"for": flag["for"], "argv": flag["argv"], "why": flag["why"], "cites": flag["cites"]} | where)
    image = next((image["name"] for image in images_of(recipe) if not _applies(image, stack).no), None)
    return {"argv": argv, "because": because, "options": options, "image": image, "recipe": recipe.id, "recipe_version": recipe.data["version"]}


def _applies(part: Mapping[str, Any], stack: Stack) -> Truth:
    """Whether a flag or an image of a recipe is for a stack."""
    return evaluate(parse(part["when"])[0] if "when" in part else ALWAYS, stack)


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


def _says_nothing(name: str, setting: Mapping[str, Any] | None, value: Any) -> bool:
    """Whether no flag is to be written: for what no command could say, and where a command without one says the same.

    That is so of a choice that is left to the engine, of a feature that is off, and of one rank where one is the default.
    """
    fact = lookup(name)
    if name.startswith(SKIPPED):
        return True
    if setting is None:
        return fact is None or name.endswith((".version", ".has_pr")) or fact.kind == "workload" or name in ("os", "container")
    if value in UNDECIDED or name in RANKS:
        return value == setting.get("default") or (value in UNDECIDED and setting.get("default") in UNDECIDED)
    return value == fact.absent and value in ("none", 0, setting.get("default"))  # 0 is false, too


def _flag(name: str, setting: Mapping[str, Any], value: Any) -> list[str]:
    """A flag as the engine takes it: bare for what is switched on, --no-… for what is switched off.

    A flag such as --disable-x turns off a fact that is not named so, and is left out where that is on. A key of a JSON flag, such as
    --config.key, always takes a value.
    """
    flag = setting["flag"]
    if isinstance(setting.get("default"), bool) and not isinstance(value, bool) and isinstance(value, int):
        value = value > 1  # a switch for what is counted elsewhere
    if "switch" in setting:
        return [flag] if value == setting["switch"] else []
    if isinstance(value, bool) and "words" in setting:
        return [flag, _word(setting, value)] if in_words(value) in setting["words"] else []
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
    words = setting.get("words", {})
    if in_words(value) in words:
        return words[in_words(value)]
    listed = setting.get("values", ())
    if value in listed or not isinstance(value, str):
        return value
    own = own_word(value)
    same = [word for word in listed if str(word).lower() == value.lower() or own in (own_word(word), LETTERS.get(word))]
    return same[0] if same else value


LETTERS = {"f16": "fp16", "f32": "fp32"}
"""Words of llama.cpp for element types that are called otherwise here."""
