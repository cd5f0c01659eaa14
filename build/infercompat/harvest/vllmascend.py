"""vLLM Ascend: the classes that the plugin registers, and its page of supported models for Atlas A2 and A3."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Tree
from infercompat.harvest.pipes import rows
from infercompat.harvest.vllmplugins import marked, registered

CLASSES = "vllm_ascend/models/__init__.py"
PAGE = "docs/source/user_guide/support_matrix/supported_models.md"
REPOSITORY = "https://github.com/vllm-project/vllm-ascend"


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture of the page's rows for A2 or A3. Rows for other products alone are left out."""
    file = tree.file(PAGE)
    table = [row for row in rows(file, "Model") if not row.cell("Supported Hardware") or {"A2", "A3"} & set(row.cell("Supported Hardware").split("/"))]
    yield from marked(file, table)


def read_classes(tree: Tree) -> Iterator[Claim]:
    """One claim a class that the plugin registers; all others are vLLM's own."""
    yield from registered(tree.file(CLASSES))


HARVESTERS = (
    Harvester(
        engine="vllm-ascend",
        prefix="vllm-ascend",
        what="supported-models",
        title="Supported models of vLLM Ascend {version} on Atlas A2 and A3",
        url=f"{REPOSITORY}/blob/{{tag}}/{PAGE}",
        tag="v{version}",
        read=read,
        sdist="vllm-ascend",
        repository=REPOSITORY,
        least=20,
        complete=False,
        ending="supported-models",
        type="documentation",
    ),
    Harvester(
        engine="vllm-ascend",
        prefix="vllm-ascend",
        what="classes",
        title="The model classes that vLLM Ascend {version} registers beside those of vLLM",
        url=f"{REPOSITORY}/blob/{{tag}}/{CLASSES}",
        tag="v{version}",
        read=read_classes,
        sdist="vllm-ascend",
        repository=REPOSITORY,
        least=1,
        complete=False,
        ending="classes",
    ),
)
