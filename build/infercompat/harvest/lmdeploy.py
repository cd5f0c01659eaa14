"""LMDeploy's two paths: the module map of the PyTorch one with its removed families, and the list of TurboMind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, assignments, claim, entries

MAP = "lmdeploy/pytorch/models/module_map.py"
LIST = "lmdeploy/turbomind/supported_models.py"
REPOSITORY = "https://github.com/InternLM/lmdeploy"

OTHERS = {"DEVICE_SPECIAL_MODULE_MAP", "CUSTOM_MODULE_MAP", "REMOVED_MODEL_MAP"}
"""Maps that give no architecture of their own: that of maps by device, and that of a file which a user names."""


def read_pytorch(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line that names it; those that are refused by name are removed ones."""
    file = tree.file(MAP)
    for name, _, line in entries(assigned(file.module, "REMOVED_MODEL_MAP")):
        yield claim(file, line, "removed", architecture=name)
    found = False
    for name, value in _updates(file):
        if name == "MODULE_MAP":
            for key, _, line in entries(value):
                found = True
                yield claim(file, line, "native", architecture=key)
        elif name.endswith("_MODULE_MAP") and name not in OTHERS and any(True for _ in entries(value)):
            raise Refused(f"{file.path}:{value.lineno}: {name} has entries of its own, which nobody has taught this program to read")
    if not found:
        raise Refused(f"{file.path}: nothing is put into MODULE_MAP")


def _updates(file: File) -> Iterator[tuple[str, ast.expr]]:
    """Every dict that a map at the top of a file is made from or updated with."""
    yield from assignments(file.module)
    for node in file.module.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "update" and isinstance(call.func.value, ast.Name):
            for argument in call.args:
                yield call.func.value.id, argument


def read_turbomind(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of its keyword in SUPPORTED_ARCHS."""
    file = tree.file(LIST)
    value = assigned(file.module, "SUPPORTED_ARCHS")
    if isinstance(value, ast.Call) and value.keywords:
        for keyword in value.keywords:
            if keyword.arg:
                yield claim(file, keyword.lineno, "native", architecture=keyword.arg)
    elif isinstance(value, ast.Dict):
        for name, _, line in entries(value):
            yield claim(file, line, "native", architecture=name)
    else:
        raise Refused(f"{file.path}: there is no SUPPORTED_ARCHS that names architectures")


HARVESTERS = (
    Harvester(
        engine="lmdeploy-pytorch",
        prefix="lmdeploy-pytorch",
        what="module-map",
        title="Model map of the PyTorch path of LMDeploy {version}",
        url=f"{REPOSITORY}/blob/{{tag}}/{MAP}",
        tag="v{version}",
        read=read_pytorch,
        package="lmdeploy",
        repository=REPOSITORY,
        least=30,
    ),
    Harvester(
        engine="lmdeploy-turbomind",
        prefix="lmdeploy-turbomind",
        what="supported",
        title="Model list of TurboMind in LMDeploy {version}",
        url=f"{REPOSITORY}/blob/{{tag}}/{LIST}",
        tag="v{version}",
        read=read_turbomind,
        package="lmdeploy",
        repository=REPOSITORY,
        least=10,
    ),
)
