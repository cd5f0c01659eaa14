"""What harvesters share: a released tree that is read and never imported, claims with their lines, and snapshots in canonical form."""

from __future__ import annotations

import ast
import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field


class Refused(Exception):
    """Why a tree could not be harvested: a place that moved, or a registry that came out empty."""


class Unreachable(Refused):
    """Why a tree could not be had: a host that does not answer, or a release that it does not hold. Nothing is known of its shape then."""


class File(Struct, frozen=True, dict=True):
    """One file of an upstream tree."""

    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def module(self) -> ast.Module:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # upstream's own, such as an escape that means nothing
                return ast.parse(self.text)
        except SyntaxError as error:
            raise Refused(f"{self.path}:{error.lineno}: not Python that this version can read: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise Refused(f"{self.path}: not Python that this version can read: {str(error) or type(error).__name__}") from None

    def digest(self, line: int) -> str:
        """The sha256 of a line's text without its line end."""
        return hashlib.sha256(self.lines[line - 1].rstrip("\r").encode()).hexdigest()


class Tree(Struct, frozen=True):
    """An unpacked release. Paths are those of the repository; a wheel holds them below its package."""

    root: Path
    _held: dict[str, File] = field(default_factory=dict)

    def _read(self, path: str) -> File:
        """A file, read and parsed once however many sources ask for it."""
        if path not in self._held:
            self._held[path] = File(path, (self.root / path).read_text("utf-8-sig", "replace"))
        return self._held[path]

    def has(self, path: str) -> bool:
        """Whether a file is there."""
        return (self.root / path).is_file()

    def below(self, *folders: str, pattern: str = "*.py") -> list[File]:
        """The files of the first folder that exists and of all folders in it, by path."""
        for folder in folders:
            if (self.root / folder).is_dir():
                found = sorted(path.relative_to(self.root).as_posix() for path in (self.root / folder).rglob(pattern) if path.is_file())
                return [self._read(path) for path in found]
        raise Refused(f"{self.root}: none of {', '.join(folders)} is there")

    def file(self, *candidates: str) -> File:
        """The first of several places of one file that exists. Raises Refused when it is at none of them."""
        for path in candidates:
            found = self.root / path
            if found.is_file():
                return self._read(path)
        raise Refused(f"{self.root}: none of {', '.join(candidates)} is there")

    def files(self, *folders: str, pattern: str = "*.py") -> list[File]:
        """The files of the first of several places of one folder that exists, by name."""
        for folder in folders:
            if (self.root / folder).is_dir():
                return [self.file(f"{folder}/{path.name}") for path in sorted((self.root / folder).glob(pattern)) if path.is_file()]
        raise Refused(f"{self.root}: none of {', '.join(folders)} is there")


class Claim(Struct, frozen=True):
    """One statement read from a line. `file` is named in `at` where a snapshot's source is a folder; `path` is that of the file in the tree."""

    about: tuple[tuple[str, str], ...]
    holds: str
    line: int
    sha256: str
    file: str = ""
    fields: tuple[tuple[str, Any], ...] = ()
    path: str = ""

    @property
    def at(self) -> str:
        return f"{self.file} L{self.line}" if self.file else f"L{self.line}"

    @property
    def subject(self) -> Subject:
        return subject({"about": dict(self.about)} | dict(self.fields))


Subject = tuple[tuple[tuple[str, Any], ...], str]
"""What a claim is about, and its condition as text; empty where it has none."""


def subject(claim: dict[str, Any]) -> Subject:
    """The subject of a claim in the shape of a record's."""
    return tuple(claim["about"].items()), json.dumps(claim["when"], sort_keys=True) if "when" in claim else ""


def overlaps(one: Subject, other: Subject) -> bool:
    """Whether two claims are about the same: one without a condition speaks of all, two with one only where that is the same."""
    return one[0] == other[0] and ("" in (one[1], other[1]) or one[1] == other[1])


def claim(file: File, line: int, holds: str, named: bool | str = False, fields: dict[str, Any] | None = None, **about: str) -> Claim:
    """A claim on a line of a file; `named` puts the file's name into `at`, or its path below a folder that is named."""
    name = file.path.rpartition(f"{named}/")[2] if isinstance(named, str) else Path(file.path).name if named else ""
    return Claim(tuple(about.items()), holds, line, file.digest(line), name, tuple((fields or {}).items()), file.path)


class Harvester(Struct, frozen=True):
    """How one source of one engine is read.

    `what` ends the ids of the snapshot and its citation, `url` and `title` are written with {tag} and {version}, `package` is the
    released package that holds the tree, `sdist` the one whose source archive does (without either the repository's tag is fetched),
    `read` gives the claims, `least` is how few claims a whole registry can have and still be believed. `extra` gives claims with
    conditions, `older` the address where a tree keeps the source in another place than today's. A source that is not the whole registry
    of architectures says `complete=False` and `ending`, the last part of its snapshots' ids; `whole_page` if it lists all that its page
    does. `type` is that of its citation.
    `every` keeps statements on one subject that differ, which is how a page contradicts itself. `optional` sources may be missing
    from a tree: older releases do not have them.
    """

    engine: str
    prefix: str
    what: str
    title: str
    url: str
    tag: str
    read: Callable[[Tree], Iterable[Claim]]
    package: str | None = None
    sdist: str | None = None
    repository: str = ""
    least: int = 20
    extra: Callable[[Tree], list[dict[str, Any]]] = field(default=lambda tree: [])
    older: Callable[[Tree], str | None] = field(default=lambda tree: None)
    complete: bool = True
    ending: str = "registry"
    type: str = "code"
    whole_page: bool = False
    every: bool = False
    optional: bool = False

    def claims(self, tree: Tree) -> list[Claim]:
        """The claims of a whole registry, one a subject: the first. An empty or tiny one is an error, never 'everything was removed'."""
        found: dict[tuple, Claim] = {}
        for item in self.read(tree):
            found.setdefault((item.subject, item.holds) if self.every else item.subject, item)
        if len(found) < self.least:
            raise Refused(f"{self.engine}: only {len(found)} claims were read, fewer than {self.least}: the source has changed its shape")
        return list(found.values())


def assignments(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Every name that a module assigns to at its top level, with or without a type beside it, and the value."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for target in targets:
            if isinstance(target, ast.Name) and node.value is not None:
                yield target.id, node.value


def assigned(module: ast.Module, name: str) -> ast.expr | None:
    """The value that a name has when its module was read: that of the last assignment."""
    return dict(assignments(module)).get(name)


def entries(value: ast.expr | None) -> Iterator[tuple[str, ast.expr, int]]:
    """Key, value and line of a dict literal, a dict comprehension's parts left out, or of an OrderedDict of pairs or of a dict."""
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Dict):
        yield from entries(value.args[0])
    elif isinstance(value, ast.Call) and value.args and isinstance(value.args[0], (ast.List, ast.Tuple)):
        for pair in value.args[0].elts:
            if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and isinstance(pair.elts[0], ast.Constant):
                yield str(pair.elts[0].value), pair.elts[1], pair.lineno
    elif isinstance(value, ast.Dict):
        for key, item in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant):
                yield str(key.value), item, key.lineno
            elif key is None:
                yield from entries(item)
