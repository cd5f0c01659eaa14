"""`diff`: two versions of a catalog in a git history, as text and JSON, and revisions that are none."""

from __future__ import annotations

import json
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


def test_a_revision_that_is_none_is_refused(run, catalog):
    found = run("diff", "nowhere", catalog=catalog)
    assert found.exit_code == 2
    assert found.stderr.startswith("infercompat: git: ")
