"""Asks the calculators of tools.py what the catalog's models keep in their caches, and writes their answers to results.json.

    python bench/peers/run.py [--only NAME] [--environments FOLDER]
    python bench/peers/run.py --check

Every tool gets an environment of its own, thrown away afterwards. Its package is downloaded; then it reaches this machine alone.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hub import serving
from infercompat.pipeline import load
from infercompat.places import find_catalog
from infercompat.products import Products
from infercompat.render.peers import Key, question_of, questions_of_models
from tools import LEFT_OUT, TOOLS, Tool

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
MOST_REASONS = 3


def questions(products: Products) -> list[Key]:
    """What is asked: each model at each length, and what logs know, in order and each once."""
    of_logs = (question_of(products, measurement) for measurement in products.catalog.of_kind("measurement"))
    return sorted({*questions_of_models(products), *(key for key in of_logs if key)})


def repositories(products: Products, keys: Sequence[Key]) -> dict[str, dict[str, Any]]:
    """Model ids with what a tool may be told of each: its published names, the config file, the number of parameters."""
    found = {}
    for model in sorted({key[0] for key in keys}):
        data = products.catalog.records[model].data
        found[model] = {
            "hubs": [checkpoint["hub"] for checkpoint in data["checkpoints"]],
            "config": {"architectures": [data["architecture"]]} | data["config"]["values"],
            "parameters": data.get("parameters", {}).get("total"),
        }
    return found


def as_asked(keys: Sequence[Key], models: Mapping[str, Mapping[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """The questions as adapters.py takes them, with each config laid below a folder."""
    for model, known in models.items():
        (folder / model).mkdir(parents=True)
        (folder / model / "config.json").write_text(json.dumps(known["config"]), "utf-8")
    return [{"folder": str(folder / model), "hubs": models[model]["hubs"], "tokens": tokens, "dtype": dtype} for model, tokens, dtype in keys]


def ask(tool: Tool, asked: Sequence[Mapping[str, Any]], environments: Path, hub: str) -> list[dict[str, Any]]:
    """One tool's answers. An environment that is already there is used as it is."""
    python = environments / tool.name / "bin" / "python"
    if not python.exists():
        venv.create(environments / tool.name, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{tool.name}=={tool.version}"]
        subprocess.run(install, check=True)
    with tempfile.TemporaryDirectory() as home:
        command = [python, "-P", HERE / "adapters.py", tool.name.replace("-", "_")]
        done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, env=secluded(home, hub), check=False)
    if done.returncode:
        raise SystemExit(f"{tool.name} could not be run:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def secluded(home: str, hub: str) -> dict[str, str]:
    """An environment in which nothing is read from the user's folders and only this machine is reached."""
    proxies = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
    return {"PATH": os.defpath, "HOME": home, "HF_ENDPOINT": hub, "LC_ALL": "C.UTF-8", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **proxies}


def results(keys: Sequence[Key], answers: Mapping[str, Sequence[Mapping[str, Any]]], date: str) -> dict[str, Any]:
    """What is committed: the tools, why they declined, and every answer, in the order of the questions."""
    return {
        "asked_on": date,
        "tools": [asdict(tool) | {"declined": reasons(answers[tool.name])} for tool in TOOLS if tool.name in answers],
        "left_out": [asdict(tool) for tool in LEFT_OUT],
        "questions": [
            {
                "model": model,
                "tokens": tokens,
                "dtype": dtype,
                "answers": {name: found[place]["bytes"] for name, found in answers.items() if "bytes" in found[place]},
            }
            for place, (model, tokens, dtype) in enumerate(keys)
        ],
    }


def reasons(answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Why a tool declined, the most frequent first."""
    counted = Counter(answer["declined"] for answer in answers if "declined" in answer)
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [{"said": said, "times": times} for said, times in ranked[:MOST_REASONS]]


def lay_out(document: Mapping[str, Any]) -> str:
    """JSON with one entry of a list a line, so that a changed answer is one changed line."""
    parts = []
    for name, value in document.items():
        entries = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in value) if isinstance(value, list) else ""
        parts.append(f"  {json.dumps(name)}: " + (f"[\n{entries}\n  ]" if entries else json.dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def faults(document: Any) -> list[str]:
    """What is wrong with the shape of a results file."""
    lists = ("tools", "left_out", "questions")
    if not isinstance(document, dict) or any(not isinstance(document.get(name), list) for name in lists):
        return [f"needs asked_on and the lists {', '.join(lists)}"]
    found = []
    try:
        datetime.date.fromisoformat(document["asked_on"])
    except (KeyError, TypeError, ValueError):
        found.append("asked_on is no date")
    texts = ("name", "version", "takes", "asked", "limits")
    for place, tool in enumerate(document["tools"]):
        if not all(tool.get(text) for text in texts):
            found.append(f"tool {place} lacks one of {', '.join(texts)}")
    names = {tool.get("name") for tool in document["tools"]}
    keys = []
    for place, question in enumerate(document["questions"]):
        key = question.get("model"), question.get("tokens"), question.get("dtype")
        answers = question.get("answers")
        keys.append(key)
        if not isinstance(key[0], str) or not isinstance(key[1], int) or not isinstance(key[2], str) or not isinstance(answers, dict):
            found.append(f"question {place} needs model, tokens, dtype and answers")
        elif unknown := set(answers) - names:
            found.append(f"question {place} has answers of {', '.join(sorted(unknown))}, which is no tool of the file")
        elif any(type(size) is not int or size <= 0 for size in answers.values()):
            found.append(f"question {place} has an answer that is no number of bytes")
    if not found and keys != sorted(set(keys)):
        found.append("the questions are not in order, or one is there twice")
    return found if keys else [*found, "no question was asked"]


def run(products: Products, only: Sequence[str], environments: Path, folder: Path) -> dict[str, Any]:
    """Asks every tool, or those named."""
    keys = questions(products)
    models = repositories(products, keys)
    asked = as_asked(keys, models, folder)
    answers: dict[str, list[dict[str, Any]]] = {}
    with serving({known["hubs"][0]: known for known in models.values()}) as hub:
        for tool in TOOLS:
            if only and tool.name not in only:
                continue
            answers[tool.name] = ask(tool, asked, environments, hub)
            answered = sum("bytes" in answer for answer in answers[tool.name])
            print(f"{tool.name} {tool.version}: {answered} of {len(keys)} questions answered", file=sys.stderr, flush=True)
    return results(keys, answers, datetime.date.today().isoformat())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="check the shape of results.json and ask nobody")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="ask this tool and print its answers, writing nothing")
    parser.add_argument("--environments", type=Path, metavar="FOLDER", help="keep the tools' environments here and use those that are there")
    options = parser.parse_args(arguments)
    if options.check:
        wrong = faults(json.loads(RESULTS.read_text("utf-8")))
        print("\n".join(wrong) or f"{RESULTS.name} is in shape")
        return 1 if wrong else 0
    with tempfile.TemporaryDirectory() as scratch:
        environments = options.environments or Path(scratch) / "environments"
        environments.mkdir(parents=True, exist_ok=True)
        text = lay_out(run(load(find_catalog()), options.only, environments, Path(scratch) / "configs"))
    if options.only:
        print(text)
    else:
        RESULTS.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
