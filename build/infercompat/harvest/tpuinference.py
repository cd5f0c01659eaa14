"""vLLM's TPU plugin: the JAX classes of its registry, and the table of checkpoints that its releases were tested with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assigned, claim
from infercompat.harvest.names import architectures
from infercompat.harvest.pipes import Row, rows

LOADER = "tpu_inference/models/common/model_loader.py"
PAGE = "docs/includes/model_support.md"
REPOSITORY = "https://github.com/vllm-project/tpu-inference"

PREFERRED = "_VLLM_PREFERRED_ARCHITECTURES"
"""The architectures that vLLM's own class is taken for, unless a person says otherwise."""

RESULTS = {"✅": "native", "❌": "known-issues", "❓": "untested"}
"""What the symbol of a correctness test says of a checkpoint."""


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture that has a JAX class, on the line that puts it into the registry.

    Those for which vLLM's own class is preferred, whether or not they have one, are run through that. So are all others, unnamed.
    """
    file, found = tree.file(LOADER), False
    preferred = assigned(file.module, PREFERRED)
    if preferred is None:
        raise Refused(f"{file.path}: there is no {PREFERRED}")
    for node in ast.walk(preferred):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield claim(file, node.lineno, "fallback", architecture=node.value)
    for node in ast.walk(file.module):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "_MODEL_REGISTRY" and isinstance(target.slice, ast.Constant):
                found = True
                yield claim(file, target.slice.lineno, "native", architecture=target.slice.value)
    if not found:
        raise Refused(f"{file.path}: nothing is put into _MODEL_REGISTRY")


def read_tested(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture of the tested checkpoints: those that pass first."""
    file, found = tree.file(PAGE), []
    for row in rows(file, "Model"):
        place = f"{file.path}:{row.line}"
        holds = RESULTS.get(_correctness(row))
        if holds is None:
            raise Refused(f"{place}: no result of a correctness test that can be read")
        found += [claim(file, row.line, holds, architecture=name) for name in architectures(row.cell("Model"), place)]
    yield from sorted(found, key=lambda item: list(RESULTS.values()).index(item.holds))


def _correctness(row: Row) -> str:
    """The symbol in the column of the correctness test, whose head holds a space that does not break."""
    return next((cell.strip() for name, cell in row.cells.items() if name.split() == ["Correctness", "Test"]), "")


HARVESTERS = (
    Harvester(
        engine="tpu-inference",
        prefix="tpu-inference",
        what="jax-models",
        title="The architectures that the TPU plugin {version} has a JAX class for or prefers vLLM's for",
        url=f"{REPOSITORY}/blob/{{tag}}/{LOADER}",
        tag="v{version}",
        read=read,
        package="tpu-inference",
        repository=REPOSITORY,
        least=5,
        complete=False,
        ending="jax-models",
    ),
    Harvester(
        engine="tpu-inference",
        prefix="tpu-inference",
        what="model-support",
        title="Checkpoints that the TPU plugin {version} was tested with",
        url=f"{REPOSITORY}/blob/{{tag}}/{PAGE}",
        tag="v{version}",
        read=read_tested,
        repository=REPOSITORY,
        least=8,
        complete=False,
        ending="model-support",
        optional=True,
        type="generated-documentation",
    ),
)
