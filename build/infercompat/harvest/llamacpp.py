"""llama.cpp's convertible classes: the names that the converter's decorators register."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim

SCRIPTS = ("convert_hf_to_gguf.py", "convert-hf-to-gguf.py")
_CLASS = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def _sources(tree: Tree) -> list[File]:
    """The converter was one script until it became a folder."""
    try:
        return tree.files("conversion")
    except Refused:
        return [tree.file(*SCRIPTS)]


def older(tree: Tree) -> str | None:
    """The address of the script, where it is one."""
    [*_, last] = _sources(tree)
    return f"https://github.com/ggml-org/llama.cpp/blob/{{tag}}/{last.path}" if last.path in SCRIPTS else None


def read(tree: Tree) -> Iterator[Claim]:
    """One claim a registered class name, on the line of its decorator; names with a dot belong to remote code and are left out."""
    for file in _sources(tree):
        for node in ast.walk(file.module):
            for decorator in getattr(node, "decorator_list", ()):
                if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute) and decorator.func.attr == "register":
                    for item in decorator.args:
                        if isinstance(item, ast.Constant) and isinstance(item.value, str) and _CLASS.fullmatch(item.value):
                            yield claim(file, decorator.lineno, "native", named=True, architecture=item.value)


HARVESTERS = (
    Harvester(
        engine="llama.cpp",
        prefix="llamacpp",
        what="conversion",
        title="Classes that the converter registers",
        url="https://github.com/ggml-org/llama.cpp/tree/{tag}/conversion",
        tag="{version}",
        read=read,
        repository="https://github.com/ggml-org/llama.cpp",
        least=60,
        older=older,
    ),
)
