"""vLLM's model registry: plain dicts of native models, the official fallback list, removed models and plugins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from infercompat.harvest.base import Claim, Harvester, Tree, assigned, claim, entries

REGISTRY = "vllm/model_executor/models/registry.py"
SKIPPED = {"_VLLM_MODELS", "_SPECULATIVE_DECODING_MODELS", "_TRANSFORMERS_BACKEND_MODELS", "_SUBPROCESS_COMMAND"}
"""The sum of the others, drafts that no request names, and the classes that the fallback itself is made of."""

SPECIAL = {
    "_TRANSFORMERS_SUPPORTED_MODELS": "fallback",
    "_PREVIOUSLY_SUPPORTED_MODELS": "removed",
    "_OOT_SUPPORTED_MODELS": "plugin",
}
_DICT = re.compile(r"_[A-Z_]+_MODELS")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line that names it; a model in several lists is cited in the first."""
    file = tree.file(REGISTRY)
    for node in file.module.body:
        names = [target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)]
        for name in names:
            if not _DICT.fullmatch(name) or name in SKIPPED:
                continue
            for architecture, value, line in entries(assigned(file.module, name)):
                holds = SPECIAL.get(name, "native")
                fields = {"last_version": value.value} if holds == "removed" and isinstance(value, ast.Constant) else {}
                yield claim(file, line, holds, fields=fields, architecture=architecture)


def fallback(tree: Tree) -> list[dict[str, Any]]:
    """The claim on every other architecture: tried with the installed Transformers class, where that is compatible."""
    file = tree.file(REGISTRY)
    for number, line in enumerate(file.lines, start=1):
        if "def _try_resolve_transformers" in line or "def try_resolve_transformers" in line or "def _resolve_transformers" in line:
            when = {"all": [{"transformers.backend_compatible": True}, {"not": {"layer": {"kind": _OTHER_KINDS}}}]}
            return [{"about": {"architecture": "*"}, "when": when, "holds": "fallback", "at": f"L{number}", "sha256": file.digest(number)}]
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
        repository="https://github.com/vllm-project/vllm",
        least=100,
        extra=fallback,
    ),
)
