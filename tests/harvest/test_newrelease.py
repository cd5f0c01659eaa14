"""A release that is news: where it stands among the others, and who tells its day."""

from __future__ import annotations

import subprocess

import pytest

from catalogs import ENGINE, changed, text_of
from infercompat.harvest import Refused, newrelease
from infercompat.harvest.base import Unreachable
from infercompat.pipeline import load

PRINTED = "  Getting page https://index.example.com/simple/enga-server/\nAvailable versions: 1.2.0\n"
FILES = [
    {"filename": "enga_server-1.2.0-py3-none-any.whl", "upload-time": "2026-02-21T01:00:00.5Z"},
    {"filename": "enga_server-1.2.0.tar.gz", "upload-time": "2026-02-20T23:00:00.5Z"},
    {"filename": "enga_server-1.2.0rc1.tar.gz", "upload-time": "2026-02-01T23:00:00.5Z"},
    {"filename": "enga_server-1.1.0.tar.gz"},
]


def engine(make, *pairs: tuple[str, str]):
    return make(changed(ENGINE, *pairs) if pairs else {}).catalog.records["enga"]


@pytest.mark.parametrize(("version", "place"), [("1.2.0", 0), ("1.0.1", 1), ("1.1.0rc1", 1), ("0.9", 2)])
def test_a_release_stands_before_the_first_that_is_older(make, version, place):
    found = engine(make)
    assert newrelease.place(found, version, "2026-02-20") == place
    entry = f'  - {{version: "{version}", date: 2026-02-20, cites: [{{id: doc}}]}}'
    lines = newrelease.written(text_of(ENGINE), found, version, "2026-02-20", "doc").splitlines()
    assert lines.index(entry) == lines.index("releases:") + 1 + place
    assert [line for line in lines if line != entry] == text_of(ENGINE).splitlines()
    assert [item["version"] for item in newrelease.with_release(found, version, "2026-02-20").data["releases"]].index(version) == place


def test_entries_of_several_lines_are_stepped_over(make, tiny_copy):
    long = '  - version: "1.1.0"\n    date: 2026-02-01\n    bundles:\n      torch: "2.9"\n'
    pair = ('  - {version: "1.1.0", date: 2026-02-01}\n', long)
    text = newrelease.written(changed(ENGINE, pair)[ENGINE], engine(make, pair), "1.0.5", "2026-01-15", "enga-registry")
    assert f'{long}  - {{version: "1.0.5", date: 2026-01-15, cites: [{{id: enga-registry}}]}}\n  - {{version: "1.0.0"' in text
    (tiny_copy / ENGINE).write_text(text, "utf-8")
    assert load(tiny_copy, "2026-03-01").diagnostics == []


def test_commits_go_by_their_day(make):
    found = engine(make, ("scheme: pep440", "scheme: commit"), ('"1.1.0"', '"aaaaaaa"'), ('"1.0.0"', '"bbbbbbb"'))
    assert [newrelease.place(found, "ccccccc", day) for day in ("2026-02-02", "2026-01-15", "2025-12-01")] == [0, 1, 2]


def test_releases_that_are_written_otherwise_want_a_person(make):
    with pytest.raises(Refused, match=r"add 0\.9 there by hand"):
        newrelease.written("name: EngA\nreleases:\n  []\n", engine(make), "0.9", "2026-01-01", "doc")


@pytest.mark.parametrize(("version", "day"), [("1.2.0", "2026-02-20"), ("1.2.0rc1", "2026-02-01"), ("1.1.0", ""), ("9", "")])
def test_the_index_tells_the_day_of_the_first_file(version, day):
    asked = []
    assert newrelease.published_on("enga-server", version, lambda command: PRINTED, lambda url: asked.append(url) or {"files": FILES}) == day
    assert asked == ["https://index.example.com/simple/enga-server/"]


@pytest.mark.parametrize("fault", [OSError("no route"), ValueError("no JSON")])
def test_an_index_that_tells_nothing(fault):
    def fail(_):
        raise fault

    assert newrelease.published_on("enga-server", "1.2.0", lambda command: PRINTED, fail) == ""
    assert newrelease.published_on("enga-server", "1.2.0", lambda command: "nothing\n", fail) == ""

    def refuse(_):
        raise Unreachable("no network")

    assert newrelease.published_on("enga-server", "1.2.0", refuse, fail) == ""


def test_a_tag_tells_its_day_and_a_tree_without_one_that_of_its_commit(tmp_path, monkeypatch):
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2026-02-19T12:00:00Z")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-02-20T12:00:00Z")
    subprocess.run([*git, "tag", "-a", "v1.2.0", "-m", "x"], check=True)
    assert newrelease.tagged_on(tmp_path, "v1.2.0") == "2026-02-20"
    assert newrelease.tagged_on(tmp_path, "v9") == "2026-02-19"
    assert newrelease.tagged_on(tmp_path / "none", "v9") == ""
