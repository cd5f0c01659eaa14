"""`harvest`: writes a snapshot and its citation, or says what differs; whatever stands in the way is one line and exit status 2."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from catalogs import OFFERS, REGISTRY, TINY, changed, copy_tiny, text_of
from infercompat.cli import main
from infercompat.harvest import HARVESTERS, SOURCES
from infercompat.harvest.base import claim
from infercompat.pipeline import load

NEW = "support/enga/enga-1-0-0-registry.yaml"
SOURCE = "citations/example.com/enga-list-1-0-0.yaml"


def read(tree):
    """EngA lists its architectures in one file, one a line."""
    file = tree.file("list.txt", "enga/list.txt")
    for number, line in enumerate(file.lines, start=1):
        if line:
            yield claim(file, number, "native", architecture=line)


@pytest.fixture(autouse=True)
def harvester(monkeypatch):
    """An engine of the tiny catalog that can be harvested."""
    made = replace(
        HARVESTERS["vllm"],
        **{"engine": "enga", "prefix": "enga", "what": "list", "title": "The list of EngA {version}", "url": "https://example.com/acme/enga/{tag}/list.txt"},
        **{"read": read, "extra": lambda tree: [], "least": 1, "repository": "/nowhere/at/all", "sdist": None},
    )
    monkeypatch.setitem(SOURCES, "enga", (made,))


@pytest.fixture
def tree(tmp_path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "list.txt").write_text("\nTinyForCausalLM\nLlamaForCausalLM\n")
    return folder


def test_a_harvest_writes_a_snapshot_and_its_citation_once(run, tiny_copy, tree):
    command = ["harvest", "enga@1.0.0", "--from", str(tree), "--read-on", "2026-02-02"]
    assert run(*command, catalog=tiny_copy).stdout == f"written  catalog/{NEW}\nwritten  catalog/{SOURCE}\n"
    written = (tiny_copy / NEW).read_bytes(), (tiny_copy / SOURCE).read_bytes()
    assert run(*command, catalog=tiny_copy).stdout == f"unchanged  catalog/{NEW}\nunchanged  catalog/{SOURCE}\n"
    assert ((tiny_copy / NEW).read_bytes(), (tiny_copy / SOURCE).read_bytes()) == written
    assert load(tiny_copy).diagnostics == []
    assert run("validate", catalog=tiny_copy).exit_code == 0
    assert "at: L2" in written[0].decode()
    assert run("check", "plain-model", "enga@1.0.0", catalog=tiny_copy).stdout.startswith("YES")


def test_without_a_day_it_is_today(run, tiny_copy, tree):
    run("harvest", "enga@1.0.0", "--from", str(tree), catalog=tiny_copy)
    assert f"read_on: {datetime.datetime.now(datetime.UTC).date().isoformat()}\n" in (tiny_copy / NEW).read_text()


@pytest.mark.parametrize(
    ("lines", "status", "told"),
    [
        ("TinyForCausalLM\nLlamaForCausalLM\n", 0, "enga-1-0-0-registry: the same upstream\n"),
        ("LlamaForCausalLM\n\n\nTinyForCausalLM\n", 0, "enga-1-0-0-registry: the same upstream\n"),
        ("TinyForCausalLM\nNewForCausalLM\n", 1, "added    NewForCausalLM: native\n"),
        ("TinyForCausalLM\n", 1, "removed  LlamaForCausalLM: native\n"),
    ],
)
def test_check_says_what_differs_and_writes_nothing(run, tiny_copy, tree, lines, status, told):
    run("harvest", "enga@1.0.0", "--from", str(tree), catalog=tiny_copy)
    before = {path: path.read_bytes() for path in tiny_copy.rglob("*.yaml")}
    (tree / "list.txt").write_text(lines)
    result = run("harvest", "enga@1.0.0", "--from", str(tree), "--check", catalog=tiny_copy)
    assert result.exit_code == status
    assert told in result.stdout
    assert {path: path.read_bytes() for path in tiny_copy.rglob("*.yaml")} == before


def test_a_claim_that_changed(run, tmp_path, tree):
    registry = text_of(REGISTRY).replace("holds: native", "holds: untested")
    result = run("harvest", "enga@1.1.0", "--from", str(tree), "--check", catalog=copy_tiny(tmp_path, {REGISTRY: registry}))
    assert result.exit_code == 1
    assert "\nadded    LlamaForCausalLM: native\nchanged  TinyForCausalLM: untested -> native\n" in result.stdout
    assert "\ncell     tiny-model on enga 1.1.0: unknown" in result.stdout


HAND = {
    "a source of its own": changed(REGISTRY, ("holds: native, at: L3}", "holds: native, at: L3, cites: [{id: enga-registry}]}")),
}


@pytest.mark.parametrize("name", HAND)
def test_what_people_wrote_is_never_overwritten(run, tmp_path, tree, name):
    catalog = copy_tiny(tmp_path, HAND[name])
    before = {path: path.read_bytes() for path in catalog.rglob("*.yaml")}
    result = run("harvest", "enga@1.1.0", "--from", str(tree), catalog=catalog)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "which would be lost or doubled; --check says what differs" in result.stderr
    assert {path: path.read_bytes() for path in catalog.rglob("*.yaml")} == before
    assert run("harvest", "enga@1.1.0", "--from", str(tree), "--check", catalog=catalog).exit_code in (1, 2)


def test_a_citation_with_notes_is_kept(run, tiny_copy, tree):
    command = ["harvest", "enga@1.0.0", "--from", str(tree), "--read-on", "2026-02-02"]
    run(*command, catalog=tiny_copy)
    text = (tiny_copy / SOURCE).read_text() + "notes: Read by people.\n"
    (tiny_copy / SOURCE).write_text(text)
    (tree / "list.txt").write_text("TinyForCausalLM\n")
    assert run(*command, catalog=tiny_copy).stdout == f"written  catalog/{NEW}\nkept  catalog/{SOURCE}\n"
    assert (tiny_copy / SOURCE).read_text() == text


def test_offers_beside_the_registry_are_no_registry(run, tiny_copy, tree):
    assert (tiny_copy / OFFERS).is_file()
    (tiny_copy / REGISTRY).unlink()
    assert run("harvest", "enga@1.1.0", "--from", str(tree), "--check", catalog=tiny_copy).exit_code == 2
    assert run("harvest", "enga@1.1.0", "--from", str(tree), catalog=tiny_copy).exit_code == 0
    assert (tiny_copy / REGISTRY).is_file()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["engb@b200"], "there is no harvester for 'engb'; there are: vllm, sglang, "),
        (["enga@"], "name the version"),
        (["@"], "there is no harvester for ''"),
        ([""], "there is no harvester for ''"),
        (["enga@../x"], "'../x' is no version"),
        (["enga@1.0.0", "--check"], "the catalog has no registry of enga at 1.0.0"),
        (["enga@1.0.0", "--from", "nowhere"], "there is no folder or archive nowhere"),
        (["enga@1.0.0", "--from", "tree/list.txt"], "tree/list.txt is no folder, wheel or source archive"),
        (["enga@1.0.0", "--from", "empty"], "none of list.txt, enga/list.txt is there"),
        (["enga@1.0.0", "--from", "bare"], "enga: only 0 claims were read, fewer than 1: the source has changed its shape"),
        (["vllm@0.33.0", "--from", "tree"], "none of vllm/model_executor/models/registry.py is there"),
        (["enga@1.0.0"], "git clone --quiet --depth … failed: "),
    ],
)
def test_what_stands_in_the_way_is_one_line(run, tiny_copy, tree, monkeypatch, arguments, told):
    (tree.parent / "empty").mkdir()
    (tree.parent / "bare").mkdir()
    (tree.parent / "bare" / "list.txt").write_text("\n\n")
    monkeypatch.chdir(tree.parent)
    result = run("harvest", *arguments, catalog=tiny_copy)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert told in result.stderr
    assert not (tiny_copy / NEW).exists()


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-02-30", "20260202", "2026-02-02: x", ""])
def test_a_day_that_is_none_is_a_slip(run, tiny_copy, tree, day):
    result = run("harvest", "enga@1.0.0", "--from", str(tree), "--read-on", day, catalog=tiny_copy)
    assert (result.exit_code, "Invalid value for '--read-on'" in result.stderr) == (2, True)
    assert not (tiny_copy / NEW).exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("harvest",), "name ENGINE@VERSION, or --all for every engine"),
        (("harvest", "vllm@1.0", "--all"), "name ENGINE@VERSION, or --all for every engine"),
        (("harvest", "vllm@1.0", "--check", "--verify"), "--check and --verify are two questions: ask one"),
        (("harvest", "--verify", "vllm@0.0.1"), "the catalog has no snapshot of vllm at 0.0.1"),
        (("harvest", "--verify", "enga", "--from", "no-such-folder"), "there is no folder or archive no-such-folder"),
        (("harvest", "--verify", "--source", "registry"), "leave --source out"),
        (("harvest", "vllm@0.0.1", "--source", "nothing"), "'nothing' is no source of vllm"),
    ],
)
def test_a_harvest_that_cannot_be_asked_for(words, told):
    result = CliRunner().invoke(main, ["--catalog", str(TINY), *words])
    assert result.exit_code == 2
    assert told in result.output and "Traceback" not in result.output


def test_releases_that_cannot_be_asked_for_are_said(monkeypatch):
    from infercompat.harvest import Refused, releases

    def refuse(command):
        raise Refused("no route to host")

    monkeypatch.setattr(releases, "run_client", refuse)
    result = CliRunner().invoke(main, ["--catalog", str(TINY), "releases"])
    assert result.exit_code == 2
    assert "no release channel can be reached: no route to host" in result.output


@pytest.mark.parametrize(("tags", "status"), [("1.2.0", 1), ("1.0.0", 0)])
def test_newer_releases_are_the_exit_status(monkeypatch, tags, status):
    from infercompat.harvest import releases

    monkeypatch.setattr(releases, "run_client", lambda command: f"a\trefs/tags/{tags}\na\trefs/tags/b200\na\trefs/tags/b100\n")
    assert CliRunner().invoke(main, ["--catalog", str(TINY), "releases"]).exit_code == status


@pytest.fixture
def two_engines(monkeypatch, harvester, tree):
    """EngA, read from a tree; and another engine of the same, whose trees come from a repository that is not there."""
    from contextlib import contextmanager

    from infercompat.harvest import Tree, releases, run
    from infercompat.harvest.base import Unreachable

    there = SOURCES["enga"][0]
    monkeypatch.setattr("infercompat.harvest.SOURCES", {"enga": (replace(there, package="enga"),), "engb": (replace(there, engine="engb", package=None),)})
    monkeypatch.setattr(run, "SOURCES", {"enga": (replace(there, package="enga"),), "engb": (replace(there, engine="engb", package=None),)})
    monkeypatch.setattr(releases, "newest", lambda catalog, engine, ask=None: "1.1.0")

    @contextmanager
    def tree_of(harvester, version, given):
        if harvester.package is None:
            raise Unreachable("no route to host")
        yield Tree(tree), "the released package"

    monkeypatch.setattr(run, "tree_of", tree_of)


@pytest.mark.parametrize(
    ("lines", "more", "status", "told"),
    [
        ("TinyForCausalLM\n", (), 2, "not read, their trees cannot be had: engb"),
        ("TinyForCausalLM\n", ("--reachable",), 0, "left out, their channel gives nothing here: engb"),
        ("TinyForCausalLM\nNewForCausalLM\n", ("--reachable",), 1, "left out, their channel gives nothing here: engb"),
        ("\n", ("--reachable",), 2, "not read, their sources have changed their shape: enga"),
    ],
)
def test_engines_that_were_not_read_are_told_by_their_reason(run, tiny_copy, two_engines, tree, lines, more, status, told):
    (tree / "list.txt").write_text(lines)
    result = run("harvest", "--all", "--check", *more, catalog=tiny_copy)
    assert (result.exit_code, told in result.stderr) == (status, True), result.stderr
    assert "== enga" in result.stdout and "no tree  engb registry: no route to host" in result.stdout
