"""vLLM Metal: the tables of its page of supported models."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Tree
from infercompat.harvest.pipes import rows
from infercompat.harvest.vllmplugins import marked

PAGE = "docs/supported_models.md"
REPOSITORY = "https://github.com/vllm-project/vllm-metal"


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture of the page's rows."""
    file = tree.file(PAGE)
    yield from marked(file, rows(file, "Model"))


HARVESTERS = (
    Harvester(
        engine="vllm-metal",
        prefix="vllm-metal",
        what="supported-models",
        title="Supported models of vLLM Metal {version}",
        url=f"{REPOSITORY}/blob/{{tag}}/{PAGE}",
        tag="v{version}",
        read=read,
        repository=REPOSITORY,
        least=10,
        complete=False,
        ending="supported-models",
        type="documentation",
    ),
)
