"""Transformers' architectures: the classes that the automatic maps name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Tree, claim, entries

FILE = ("transformers/models/auto/modeling_auto.py", "src/transformers/models/auto/modeling_auto.py")
_MAP = re.compile(r"MODEL_[A-Z0-9_]*MAPPING_NAMES")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of the first map that names it."""
    file = tree.file(*FILE)
    for node in file.module.body:
        for target in getattr(node, "targets", ()):
            if isinstance(target, ast.Name) and _MAP.fullmatch(target.id):
                for _, value, line in entries(node.value):
                    for item in value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]:
                        if isinstance(item, ast.Constant) and isinstance(item.value, str):
                            yield claim(file, item.lineno or line, "native", architecture=item.value)


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
