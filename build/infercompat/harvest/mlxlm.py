"""mlx-lm's model types: one file each below models, and a table of types that load as another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from infercompat.harvest.base import Claim, Harvester, Tree, assigned, claim, entries


def read(tree: Tree) -> Iterator[Claim]:
    """A claim for each file with a class Model, and one for each remapped type."""
    for file in tree.files("mlx_lm/models"):
        for node in file.module.body:
            if isinstance(node, ast.ClassDef) and node.name == "Model":
                yield claim(file, node.lineno, "native", named=True, model_type=PurePosixPath(file.path).stem)
    utils = tree.file("mlx_lm/utils.py")
    for name, value, line in entries(assigned(utils.module, "MODEL_REMAPPING")):
        if isinstance(value, ast.Constant):
            yield claim(utils, line, "rewritten", named=True, fields={"loads_as": value.value}, model_type=name)


HARVESTERS = (
    Harvester(
        engine="mlx-lm",
        prefix="mlxlm",
        what="models",
        title="The model types that mlx-lm {version} has a file or a remapping for",
        url="https://github.com/ml-explore/mlx-lm/tree/{tag}/mlx_lm",
        tag="v{version}",
        read=read,
        package="mlx-lm",
        least=30,
    ),
)
