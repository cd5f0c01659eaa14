"""What the verbs share: help, the catalog in use, the clock, and one line for whatever cannot be read or written."""

from __future__ import annotations

import datetime
import errno
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from catalogs import ROOT, TINY, copy_tiny
from infercompat.cli import VERBS, common, main


def verb_of(name):
    return main.get_command(click.Context(main), name)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_verb_explains_itself(verb, flag):
    result = CliRunner().invoke(main, [verb, flag])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")
    assert verb_of(verb).help.split("\n")[0].split()[0] in result.stdout


def test_the_help_of_the_command_lists_every_verb():
    text = CliRunner().invoke(main, ["--help"]).stdout
    assert [verb for verb in VERBS if f"\n  {verb} " not in text] == []


def test_every_option_says_what_it_does():
    options = [(verb, option.name, option.help) for verb in VERBS for option in verb_of(verb).params if isinstance(option, click.Option)]
    assert len(options) > 40
    assert [(verb, name) for verb, name, help in options if name not in ("form", "help") and not help] == []


def test_verbs_that_ask_about_a_stack_take_the_same_options():
    wanted = ["hardware", "gpus", "tp", "length", "cache_dtype", "checkpoint", "from_config", "settings", "required"]
    for verb in ("check", "upgrade"):
        names = [option.name for option in verb_of(verb).params]
        assert [name for name in names if name in wanted] == wanted


@pytest.mark.parametrize(
    "arguments",
    [
        ["--gpus", "0"],
        ["--gpus", "4097"],
        ["--tp", "0"],
        ["--tp", "x"],
        ["--context", "0"],
        ["--context", str(1 << 41)],
        ["--context", "1e5"],
        ["--gpus", "9" * 5000],
    ],
    ids=lambda arguments: " ".join(arguments)[:20],
)
def test_numbers_out_of_range_are_slips(run, arguments):
    result = run("check", "tiny-model", "enga", *arguments)
    assert (result.exit_code, "Invalid value" in result.stderr) == (2, True)


def context_of(folder: Path | None) -> click.Context:
    return click.Context(main, obj=folder)


def test_only_validation_looks_at_the_clock(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert common.products_of(context_of(TINY)).today == common.answering(context_of(TINY)).today == "2026-02-02"
    assert common.products_of(context_of(TINY), clock=True).today == datetime.datetime.now(datetime.UTC).date().isoformat()


def test_the_catalog_of_the_checkout_that_one_stands_in(run, tmp_path, monkeypatch):
    folder = copy_tiny(tmp_path, {"hardware/nearby.yaml": "name: Nearby\nvendor: nvidia\nclass: sm100\ncites: [{id: card-page}]\n"})
    (tmp_path / "schemas").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert CliRunner().invoke(main, ["show", "nearby"]).stdout.startswith("Nearby  (hardware nearby, catalog/hardware/nearby.yaml)")
    assert common.answering(context_of(None)).folder == folder.resolve()
    assert run("show", "nearby").exit_code == 2


def test_a_vocabulary_with_a_fault_is_told_before_any_answer(run, tmp_path):
    catalog = copy_tiny(tmp_path, {"vocabulary.yaml": "words: {}\n"})
    for command in (["show", "enga"], ["check"], ["cache", "tiny-model"], ["new", "hardware", "x"], ["harvest", "vllm@1", "--from", "x"]):
        result = run(*command, catalog=catalog)
        assert result.exit_code == 1
        assert result.stderr.startswith("infercompat: catalog/vocabulary.yaml:1:")
        assert result.stderr.endswith("Run: infercompat validate\n")


LONG = "a" * 300


@pytest.mark.parametrize(
    "command",
    [
        ["cache", LONG],
        ["cache", f"{LONG}.json"],
        ["cache", f"{LONG}.gguf"],
        ["check", "tiny-model", "enga", "--from-config", LONG],
        ["validate", LONG],
        ["fmt", "--check", LONG],
        ["harvest", "vllm@1.0", "--from", LONG],
        ["new", "model", "x", "--publisher", "acme", "--config", LONG],
        ["--catalog", LONG, "show", "enga"],
    ],
    ids=lambda command: command[0],
)
def test_a_name_too_long_for_a_file_is_one_line(run, command):
    result = run(*command)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "File name too long" in result.stderr


def test_a_place_that_cannot_be_written_is_one_line(run, tmp_path):
    catalog = copy_tiny(tmp_path)
    (catalog / "models" / "other").write_text("no folder")
    result = run("new", "model", "fresh", "--publisher", "other", catalog=catalog)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert str(catalog / "models" / "other") in result.stderr


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "x.yaml"), "infercompat: x.yaml: Permission denied\n"),
        (OSError(errno.ENOSPC, "No space left on device"), "infercompat: [Errno 28] No space left on device\n"),
    ],
)
def test_what_the_system_refuses_is_told(monkeypatch, error, told):
    def refuse(**options):
        raise error

    monkeypatch.setattr(verb_of("show"), "callback", refuse)
    result = CliRunner().invoke(main, ["--catalog", str(TINY), "show", "enga"])
    assert (result.exit_code, result.stderr) == (2, told)


def test_a_reader_that_went_away_is_no_fault_of_a_file(monkeypatch):
    def refuse(**options):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(verb_of("show"), "callback", refuse)
    result = CliRunner().invoke(main, ["--catalog", str(TINY), "show", "enga"])
    assert (result.exit_code, result.stderr, type(result.exception)) == (1, "", SystemExit)


def test_the_folder_of_the_real_catalog_is_found_from_here(monkeypatch):
    monkeypatch.chdir(ROOT / "tests")
    assert common.folder_of(context_of(None)) == ROOT / "catalog"
