"""Transformers' architectures: the classes that the automatic maps name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assignments, claim, entries

FILE = ("transformers/models/auto/modeling_auto.py", "src/transformers/models/auto/modeling_auto.py")
NEEDED = "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"
"""The map without which most of what engines serve would seem to be gone."""

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
)
