"""vLLM's plugin for Gaudi: the classes that it registers, and its page of validated models."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Tree, claim
from infercompat.harvest.names import architectures
from infercompat.harvest.pipes import rows
from infercompat.harvest.vllmplugins import registered

CLASSES = "vllm_gaudi/models/__init__.py"
PAGE = "docs/getting_started/validated_models.md"
REPOSITORY = "https://github.com/vllm-project/vllm-gaudi"


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture of the validated checkpoints, on the first row that has one."""
    file = tree.file(PAGE)
    for row in rows(file, "Model"):
        for name in architectures(row.cell("Model"), f"{file.path}:{row.line}"):
            yield claim(file, row.line, "native", fields={"value": "validated"}, architecture=name)


def read_classes(tree: Tree) -> Iterator[Claim]:
    """One claim a class that the plugin registers in place of vLLM's; all others are vLLM's own."""
    yield from registered(tree.file(CLASSES))


HARVESTERS = (
    Harvester(
        engine="vllm-gaudi",
        prefix="vllm-gaudi",
        what="classes",
        title="The model classes that the Gaudi plugin {version} registers beside those of vLLM",
        url=f"{REPOSITORY}/blob/{{tag}}/{CLASSES}",
        tag="v{version}",
        read=read_classes,
        repository=REPOSITORY,
        least=5,
        complete=False,
        ending="classes",
    ),
    Harvester(
        engine="vllm-gaudi",
        prefix="vllm-gaudi",
        what="validated-models",
        title="Validated models of the Gaudi plugin {version}",
        url=f"{REPOSITORY}/blob/{{tag}}/{PAGE}",
        tag="v{version}",
        read=read,
        repository=REPOSITORY,
        least=10,
        complete=False,
        ending="validated-models",
        type="documentation",
    ),
)
