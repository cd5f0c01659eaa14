"""MLC LLM's model types: the keys of the table of models that compiling and converting look a config's model_type up in."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, assigned, claim, entries

FILE = ("mlc_llm/model/model.py", "python/mlc_llm/model/model.py")
TABLE = "MODELS"


def read(tree: Tree) -> Iterator[Claim]:
    """One claim a model type, on the line of its key."""
    file = tree.file(*FILE)
    table = assigned(file.module, TABLE)
    if table is None:
        raise Refused(f"{file.path}: there is no {TABLE}")
    for name, _, line in entries(table):
        yield claim(file, line, "native", model_type=name)


HARVESTERS = (
    Harvester(
        engine="mlc-llm",
        prefix="mlcllm",
        what="models",
        title="The model types in the table of models of MLC LLM {version}",
        url="https://github.com/mlc-ai/mlc-llm/blob/{tag}/python/mlc_llm/model/model.py",
        tag="v{version}",
        read=read,
        repository="https://github.com/mlc-ai/mlc-llm",
        least=20,
    ),
)
