"""What vLLM's model classes say of themselves: whether each can take LoRA adapters and pipeline parallelism, with what they inherit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest import vllm
from infercompat.harvest.base import Claim, Harvester, Tree, assigned, claim, entries
from infercompat.harvest.classes import UNCLEAR, Classes

INTERFACES = {"SupportsLoRA": "lora", "SupportsPP": "pipeline-parallel"}
PACKAGE = "vllm.model_executor.models"

PLATFORMS = ("cuda", "rocm", "xpu", "cpu")
"""Those for which the release's own modules choose a class."""


def read(tree: Tree) -> Iterator[Claim]:
    """Two claims an architecture, on the line where its class stands; where platforms have classes that differ, two each."""
    registry = tree.file(vllm.REGISTRY)
    chosen = {platform: Classes(tree, platform=platform) for platform in PLATFORMS}
    for name in vllm.lists(registry):
        if name in vllm.SPECIAL or name == vllm.DRAFTS:
            continue
        for architecture, value, _ in entries(assigned(registry.module, name)):
            place = [item.value for item in value.elts if isinstance(item, ast.Constant)] if isinstance(value, ast.Tuple) else []
            if len(place) == 2:
                module = place[0] if place[0].startswith("vllm.") else f"{PACKAGE}.{place[0]}"
                yield from _claims(chosen, architecture, module, place[1])


def _claims(chosen: dict[str, Classes], architecture: str, module: str, name: str) -> Iterator[Claim]:
    """One claim an interface where all platforms have a class and agree, else one for each whose class is plain."""
    found = {platform: (classes.find(module, name), classes.ancestors(module, name)) for platform, classes in chosen.items()}
    found = {platform: (place, above) for platform, (place, above) in found.items() if place is not None or UNCLEAR in above}
    for interface, feature in INTERFACES.items():
        said = {platform: _status(interface, above) for platform, (_, above) in found.items()}
        alike = len(found) == len(chosen) and len(set(said.values())) == 1
        for platform, status in said.items():
            place, _ = found[platform]
            if status is not None and place is not None:
                more = {} if alike else {"platform": platform}
                yield claim(place[1], place[2].lineno, status, named="/", architecture=architecture, feature=feature, **more)
                if alike:
                    break


def _status(interface: str, ancestors: set[str]) -> str | None:
    return "native" if interface in ancestors else None if UNCLEAR in ancestors else "unsupported"


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
