"""Downloads from a list of the hub's counts: which are taken, and what changes in a record."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from catalogs import copy_tiny
from infercompat.harvest.base import Refused
from infercompat.harvest.downloads import counted, read_list, written

LIST = [
    {"name": "acme/tiny-it", "hf_downloads": 1234},
    {"name": "acme/tiny-awq", "hf_downloads": 66},
    {"name": "acme/typed", "hf_downloads": 12000000},
    {"name": "acme/nobody", "hf_downloads": 0},
    {"name": "acme/silent"},
]

ODD = [b'[{"name": [], "hf_downloads": 3}]', b'[{"name": "x", "hf_downloads": true}]', b'[{"name": ' + b"[" * 200000]


def test_counts_typed_by_people_and_zeros_are_left_out():
    assert read_list(json.dumps(LIST).encode()) == {"acme/tiny-it": 1234, "acme/tiny-awq": 66}


def test_the_longest_list_inside_a_program_is_taken():
    inside = b'\x7fELF\xff[{"name": "x", "age": 1}]\x00' + json.dumps(LIST).encode() + b'\x00\xfe[{"name": broken'
    assert read_list(inside) == {"acme/tiny-it": 1234, "acme/tiny-awq": 66}


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe", b'[{"name": "x"}]', b'[{"name": 1, "hf_downloads": "many"}]', *ODD])
def test_a_file_without_a_list_is_refused(content):
    with pytest.raises(Refused, match="no list of downloads"):
        read_list(content)


def test_a_checkpoint_that_stands_twice_counts_once():
    model = {"checkpoints": [{"hub": "a/b", "type": "Q4_0"}, {"hub": "a/b", "type": "Q8_0"}, {"hub": "a/c"}, {"hub": "a/unlisted"}]}
    assert counted(model, {"a/b": 10, "a/c": 5, "other/one": 7}) == 15


def test_a_count_comes_before_the_checkpoints_and_replaces_the_one_before():
    text = "name: T\n# said by nobody\ncheckpoints:\n  - {hub: a/b}\nnotes: |\n  checkpoints: none\n"
    line = "downloads: {count: 15, cites: [{id: list, at: hf_downloads}]}\n"
    once = written(text, 15, "list")
    assert once == f"name: T\n# said by nobody\n{line}checkpoints:\n  - {{hub: a/b}}\nnotes: |\n  checkpoints: none\n"
    assert written(once.replace("15", "3"), 15, "list") == once
    assert written("name: T\ndownloads:\n  count: 3\n  cites: [{id: old}]\nchat_template:\n  - x\ncheckpoints: []\n", 15, "list") == (
        f"name: T\n{line}chat_template:\n  - x\ncheckpoints: []\n"
    )
    assert written(once, 0, "list") == text


def test_the_command_writes_the_models_that_are_listed(tmp_path):
    catalog = copy_tiny(tmp_path, {})
    (tmp_path / "list.json").write_text(json.dumps(LIST))
    run = [sys.executable, "-m", "infercompat.harvest.downloads", str(tmp_path / "list.json"), "enga-registry"]
    done = subprocess.run(run, cwd=catalog.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1 models have another count of downloads\n")
    assert "downloads: {count: 1234, cites: [{id: enga-registry, at: hf_downloads}]}\n" in (catalog / "models/acme/tiny-model.yaml").read_text()
    missing = subprocess.run([*run[:3], "nowhere.json", "x"], cwd=catalog.parent, capture_output=True, text=True, check=False)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "nowhere.json" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_a_citation_that_is_not_there_changes_nothing(tmp_path):
    catalog = copy_tiny(tmp_path, {})
    (tmp_path / "list.json").write_text(json.dumps(LIST))
    before = (catalog / "models/acme/tiny-model.yaml").read_bytes()
    for folder, citation in ((tmp_path, "nonesuch"), (tmp_path, "*"), (catalog, "enga-registry")):
        run = [sys.executable, "-m", "infercompat.harvest.downloads", str(tmp_path / "list.json"), citation]
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"{citation}: no such record" in done.stderr
    assert (catalog / "models/acme/tiny-model.yaml").read_bytes() == before
