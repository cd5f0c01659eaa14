"""What the hardware plugins of vLLM share: classes registered beside vLLM's own, and pages that mark models with symbols."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from infercompat.harvest.base import Claim, File, Refused, claim
from infercompat.harvest.names import architectures
from infercompat.harvest.pipes import Row

SYMBOLS = {"✅": ("native", ""), "🔵": ("native", "experimental"), "🟡": ("untested", ""), "❌": ("unsupported", "")}
"""The legend of the pages of vllm-ascend and vllm-metal: what each symbol holds, and the page's word where that says less."""

_ORDER = ("native", "known-issues", "untested", "unsupported")


def registered(file: File) -> Iterator[Claim]:
    """One claim for each class name that a file gives to ModelRegistry.register_model, on the line of the name.

    Raises Refused for a name that cannot be read off, and where there is none.
    """
    found = False
    for node in ast.walk(file.module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ModelRegistry.register_model":
            [name, *_] = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "model_arch"), None]
            if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
                raise Refused(f"{file.path}:{node.lineno}: a class is registered under a name that cannot be read off")
            found = True
            yield claim(file, name.lineno, "native", architecture=name.value)
    if not found:
        raise Refused(f"{file.path}: nothing is registered")


def marked(file: File, table: Iterable[Row], column: str = "Support") -> Iterator[Claim]:
    """Claims on the architectures of a page's rows by the symbol in a column, the best of each architecture first.

    Raises Refused for a symbol that no legend has, and a name that is new.
    """
    found = []
    for row in table:
        place, name = f"{file.path}:{row.line}", next(iter(row.cells.values()))
        if row.cell(column) not in SYMBOLS:
            raise Refused(f"{place}: '{row.cell(column)}' is no symbol of the legend")
        holds, word = SYMBOLS[row.cell(column)]
        found += [claim(file, row.line, holds, fields={"value": word} if word else {}, architecture=name) for name in architectures(name, place)]
    yield from sorted(found, key=lambda item: (_ORDER.index(item.holds), bool(item.fields)))
