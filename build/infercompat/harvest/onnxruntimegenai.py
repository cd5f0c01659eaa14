"""ONNX Runtime GenAI's architectures: the names that the model builder compares the config's class with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim

FILE = ("onnxruntime_genai/models/builder.py", "src/python/py/models/builder.py")
CHAIN = "config.architectures[0]"
"""What each branch of the chain compares; only a name that stands on the other side of an equals sign is one that is built."""


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of the comparison that names it."""
    file = tree.file(*FILE)
    build = next((node for node in file.module.body if isinstance(node, ast.FunctionDef) and node.name == "create_model"), None)
    if build is None:
        raise Refused(f"{file.path}: there is no function create_model")
    for branch in _branches(file, build):
        for node in ast.walk(branch.test):
            if isinstance(node, ast.Compare) and ast.unparse(node.left) == CHAIN:
                for operator, value in zip(node.ops, node.comparators, strict=True):
                    if not isinstance(operator, ast.Eq) or not isinstance(value, ast.Constant):
                        raise Refused(f"{file.path}:{node.lineno}: {CHAIN} is compared in a way that gives no name")
                    yield claim(file, node.lineno, "native", architecture=value.value)


def _branches(file: File, build: ast.FunctionDef) -> Iterator[ast.If]:
    """The branches of the chain in their order, from the first that compares the class. Raises Refused where the chain has no else."""
    branch = next((node for node in ast.walk(build) if isinstance(node, ast.If) and CHAIN in ast.unparse(node.test)), None)
    if branch is None:
        raise Refused(f"{file.path}: create_model compares nothing with {CHAIN}")
    while True:
        yield branch
        if len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
            [branch] = branch.orelse
        elif any(isinstance(node, ast.Raise) for node in branch.orelse):
            return
        else:
            raise Refused(f"{file.path}:{branch.lineno}: the chain does not end by refusing what it does not name")


HARVESTERS = (
    Harvester(
        engine="onnxruntime-genai",
        prefix="ort-genai",
        what="builder",
        title="The architectures that the model builder of ONNX Runtime GenAI {version} has a branch for",
        url="https://github.com/microsoft/onnxruntime-genai/blob/{tag}/src/python/py/models/builder.py",
        tag="v{version}",
        read=read,
        package="onnxruntime-genai",
        least=15,
    ),
)
