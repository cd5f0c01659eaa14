"""The workflow files: they parse, run what CI has to run, and every command in them exists; drift's steps are run with stand-ins."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

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


# The steps of the drift workflow, taken out of its file and run: the verbs, make and gh print what a case says, git is git.

STEPS = yaml.safe_load((ROOT / ".github/workflows/drift.yml").read_text("utf-8"))["jobs"]["drift"]["steps"]

VERB = """#!{shell}
# Answers as the case says: a file for each call, with the status in its first line.
echo "{name} $*" >> "$CASE/calls"
case "{name} $*" in *"harvest --all"|*"releases --record") if test -f "$CASE/change"; then cat "$CASE/change" > catalog/a.yaml; fi;; esac
answer="$CASE/$(echo "{name} $*" | cut -d ' ' -f 1-4 | tr -d -- '-' | tr -s ' ' '-')"
if test -f "$answer"; then tail -n +2 "$answer"; exit "$(head -n 1 "$answer")"; fi
"""


class Run(NamedTuple):
    """What became of a run: its status, the last step that ran, the calls of the stand-ins, and what lies on the remote."""

    status: int
    last: str
    printed: str
    calls: list[str]
    branches: list[str]
    summary: str


def git(*words: str, cwd: Path) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *identity, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def workflow(tmp_path):
    """Runs the steps as a runner does: each by `bash -e`, none after one that failed unless it says always."""
    case, bin, work = tmp_path / "case", tmp_path / "bin", tmp_path / "work"
    case.mkdir()
    git("init", "-q", "--bare", str(tmp_path / "origin"), cwd=tmp_path)
    git("clone", "-q", str(tmp_path / "origin"), str(work), cwd=tmp_path)
    for name in ("catalog/a.yaml", "docs/13.md", "tests/vectors/a.jsonl"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("before\n")
    git("add", "-A", cwd=work)
    git("commit", "-q", "-m", "first", cwd=work)
    git("push", "-q", "origin", "HEAD:main", cwd=work)
    for name in ("make", "gh"):
        script(bin / name, VERB.format(shell="/bin/bash", name=name))
    script(work / ".venv/bin/infercompat", VERB.format(shell="/bin/bash", name="infercompat"))
    script(work / ".venv/bin/python", f'#!/bin/bash\nexec {sys.executable} "$@"\n')
    (work / ".git/info/exclude").write_text(".venv\ndrift\n")

    def run(**answers: tuple[int, str] | str) -> Run:
        for name, answer in answers.items():
            (case / name.replace("_", "-")).write_text(answer if isinstance(answer, str) else f"{answer[0]}\n{answer[1]}\n")
        environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "CASE": str(case), "GITHUB_STEP_SUMMARY": str(tmp_path / "step.md")}
        status, last, printed = 0, "", ""
        for step in STEPS:
            if "run" not in step or (status and step.get("if") != "always()"):
                continue
            words = {name: re.sub(r"\$\{\{.*?\}\}", "7", value) for name, value in step.get("env", {}).items()}
            done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=work, env=environment | words, capture_output=True, text=True, check=False)
            last, status, printed = step["name"], status or done.returncode, printed + done.stdout + done.stderr
        summary = work / "drift/summary.md"
        calls = (case / "calls").read_text().splitlines()
        branches = git("branch", "--format=%(refname:short)", cwd=tmp_path / "origin").split()
        return Run(status, last, printed, calls, branches, summary.read_text() if summary.is_file() else "")

    return run


LAST = STEPS[-1]["name"]


def test_a_week_without_news_opens_nothing_and_passes(workflow):
    done = workflow()
    assert (done.status, done.branches) == (0, ["main"])
    assert not [call for call in done.calls if call.startswith(("gh", "make test"))]


def test_what_moved_is_tested_pushed_and_proposed_and_the_run_passes(workflow, tmp_path):
    done = workflow(change="after\n", infercompat_releases_record=(1, "enga: 2.0 is out"), infercompat_harvest_all_check=(1, "added    A: native"))
    assert (done.status, done.branches) == (0, ["drift-7", "main"]), done.printed
    assert git("show", "drift-7:catalog/a.yaml", cwd=tmp_path / "origin") == "after\n"
    assert [call for call in done.calls if call.startswith("make")] == ["make validate", "make docs", "make vectors", "make test"]
    assert done.calls[-1] == "gh pr create --head drift-7 --title Upstream moved --body-file drift/summary.md"
    assert "## releases\n\n```\nenga: 2.0 is out\nstatus 1\n```" in done.summary and "added    A: native" in done.summary


def test_an_engine_that_was_not_read_fails_the_run_after_the_pull_request(workflow):
    done = workflow(change="after\n", infercompat_harvest_all=(2, "refused  engb registry: it has changed its shape"))
    assert (done.status, done.last, done.branches) == (1, LAST, ["drift-7", "main"])
    assert "drift/written.txt:status 2" in done.printed and any(call.startswith("gh pr create") for call in done.calls)


@pytest.mark.parametrize("call", ["infercompat_harvest_all_check", "infercompat_harvest_verify", "infercompat_links_check", "infercompat_releases_record"])
@pytest.mark.parametrize("status", [2, 137])
def test_a_question_that_could_not_be_asked_fails_a_week_without_news(workflow, call, status):
    done = workflow(**{call: (status, "no network")})
    assert (done.status, done.last, done.branches) == (1, LAST, ["main"])
    assert f":status {status}" in done.printed


@pytest.mark.parametrize("call", ["infercompat_harvest_all_check", "infercompat_harvest_verify"])
def test_claims_that_differ_and_were_not_written_want_a_person(workflow, call):
    assert (workflow(**{call: (1, "changed  A: native -> removed")}).status) == 1


@pytest.mark.parametrize("call", ["infercompat_validate", "make_test", "make_vectors", "make_docs"])
def test_what_has_faults_or_fails_its_tests_is_proposed_all_the_same_and_fails_the_run(workflow, call):
    done = workflow(change="after\n", **{call: (1, "FAILED tests/test_a.py")})
    assert (done.status, done.last, done.branches) == (1, LAST, ["drift-7", "main"])
    assert "FAILED tests/test_a.py" in done.summary and "status 1" in done.summary


def test_a_pull_request_that_is_there_is_given_the_new_text(workflow):
    done = workflow(change="after\n", gh_pr_create_head=(1, "it exists"))
    assert done.status == 0 and done.calls[-1] == "gh pr edit drift-7 --body-file drift/summary.md"


def test_a_pull_request_that_cannot_be_made_fails_the_run(workflow):
    done = workflow(change="after\n", gh_pr_create_head=(1, "no"), gh_pr_edit_drift7=(1, "no"))
    assert (done.status, done.last) == (1, "Open a pull request")
