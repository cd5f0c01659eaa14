"""SGLang's architectures: the EntryClass of each module below srt/models."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim

FOLDERS = ("sglang/srt/models", "python/sglang/srt/models")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line where EntryClass names it."""
    for file in tree.files(*FOLDERS):
        if "EntryClass" not in file.text:
            continue
        value = assigned(file.module, "EntryClass")
        if value is None and not _binds(file):
            continue
        for node in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
            if not isinstance(node, ast.Name):
                raise Refused(f"{file.path}{f':{node.lineno}' if node else ''}: EntryClass is no class or list of classes that can be read off")
            yield claim(file, node.lineno, "native", named=True, architecture=node.id)


def registry(tree: Tree) -> Iterator[Claim]:
    """The classes, then the architectures that a config class loads as one of them."""
    yield from read(tree)
    for file in tree.below(*(folder.replace("models", "configs") for folder in FOLDERS)) if _has_configs(tree) else ():
        if "architectures" not in file.text:
            continue
        for function in (node for node in ast.walk(file.module) if isinstance(node, ast.FunctionDef)):
            new = _called(function, "append")
            for item in _called(function, "remove"):
                if len(new) == 1:
                    made = claim(file, item.lineno, "rewritten", named="srt", fields={"loads_as": new[0].value}, architecture=item.value)
                    yield replace(made, file=f"../{made.file}")  # beside the folder that the source names


def _has_configs(tree: Tree) -> bool:
    return any((tree.root / folder.replace("models", "configs")).is_dir() for folder in FOLDERS)


def _called(function: ast.FunctionDef, method: str) -> list[ast.Constant]:
    """The strings that a method of a list of architectures is called with."""
    return [
        node.args[0]
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
        and "architectures" in ast.unparse(node.func.value) and node.args and isinstance(node.args[0], ast.Constant)
    ]  # fmt: skip


def _binds(file: File) -> bool:
    """Whether a file makes the name at all: below a condition, or by an import. Others only ask modules for it."""
    nodes = list(ast.walk(file.module))
    stored = any(isinstance(node, ast.Name) and node.id == "EntryClass" and isinstance(node.ctx, ast.Store) for node in nodes)
    return stored or any(isinstance(node, ast.alias) and "EntryClass" in (node.name, node.asname) for node in nodes)


HARVESTERS = (
    Harvester(
        engine="sglang",
        prefix="sglang",
        what="models",
        title="The architectures that SGLang {version} has a model class for",
        url="https://github.com/sgl-project/sglang/tree/{tag}/python/sglang/srt/models",
        tag="v{version}",
        read=registry,
        package="sglang",
        least=60,
    ),
)
