"""What vLLM's model classes say of themselves: whether each can take LoRA adapters and pipeline parallelism, with what they inherit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest import vllm
from infercompat.harvest.base import Claim, Harvester, Tree, assigned, claim, entries
from infercompat.harvest.classes import Classes

INTERFACES = {"SupportsLoRA": "lora", "SupportsPP": "pipeline-parallel"}
PACKAGE = "vllm.model_executor.models"


def read(tree: Tree) -> Iterator[Claim]:
    """Two claims an architecture, on the line where its class stands."""
    registry = tree.file(vllm.REGISTRY)
    classes = Classes(tree)
    for name in vllm.lists(registry):
        if name in vllm.SPECIAL or name == vllm.DRAFTS:
            continue
        for architecture, value, _ in entries(assigned(registry.module, name)):
            place = [item.value for item in value.elts if isinstance(item, ast.Constant)] if isinstance(value, ast.Tuple) else []
            if len(place) != 2:
                continue
            module = place[0] if place[0].startswith("vllm.") else f"{PACKAGE}.{place[0]}"
            found = classes.find(module, place[1])
            if found is None:
                continue
            ancestors = classes.ancestors(module, place[1])
            for interface, feature in INTERFACES.items():
                status = "native" if interface in ancestors else "unsupported"
                yield claim(found[1], found[2].lineno, status, named="/", architecture=architecture, feature=feature)


HARVESTERS = (
    Harvester(
        engine="vllm",
        prefix="vllm",
        what="tree",
        ending="model-features",
        title="What the model classes of vLLM {version} say they can do",
        url="https://github.com/vllm-project/vllm/tree/{tag}",
        tag="v{version}",
        read=read,
        sdist="vllm",
        repository="https://github.com/vllm-project/vllm",
        least=200,
        complete=False,
        optional=True,
    ),
)
