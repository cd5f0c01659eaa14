"""The compiled snapshot: it answers as the catalog does, and a catalog that changed, moved or has faults is read anew."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest

from catalogs import COUNT, GOTCHA, copy_tiny
from infercompat import snapshot
from infercompat.join import Matrix
from infercompat.pipeline import load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    return copy_tiny(tmp_path)


@pytest.fixture
def loads(monkeypatch) -> list:
    """The folders that were read in full."""
    read = []
    monkeypatch.setattr(snapshot, "load", lambda folder: read.append(folder) or load(folder))
    return read


def answers(products) -> dict:
    return {key: (cell.verdict, cell.reason, str(cell.grade), [gate.gotcha.id for gate in cell.gates]) for key, cell in Matrix(products).cells.items()}


def contents(products) -> dict:
    return {id: {**record.data, "claims": record.data["claims"] if record.kind == "support" else ()} for id, record in products.catalog.records.items()}


def test_it_answers_as_the_catalog_does(folder, loads):
    first, second = snapshot.quick(folder), snapshot.quick(folder)
    assert len(loads) == 1
    assert contents(second) == contents(first)
    for record in second.catalog.records.values():
        assert {subject: record.claims_on(subject) for subject in record.subjects()} == first.catalog.records[record.id]._claims
    assert list(second.catalog.records) == list(first.catalog.records)
    assert (second.today, second.files.count) == (first.today, first.files.count) == ("2026-02-02", COUNT)
    assert answers(second) == answers(first)
    assert [reference.field for reference in second.catalog.references_to("enga")] == [reference.field for reference in first.catalog.references_to("enga")]


@pytest.mark.parametrize("change", ["text", "time", "gone", "new", "moved"])
def test_a_catalog_that_changed_is_read_anew(folder, loads, change):
    snapshot.quick(folder)
    path = folder / GOTCHA
    if change == "text":
        path.write_text(path.read_text().replace("status: open", "status: wontfix"))
    elif change == "time":
        os.utime(path, ns=(0, 0))
    elif change == "gone":
        path.unlink()
    elif change == "new":
        (folder / "notes.txt").write_text("x")
    else:
        (folder / "gotchas" / "engb").mkdir()
        path.rename(folder / "gotchas" / "engb" / path.name)
    snapshot.quick(folder)
    assert len(loads) == 2


def test_a_build_s_date_wins(folder, monkeypatch):
    snapshot.quick(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert snapshot.quick(folder).today == "2026-01-01"


def test_a_catalog_with_faults_is_not_kept(folder, loads):
    (folder / "engines" / "engb.yaml").write_text("name: [\n")
    assert snapshot.quick(folder).diagnostics
    assert snapshot.quick(folder).diagnostics
    assert len(loads) == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b'{"records": [1]}'])
def test_a_broken_snapshot_is_made_anew(folder, tmp_path, loads, content):
    snapshot.quick(folder)
    [place] = (tmp_path / "cache").rglob("*.jsonl")
    place.write_bytes(content)
    assert len(snapshot.quick(folder).catalog.records) == COUNT - 2
    assert len(loads) == 2
    assert place.read_bytes() != content


@pytest.mark.parametrize("share", [0, 20, 300, -40])
def test_a_byte_that_changed_anywhere_is_noticed(folder, tmp_path, loads, share):
    first = snapshot.quick(folder)
    [place] = (tmp_path / "cache").rglob("*.jsonl")
    content = bytearray(place.read_bytes())
    content[share] ^= 1
    place.write_bytes(content)
    second = snapshot.quick(folder)
    assert len(loads) == 2
    assert contents(second) == contents(first)


def test_a_cache_that_cannot_be_written_costs_time_only(folder, tmp_path, monkeypatch, loads):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(snapshot.quick(folder).catalog.records) == len(snapshot.quick(folder).catalog.records) == COUNT - 2
    assert len(loads) == 2


def test_names_that_are_no_text_and_links_that_lead_nowhere_do_no_harm(folder):
    os.rename(folder / "engines" / "engb.yaml", os.fsencode(folder / "engines") + b"/\xff.yaml")
    (folder / "link.txt").symlink_to(folder / "nowhere")
    first, second = snapshot.quick(folder), snapshot.quick(folder)
    assert list(first.catalog.records) == list(second.catalog.records)


@pytest.mark.parametrize(
    "command", [["check", "tiny-model", "enga"], ["show", "tiny-model"], ["show", "enga-registry"], ["cache", "tiny-model", "--engine", "enga"]]
)
def test_every_verb_answers_from_it_as_from_the_catalog(run, folder, loads, command):
    first, second = (run(*command, "--json", catalog=folder) for _ in range(2))
    assert (first.exit_code, first.stdout) == (second.exit_code, second.stdout)
    assert len(loads) == 1


STORED = {"vocabulary": {}, "newest": "2026-01-01", "count": 1, "records": []}
WRONG = {
    "data that is no mapping": {"records": [["a", "engine", "catalog/engines/a.yaml", 5]]},
    "a kind that there is not": {"records": [["a", "thing", "catalog/things/a.yaml", {}]]},
    "a record cut short": {"records": [["a", "engine"]]},
    "records by name": {"records": {"a": {}}},
    "a vocabulary that is none": {"vocabulary": 3},
    "no count": {"count": None, "records": None},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_snapshot_of_another_shape_is_made_anew(folder, tmp_path, loads, name):
    snapshot.quick(folder)
    [place] = (tmp_path / "cache").rglob("*.jsonl")
    content = json.dumps(STORED | WRONG[name]).encode() + b"\n"
    place.write_bytes(b"%08x\n" % zlib.crc32(content) + content)
    assert len(snapshot.quick(folder).catalog.records) == 21
    assert len(loads) == 2


def test_a_snapshot_nested_too_deep_is_made_anew(folder, tmp_path, loads):
    snapshot.quick(folder)
    [place] = (tmp_path / "cache").rglob("*.jsonl")
    place.write_text("[" * 100_000)
    snapshot.quick(folder)
    assert len(loads) == 2


def test_a_user_without_a_home_has_no_snapshot(folder, tmp_path, monkeypatch, loads):
    """As in a container that is run under a number that names nobody."""
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    assert len(snapshot.quick(folder).catalog.records) == len(snapshot.quick(folder).catalog.records) == 21
    assert len(loads) == 2
    assert not list(tmp_path.rglob("*.jsonl"))


def test_one_snapshot_is_kept_and_another_program_s_files_are_left_alone(folder, tmp_path):
    (tmp_path / "cache" / "other").mkdir(parents=True)
    (tmp_path / "cache" / "other" / "x.json").write_text("{}")
    for text in ("a", "b"):
        (folder / "notes.txt").write_text(text * 100)
        os.utime(folder / "notes.txt", ns=(len(text), ord(text)))
        snapshot.quick(folder)
    assert len(list((tmp_path / "cache" / "infercompat").iterdir())) == 1
    assert (tmp_path / "cache" / "other" / "x.json").exists()


def test_a_folder_whose_name_is_no_text(folder, tmp_path, loads):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.rename(odd)
    assert list(snapshot.quick(odd).catalog.records) == list(snapshot.quick(odd).catalog.records)
    assert len(loads) == 1


def test_a_folder_behind_a_link_is_not_followed(folder, loads):
    (folder / "again").symlink_to(folder, target_is_directory=True)
    assert len(list(snapshot._files(folder))) == COUNT + 1
    snapshot.quick(folder)
    snapshot.quick(folder)
    assert len(loads) == 1


def test_two_checkouts_keep_a_snapshot_each_and_one_that_nobody_needs_goes(folder, tmp_path, loads):
    other = copy_tiny(tmp_path / "other")
    for catalog in (folder, other, folder, other):
        snapshot.quick(catalog)
    assert len(loads) == 2
    old = next((tmp_path / "cache" / "infercompat").iterdir())
    os.utime(old, (0, 0))
    (folder / GOTCHA).write_text((folder / GOTCHA).read_text() + "\n")
    snapshot.quick(folder)
    assert not old.exists() or old.stat().st_mtime > 0
    assert len(list((tmp_path / "cache" / "infercompat").iterdir())) <= 2
