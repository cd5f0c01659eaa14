"""Runs a harvest: gets the released tree by the ordinary client, or takes one that is there, and writes or compares the snapshot."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from infercompat.harvest import HARVESTERS, Harvester, Refused, Tree
from infercompat.link import Catalog
from infercompat.records import Record


@contextmanager
def tree_of(harvester: Harvester, version: str, given: Path | None) -> Iterator[tuple[Tree, str]]:
    """A released tree and how it was read: a folder or archive that is given, the released package, or the repository's tag."""
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        if given is not None:
            yield Tree(_unpacked(given, scratch)), f"the released tree of {version}"
        elif harvester.package:
            _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder, f"{harvester.package}=={version}"])
            yield Tree(_unpacked(next(scratch.glob("*.whl")), scratch / "tree")), f"the released package of {version}"
        else:
            tag = harvester.tag.format(version=version)
            _run(["git", "clone", "--quiet", "--depth", "1", "--branch", tag, harvester.repository, str(scratch / "tree")])
            yield Tree(scratch / "tree"), f"the repository at {tag}"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Refused(f"{' '.join(command[:4])} … failed: {last}. With a tree at hand: --from PATH")


def _unpacked(path: Path, scratch: Path) -> Path:
    """The folder of a tree; an archive is unpacked, and its single top folder entered."""
    if path.is_dir():
        return path
    if not path.is_file():
        raise Refused(f"there is no folder or archive {path}")
    scratch.mkdir(parents=True, exist_ok=True)
    if zipfile.is_zipfile(path):
        zipfile.ZipFile(path).extractall(scratch)
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            archive.extractall(scratch, filter="data")
    else:
        raise Refused(f"{path} is no folder, wheel or source archive")
    inner = [entry for entry in scratch.iterdir() if entry.is_dir()]
    return inner[0] if len(inner) == 1 and path.suffix != ".whl" else scratch


def existing(catalog: Catalog, harvester: Harvester, version: str) -> Record | None:
    """The catalog's whole-registry snapshot of an engine at a version."""
    return next(
        (s for s in catalog.of_kind("support") if s.data["engine"] == harvester.engine and s.data["version"] == version and s.data.get("complete")), None
    )


def differences(snapshot: Record, harvester: Harvester, tree: Tree) -> list[str]:
    """How upstream differs from a snapshot: claims added, removed and changed, one a line."""
    upstream = {item.about: item.holds for item in harvester.claims(tree)}
    ours = {tuple(claim["about"].items()): claim["holds"] for claim in snapshot.data["claims"] if "when" not in claim}
    lines = [f"added    {_words(about)}: {holds}" for about, holds in upstream.items() if about not in ours]
    lines += [f"removed  {_words(about)}: {holds}" for about, holds in ours.items() if about not in upstream]
    lines += [f"changed  {_words(about)}: {ours[about]} -> {holds}" for about, holds in upstream.items() if ours.get(about, holds) != holds]
    return sorted(lines)


def _words(about: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(value for _, value in about)


def harvester_of(engine: str) -> Harvester:
    if engine not in HARVESTERS:
        raise Refused(f"there is no harvester for {engine}; there are: {', '.join(HARVESTERS)}")
    return HARVESTERS[engine]

