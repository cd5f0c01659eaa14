"""The workflow files: they parse, run what CI has to run, and every command in them exists."""

from __future__ import annotations

import re

import click
import pytest
import yaml

from catalogs import ROOT
from infercompat.cli import main

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SHELL = {
    "apt-get",
    "bash",
    "cat",
    "date",
    "done",
    "do",
    "echo",
    "exit",
    "fi",
    "for",
    "gh",
    "git",
    "grep",
    "if",
    "mkdir",
    "make",
    "tail",
    "test",
    "then",
}
"""What a runner has."""


def commands(text: str) -> list[list[str]]:
    """The commands of a script, as words: lines, and what stands after && and ||, without redirections."""
    parts = [part.strip() for line in text.splitlines() for part in re.split(r"\|\||&&|;", line)]
    return [re.sub(r"\d?>+\s*\S+", "", part).split() for part in parts if part and not part.startswith("#")]


def faults(text: str) -> list[str]:
    """Commands that do not exist: a verb or a flag that infercompat lacks, a task that the Makefile lacks, a script that is not there."""
    found = []
    tasks = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for words in commands(text):
        name = words[0]
        if name.endswith("/infercompat"):
            verb = main.get_command(click.Context(main), words[1])
            if verb is None:
                found.append(f"no verb {words[1]}")
                continue
            flags = {flag for parameter in verb.params if isinstance(parameter, click.Option) for flag in parameter.opts}
            found += [f"{words[1]} has no {word}" for word in words[2:] if word.startswith("--") and word not in flags]
        elif name == "make":
            found += [f"no task {word}" for word in words[1:] if word not in tasks]
        elif name == "bash":
            found += [] if (ROOT / words[1]).is_file() else [f"no script {words[1]}"]
        elif name.endswith("/python"):
            module = ROOT / "build" / f"{words[words.index('-m') + 1].replace('.', '/')}.py"
            found += [] if module.is_file() else [f"no module {module.stem}"]
        elif name not in SHELL and not re.match(r"[a-z]+=", name):
            found.append(f"unknown command {name}")
    return found


def scripts(workflow: dict) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def read(path) -> dict:
    # BaseLoader: `on` is a word in a workflow and a truth value in YAML 1.1.
    return yaml.load(path.read_text("utf-8"), yaml.BaseLoader)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_parses_and_its_commands_exist(path):
    workflow = read(path)
    assert workflow["name"] == path.stem and workflow["on"]
    assert [fault for script in scripts(workflow) for fault in faults(script)] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (".venv/bin/infercompat harvset --all", "no verb harvset"),
        (".venv/bin/infercompat harvest --every > a.txt 2>&1 || true", "harvest has no --every"),
        ("make valdate", "no task valdate"),
        ("bash .ci/gone", "no script .ci/gone"),
        (".venv/bin/python -m infercompat.harvest.gone drift", "no module gone"),
        ("curl x | sh", "unknown command curl"),
    ],
)
def test_a_command_that_does_not_exist_would_be_found(text, told):
    assert told in faults(text)


def test_there_is_a_workflow_for_changes_and_one_for_drift():
    by_name = {path.stem: read(path) for path in WORKFLOWS}
    assert "bash .ci/run" in "\n".join(scripts(by_name["ci"]))
    drift = "\n".join(scripts(by_name["drift"]))
    for wanted in ("harvest --all --check", "harvest --verify", "releases", "links --check", "gh pr create"):
        assert wanted in drift
    assert by_name["drift"]["on"]["schedule"][0]["cron"].split()[-1] != "*"  # weekly
