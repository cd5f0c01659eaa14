"""What the page `check/` needs to read pasted text as `infercompat diagnose` does: its tables and patterns, as a script can use them."""

from __future__ import annotations

import re
from typing import Any

from infercompat.answer.diagnose import (
    below,
    commands,
    dockerfiles,
    flags,
    labels,
    logs,
    machines,
    models,
    packages,
    programs,
    snippets,
    spellings,
    stated,
    steps,
    understanding,
)
from infercompat.answer.diagnose.masks import (
    GIVEN,
    LINE_RULES,
    LOCAL_HOSTS,
    MASK,
    NAMED,
    NAMES,
    PUBLIC_HOSTS,
    TAKEN,
    Rule,
    mask_address,
    mask_host,
)
from infercompat.answer.diagnose.redact import DASHES, SINGLE, SPELT
from infercompat.condition import lookup
from infercompat.export.errors import browser_pattern
from infercompat.link import Catalog
from infercompat.records import Record

CHANGES = {mask_address: "=address", mask_host: "=host"}
"""Names of the functions that a script has in place of these."""
VERSION = re.compile(r"v?\d+(?:\.\d+)*(?:[.-]?(?:a|b|rc|post|dev)\.?\d*)*(?:\+[\w.]+)?")
"""What a fact that is a version takes, near enough for a form that the answer looks through again."""


def paste(catalog: Catalog) -> dict[str, Any]:
    """Every table, by the module that reads with it."""
    engines = [engine for engine in catalog.of_kind("engine") if engine.data["role"] != "kernel-library"]
    return {
        "redact": _redact(),
        "commands": {
            "programs": [program._asdict() for program in programs.PROGRAMS],
            **{"images": programs.IMAGES, "starts": programs.STARTS, "containers": programs.CONTAINERS, "model_flags": sorted(commands.MODEL_FLAGS)},
            "refuse_twice": spellings.REFUSE_TWICE,
            "drafts": {"flags": spellings.DRAFTS, "by_name": spellings.BY_NAME, "methods": spellings.METHODS},
            **_patterns(commands, "ASSIGNMENT", "IN_FRONT", "VERSION", "BUILD", "MOVING", "MODEL"),
        },
        "flags": {"spelling": _spelling(), "engines": {engine.id: _engine(engine, catalog) for engine in catalog.of_kind("engine")}},
        "packages": {
            **{"known": packages.components(catalog), "labels": packages.LABELS},
            **_patterns(packages, "FROZEN", "INSTALLED", "PINNED", "HEADED", "BARE", "ROW", "RULED", "HEAD", "SHOWN", "LABELLED"),
        },
        "logs": _logs(catalog),
        "machines": _machines(catalog),
        "models": _models(catalog),
        "labels": {**{"words": labels.WORDS, "counted": labels.COUNTED}, **_patterns(labels, "LABELLED", "KEY", "VALUE", "COUNT")},
        "dockerfiles": _patterns(dockerfiles, "FROM", "STARTED", "SET", "PARAMETER", "MODELFILE"),
        "snippets": {
            **{"calls": [call._asdict() for call in snippets.CALLS], "by_class": snippets.BY_CLASS, "flags": snippets.FLAGS},
            **{"apart": snippets.APART, "words": snippets.WORDS, **_patterns(snippets, "NAME", "ASSIGNED", "KEYWORD", "INNER")},
        },
        "references": understanding.REFERENCES,
        "stated": {
            **_patterns(stated, "STATED", "COUNTED"),
            "words": stated.WORDS,
            "engines": {name: engine.id for engine in engines for name in (engine.id, *engine.aliases)},
            "hardware": {name: record.id for record in catalog.of_kind("hardware") for name in (record.id, *record.aliases)},
        },
        "steps": {
            "examples": steps.EXAMPLES,
            "newest": {engine.id: next((release["version"] for release in engine.data["releases"]), "") for engine in engines},
        },
        "engines": [engine.id for engine in engines if engine.data["role"] == "engine"],
        "takes_all": [engine.id for engine in engines if "tensor_parallel" not in (engine.data.get("settings") or {})],
    }


def script_pattern(pattern: re.Pattern[str]) -> dict[str, str]:
    """A compiled pattern as a script has it, with its flags in letters; one that is written with spaces for the eye without them."""
    text = re.sub(r"\s+", "", pattern.pattern) if pattern.flags & re.X else pattern.pattern
    letters = {re.I: "i", re.S: "s", re.M: "m"}
    return {"pattern": browser_pattern(text)["pattern"], "flags": "".join(letter for flag, letter in letters.items() if pattern.flags & flag)}


def _patterns(module: Any, *names: str) -> dict[str, dict[str, str]]:
    return {name.lower(): script_pattern(getattr(module, name)) for name in names}


