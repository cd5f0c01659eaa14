"""Writing: whole files, only when their bytes change, and folders that hold exactly what they should."""

from __future__ import annotations

import pytest

from infercompat.write import write_file, write_tree


def tree(root) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_file_is_written_once(tmp_path):
    path = tmp_path / "deep" / "a.md"
    assert write_file(path, b"one")
    written = path.stat()
    assert not write_file(path, b"one")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (written.st_mtime_ns, written.st_ino)
    assert write_file(path, b"two")
    assert tree(tmp_path) == {"deep/a.md": b"two"}


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    write_file(path, b"one")
    monkeypatch.setattr("infercompat.write.os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_file(path, b"two")
    assert path.read_bytes() == b"one"


def test_a_tree_holds_exactly_its_files(tmp_path):
    root = tmp_path / "docs"
    write_tree(root, {"index.md": b"1", "models/a.md": b"2", "models/b.md": b"3"})
    (root / "13.md").write_bytes(b"kept")
    (root / "old" / "deep").mkdir(parents=True)
    (root / "old" / "deep" / "x.md").write_bytes(b"old")
    write_tree(root, {"index.md": b"1", "models/a.md": b"4"}, keep=frozenset({"13.md"}))
    assert tree(root) == {"index.md": b"1", "models/a.md": b"4", "13.md": b"kept"}
    assert not (root / "old").exists()


def test_a_second_write_touches_nothing(tmp_path):
    files = {"index.md": b"1", "models/a.md": b"2"}
    write_tree(tmp_path, files)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    write_tree(tmp_path, files)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_file_may_take_the_place_of_a_folder_and_a_folder_that_of_a_file(tmp_path):
    write_tree(tmp_path, {"a/b.md": b"1", "c": b"2"})
    write_tree(tmp_path, {"a": b"3", "c/d.md": b"4"})
    assert tree(tmp_path) == {"a": b"3", "c/d.md": b"4"}


def test_a_tree_of_nothing_is_an_empty_folder(tmp_path):
    write_tree(tmp_path / "docs", {"a.md": b"1"})
    write_tree(tmp_path / "docs", {})
    assert tree(tmp_path / "docs") == {}
    assert (tmp_path / "docs").is_dir()
