"""`diff`: two versions of a catalog in a git history, as text and JSON, and revisions that are none."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from catalogs import OFFERS, copy_tiny


@pytest.fixture
def catalog(tmp_path):
    """The small catalog committed whole, and then without its offers."""
    place = copy_tiny(tmp_path)
    for arguments in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    (place / OFFERS).unlink()
    return place


def test_changed_answers_are_listed(run, catalog):
    found = run("diff", "HEAD", catalog=catalog)
    assert found.exit_code == 0
    assert "differ" in found.stdout.splitlines()[0]
    assert "verdict  tiny-model on enga: yes" in found.stdout


def test_as_json(run, catalog):
    found = json.loads(run("diff", "HEAD", "--json", catalog=catalog).stdout)
    assert (found["before"], found["after"]) == ("HEAD", "the working tree")
    assert {"verdict"} <= {change["kind"] for change in found["changes"]}


def test_two_revisions_can_be_compared(run, catalog):
    assert run("diff", "HEAD", "HEAD", catalog=catalog).stdout == "No answer differs between HEAD and HEAD\n"


@pytest.fixture
def committed(catalog):
    """The same with the second version committed, too, and without the change sets of the tiny catalog."""
    folder = catalog.parent
    for file in (folder / "changes").iterdir():
        file.unlink()
    commit = ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "second", "--date", "2026-02-02T10:20:30Z"]
    environment = {"GIT_COMMITTER_DATE": "2026-02-02T10:20:30Z", "PATH": os.environ["PATH"]}
    subprocess.run(["git", *commit], cwd=folder, check=True, env=environment)
    return catalog


def test_what_changed_is_recorded_and_counting_goes_on_from_there(run, committed):
    assert run("diff", catalog=committed).exit_code == 2
    found = run("diff", "HEAD~1", "--record", catalog=committed)
    assert (found.exit_code, found.stdout) == (0, "changes/2026-02-02-01.json: written\n")
    data = json.loads((committed.parent / "changes" / "2026-02-02-01.json").read_text())
    assert data["after"]["time"] == "2026-02-02T10:20:30Z"
    assert [(group["engine"], group["before"], group["after"]) for group in data["verdicts"]] == [("enga", "yes", "unknown")]
    again = run("diff", "--record", catalog=committed)
    assert again.stdout == f"No answer differs between {data['after']['revision']} and HEAD; nothing is recorded\n"
    assert run("diff", catalog=committed).stdout.startswith("No answer differs between ")


def test_a_catalog_that_does_not_fit_is_not_recorded(run, committed):
    (committed / OFFERS).write_text("engine: enga\n")
    for arguments in (["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "third"]):
        subprocess.run(["git", *arguments], cwd=committed.parent, check=True)
    found = run("diff", "HEAD~1", "--record", catalog=committed)
    assert found.exit_code == 2
    assert "has faults by today's schemas" in found.stderr


def test_a_revision_that_is_none_is_refused(run, catalog):
    found = run("diff", "nowhere", catalog=catalog)
    assert found.exit_code == 2
    assert found.stderr.startswith("infercompat: git: ")