def _redact() -> dict[str, Any]:
    def change(rule: Rule) -> str:
        return CHANGES[rule.change] if callable(rule.change) else rule.change

    return {
        **{"mask": MASK, "public": PUBLIC_HOSTS, "local": sorted(LOCAL_HOSTS)},
        "spelt": {"letters": SPELT, "dashes": script_pattern(DASHES), "single": script_pattern(SINGLE)},
        "given": {"names": NAMES, "pattern": GIVEN, "named": script_pattern(NAMED), "taken": script_pattern(TAKEN)},
        "line": [{"hints": rule.hints, "pattern": script_pattern(rule.pattern), "change": change(rule)} for rule in LINE_RULES],
        "below": {
            "hints": below.HINTS,
            **_patterns(
                below, "FLAG_END", "FLAG_ITEM", "BETWEEN", "TAKEN", "LONE", "NAMED", "VALUED", "SCALAR", "ANOTHER", "BLOCK", "OPEN_END", "ITEM", "BARE"
            ),
            **_patterns(below, "CLOSED", "KIND", "STORED", "STORED_HERE", "KEY_BEGINS", "KEY_ENDS", "KEY_LINE"),
        },
    }


def _spelling() -> dict[str, Any]:
    """How flags and their values are written, whatever the engine."""
    return {
        **_patterns(flags, "SWITCHED_ON", "LENGTH"),
        **{"long_forms": spellings.LONG_FORMS, "dtypes": spellings.DTYPES, "formats": spellings.FORMATS, "on_off": flags.ON_OFF, "scales": flags.SCALES},
        "version": script_pattern(VERSION),
    }


def _engine(engine: Record, catalog: Catalog) -> dict[str, Any]:
    """The flags of an engine, with what is declared of the facts that they set."""
    table = flags.FlagTable(engine, catalog)
    set_by = [fact for target in (*table.targets.values(), *table.own.values()) for fact in ([target] if isinstance(target, str) else target)]
    facts = {name: fact for name in dict.fromkeys(set_by) if (fact := lookup(name)) is not None}
    return {
        "targets": table.targets,
        "own": table.own,
        "package": engine.data.get("package", ""),
        "variables": spellings.VARIABLES.get(engine.id, ()),
        "flags_as_variables": engine.id in spellings.FLAGS_AS_VARIABLES,
        "settings": {
            fact: {"values": list(setting.get("values", ())), **{name: setting[name] for name in ("default", "words", "argument") if name in setting}}
            for fact, setting in table.settings.items()
            if fact in facts and setting.keys() & {"default", "values", "words", "argument"}
        },
        "facts": {
            name: {"type": fact.type, "words": list(fact.values or (catalog.words(fact.vocabulary) if fact.vocabulary else ()))} for name, fact in facts.items()
        },
    }


def _logs(catalog: Catalog) -> dict[str, Any]:
    backends = {engine.id: list(dict.fromkeys(entry["name"] for entry in engine.data.get("attention_backends", ()))) for engine in catalog.of_kind("engine")}
    return {
        "signs": [{**sign._asdict(), "pattern": browser_pattern(sign.pattern)} for sign in logs.SIGNS],
        "versions": [[engine, words, browser_pattern(pattern)] for engine, words, pattern in logs.VERSIONS],
        "traces": logs.TRACES,
        "backends": logs.BACKENDS,
        "known_backends": {id: names for id, names in backends.items() if names},
        "keys": logs.KEYS,
        "dumps": [[engine, words, script_pattern(pattern)] for engine, words, pattern in logs.DUMPS],
        "model_files": [[words, script_pattern(pattern)] for words, pattern in logs.MODEL_FILES],
        **_patterns(logs, "PAIR", "SOME", "SPECULATION"),
    }


def _machines(catalog: Catalog) -> dict[str, Any]:
    products = [
        {
            "id": record.id,
            "names": [record.id, *record.data.get("aliases", ()), record.name],
            "bytes": record.data.get("visible_bytes") or record.data.get("memory_bytes"),
            "pci": record.data.get("pci_ids", ()),
        }
        for record in catalog.of_kind("hardware")
    ]
    tools = (
        *("SMI_ROW", "SMI_SHORT", "SMI_MEMORY", "AMD_ROW", "LISTED", "GIVEN", "TORCH", "QUERIED", "PRODUCT", "ROCM", "ROCM_ID", "ROCM_REVISION", "ROCM_ROW"),
        *("MARKETING", "CHIP", "CHIP_REVISION", "PROCESSOR", "LLAMA", "VULKAN", "USING", "OLLAMA", "METAL", "DRIVER", "TOOLKIT", "SYSTEM"),
        *("LSPCI", "LSPCI_ID", "LSPCI_BARE", "LSPCI_NAME", "LSPCI_REVISION", "HEX_NAME"),
    )
    return {
        **{
            "marks": machines.MARKS,
            "systems": machines.SYSTEMS,
            "vendors": machines.VENDORS,
            "no_part": sorted(machines.NO_PART),
            "other_product": sorted(machines.OTHER_PRODUCT),
        },
        **{"products": products, **_patterns(machines, *tools, "FRAME")},
    }


def _models(catalog: Catalog) -> dict[str, Any]:
    """Names of models: `ids` and aliases as they are written, `hubs` with the format of the checkpoint, and `names` without their publisher."""
    found = catalog.of_kind("model")
    return {
        "ids": {name: model.id for model in found for name in (model.id, *model.data.get("aliases", ()))},
        "hubs": {checkpoint["hub"].lower(): [model.id, checkpoint["format"]] for model in reversed(found) for checkpoint in model.data["checkpoints"]},
        "names": {name: model.id for name, model in models.names(catalog).items()},
        "formats": [[{"pattern": pattern, "flags": ""}, format] for pattern, format in models.FORMATS],
        **_patterns(models, "TAG", "PARTS", "ENDINGS", "SNAPSHOT", "ADDED"),
    }
