"""SGLang's architectures: the EntryClass of each module below srt/models."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Tree, assigned, claim

FOLDERS = ("sglang/srt/models", "python/sglang/srt/models")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line where EntryClass names it."""
    for file in tree.files(*FOLDERS):
        if "EntryClass" not in file.text:
            continue
        value = assigned(file.module, "EntryClass")
        for node in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
            if isinstance(node, ast.Name):
                yield claim(file, node.lineno, "native", named=True, architecture=node.id)


HARVESTERS = (
    Harvester(
        engine="sglang",
        prefix="sglang",
        what="models",
        title="The architectures that SGLang {version} has a model class for",
        url="https://github.com/sgl-project/sglang/tree/{tag}/python/sglang/srt/models",
        tag="v{version}",
        read=read,
        package="sglang",
        least=60,
    ),
)
