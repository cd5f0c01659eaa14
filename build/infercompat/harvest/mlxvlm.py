"""mlx-vlm's model types: one package each below models, and a table of types that load as another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assigned, claim, entries
from infercompat.harvest.mlxlm import gives_model

MODELS = "mlx_vlm/models"
UTILS = "mlx_vlm/utils.py"


def read(tree: Tree) -> Iterator[Claim]:
    """A claim for each package whose __init__ gives a Model, on that line, and one for each remapped type.

    Packages without one, such as those that make images, are loaded by programs of their own and not by a model's type.
    """
    if not (tree.root / MODELS).is_dir():
        raise Refused(f"{tree.root}: there is no {MODELS}")
    types = set()
    for folder in sorted(path.name for path in (tree.root / MODELS).iterdir() if (path / "__init__.py").is_file()):
        file = tree.file(f"{MODELS}/{folder}/__init__.py")
        for node in file.module.body:
            if gives_model(node):
                types.add(folder)
                item = claim(file, node.lineno, "native", model_type=folder)
                yield Claim(item.about, item.holds, item.line, item.sha256, f"{folder}/__init__.py", path=item.path)
    utils = tree.file(UTILS)
    table = assigned(utils.module, "MODEL_REMAPPING")
    if table is None:
        raise Refused(f"{utils.path}: there is no MODEL_REMAPPING")
    for name, value, line in entries(table):
        if isinstance(value, ast.Constant) and name != value.value:
            if value.value not in types:
                raise Refused(f"{utils.path}:{line}: {name} loads as {value.value}, which {PurePosixPath(MODELS).name} does not hold")
            yield claim(utils, line, "rewritten", named=True, fields={"loads_as": value.value}, model_type=name)


HARVESTERS = (
    Harvester(
        engine="mlx-vlm",
        prefix="mlxvlm",
        what="models",
        title="The model types that mlx-vlm {version} has a package or a remapping for",
        url="https://github.com/Blaizzy/mlx-vlm/tree/{tag}/mlx_vlm",
        tag="v{version}",
        read=read,
        package="mlx-vlm",
        least=30,
    ),
)
