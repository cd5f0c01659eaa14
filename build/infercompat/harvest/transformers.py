"""Transformers' architectures: the classes that the automatic maps name, and which of them let an engine put in its own attention."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assignments, claim, entries
from infercompat.harvest.classes import Classes, returned

FILE = ("transformers/models/auto/modeling_auto.py", "src/transformers/models/auto/modeling_auto.py")
NEEDED = "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"
"""The map without which most of what engines serve would seem to be gone."""

_CLASS = re.compile(r"class (\w+)\(")
_MAP = re.compile(r"MODEL_[A-Z0-9_]*MAPPING_NAMES")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of the first map that names it."""
    file = tree.file(*FILE)
    maps = [(name, table) for name, table in assignments(file.module) if _MAP.fullmatch(name)]
    if NEEDED not in dict(maps):
        raise Refused(f"{file.path}: there is no {NEEDED}")
    for _, table in maps:
        for _, value, _ in entries(table):
            for item in value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield claim(file, item.lineno, "native", architecture=item.value)


FLAG = "_supports_attention_backend"
"""The attribute by which vLLM and SGLang decide whether they can run a class with their own attention.

They ask PreTrainedModel.is_backend_compatible, which returns it and nothing else (src/transformers/modeling_utils.py of 5.24.0, L4839).
The attributes for flash attention and for PyTorch's own say what Transformers itself can run, and decide nothing for an engine.
"""

PACKAGES = ("transformers", "src/transformers")


def flags(tree: Tree) -> Iterator[Claim]:
    """Whether each architecture of the maps can be a fallback: on the line of the class or ancestor that says so."""
    prefix = "src" if (tree.root / PACKAGES[1]).is_dir() else ""
    classes = Classes(tree, prefix)
    homes: dict[str, str] = {}
    for file in tree.below(*(f"{package}/models" for package in PACKAGES), pattern="modeling_*.py"):
        module = file.path.removesuffix(".py").removeprefix("src/").replace("/", ".")
        for line in file.lines:
            if found := _CLASS.match(line):
                homes.setdefault(found[1], module)
    for item in read(tree):
        [(_, architecture)] = item.about
        home = homes.get(architecture)
        found = classes.member(home, architecture, FLAG) if home else None
        if found is None:
            continue
        values = [value.value for value in returned(found.node) if isinstance(value, ast.Constant)]
        status = {True: "native", False: "unsupported"}.get(values[0] if values else None, "partial")
        yield claim(found.file, found.node.lineno, status, named="transformers", architecture=architecture, feature="attention-backend")


HARVESTERS = (
    Harvester(
        engine="transformers",
        prefix="transformers",
        what="auto",
        title="The architectures that the automatic classes of Transformers {version} name",
        url="https://github.com/huggingface/transformers/blob/{tag}/src/transformers/models/auto/modeling_auto.py",
        tag="v{version}",
        read=read,
        package="transformers",
        least=300,
    ),
    Harvester(
        engine="transformers",
        prefix="transformers",
        what="models",
        ending="attention-flags",
        title="Architectures of Transformers {version} that let an engine put in its own attention",
        url="https://github.com/huggingface/transformers/tree/{tag}/src/transformers",
        tag="v{version}",
        read=flags,
        package="transformers",
        least=100,
        complete=False,
        optional=True,
    ),
)
