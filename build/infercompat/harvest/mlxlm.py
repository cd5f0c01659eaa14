"""mlx-lm's model types: one file each below models, and a table of types that load as another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assigned, claim, entries


def read(tree: Tree) -> Iterator[Claim]:
    """A claim for each file that makes or imports a class Model, and one for each remapped type."""
    for file in tree.files("mlx_lm/models"):
        for node in file.module.body:
            if gives_model(node):
                yield claim(file, node.lineno, "native", named=True, model_type=PurePosixPath(file.path).stem)
    utils = tree.file("mlx_lm/utils.py")
    table = assigned(utils.module, "MODEL_REMAPPING")
    if table is None:
        raise Refused(f"{utils.path}: there is no MODEL_REMAPPING")
    for name, value, line in entries(table):
        if isinstance(value, ast.Constant):
            yield claim(utils, line, "rewritten", named=True, fields={"loads_as": value.value}, model_type=name)


def gives_model(node: ast.stmt) -> bool:
    """Whether a statement gives its module the name Model, which is all that loading asks for."""
    if isinstance(node, ast.ImportFrom):
        return any((alias.asname or alias.name) == "Model" for alias in node.names)
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "Model" for target in node.targets)
    return isinstance(node, ast.ClassDef) and node.name == "Model"


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
