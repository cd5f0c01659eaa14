"""Runs a harvest: gets the released tree by the ordinary client, or takes one that is there, and writes or compares the snapshot."""

from __future__ import annotations

import lzma
import os
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from infercompat.harvest import SOURCES, Harvester, Refused, Tree
from infercompat.harvest.base import Unreachable
from infercompat.harvest.snapshot import WRITTEN, snapshot_id
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.versions import compare, parse_version
from infercompat.write import write_file

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]*")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_ERROR = re.compile(r"(?:error|fatal)\b", re.I)
_BROKEN = (OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile)
"""What unpacking raises: a file cut short, a password, or a member that points outside its folder."""


INDEX, REPOSITORY = "package index", "repository"
"""The channels by which trees come."""


def channel(harvester: Harvester) -> str:
    """Where the trees of a source come from."""
    return INDEX if harvester.sdist or harvester.package else REPOSITORY


@contextmanager
def tree_of(harvester: Harvester, version: str, given: Path | None) -> Iterator[tuple[Tree, str]]:
    """A released tree and how it was read: a folder or archive that is given, the released package, or the repository's tag."""
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        if given is not None:
            yield Tree(_unpacked(given, scratch)), f"the released tree of {version}"
        elif harvester.sdist:
            yield Tree(_source(harvester.sdist, version, scratch)), f"the released source package of {version}"
        elif harvester.package:
            _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder, f"{harvester.package}=={version}"])
            for wheel in scratch.glob("*.whl"):
                yield Tree(_unpacked(wheel, scratch / "tree")), f"the released package of {version}"
        else:
            tag = harvester.tag.format(version=version)
            if _COMMIT.fullmatch(tag):  # no client clones at a commit: its whole history comes without files, then those of the commit
                _run(["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", harvester.repository, str(scratch / "tree")])
                _run(["git", "-C", str(scratch / "tree"), "checkout", "--quiet", tag])
            else:
                _run(["git", "clone", "--quiet", "--depth", "1", "--branch", tag, harvester.repository, str(scratch / "tree")])
            yield Tree(scratch / "tree"), f"the repository at {tag}"


def _source(package: str, version: str, scratch: Path) -> Path:
    """The unpacked source package of a release.

    pip keeps a source package only after it has asked its builder for metadata, which would run the package's code and wants all that it
    is built with. So the builder is put out of reach, and the folder into which pip unpacked the package is read, though pip fails then.
    """
    hidden = scratch / "builder"
    (scratch / "kept").mkdir()
    write_file(hidden / "setuptools" / "__init__.py", b'raise ImportError("a source package is read here and not built")\n')
    keep = ["--no-deps", "--no-clean", "--no-build-isolation", "--no-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *keep, "-d", str(scratch / "kept"), f"{package}=={version}"]
    failed = None
    try:
        _run(command, {"PYTHONPATH": str(hidden), "TMPDIR": str(scratch)})
    except Refused as error:
        failed = error
    archive = next((scratch / "kept").glob("*"), None)
    if archive is not None:
        return _unpacked(archive, scratch / "tree")
    unpacked = [folder for folder in scratch.glob("pip-*/*") if (folder / "PKG-INFO").is_file()]
    if len(unpacked) != 1:
        raise failed or Unreachable(f"pip download left no source package of {package} {version}. With a tree at hand: --from PATH")
    return unpacked[0]


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=os.environ | (environment or {}))
    except OSError as error:
        raise Unreachable(f"{command[0]} cannot be run: {error.strerror}. With a tree at hand: --from PATH") from None
    if done.returncode:
        raise Unreachable(f"{' '.join(command[:4])} … failed: {told(done.stderr)}. With a tree at hand: --from PATH")


