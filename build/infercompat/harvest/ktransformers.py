"""KTransformers' checkpoints: the built-in models of its command line, by the architecture of each repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assigned, claim
from infercompat.harvest.names import architectures

FILE = "kt-kernel/python/cli/utils/model_registry.py"
PLACES = ("kt_kernel/cli/utils/model_registry.py", FILE)
"""In the released package, and in the repository."""


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of the first repository that has it."""
    file = tree.file(*PLACES)
    models = assigned(file.module, "BUILTIN_MODELS")
    if not isinstance(models, ast.List):
        raise Refused(f"{file.path}: there is no list BUILTIN_MODELS")
    for node in models.elts:
        repository = next((keyword.value for keyword in getattr(node, "keywords", ()) if keyword.arg == "hf_repo"), None)
        if not isinstance(repository, ast.Constant):
            raise Refused(f"{file.path}:{node.lineno}: a built-in model without a repository that can be read off")
        for name in architectures(repository.value, f"{file.path}:{repository.lineno}"):
            yield claim(file, repository.lineno, "native", fields={"value": repository.value}, architecture=name)


HARVESTERS = (
    Harvester(
        engine="ktransformers",
        prefix="ktransformers",
        what="models",
        title="The models that the command line of KTransformers {version} knows",
        url=f"https://github.com/kvcache-ai/ktransformers/blob/{{tag}}/{FILE}",
        tag="v{version}",
        read=read,
        package="kt-kernel",
        least=3,
        complete=False,
        ending="models",
    ),
)
