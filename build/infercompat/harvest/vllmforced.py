"""Settings that vLLM forces on an architecture, and its list of quantization methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim, entries
from infercompat.harvest.markdown import slug

CONFIG = "vllm/model_executor/models/config.py"
QUANTIZATION = "vllm/model_executor/layers/quantization/__init__.py"
MAP = "MODELS_CONFIG_MAP"


def read(tree: Tree) -> Iterator[Claim]:
    """A claim for each architecture of the map, with the names of the settings that its class writes."""
    file = tree.file(CONFIG)
    table = assigned(file.module, MAP)
    if table is None:
        raise Refused(f"{file.path}: there is no {MAP}")
    classes = {node.name: node for node in file.module.body if isinstance(node, ast.ClassDef)}
    for architecture, value, line in entries(table):
        name = ast.unparse(value)
        fields = {"value": written} if (written := ", ".join(settings(classes, name))[:200]) else {}
        yield claim(file, line, "native", fields=fields, architecture=architecture, feature="forced-settings")


def settings(classes: dict[str, ast.ClassDef], name: str, seen: frozenset[str] = frozenset()) -> list[str]:
    """The attributes of configs that a class assigns, its own and its ancestors', each once, as object.attribute."""
    node = classes.get(name)
    if node is None or name in seen:
        return []
    found = []
    for item in ast.walk(node):
        for target in item.targets if isinstance(item, ast.Assign) else []:
            if isinstance(target, ast.Attribute) and "config" in ast.unparse(target.value):
                found.append(f"{ast.unparse(target.value).rpartition('.')[2]}.{target.attr}")
    for base in node.bases:
        found += settings(classes, ast.unparse(base), seen | {name})
    return list(dict.fromkeys(found))


def methods(tree: Tree) -> Iterator[Claim]:
    """A claim for each quantization method that the engine takes by name."""
    file = tree.file(QUANTIZATION)
    for item in _named(file):
        yield claim(file, item.lineno, "native", feature=f"quantization.{slug(item.value)}")


def _named(file: File) -> list[ast.Constant]:
    for name in ("QuantizationMethods", "QUANTIZATION_METHODS"):
        value = assigned(file.module, name)
        if isinstance(value, (ast.Subscript, ast.List)):
            return [item for item in ast.walk(value) if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    raise Refused(f"{file.path}: there is no list of quantization methods")


def _source(what: str, ending: str, title: str, path: str, read, least: int) -> Harvester:
    repository = "https://github.com/vllm-project/vllm"
    return Harvester(
        engine="vllm", prefix="vllm", what=what, ending=ending, title=title, url=f"{repository}/blob/{{tag}}/{path}", tag="v{version}",
        read=read, sdist="vllm", repository=repository, least=least, complete=False, optional=True,
    )  # fmt: skip


HARVESTERS = (
    _source("models-config", "forced-settings", "Settings that vLLM {version} forces on architectures", CONFIG, read, 10),
    _source("quantization-methods", "quantization-methods", "Quantization methods that vLLM {version} takes by name", QUANTIZATION, methods, 10),
)
