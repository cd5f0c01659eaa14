"""The catalog at an older revision, out of a git history made here."""

from __future__ import annotations

import subprocess

import pytest

from infercompat.revisions import NoRevision, catalog_at, commit_of


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path):
    """A catalog whose one file said old, and now says new."""
    catalog = tmp_path / "catalog"
    (catalog / "models").mkdir(parents=True)
    (tmp_path / "other.txt").write_text("beside it")
    (catalog / "models/a.yaml").write_text("old")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    (catalog / "models/a.yaml").write_text("new")
    return catalog


def test_the_files_are_those_of_the_revision(folder):
    with catalog_at(folder, "HEAD") as old:
        assert old.name == "catalog"
        assert (old / "models/a.yaml").read_text() == "old"
        assert [path.name for path in old.rglob("*") if path.is_file()] == ["a.yaml"]
        kept = old
    assert not kept.exists()
    assert (folder / "models/a.yaml").read_text() == "new"


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "HEAD~7"])
def test_a_revision_that_is_none_is_refused(folder, revision):
    with pytest.raises(NoRevision), catalog_at(folder, revision):
        pass
    assert sorted(path.name for path in folder.parent.iterdir()) == [".git", "catalog", "other.txt"]


def test_a_folder_without_a_history_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(NoRevision, match="not a git repository"), catalog_at(tmp_path, "HEAD"):
        pass


def test_a_machine_without_git_is_told_so(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoRevision, match="git cannot be run"), catalog_at(folder, "HEAD"):
        pass


def test_a_commit_has_its_full_name_and_its_time_in_utc(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-02-02T10:20:30+02:00")
    git(tmp_path, "commit", "-qam", "second")
    found = commit_of(folder, "HEAD")
    assert (len(found.revision), found.time, found.day) == (40, "2026-02-02T08:20:30Z", "2026-02-02")
    with pytest.raises(NoRevision, match="names no revision"):
        commit_of(folder, "--output=x")
