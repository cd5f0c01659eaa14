"""An older version of the catalog, taken out of the git history of the checkout that it lies in."""

from __future__ import annotations

import datetime
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from infercompat.write import write_file


class NoRevision(Exception):
    """A revision that cannot be had: the message says why."""


class Commit(Struct, frozen=True):
    """A commit by its full name, and when it was made: RFC 3339 in UTC."""

    revision: str
    time: str

    @property
    def day(self) -> str:
        return self.time[:10]


def commit_of(folder: Path, revision: str) -> Commit:
    """The commit that a revision names. Raises NoRevision where it names none."""
    if revision.startswith("-"):
        raise NoRevision(f"'{revision}' names no revision")
    name, seconds = _git(folder, "show", "--no-patch", "--format=%H %ct", f"{revision}^{{commit}}").decode().split()
    return Commit(name, datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


@contextmanager
def catalog_at(folder: Path, revision: str) -> Iterator[Path]:
    """A temporary copy of the catalog folder as it was at a git revision. Raises NoRevision where there is none."""
    if revision.startswith("-"):
        raise NoRevision(f"'{revision}' names no revision")
    archive = _git(folder, "archive", "--format=tar", revision)
    with tempfile.TemporaryDirectory(prefix="infercompat-") as scratch:
        target = Path(scratch, folder.name)
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            for member in packed.getmembers():  # files of our own history: plain ones are taken, and nothing else
                if member.isfile() and ".." not in Path(member.name).parts and not member.name.startswith("/"):
                    write_file(target / member.name, packed.extractfile(member).read())
        if not target.is_dir():
            raise NoRevision(f"there is no {folder.name} folder at {revision}")
        yield target


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except OSError as error:
        raise NoRevision(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git gave no reason"]
        raise NoRevision(f"git: {said[0].removeprefix('fatal: ')}")
    return done.stdout