def told(printed: str) -> str:
    """What a client's error output says: its last line that calls itself an error, else its last one, cut where it lists what there is."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    found = [line for line in lines if _ERROR.match(line) and not line.endswith(":")] or lines or ["no message"]
    return found[-1] if len(found[-1]) <= 300 else f"{found[-1][:300]} …"


def _unpacked(path: Path, scratch: Path) -> Path:
    """The folder of a tree; an archive is unpacked, and its single top folder entered."""
    if path.is_dir():
        return path
    if not path.is_file():
        raise Refused(f"there is no folder or archive {path}")
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        if zipfile.is_zipfile(path):
            zipfile.ZipFile(path).extractall(scratch)
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                archive.extractall(scratch, _harmless(archive, scratch.resolve()))
        else:
            raise Refused(f"{path} is no folder, wheel or source archive")
    except _BROKEN as error:
        raise Refused(f"{path} cannot be unpacked: {' '.join(str(error).split()) or type(error).__name__}") from None
    inner = [entry for entry in scratch.iterdir() if entry.is_dir()]
    return inner[0] if len(inner) == 1 and path.suffix != ".whl" else scratch


def _harmless(archive: tarfile.TarFile, folder: Path) -> list[tarfile.TarInfo]:
    """An archive's members, none of which writes, points or is anything outside a folder.

    Python 3.11.2, Debian's, has no extraction filters, so they are checked here.

    Raises:
        tarfile.TarError: one does, by its name.
    """
    members = archive.getmembers()
    for member in members:
        place = folder / member.name
        ends = [place]
        if member.issym():
            ends.append(place.parent / member.linkname)
        elif member.islnk():
            ends.append(folder / member.linkname)
        if member.isdev() or not all(end.resolve().is_relative_to(folder) for end in ends):
            raise tarfile.ExtractError(f"{member.name!r} is a device or leads outside the archive")
    # A link is made last, so that no member is written through one.
    return sorted(members, key=lambda member: member.issym())


def existing(catalog: Catalog, harvester: Harvester, version: str) -> Record | None:
    """The catalog's snapshot of a source at a version: the whole registry, or the one that has the source's id, if only as an alias."""
    ours = [s for s in catalog.of_kind("support") if s.data["engine"] == harvester.engine and s.data["version"] == version]
    if not harvester.complete:
        return next((s for s in ours if snapshot_id(harvester, version) in (s.id, *s.data.get("aliases", ()))), None)
    return next((s for s in ours if s.data.get("complete")), None)


def nearest(catalog: Catalog, harvester: Harvester, version: str) -> Record | None:
    """The newest snapshot of a source that is no newer than a version, or that cannot be ordered with it: what a new release is compared with."""
    if harvester.engine not in catalog.records:
        return None
    scheme = catalog.records[harvester.engine].data["scheme"]
    wanted = parse_version(scheme, version)
    best: Record | None = None
    for entry in catalog.records[harvester.engine].data["releases"]:  # newest first
        at = parse_version(scheme, entry["version"])
        if best is None and (wanted is None or at is None or compare(at, wanted) != "greater"):
            best = existing(catalog, harvester, entry["version"])
    return best


def by_hand(snapshot: Record, harvester: Harvester) -> str:
    """What a harvest would destroy or double in a snapshot that is there: a word for it, empty where it only writes it anew."""
    if set(snapshot.data) - WRITTEN:
        return "fields of its own"
    return "claims with a source of their own and no word by_hand" if any("cites" in c and "by_hand" not in c for c in snapshot.data["claims"]) else ""


def wanted(target: str, source: str = "") -> tuple[tuple[Harvester, ...], str]:
    """The sources and the version that ENGINE[@VERSION] names; no version is an empty one. Raises Refused with what there is."""
    engine, at, version = target.partition("@")
    if engine not in SOURCES:
        raise Refused(f"there is no harvester for '{engine}'; there are: {', '.join(SOURCES)}")
    if at and not _VERSION.fullmatch(version):
        raise Refused(f"'{version}' is no version" if version else "name the version: ENGINE@VERSION")
    found = tuple(harvester for harvester in SOURCES[engine] if source in ("", harvester.ending))
    if not found:
        raise Refused(f"'{source}' is no source of {engine}; there are: {', '.join(harvester.ending for harvester in SOURCES[engine])}")
    return found, version
