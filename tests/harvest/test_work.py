"""A harvest as a whole: every source of an engine, optional ones skipped with a word, nothing written over what has faults."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import pytest
from msgspec.structs import replace

from infercompat.harvest import SOURCES, Refused, run, work
from infercompat.harvest.base import Harvester, Unreachable, claim
from infercompat.pipeline import load

from .trees import grow

ENGINE = "enga"


def read(tree):
    file = tree.file("registry.py")
    for number, line in enumerate(file.lines, start=1):
        if line:
            yield claim(file, number, "native", architecture=line)


REGISTRY = Harvester(
    engine=ENGINE, prefix=ENGINE, what="registry", title="Registry of {version}", url="https://example.com/acme/enga/blob/v{version}/registry.py",
    tag="v{version}", read=read, package="enga", least=1,
)  # fmt: skip
PAGE = replace(REGISTRY, read=lambda tree: read_page(tree), ending="page", what="page", complete=False, optional=True, type="documentation")


def read_page(tree):
    file = tree.file("page.md")
    yield claim(file, 1, "native", architecture="PageForCausalLM")


@pytest.fixture(autouse=True)
def two_sources(monkeypatch):
    monkeypatch.setitem(SOURCES, ENGINE, (REGISTRY, PAGE))
    monkeypatch.setattr(run, "SOURCES", SOURCES)


def job(catalog, tree, version="1.1.0", **more) -> work.Job:
    return work.Job(load(catalog, "2026-03-01"), f"{ENGINE}@{version}", given=tree.root, day="2026-03-01", **more)


def test_a_check_tells_claims_then_what_moves_and_skips_a_missing_page(tiny_copy, tmp_path):
    lines = list(job(tiny_copy, grow(tmp_path / "tree", {"registry.py": "OtherForCausalLM\n"})).check())
    assert lines[0] == "enga 1.1.0 registry: 2 claims differ from enga-1-1-0-registry"
    assert lines[1:3] == ["removed  TinyForCausalLM: native", "1 cells and answers move"]
    assert lines[3].startswith("cell     tiny-model on enga 1.1.0: yes") and "-> no" in lines[3]
    assert lines[4:] == ["added    OtherForCausalLM: native"]  # no model of the catalog is of that class


def test_a_check_without_a_difference(tiny_copy, tmp_path):
    lines = list(job(tiny_copy, grow(tmp_path / "tree", {"registry.py": "\n\nTinyForCausalLM\n"})).check())
    assert lines == ["enga-1-1-0-registry: the same upstream"]


def test_a_new_release_is_compared_with_the_newest_snapshot(tiny_copy, tmp_path):
    lines = list(job(tiny_copy, grow(tmp_path / "tree", {"registry.py": "OtherForCausalLM\n"}), "1.2.0").check())
    assert lines[0] == "enga 1.2.0 registry (new, against 1.1.0): 2 claims differ from enga-1-1-0-registry"
    assert any(line.startswith("answer   tiny-model on enga 1.2.0:") for line in lines)


def test_writing_keeps_the_id_that_is_there_and_adds_the_page(tiny_copy, tmp_path):
    tree = grow(tmp_path / "tree", {"registry.py": "TinyForCausalLM\n", "page.md": "x\n"})
    lines = list(job(tiny_copy, tree).write())
    assert "written  catalog/support/enga/enga-1-1-0-registry.yaml" in lines
    assert "written  catalog/support/enga/enga-1-1-0-page.yaml" in lines
    assert next(iter(job(tiny_copy, tree).write())).startswith("unchanged")


def test_a_snapshot_that_says_the_same_keeps_its_day_unless_one_is_given(tiny_copy, tmp_path):
    tree = grow(tmp_path / "tree", {"registry.py": "TinyForCausalLM\n"})
    list(job(tiny_copy, tree).write())
    path = tiny_copy / "support/enga/enga-1-1-0-registry.yaml"
    first = path.read_text("utf-8")
    later = replace(job(tiny_copy, tree), day="2026-03-08")
    assert next(iter(later.write())).startswith("unchanged") and path.read_text("utf-8") == first
    assert next(iter(replace(later, dated=True).write())).startswith("written")
    assert path.read_text("utf-8") == first.replace("2026-03-01", "2026-03-08")
    grow(tree.root, {"registry.py": "TinyForCausalLM\nNewForCausalLM\n"})
    assert next(iter(replace(later, day="2026-03-15").write())).startswith("written")


def test_a_missing_page_is_said_and_a_missing_registry_refused(tiny_copy, tmp_path):
    lines = list(job(tiny_copy, grow(tmp_path / "tree", {"registry.py": "TinyForCausalLM\n"})).write())
    assert lines[-1].startswith("skipped  enga page: ")
    with pytest.raises(Refused, match=r"none of registry\.py is there"):
        list(job(tiny_copy, grow(tmp_path / "empty", {"other.py": ""})).write())


def test_a_page_whose_tree_cannot_be_had_is_said_and_the_registry_read(tiny_copy, tmp_path, monkeypatch):
    """A source with a channel of its own: the registry comes from a package, the page from a repository out of reach."""
    monkeypatch.setitem(SOURCES, ENGINE, (REGISTRY, replace(PAGE, package=None, repository="https://example.com/acme/enga")))
    monkeypatch.setattr(run, "tree_of", partial(only_packages, grow(tmp_path / "tree", {"registry.py": "\n\nTinyForCausalLM\n"})))
    told = "skipped  enga page: no network"
    asked = work.Job(load(tiny_copy, "2026-03-01"), f"{ENGINE}@1.1.0", day="2026-03-01")
    assert list(asked.check()) == ["enga-1-1-0-registry: the same upstream", told]
    assert list(replace(asked, skipped=[]).write())[-1] == told


@contextmanager
def only_packages(tree, harvester, version, given):
    if harvester.package is None:
        raise Unreachable("no network")
    yield tree, "the released package"


def test_a_file_with_faults_is_not_written_over(tiny_copy, tmp_path):
    path = tiny_copy / "support/enga/enga-1-1-0-page.yaml"
    path.write_text("engine: enga\nengine: enga\n", "utf-8")
    tree = grow(tmp_path / "tree", {"registry.py": "TinyForCausalLM\n", "page.md": "x\n"})
    with pytest.raises(Refused, match=r"enga-1-1-0-page\.yaml is there and has faults"):
        list(job(tiny_copy, tree).write())
    assert path.read_text("utf-8") == "engine: enga\nengine: enga\n"


def test_one_source_alone(tiny_copy, tmp_path):
    tree = grow(tmp_path / "tree", {"registry.py": "TinyForCausalLM\n", "page.md": "x\n"})
    assert {line.split("/")[-1] for line in job(tiny_copy, tree, source="page").write()} >= {"enga-1-1-0-page.yaml"}
    with pytest.raises(Refused, match="'docs' is no source of enga"):
        list(job(tiny_copy, tree, source="docs").write())
