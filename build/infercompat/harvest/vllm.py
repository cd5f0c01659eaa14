"""vLLM's model registry: plain dicts of native models, the official fallback list, removed models and plugins."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, assignments, claim, entries

REGISTRY = "vllm/model_executor/models/registry.py"
SUM = "_VLLM_MODELS"
"""The dict that spreads all others; a list that it names is read, whatever its name."""

DRAFTS = "_SPECULATIVE_DECODING_MODELS"
"""Drafts for speculation: classes that serve beside another model, and no request names."""

SPECIAL = {
    "_TRANSFORMERS_SUPPORTED_MODELS": "fallback",
    "_TRANSFORMERS_BACKEND_MODELS": "fallback",
    "_PREVIOUSLY_SUPPORTED_MODELS": "removed",
    "_OOT_SUPPORTED_MODELS": "plugin",
}


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line that names it; a model in several lists is cited in the first."""
    file = tree.file(REGISTRY)
    for name in lists(file):
        holds = SPECIAL.get(name, "native")
        for architecture, value, line in entries(assigned(file.module, name)):
            fields = {"last_version": value.value} if holds == "removed" and isinstance(value, ast.Constant) else {}
            more = {"feature": "speculative-draft"} if name == DRAFTS else {}
            yield claim(file, line, holds, fields=fields, architecture=architecture, **more)


def lists(file: File) -> list[str]:
    """The lists of models in the order in which they stand. Raises Refused for one that cannot be told from the others."""
    total, names = assigned(file.module, SUM), list(dict.fromkeys(name for name, _ in assignments(file.module)))
    if not isinstance(total, ast.Dict):
        raise Refused(f"{file.path}: there is no {SUM} that spreads the lists of models")
    summed = [ast.unparse(value) for key, value in zip(total.keys, total.values, strict=True) if key is None]
    for name in summed:
        if name not in names:
            raise Refused(f"{file.path}:{total.lineno}: {SUM} spreads {name}, which this file does not hold")
    for name in names:
        if name.endswith("_MODELS") and name != SUM and name not in SPECIAL and name not in summed:
            raise Refused(f"{file.path}: nobody knows what {name} lists: it is no part of {SUM}")
    return [name for name in names if name in summed or name in SPECIAL]


def fallback(tree: Tree) -> list[dict[str, Any]]:
    """The claim on every other architecture: tried with the installed Transformers class, where that is compatible."""
    file = tree.file(REGISTRY)
    for number, line in enumerate(file.lines, start=1):
        if "def _try_resolve_transformers" in line or "def try_resolve_transformers" in line or "def _resolve_transformers" in line:
            when = {"all": [{"transformers.backend_compatible": True}, {"not": {"layer": {"kind": _OTHER_KINDS}}}]}
            return [{"about": {"architecture": "*"}, "when": when, "holds": "fallback", "at": f"L{number}", "sha256": file.digest(number)}]
    if assigned(file.module, "_TRANSFORMERS_BACKEND_MODELS") is not None:
        raise Refused(f"{file.path}: the classes of the fallback are there, and no function that resolves to them")
    return []


_OTHER_KINDS = ["chunked", "latent", "indexed", "recurrent", "convolution", "cross", "recurrent+full"]

HARVESTERS = (
    Harvester(
        engine="vllm",
        prefix="vllm",
        what="registry",
        title="Model registry of vLLM {version}",
        url="https://github.com/vllm-project/vllm/blob/{tag}/" + REGISTRY,
        tag="v{version}",
        read=read,
        sdist="vllm",
        repository="https://github.com/vllm-project/vllm",
        least=100,
        extra=fallback,
    ),
)
