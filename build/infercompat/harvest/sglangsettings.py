"""SGLang's settings: what it forces on an architecture, and the names it takes for backends and formats."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim
from infercompat.harvest.markdown import slug

ROOTS = ("sglang/srt", "python/sglang/srt")
LISTS = {
    "ATTENTION_BACKEND_CHOICES": "attention-backend.",
    "QUANTIZATION_CHOICES": "quantization.",
    "MOE_RUNNER_BACKEND_CHOICES": "moe-backend.",
    "LINEAR_ATTN_KERNEL_BACKEND_CHOICES": "linear-attention-backend.",
}
CHOICES = ("arg_groups/choices.py", "server_args.py")
REGISTRY = "layers/attention/attention_registry.py"


def _file(tree: Tree, *names: str) -> File:
    return tree.file(*(f"{root}/{name}" for name in names for root in ROOTS))


def forced(tree: Tree) -> Iterator[Claim]:
    """A claim for each architecture that an override is registered for, on the decorator that names it."""
    for file in tree.below(*(f"{root}/arg_groups/model_overrides" for root in ROOTS)):
        for node in ast.walk(file.module):
            for decorator in getattr(node, "decorator_list", ()):
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("_register_for"):
                    for item in decorator.args:
                        for name in _names(file, item):
                            yield claim(file, item.lineno, "native", named="srt", architecture=name, feature="forced-settings")


def _names(file: File, item: ast.expr) -> list[str]:
    """The strings of an argument: one, a starred list, or a constant of the module."""
    if isinstance(item, ast.Starred):
        return _names(file, item.value)
    if isinstance(item, ast.Constant) and isinstance(item.value, str):
        return [item.value]
    if isinstance(item, (ast.List, ast.Tuple, ast.Set)):
        return [name for element in item.elts for name in _names(file, element)]
    if isinstance(item, ast.Name) and (value := assigned(file.module, item.id)) is not None:
        return _names(file, value)
    return []


def choices(tree: Tree) -> Iterator[Claim]:
    """A claim for each name that a flag takes, and for each attention backend that is registered."""
    file = _file(tree, *CHOICES)
    for name, prefix in LISTS.items():
        value = assigned(file.module, name)
        if value is None:
            if name == "ATTENTION_BACKEND_CHOICES":
                raise Refused(f"{file.path}: there is no {name}")
            continue
        for item in value.elts if isinstance(value, (ast.List, ast.Tuple)) else []:
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                yield claim(file, item.lineno, "native", named="srt", feature=f"{prefix}{slug(item.value.replace('_', '-'))}")
    registry = _file(tree, REGISTRY, "model_executor/model_runner.py")
    for node in ast.walk(registry.module):
        for decorator in getattr(node, "decorator_list", ()):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "register_attention_backend" and decorator.args:
                name = getattr(decorator.args[0], "value", "")
                if isinstance(name, str) and name:
                    yield claim(registry, decorator.lineno, "native", named="srt", backend=name)


def _source(what: str, ending: str, title: str, read, least: int) -> Harvester:
    return Harvester(
        engine="sglang", prefix="sglang", what=what, ending=ending, title=title, url="https://github.com/sgl-project/sglang/tree/{tag}/python/sglang/srt",
        tag="v{version}", read=read, package="sglang", repository="https://github.com/sgl-project/sglang", least=least, complete=False, optional=True,
    )  # fmt: skip


HARVESTERS = (
    _source("srt", "forced-settings", "Architectures that SGLang {version} forces settings on", forced, 5),
    _source("srt", "choices", "Names that SGLang {version} takes for backends and formats", choices, 20),
)
