"""Change sets: cells that moved for one reason stand together, files are read newest first and numbered within a day."""

from __future__ import annotations

import json

import pytest

from catalogs import GOTCHA, MODEL, OFFERS, changed, copy_tiny
from infercompat.answer.changeset import FOLDER, as_text, between, change_sets, is_empty, next_file
from infercompat.join import Matrix
from infercompat.revisions import Commit

COMMITS = Commit("1" * 40, "2026-01-31T23:59:59Z"), Commit("2" * 40, "2026-02-02T10:20:30Z")
TWIN = "models/acme/tiny-twin.yaml"


@pytest.fixture
def twins(make):
    """Two catalogs in which the tiny model and its twin lose the same offer."""
    twin = changed(MODEL, ("name: Tiny", "name: Tiny twin"), ("acme/tiny-it", "acme/twin-it"), ("aliases: [old/tiny]\n", ""))[MODEL]
    return Matrix(make({TWIN: twin})), Matrix(make({TWIN: twin, OFFERS: None}))


def test_cells_that_moved_for_one_reason_stand_together(twins):
    data = between(*twins, COMMITS)
    [group] = data["verdicts"]
    assert (group["engine"], group["before"], group["after"], group["models"]) == ("enga", "yes", "unknown", ["tiny-model", "tiny-twin"])
    assert (data["before"]["revision"], data["after"]["time"]) == ("1" * 40, "2026-02-02T10:20:30Z")
    assert (data["before"]["cells"]["yes"], data["after"]["cells"]["yes"]) == (2, 0)


def test_gotchas_that_the_same_models_meet_stand_together(make):
    other = {"gotchas/enga/enga-second.yaml": changed(GOTCHA, ("title: Wrong", "title: Other"))[GOTCHA]}
    data = between(Matrix(make({GOTCHA: None})), Matrix(make(other)), COMMITS)
    assert data["met"] == [{"engine": "enga", "gotchas": ["enga-second", "enga-wrong-past-window"], "models": ["tiny-model"]}]
    assert data["added"] == {"gotcha": ["enga-second", "enga-wrong-past-window"]}
    assert (data["met_no_more"], data["removed"], data["verdicts"]) == ([], {}, [])


def test_no_difference_is_empty(tiny):
    assert is_empty(between(Matrix(tiny), Matrix(tiny), COMMITS))


def test_one_difference_is_not(make, tiny):
    data = between(Matrix(tiny), Matrix(make(changed(GOTCHA, ("status: open", "status: wontfix")))), COMMITS)
    assert not is_empty(data)
    assert data["gotchas"] == [{"gotcha": "enga-wrong-past-window", "field": "status", "before": "open", "after": "wontfix"}]


def test_the_text_reads_back(twins):
    data = between(*twins, COMMITS)
    assert json.loads(as_text(data)) == data
    assert sum('"engine": "enga"' in line for line in as_text(data).splitlines()) == len(data["verdicts"]) + len(data["met"]) + len(data["met_no_more"])


def test_sets_are_read_newest_first_and_counted(tmp_path):
    catalog = copy_tiny(tmp_path)
    (tmp_path / "changes" / "notes.json").write_text("no change set")
    newer, older = change_sets(catalog)
    assert (newer.id, older.id, older.moment) == ("2026-02-02-02", "2026-02-02-01", "2026-02-02 10:20")
    assert older.counts() == {"verdicts": 1, "grades": 2, "versions": 1, "caches": 1, "gotchas": 1, "model-added": 1, "gotcha-added": 1, "model-removed": 1}
    assert older.summary() == [
        "1 verdict", "2 grades", "1 newest release", "1 cache", "1 gotcha with another status", "1 model added", "1 gotcha added", "1 model removed",
    ]  # fmt: skip


def test_files_are_numbered_within_a_day(tmp_path):
    catalog = copy_tiny(tmp_path)
    assert next_file(catalog, "2026-02-02").name == "2026-02-02-03.json"
    assert next_file(catalog, "2026-02-03").name == "2026-02-03-01.json"


def test_without_a_folder_there_are_none(tmp_path):
    assert change_sets(tmp_path / "catalog") == []


def test_the_recorded_sets_follow_on_each_other(real):
    """Each begins where the one before it ended, is in the order of time, and small enough to read in a review."""
    sets = change_sets(real.folder)[::-1]
    assert len(sets) >= 6
    assert [found.data["before"]["revision"] for found in sets[1:]] == [found.revision for found in sets[:-1]]
    assert [found.time for found in sets] == sorted(found.time for found in sets)
    assert all(found.counts() for found in sets)
    assert max(file.stat().st_size for file in (real.folder.parent / "changes").glob("*.json")) < 100_000


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"a":\n', "2026-02-02-09.json:2:1: no change set: Expecting value"),
        (b"\xff", "2026-02-02-09.json:1:1: no change set: it is not UTF-8"),
        (b'{"before": {}}', "2026-02-02-09.json:1:1: no change set: it lacks after, verdicts,"),
        (b"[]", "2026-02-02-09.json:1:1: no change set: it lacks before,"),
    ],
)
def test_a_file_that_is_no_change_set_is_told_by_its_place(run, tiny_copy, content, told):
    folder = tiny_copy.parent / FOLDER
    folder.mkdir(exist_ok=True)
    (folder / "2026-02-02-09.json").write_bytes(content)
    result = run("diff", "--record", catalog=tiny_copy)
    assert result.exit_code == 2
    assert told in result.stderr
