"""Running a harvest: trees and archives that are given or fetched, bad ones refused in one line, and what differs from the catalog."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from catalogs import REGISTRY
from catalogs import snapshot as catalog_snapshot
from infercompat.harvest import HARVESTERS, Refused, run
from infercompat.link import Catalog
from infercompat.records import Document, Record

from .trees import MLX, VLLM, Files, grow, small


def zipped(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, files: Files, top: str = "", links: dict[str, str] | None = None) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.encode()))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return path


def names(tree) -> list[str]:
    return [item.about[0][1] for item in small("mlx-lm").claims(tree)]


ALL = ["alias", "llama", "solar_open", "mistral", "phi-msft"]


def test_a_folder_is_read_where_it_lies(tmp_path):
    grow(tmp_path, MLX)
    with run.tree_of(HARVESTERS["mlx-lm"], "0.31.3", tmp_path) as (tree, how):
        assert (tree.root, how) == (tmp_path, "the released tree of 0.31.3")
    assert (tmp_path / "mlx_lm/utils.py").is_file()


@pytest.mark.parametrize(
    "archive",
    [
        lambda folder: zipped(folder / "mlx_lm-0.31.3-py3-none-any.whl", MLX),
        lambda folder: zipped(folder / "main.zip", {f"mlx-lm-main/{name}": text for name, text in MLX.items()}),
        lambda folder: tarred(folder / "mlx_lm-0.31.3.tar.gz", MLX, top="mlx_lm-0.31.3/"),
        lambda folder: tarred(folder / "both.tgz", MLX | {"docs/index.md": ""}),
    ],
    ids=["wheel", "zip with a top folder", "sdist", "tar without one"],
)
def test_an_archive_is_unpacked_and_removed(tmp_path, archive):
    with run.tree_of(HARVESTERS["mlx-lm"], "0.31.3", archive(tmp_path)) as (tree, _):
        assert names(tree) == ALL
    assert not tree.root.exists()


def cut(path: Path, share: float = 0.5) -> Path:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    return path


def locked(path: Path) -> Path:
    """A zip that says its members are encrypted."""
    data = bytearray(zipped(path, {"a.py": "x = 1"}).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    return path


BAD = {
    "nothing there": lambda folder: folder / "nothing.tar.gz",
    "no archive": lambda folder: grow(folder, {"a.tar.gz": "text"}).root / "a.tar.gz",
    "an empty file": lambda folder: grow(folder, {"a.whl": ""}).root / "a.whl",
    "a tar cut short": lambda folder: cut(tarred(folder / "a.tar.gz", {"a.py": "x = 1\n" * 5000, "b.py": "".join(map(str, range(9999)))}), 0.9),
    "a zip cut short": lambda folder: cut(zipped(folder / "a.zip", MLX)),
    "a locked zip": lambda folder: locked(folder / "a.zip"),
    "a path outside": lambda folder: tarred(folder / "a.tar.gz", {"../outside.py": "x"}),
    "a path further outside": lambda folder: tarred(folder / "a.tar.gz", {"a/../../../outside.py": "x"}),
    "a link outside": lambda folder: tarred(folder / "a.tar.gz", {}, links={"a": "../../outside.py"}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_in_one_line(tmp_path, name):
    given = BAD[name](tmp_path)
    with pytest.raises(Refused) as refused, run.tree_of(HARVESTERS["mlx-lm"], "0.31.3", given) as (tree, _):
        names(tree)
    assert "\n" not in str(refused.value)
    assert given.name in str(refused.value)
    assert not list(tmp_path.parent.rglob("outside.py"))


def test_a_zip_with_a_path_outside_stays_inside(tmp_path):
    with run.tree_of(HARVESTERS["mlx-lm"], "0.31.3", zipped(tmp_path / "a.whl", MLX | {"../../outside.py": "x"})) as (tree, _):
        assert (tree.root / "outside.py").is_file()
    assert not list(tmp_path.parent.rglob("outside.py"))


@pytest.fixture
def commands(monkeypatch) -> list[list[str]]:
    """What would be run instead of the ordinary clients; a download leaves a wheel, a clone a tree."""
    ran: list[list[str]] = []

    def fake(command, **options):
        ran.append(command)
        if "download" in command:
            zipped(Path(command[command.index("-d") + 1], "mlx_lm-0.31.3-py3-none-any.whl"), MLX)
        elif "clone" in command:
            grow(Path(command[-1]), VLLM)
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", fake)
    return ran


def test_a_released_package_is_fetched_by_pip(commands):
    with run.tree_of(HARVESTERS["mlx-lm"], "0.31.3", None) as (tree, how):
        assert (names(tree), how) == (ALL, "the released package of 0.31.3")
    assert (commands[0][1:4], commands[0][-1]) == (["-m", "pip", "download"], "mlx-lm==0.31.3")


def test_a_repository_is_cloned_at_its_tag(commands):
    with run.tree_of(replace(HARVESTERS["vllm"], sdist=None), "0.33.0", None) as (tree, how):
        assert (len(small("vllm").claims(tree)), how) == (9, "the repository at v0.33.0")
    assert commands[0][:7] == ["git", "clone", "--quiet", "--depth", "1", "--branch", "v0.33.0"]


def test_a_commit_is_checked_out_of_a_clone_without_files(commands):
    """No client clones at a commit: `--branch` takes the names of tags and branches alone."""
    with run.tree_of(HARVESTERS["llama.cpp"], "0c1e57098", None) as (_, how):
        assert how == "the repository at 0c1e57098"
    assert commands[0][:5] == ["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout"]
    assert commands[1][3:] == ["checkout", "--quiet", "0c1e57098"]
    with run.tree_of(HARVESTERS["llama.cpp"], "b9000", None):
        assert commands[2][4:7] == ["1", "--branch", "b9000"]


def test_git_itself_gives_the_tree_of_a_commit_and_of_a_tag(tmp_path):
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "--quiet")
    for content in ("first", "second"):
        grow(tmp_path, {"a.txt": content})
        git("add", "a.txt")
        git("commit", "--quiet", "-m", content)
    git("tag", "v2")
    harvester = replace(HARVESTERS["llama.cpp"], repository=tmp_path.as_uri())
    for version, content in ((git("rev-parse", "--short=9", "HEAD~1"), "first"), ("v2", "second")):
        with run.tree_of(harvester, version, None) as (tree, how):
            assert (tree.file("a.txt").text, how) == (content, f"the repository at {version}")


def sourced(monkeypatch, leave, returncode: int = 1) -> dict[str, str]:
    """Replaces pip by something that leaves files in the folders that it was given; gives the environment that it saw."""
    seen: dict[str, str] = {}

    def fake(command, env, **options):
        seen.update(env)
        leave(Path(env["TMPDIR"]), Path(command[command.index("-d") + 1]))
        return SimpleNamespace(returncode=returncode, stdout="", stderr="ERROR: no builder\n\nhint: see above\n")

    monkeypatch.setattr(subprocess, "run", fake)
    return seen


def test_a_source_package_is_read_where_pip_unpacked_it_and_never_built(monkeypatch):
    """pip fails, since the builder that it looks for raises, and leaves the folder that it unpacked."""
    seen = sourced(monkeypatch, lambda scratch, kept: grow(scratch / "pip-download-x/vllm_1f", VLLM | {"PKG-INFO": ""}))
    with run.tree_of(HARVESTERS["vllm"], "0.33.0", None) as (tree, how):
        assert (len(small("vllm").claims(tree)), how) == (9, "the released source package of 0.33.0")
        assert "raise ImportError" in Path(seen["PYTHONPATH"], "setuptools/__init__.py").read_text()
    assert not tree.root.exists()


def test_a_source_package_that_pip_keeps_is_unpacked(monkeypatch):
    sourced(monkeypatch, lambda scratch, kept: tarred(kept / "vllm-0.33.0.tar.gz", VLLM, top="vllm-0.33.0/"), returncode=0)
    with run.tree_of(HARVESTERS["vllm"], "0.33.0", None) as (tree, _):
        assert len(small("vllm").claims(tree)) == 9


@pytest.mark.parametrize(("returncode", "words"), [(1, "failed: ERROR: no builder"), (0, "left no source package of vllm 0.33.0")])
def test_a_source_package_that_is_not_there(monkeypatch, returncode, words):
    sourced(monkeypatch, lambda scratch, kept: None, returncode)
    with pytest.raises(Refused, match=words), run.tree_of(HARVESTERS["vllm"], "0.33.0", None):
        pass


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("a warning\nERROR: no such version\n\nhint: see above\n", "ERROR: no such version"),
        ("fatal: unable to access 'x': Could not resolve host: y\n", "fatal: unable to access 'x': Could not resolve host: y"),
        ("error:\nthe last line\n", "the last line"),
        ("", "no message"),
        (f"ERROR: none of {'0.1, ' * 200}", f"ERROR: none of {'0.1, ' * 57} …"),
    ],
)
def test_what_a_client_says(printed, words):
    """The line that calls itself an error, not the hint below it; a list of all versions is cut after 300 characters."""
    assert run.told(printed) == words


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (SimpleNamespace(returncode=1, stderr="a warning\nERROR: no such version\n"), "pip download … failed: ERROR: no such version"),
        (SimpleNamespace(returncode=128, stderr=""), "failed: no message"),
        (FileNotFoundError(2, "No such file or directory"), "cannot be run: No such file or directory"),
    ],
)
def test_a_client_that_fails_is_told_in_one_line(monkeypatch, outcome, told):
    def fake(command, **options):
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    monkeypatch.setattr(subprocess, "run", fake)
    with pytest.raises(Refused) as refused, run.tree_of(HARVESTERS["mlx-lm"], "0.31.3", None):
        pass
    assert told in str(refused.value)
    assert str(refused.value).endswith("--from PATH")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("vllm@", "name the version"),
        ("@1.0", "there is no harvester for ''; there are: vllm, sglang, llama.cpp"),
        ("vlm@1.0", "there is no harvester for 'vlm'; there are: vllm"),
        ("vllm@../../x", "'../../x' is no version"),
        ("vllm@-x", "'-x' is no version"),
        ('vllm@1"', "is no version"),
        ("vllm@1.0\n", "is no version"),
        ("vllm@1@2", "'1@2' is no version"),
    ],
)
def test_targets_that_name_nothing(target, told):
    with pytest.raises(Refused) as refused:
        run.wanted(target)
    assert told in str(refused.value)


def test_a_target():
    assert run.wanted("llama.cpp@b7000", "registry") == ((HARVESTERS["llama.cpp"],), "b7000")
    assert run.wanted("vllm@0.11.0rc1+cu128")[1] == "0.11.0rc1+cu128"
    assert run.wanted("mlx-lm")[1] == ""


def test_a_source_that_an_engine_does_not_have():
    with pytest.raises(Refused, match="'page' is no source of mlx-lm; there are: registry"):
        run.wanted("mlx-lm@0.31.3", "page")


def record(*claims: dict, id: str = "mlxlm-0-31-3-registry", **fields) -> Record:
    data = {"engine": "mlx-lm", "version": "0.31.3", "title": "A", "complete": True, "cites": [], "read_on": "2026-02-02", "claims": list(claims)} | fields
    return Record(id, "support", data, Document("a.yaml", data, {}, {}, {}, ()))


def about(holds: str = "native", **fields) -> dict:
    more = {name: fields.pop(name) for name in ("cites", "note", "when", "by_hand") if name in fields}
    return {"about": fields, "holds": holds, "at": "L1"} | more


SAME = (
    *(about(model_type=name) for name in ("alias", "llama", "solar_open")),
    *(about("rewritten", model_type=name) for name in ("mistral", "phi-msft")),
)


@pytest.mark.parametrize(
    ("snapshot", "word"),
    [
        (record(*SAME), ""),
        (record(*SAME, id="mlxlm-0-31-3-models", notes="Read by people."), ""),
        (record(*SAME, about(model_type="a", note="Also a draft.")), ""),
        (record(*SAME, withdrawn={"on": "2026-02-03"}), "fields of its own"),
        (record(*SAME, about(model_type="a", cites=[{"id": "x"}])), "claims with a source of their own and no word by_hand"),
        (record(*SAME, about(model_type="a", cites=[{"id": "x"}], by_hand="The page says so.")), ""),
    ],
)
def test_what_people_wrote_into_a_snapshot(snapshot, word):
    assert run.by_hand(snapshot, HARVESTERS["mlx-lm"]) == word


def test_the_registry_that_the_catalog_has(tiny):
    enga = SimpleNamespace(engine="enga", complete=True)
    assert run.existing(tiny.catalog, enga, "1.1.0").id == Path(REGISTRY).stem
    assert run.existing(tiny.catalog, enga, "1.0.0") is None
    assert run.existing(tiny.catalog, SimpleNamespace(engine="vllm", complete=True), "1.1.0") is None
    assert run.existing(Catalog({}, {}, {}), enga, "1.1.0") is None


def test_a_snapshot_that_keeps_an_older_id_is_found_by_its_alias(make):
    """One made at a commit, before its source could be harvested, has that commit in its id."""
    page = SimpleNamespace(engine="enga", complete=False, prefix="enga", ending="page")
    text = catalog_snapshot("about: {architecture: TinyForCausalLM}, holds: native").replace("claims:", "aliases: [enga-1-1-0-page]\nclaims:")
    catalog = make({"support/enga/enga-1f1f1f1-page.yaml": text}).catalog
    assert run.existing(catalog, page, "1.1.0").id == "enga-1f1f1f1-page"
    assert run.existing(catalog, page, "1.0.0") is None
