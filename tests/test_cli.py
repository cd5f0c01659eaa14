"""The command: exit statuses, forms of output, what is nearest to a slip, and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from catalogs import COUNT, MODEL, REGISTRY, TINY, WINDOW, changed, copy_tiny, text_of
from infercompat import __version__
from infercompat.rules import DECLARATIONS

CLEAN = f"{COUNT} files, {COUNT - 2} records: clean\n"
SLIP = changed("requirements/windowing.yaml", ("[[tiny-model|the tiny model]]", "[[tiny-modle]]"))
UNUSED = {"citations/example.com/unused.yaml": "title: A\nurl: https://example.com/unused\ntype: paper\npublisher: acme\n"}


@pytest.fixture
def catalog(tmp_path):
    """Makes a changed copy of the tiny catalog on disk."""
    return lambda files: copy_tiny(tmp_path, files)


def test_a_clean_catalog(run):
    result = run("validate")
    assert (result.exit_code, result.stdout) == (0, CLEAN)


def test_faults_in_text(run, catalog):
    result = run("validate", catalog=catalog(SLIP))
    assert result.exit_code == 1
    *told, help = result.stdout.splitlines()
    assert told == [
        "catalog/requirements/windowing.yaml:6:10  LNK001  [[tiny-modle]] leads to no record",
        "      Met in [[tiny-modle]].",
        "             ^^^^^^^^^^^^^^",
    ]
    assert help.startswith("    Nearest: tiny-model, ")
    assert result.stderr == f"{COUNT} files, {COUNT - 2} records: 1 fault, 0 warnings\n"


def test_faults_for_programs(run, catalog):
    folder = catalog(SLIP)
    [found] = json.loads(run("validate", "--format", "json", catalog=folder).stdout)["diagnostics"]
    assert (found["rule"], found["path"], found["line"], found["column"], found["severity"]) == (
        "LNK001", "catalog/requirements/windowing.yaml", 6, 10, "error",
    )  # fmt: skip
    [result] = json.loads(run("validate", "--format", "sarif", catalog=folder).stdout)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("LNK001", "error")
    line = run("validate", "--format", "github", catalog=folder).stdout
    assert line.startswith("::error file=catalog/requirements/windowing.yaml,line=6,col=10::LNK001 [[tiny-modle]] leads to no record.")


@pytest.mark.parametrize("form", ["json", "sarif", "github", "text"])
def test_a_clean_catalog_in_every_form(run, form):
    result = run("validate", "--format", form)
    assert result.exit_code == 0
    assert (result.stdout == "") is (form == "github")


@pytest.mark.parametrize(("arguments", "status", "tally"), [([], 0, "0 faults, 1 warning"), (["--strict"], 1, "1 fault, 0 warnings")])
def test_warnings_count_when_strict(run, catalog, arguments, status, tally):
    result = run("validate", *arguments, catalog=catalog(UNUSED))
    assert result.exit_code == status
    assert tally in result.output


def test_only_the_paths_that_were_named(run, catalog):
    folder = catalog(SLIP | UNUSED)
    assert run("validate", str(folder / "engines"), catalog=folder).exit_code == 0
    assert run("validate", str(folder / "requirements"), catalog=folder).exit_code == 1
    assert run("validate", str(folder / "requirements" / "windowing.yaml"), catalog=folder).exit_code == 1
    assert run("validate", str(folder / "requirements" / "sliding-window.yaml"), catalog=folder).exit_code == 0
    assert run("validate", str(folder), catalog=folder).exit_code == 1
    assert run("validate", str(folder.parent), catalog=folder).exit_code == 1
    assert run("validate", "--strict", str(folder / "citations"), catalog=folder).exit_code == 1


def test_paths_that_are_not_there_or_elsewhere_are_slips(run, catalog):
    folder = catalog({})
    for path in (folder / "nothing.yaml", folder.parent.parent):
        assert run("validate", str(path), catalog=folder).exit_code == 2


@pytest.mark.parametrize("name", [".", "../catalog", "catalog/"])
def test_the_catalog_may_be_named_in_any_way(run, catalog, monkeypatch, name):
    folder = catalog(SLIP)
    monkeypatch.chdir(folder if name != "catalog/" else folder.parent)
    result = run("validate", catalog=Path(name))
    assert result.stdout.startswith("catalog/requirements/windowing.yaml:6:10  LNK001")
    assert "Met in" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["explain", "LNK001"], 0, "LNK001 dangling-link (error)"),
        (["explain", "lnk001"], 0, "What it checks"),
        (["explain", "dangling-link"], 0, "# catalog/gotchas/enga/slow-start.yaml"),
        (["explain", "LNK01"], 2, "nearest: LNK001"),
        (["explain", "model.linears"], 0, "k        int: Its input columns, over all ranks."),
        (["explain", "vllm.has_pr"], 0, "of others nothing is known."),
        (["explain", "dangling"], 2, "nearest: dangling-link"),
        (["explain", "zzzzzzz"], 2, "infercompat explain lists them"),
        (["show", "enga"], 0, "EngA  (engine enga, catalog/engines/enga.yaml)"),
        (["show", "enga-wrong-past-window"], 0, "workaround 1   set {'cache.dtype': 'bf16'}"),
        (["show", "tiny-modle"], 2, "there is no record tiny-modle; nearest: tiny-model"),
        (["show", "zzzzzzzz"], 2, "there is no record zzzzzzzz\n"),
        (["impact", "enga-regstry"], 2, "nearest: enga-registry"),
        (["impact", "tiny-at-8k"], 0, "nothing rests on tiny-at-8k"),
        (["impact", "card-base"], 0, "gotcha (1)\n  enga-wrong-past-window  Wrong tokens past the window\n"),
        (["search", "nothing", "at", "all"], 1, "nothing found"),
        (["validate", "--format", "xml"], 2, "Invalid value"),
        (["nothing"], 2, "No such command"),
        (["show"], 2, "Missing argument"),
        (["--version"], 0, f"infercompat, version {__version__}"),
        (["--help"], 0, "validate"),
    ],
)
def test_statuses_and_words(run, arguments, status, words):
    result = run(*arguments)
    assert result.exit_code == status
    assert words in result.output


@pytest.mark.parametrize("target", ["tiny-model", "old/tiny", "acme/tiny-it", "ACME/Tiny-IT", "TINY-MODEL"])
def test_a_model_by_id_alias_or_checkpoint(run, target):
    result = run("show", target)
    assert result.exit_code == 0
    assert result.stdout.startswith("Tiny  (model tiny-model, catalog/models/acme/tiny-model.yaml)\n")


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["tiny"], ["tiny-model", "tiny-at-8k", "tiny-config"]),
        (["TinyForCausalLM"], ["tiny-model"]),
        (["acme/tiny-it"], ["tiny-model"]),
        (["old/tiny"], ["tiny-model"]),
        (["wrong", "WINDOW"], ["enga-wrong-past-window", "enga-issue-1"]),
        (["registry of"], ["enga-1-1-0-registry", "enga-registry"]),
    ],
)
def test_search_finds_records_with_all_words(run, words, ids):
    assert sorted(line.split()[1] for line in run("search", *words).stdout.splitlines()) == sorted(ids)


def test_explain_shows_every_rule(run):
    for code in DECLARATIONS:
        result = run("explain", code)
        assert result.exit_code == 0
        assert [line for line in result.stdout.splitlines() if line in ("What it checks", "Why it matters", "Bad", "Good")] == [
            "What it checks", "Why it matters", "Bad", "Good",
        ]  # fmt: skip


def test_show_as_json(run):
    data = json.loads(run("show", "tiny-model", "--json").stdout)
    assert (data["id"], data["kind"], data["record"]["name"]) == ("tiny-model", "model", "Tiny")
    assert data["derived"]["cache"]["ideal"]["at"]["8192"] == 9_437_184
    assert [(engine["engine"], engine["verdict"], engine["missing"]) for engine in data["engines"]] == [
        ("enga", "yes", []),
        ("engb", "unknown", ["architecture", "sliding-window"]),
    ]


BAD_CATALOGS = {
    "a vocabulary that is no YAML": {"vocabulary.yaml": "words: [\n"},
    "a vocabulary of another shape": {"vocabulary.yaml": "words: {}\n"},
    "a vocabulary that is a list": {"vocabulary.yaml": "- words\n"},
    "no vocabulary": {"vocabulary.yaml": None},
    "exceptions of another shape": {"exceptions.yaml": "exceptions: [x]\n"},
    "exceptions without a list": {"exceptions.yaml": "exceptions:\n"},
    "a directory with the name of a file": {"engines/x.yaml/y.yaml": "name: X\n", WINDOW: "name: X\n"},
    "a record of another kind's shape": {"engines/engb.yaml": text_of(MODEL)},
    "a record that is a list": {REGISTRY: "- engine: enga\n"},
    "a record that is a word": {MODEL: "word\n"},
    "an empty record": {MODEL: ""},
    "nothing but nulls": {MODEL: "name:\nfamily:\narchitecture:\ncheckpoints:\nconfig:\n"},
    "a config of nonsense": changed(MODEL, ("num_hidden_layers: 4", "num_hidden_layers: many"), ("sliding_window: 1024", "sliding_window: [1]")),
    "a huge number": changed(MODEL, ("num_hidden_layers: 4", "num_hidden_layers: 99999999999999999999")),
}
COMMANDS = [["validate"], ["show", "tiny-model"], ["show", "enga", "--json"], ["search", "tiny"], ["impact", "enga"], ["build", "--check"]]


@pytest.mark.parametrize("name", BAD_CATALOGS)
def test_a_bad_catalog_is_told_and_never_a_traceback(run, catalog, name):
    folder = catalog(BAD_CATALOGS[name])
    for command in COMMANDS:
        result = run(*command, catalog=folder)
        assert result.exit_code in (0, 1, 2)
        assert "Traceback" not in result.output
    assert run("validate", "--strict", catalog=folder).exit_code == 1


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_catalog_that_is_not_there_is_a_slip(run, tmp_path, command):
    (tmp_path / "file.yaml").write_text("name: X\n")
    for folder in (tmp_path / "nothing", tmp_path / "file.yaml"):
        result = run(*command, catalog=folder)
        assert result.exit_code == 2
        assert "there is no catalog at" in result.output


def test_an_empty_folder_is_a_slip(run, tmp_path):
    result = run("validate", catalog=tmp_path)
    assert (result.exit_code, "holds no YAML file" in result.output) == (2, True)


def test_a_file_that_cannot_be_opened_is_a_fault(run, catalog):
    folder = catalog({})
    (folder / "engines" / "gone.yaml").symlink_to(folder / "nowhere")
    result = run("validate", catalog=folder)
    assert result.exit_code == 1
    assert "catalog/engines/gone.yaml:1:1  YAML001  cannot be read: No such file or directory" in result.stdout
    for command in (["show", "enga"], ["search", "enga"], ["impact", "enga"]):
        assert run(*command, catalog=folder).exit_code == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_a_fault(run, catalog):
    folder = catalog({})
    (folder / "engines" / "engb.yaml").chmod(0)
    result = run("validate", catalog=folder)
    assert "YAML001  cannot be read: Permission denied" in result.stdout


def test_withdrawn_and_moved_records_are_shown(run, catalog):
    withdrawn = {MODEL: text_of(MODEL) + "withdrawn: {on: 2026-01-01, because: It was wrong.}\n"}
    stubs = {f"requirements/{id}.yaml": f"moved_to: {to}\nmoved_on: 2026-01-01\n" for id, to in (("a", "windowing"), ("b", "c"), ("c", "b"))}
    folder = catalog(withdrawn | stubs)
    assert "withdrawn on 2026-01-01: It was wrong." in run("show", "tiny-model", catalog=folder).stdout
    assert json.loads(run("show", "tiny-model", "--json", catalog=folder).stdout)["record"]["withdrawn"]["because"] == "It was wrong."
    assert run("show", "a", catalog=folder).stdout.startswith("Windowing  (requirement windowing,")
    assert run("show", "b", catalog=folder).exit_code == 0


def test_a_build_of_a_faulty_catalog_writes_nothing(run, catalog):
    folder = catalog({MODEL: "name: X\n"})
    before = sorted(folder.parent.rglob("*"))
    for arguments in (["build"], ["build", "--docs-only"], ["build", "--check"]):
        result = run(*arguments, catalog=folder)
        assert result.exit_code == 1
        assert "nothing was written" in result.stderr
    assert sorted(folder.parent.rglob("*")) == before


def test_docs_are_checked_and_written(run, catalog):
    folder = catalog({})
    assert run("build", "--check", catalog=folder).exit_code == 1
    assert run("build", "--docs-only", catalog=folder).exit_code == 0
    assert run("build", "--check", catalog=folder).exit_code == 0


@pytest.mark.parametrize("module", [True, False])
def test_the_command_as_a_program(module):
    command = [sys.executable, "-m", "infercompat"] if module else [str(Path(sys.executable).with_name("infercompat"))]
    result = subprocess.run([*command, "--catalog", str(TINY), "validate"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, CLEAN, "")


def test_a_file_name_that_is_no_text_is_no_traceback(catalog):
    folder = catalog({})
    os.rename(folder / "engines" / "engb.yaml", os.fsencode(folder / "engines") + b"/\xff.yaml")
    strict = os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    for arguments, status in ((["validate"], 1), (["validate", "--format", "json"], 1), (["validate", "--format", "github"], 1), (["search", "EngB"], 0)):
        command = [sys.executable, "-m", "infercompat", "--catalog", str(folder), *arguments]
        result = subprocess.run(command, capture_output=True, check=False, env=strict)
        assert (result.returncode, b"Traceback" in result.stderr) == (status, False)
