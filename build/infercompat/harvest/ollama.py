"""Ollama's two ways to a model of its own: the switch that turns safetensors into GGUF, and the models of its MLX runner."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim

REPOSITORY = "https://github.com/ollama/ollama"
CONVERT = "convert/convert.go"
IMPORTS = "x/mlxrunner/imports.go"
MODELS = "x/models"

_SWITCH = re.compile(r"^\s*switch (?:\w+, \w+ := )?(?P<on>[\w.\[\]]*Architectures\[0\]) \{\s*$")
_CASE = re.compile(r"^\s*(?:case\s|\")")
_DEFAULT = re.compile(r"^\s*default:\s*$")
_WORD = re.compile(r'"([^"]*)"')
_IMPORT = re.compile(r'^\s*_ "github\.com/ollama/ollama/x/models/(?P<folder>[\w/]+)"\s*$')
_REGISTER = re.compile(r"\bbase\.Register\(")
_NAMED = re.compile(r'\bbase\.Register\("(?P<name>[A-Za-z][A-Za-z0-9_]*)"\s*,')


def read_import(tree: Tree) -> Iterator[Claim]:
    """One claim a class that the import switches on, on the line of its case."""
    file = tree.file(CONVERT)
    start = next((number for number, line in enumerate(file.lines, start=1) if _SWITCH.match(line)), None)
    if start is None:
        raise Refused(f"{file.path}: nothing switches on the config's first architecture")
    for number in range(start + 1, len(file.lines) + 1):
        line = file.lines[number - 1]
        if _DEFAULT.match(line):
            if "unsupported architecture" not in "".join(file.lines[number : number + 2]):
                raise Refused(f"{file.path}:{number}: the switch does not end by refusing what it does not name")
            return
        if line.lstrip().startswith("case ") and not _WORD.search(line):
            raise Refused(f"{file.path}:{number}: a case that names no class")
        if _CASE.match(line):
            for name in _WORD.findall(line):
                yield claim(file, number, "native", architecture=name)
    raise Refused(f"{file.path}:{start}: the switch has no default")


def read_mlx(tree: Tree) -> Iterator[Claim]:
    """One claim a class that a model of the MLX runner registers, on that line; models that the runner does not import are left out."""
    imports = tree.file(IMPORTS)
    folders = [match["folder"] for line in imports.lines if (match := _IMPORT.match(line))]
    if not folders:
        raise Refused(f"{imports.path}: no model is imported")
    for folder in folders:
        for file in tree.files(f"{MODELS}/{folder}", pattern="*.go"):
            if not file.path.endswith("_test.go"):
                yield from _registered(file)


def _registered(file: File) -> Iterator[Claim]:
    for number, line in enumerate(file.lines, start=1):
        if _REGISTER.search(line):
            match = _NAMED.search(line)
            if match is None:
                raise Refused(f"{file.path}:{number}: a registration that names no class")
            yield claim(file, number, "native", named=True, architecture=match["name"])


HARVESTERS = (
    Harvester(
        engine="ollama-gguf",
        prefix="ollama-gguf",
        what="import",
        title="The architectures that Ollama {version} converts to GGUF itself",
        url=REPOSITORY + "/blob/{tag}/" + CONVERT,
        tag="v{version}",
        read=read_import,
        repository=REPOSITORY,
        least=20,
    ),
    Harvester(
        engine="ollama-mlx",
        prefix="ollama-mlx",
        what="models",
        title="The architectures that the MLX runner of Ollama {version} registers",
        url=REPOSITORY + "/tree/{tag}/" + MODELS,
        tag="v{version}",
        read=read_mlx,
        repository=REPOSITORY,
        least=10,
    ),
)
