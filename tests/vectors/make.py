"""Writes the vectors: questions over the whole catalog with their answers, one a line, that every implementation has to reproduce.

`make vectors` writes them anew; the change of a line shows which answer a change of the catalog or the program moves, and somebody looks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infercompat.answer import asking, reply
from infercompat.answer.check import Assessor
from infercompat.pipeline import load
from infercompat.products import Products

FOLDER = Path(__file__).parent
NAMES = ("defaults", "stacks", "versions")

EVERY = "EVERY_VECTOR"
"""The variable that, where it is set, has the tests ask all vectors and not a part."""

STACKS: tuple[dict[str, Any], ...] = (
    {"hardware": "h100-sxm", "context": 32768},
    {"hardware": "h200-sxm", "gpus": 8, "context": 131072, "cache_dtype": "fp8"},
    {"hardware": "b200", "gpus": 4, "context": 65536, "set": ["speculation.method=mtp", "speculation.tokens=3"]},
    {"hardware": "rtx-5090", "context": 16384, "set": ["prefix_caching=true", "prompt.repeated_prefix=true"]},
    {"hardware": "a100-sxm-80gb", "gpus": 2, "context": 32768, "cache_dtype": "fp8_e4m3"},
    {"hardware": "mi300x", "context": 65536, "set": ["speculation.method=eagle3"]},
    {"hardware": "l4", "context": 8192, "set": ["max_num_seqs=4"]},
    {"hardware": "t4", "context": 4096},
    {"hardware": "rtx-4090", "gpus": 2, "context": 32768, "cache_dtype": "q8_0"},
    {"hardware": "m3-ultra-256gb", "context": 65536, "set": ["lora=true"]},
    {"hardware": "gb10", "context": 131072, "set": ["gpu_memory_utilization=0.7"]},
)
"""Machines and settings that are put to the models in turn, so that each engine meets each of them with many models."""


def questions(products: Products, name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Model, engine and options of each question of a file, in the catalog's order."""
    engines = [engine for engine in products.catalog.of_kind("engine") if engine.data["role"] != "kernel-library"]
    models = products.catalog.of_kind("model")
    for place, model in enumerate(models):
        for turn, engine in enumerate(engines):
            if name == "defaults":
                yield model.id, engine.id, {}
            elif name == "stacks" and (place + turn) % 3 == 0:
                yield model.id, engine.id, STACKS[(place + turn * 4) % len(STACKS)]
            elif name == "versions" and (place + turn) % 12 == 0:
                yield from ((model.id, f"{engine.id}@{release['version']}", {}) for release in engine.data["releases"][1:6:2])


def answer(assessor: Assessor, model: str | None, engine: str, options: dict[str, Any], config: Path | None = None) -> dict[str, Any]:
    """What of an answer to `check` a vector holds: no sentences, which may be worded better one day."""
    asked = {
        **{"settings": options.get("set", ()), "required": options.get("require", ()), "hardware": options.get("hardware")},
        **{"gpus": options.get("gpus", 1), "tp": options.get("tp"), "length": options.get("context"), "cache_dtype": options.get("cache_dtype")},
        **{"checkpoint": options.get("checkpoint"), "from_config": config},
    }
    question = asking.questions(assessor.products, model, engine, asked)[0]
    data = reply.as_data(reply.reply(assessor, question), assessor)
    short = {name: data[name] for name in ("verdict", "grade", "confidence", "missing", "provided")}
    for state in ("gap", "fails", "unknown"):
        short[state] = [hop["hop"] for hop in data["chain"] if hop["state"] == state]
    for state in ("hit", "maybe"):
        short[state] = [gotcha["id"] for gotcha in data["gotchas"] if gotcha["state"] == state]
    if data["memory"]:
        shown = {name: value for name, value in data["memory"].items() if isinstance(value, (int, float))}
        short["memory"] = shown if config else {name: value for name, value in shown.items() if not name.startswith("longest")}
    short["argv"] = data["command"]["argv"] if options and data["command"] else None
    short["repairs"] = [repair["changes"] for repair in data["repairs"]]
    return {name: value for name, value in short.items() if value not in (None, [], {})}


def lines(products: Products, name: str) -> Iterator[str]:
    """The lines of a file of vectors."""
    assessor = Assessor(products)
    for model, engine, options in questions(products, name):
        yield json.dumps({"ask": [model, engine, options], "answer": answer(assessor, model, engine, options)}, ensure_ascii=False) + "\n"


def kept(name: str, one_in: int = 1) -> list[dict[str, Any]]:
    """The vectors of a file, or one in so many of them, spread over models and engines, unless EVERY is set."""
    found = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return found if EVERY in os.environ else found[len(name) % one_in :: one_in]


if __name__ == "__main__":
    import configs  # which makes use of this module

    loaded = load(Path(__file__).resolve().parents[2] / "catalog")
    for each in NAMES:
        (FOLDER / f"{each}.jsonl").write_text("".join(lines(loaded, each)), encoding="utf-8")
    configs.write(loaded)
