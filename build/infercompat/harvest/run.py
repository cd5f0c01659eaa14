"""Runs a harvest: gets the released tree by the ordinary client, or takes one that is there, and writes or compares the snapshot."""

from __future__ import annotations

import lzma
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

from infercompat.harvest import HARVESTERS, Harvester, Refused, Tree
from infercompat.harvest.snapshot import WRITTEN, snapshot_id
from infercompat.link import Catalog
from infercompat.records import Record

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]*")
_BROKEN = (OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile)
"""What unpacking raises: a file cut short, a password, or a member that points outside its folder."""


@contextmanager
def tree_of(harvester: Harvester, version: str, given: Path | None) -> Iterator[tuple[Tree, str]]:
    """A released tree and how it was read: a folder or archive that is given, the released package, or the repository's tag."""
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        if given is not None:
            yield Tree(_unpacked(given, scratch)), f"the released tree of {version}"
        elif harvester.package:
            _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder, f"{harvester.package}=={version}"])
            for wheel in scratch.glob("*.whl"):
                yield Tree(_unpacked(wheel, scratch / "tree")), f"the released package of {version}"
        else:
            tag = harvester.tag.format(version=version)
            _run(["git", "clone", "--quiet", "--depth", "1", "--branch", tag, harvester.repository, str(scratch / "tree")])
            yield Tree(scratch / "tree"), f"the repository at {tag}"


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise Refused(f"{command[0]} cannot be run: {error.strerror}. With a tree at hand: --from PATH") from None
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
    """The catalog's whole-registry snapshot of an engine at a version, or the harvested one of a source that is no whole registry."""
    found = (s for s in catalog.of_kind("support") if s.data["engine"] == harvester.engine and s.data["version"] == version)
    return next((s for s in found if (s.data.get("complete") if harvester.complete else s.id == snapshot_id(harvester, version))), None)


def by_hand(snapshot: Record, harvester: Harvester) -> str:
    """What a harvest would destroy or double in a snapshot that is there: a word for it, empty where it only writes it anew."""
    if snapshot.id != snapshot_id(harvester, snapshot.data["version"]):
        return "another id"
    if set(snapshot.data) - WRITTEN:
        return "fields of its own"
    return "claims with a note or a source of their own" if any({"note", "cites"} & set(claim) for claim in snapshot.data["claims"]) else ""


def has_more(record: Record | None, text: str) -> bool:
    """Whether a record that is there has fields beyond those of a text that would take its place, such as notes on a citation."""
    return record is not None and bool(set(record.data) - {line.partition(":")[0] for line in text.splitlines()})


def differences(snapshot: Record, harvester: Harvester, tree: Tree) -> list[str]:
    """How upstream differs from a snapshot: claims added, removed and changed, one a line.

    Claims with a source of their own, with a condition on one architecture, or about more than a harvester reads are people's.
    """
    upstream = {item.about: item.holds for item in harvester.claims(tree)}
    fields = {tuple(name for name, _ in about) for about in upstream}
    upstream |= {tuple(item["about"].items()): item["holds"] for item in harvester.extra(tree)}
    claims = [(tuple(claim["about"].items()), claim) for claim in snapshot.data["claims"]]
    read = [(about, claim) for about, claim in claims if "cites" not in claim and tuple(claim["about"]) in fields]
    ours = {about: claim["holds"] for about, claim in read if "when" not in claim or "*" in claim["about"].values()}
    known = {about for about, _ in claims}
    lines = [f"added    {_words(about)}: {holds}" for about, holds in upstream.items() if about not in known]
    lines += [f"removed  {_words(about)}: {holds}" for about, holds in ours.items() if about not in upstream]
    lines += [f"changed  {_words(about)}: {ours[about]} -> {holds}" for about, holds in upstream.items() if ours.get(about, holds) != holds]
    return sorted(lines)


def _words(about: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(value for _, value in about)


def wanted(target: str) -> tuple[Harvester, str]:
    """The harvester and the version that ENGINE@VERSION names. Raises Refused with what there is."""
    engine, _, version = target.partition("@")
    if engine not in HARVESTERS:
        raise Refused(f"there is no harvester for '{engine}'; there are: {', '.join(HARVESTERS)}")
    if not version:
        raise Refused("name the version: ENGINE@VERSION")
    if not _VERSION.fullmatch(version):
        raise Refused(f"'{version}' is no version")
    return HARVESTERS[engine], version
