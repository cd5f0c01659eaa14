"""FlashInfer's kernels: the compute capabilities that a function is marked with, and the head sizes that kernels are built for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim
from infercompat.harvest.markdown import slug

HEADER = ("flashinfer/data/include/flashinfer/utils.cuh", "include/flashinfer/utils.cuh")
_CASE = re.compile(r"\s*case (\d+):")
_DISPATCH = re.compile(r"#define (DISPATCH_HEAD_DIM\w*)\(")
MARK = "supported_compute_capability"


def capabilities(tree: Tree) -> Iterator[Claim]:
    """A claim for each marked function: the capabilities that its mark lists, as 10.0 for 100."""
    for file in tree.below("flashinfer"):
        if MARK not in file.text or file.path.startswith("flashinfer/data/"):
            continue
        for node in ast.walk(file.module):
            for mark in getattr(node, "decorator_list", ()):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func).rpartition(".")[2] == MARK and mark.args:
                    value = ", ".join(_capability(file, item) for item in _listed(file, mark.args[0]))
                    place = file.path.removeprefix("flashinfer/").removesuffix(".py").replace("/", ".")
                    name = slug(f"kernel.{place}.{node.name}".replace("_", "-"))
                    yield claim(file, mark.lineno, "partial", named="/", fields={"value": value}, feature=name)


def _listed(file: File, node: ast.expr) -> list[ast.expr]:
    """The items of a list, or of a constant list of the same file, one list after another where they are added up."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [part for item in node.elts for part in (_listed(file, item.value) if isinstance(item, ast.Starred) else [item])]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _listed(file, node.left) + _listed(file, node.right)
    if isinstance(node, ast.Name):
        for item in ast.walk(file.module):
            if isinstance(item, ast.Assign) and any(isinstance(target, ast.Name) and target.id == node.id for target in item.targets):
                return _listed(file, item.value)
    return [node]


def _capability(file: File, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return f"{node.value // 10}.{node.value % 10}"
    return "worked out at run time"


def head_dims(tree: Tree) -> Iterator[Claim]:
    """A claim for each head size that a kernel is instantiated for."""
    file = tree.file(*HEADER)
    macro = ""
    for number, line in enumerate(file.lines, start=1):
        if found := _DISPATCH.match(line):
            macro = slug(found[1].replace("_", "-"))
        elif macro and (case := _CASE.match(line)):
            yield claim(file, number, "native", named="/", fields={"value": int(case[1])}, feature=f"{macro}.{case[1]}")
        elif macro and not line.rstrip().endswith("\\"):
            macro = ""


def read(tree: Tree) -> Iterator[Claim]:
    """Head sizes, then capabilities."""
    found = list(head_dims(tree))
    if not found:
        raise Refused(f"{tree.file(*HEADER).path}: no head size is dispatched")
    yield from found
    yield from capabilities(tree)


HARVESTERS = (
    Harvester(
        engine="flashinfer",
        prefix="flashinfer",
        what="tree",
        ending="capabilities",
        title="Head sizes and compute capabilities that FlashInfer {version} is built for",
        url="https://github.com/flashinfer-ai/flashinfer/tree/{tag}",
        tag="v{version}",
        read=read,
        package="flashinfer-python",
        repository="https://github.com/flashinfer-ai/flashinfer",
        least=40,
        complete=False,
    ),
)
