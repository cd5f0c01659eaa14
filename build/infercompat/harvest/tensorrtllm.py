"""TensorRT LLM: the index of its model zoo, the tables of its supported-models page, and which features go together.

Yes, No, Untested and N/A are four values, and Known issues is a fifth; a word about what is read in (L + I) is the text of a cell, and
no status. What a row with AutoDeploy's footnote says holds for that backend alone, which the index knows nothing of. Releases before
the index register each class where it stands, and pages of 2025 print the classes without backticks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim, entries
from infercompat.harvest.classes import Classes, returned
from infercompat.harvest.markdown import Cell, Table, slug, tables

MODELS = "tensorrt_llm/_torch/models"
INDEX = f"{MODELS}/_arch_index.py"
REGISTER = "register_auto_model"
PAGE = "docs/source/models/supported-models.md"
COMBINATIONS = "docs/source/features/feature-combination-matrix.md"
REPOSITORY = "https://github.com/NVIDIA/TensorRT-LLM"

WORDS = {"yes": "native", "no": "unsupported", "untested": "untested", "n/a": "not-applicable", "known issues": "known-issues"}
NAMES = {"GPT-OSS": "GptOssForCausalLM"}
"""What rows of 2025 call by the model's name, and the class that the row of later pages has for it."""

_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*")
_PLAIN = re.compile(r"([A-Z][A-Za-z0-9_]*(?:Model|For[A-Z][A-Za-z]+|_V\d+))(?: \([^)]*\))?")
_VARIANT = re.compile(r"`[^`]*`[^(]*\(([^)]*)\)")
_MODALITY = re.compile(r"[LIVA](?:\s*\+\s*[LIVA])*")
_NOTE = re.compile(r"^\[\^([^\]]+)\]:\s*(.*)")


def index(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture: of the index, or of the decorators where a release has none."""
    if not tree.has(INDEX):
        yield from _decorated(tree)
        return
    file = tree.file(INDEX)
    table = assigned(file.module, "MODEL_ARCH_TO_MODULE")
    if table is None:
        raise Refused(f"{file.path}: there is no MODEL_ARCH_TO_MODULE")
    for architecture, _, line in entries(table):
        yield claim(file, line, "native", architecture=architecture)


def older(tree: Tree) -> str | None:
    """The folder of the model classes, where there is no index."""
    return None if tree.has(INDEX) else f"{REPOSITORY}/tree/{{tag}}/{MODELS}"


def _decorated(tree: Tree) -> Iterator[Claim]:
    """One claim a decorator, on its line; a name that is a class attribute is looked up."""
    classes, seen = Classes(tree), False
    for file in tree.files(MODELS, pattern="modeling_*.py"):
        module = file.path.removesuffix(".py").replace("/", ".")
        for node in ast.walk(file.module):
            for decorator in getattr(node, "decorator_list", ()):
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == REGISTER:
                    name = _named(classes, module, decorator.args[0] if decorator.args else None)
                    if name is None:
                        raise Refused(f"{file.path}:{decorator.lineno}: {REGISTER} is not given an architecture that can be read off")
                    seen = True
                    yield claim(file, decorator.lineno, "native", named=True, architecture=name)
    if not seen:
        raise Refused(f"{tree.root}: {MODELS} has no {INDEX.rpartition('/')[2]}, and nothing in it is decorated with {REGISTER}")


def _named(classes: Classes, module: str, node: ast.expr | None) -> str | None:
    """A string, or that of an attribute: VilaConfig.model_architecture."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found = classes.member(module, node.value.id, node.attr)
        node = next(iter(returned(found.node)), None) if found else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def page(tree: Tree) -> Iterator[Claim]:
    """The list of architectures and every cell of the matrices, with the printed word where it says more than the status."""
    yield from (item for item, auto in _rows(tree) if not auto)


def autodeploy(tree: Tree) -> list[dict[str, Any]]:
    """What rows with AutoDeploy's footnote say, on the condition that this backend is asked for: the index and the default know nothing of it."""
    when = {"setting.backend": "_autodeploy"}
    found = [item for item, auto in _rows(tree) if auto]
    return [
        {"about": dict(item.about), "when": when, "holds": item.holds} | dict(item.fields) | {"at": item.at, "sha256": item.sha256}
        for item in {item.about: item for item in reversed(found)}.values()
    ][::-1]


def _rows(tree: Tree) -> Iterator[tuple[Claim, bool]]:
    """Each claim of the page's tables, and whether its row is one of AutoDeploy's."""
    file = tree.file(PAGE)
    notes: dict[str, str] = {}
    for line in file.lines:
        if found := _NOTE.match(line):
            notes.setdefault(found[1], found[2])  # a page that defines one twice shows the first
    for table in tables(file):
        if table.headers[:1] == ("Architecture",) or (table.headers and table.headers[0].startswith("Model Architecture")):
            for line, cells in table.rows:
                for name in _architectures(cells[0], f"{file.path}:{line}"):
                    through = _through(cells[0], notes)
                    auto = "AutoDeploy" in through.get("value", "")
                    yield claim(file, line, "native", fields=through, architecture=name), auto
                    if table.headers[0] != "Architecture":
                        yield from ((item, auto) for item in _cells(file, table, line, cells, architecture=name))


def combinations(tree: Tree) -> Iterator[Claim]:
    """Each pair of features once, in the order of the page."""
    file = tree.file(COMBINATIONS)
    for table in tables(file):
        if table.headers[:1] == ("Feature",):
            for line, cells in table.rows:
                row = slug(cells[0].text)
                for head, cell in zip(table.headers[1:], cells[1:], strict=True):
                    if cell.text and set(cell.text) != {"-"}:
                        yield _said(file, line, cell, feature=f"{slug(head)}-with-{row}")


def _architectures(cell: Cell, place: str) -> list[str]:
    """The classes that a first cell names, a word in brackets left off. Raises Refused where it names none."""
    plain = _PLAIN.fullmatch(cell.text)
    found = [found[0] for name in cell.code if (found := _CLASS.match(name))] or ([plain[1]] if plain else [])
    if not found and cell.text not in NAMES:
        raise Refused(f"{place}: {cell.text!r} is no class, and nobody has said which class it stands for")
    return found or [NAMES[cell.text]]


def _variant(cell: Cell) -> str:
    """The word behind a class that narrows a row: `NemotronHForCausalLM` (Super)."""
    found = _VARIANT.search(cell.raw)
    return found[1] if found else ""


def _through(cell: Cell, notes: dict[str, str]) -> dict[str, str]:
    """What a row's footnotes and the word behind its class change: it is served by AutoDeploy, text only, or told of one variant."""
    told = " ".join(text for note in cell.notes if not (text := notes.get(note, "")).startswith("Also supports"))
    words = [word for word, mark in (("AutoDeploy", "via the [AutoDeploy]"), ("text only", "Text-only")) if mark in told]
    words += [f"{_variant(cell)} only"] if _variant(cell) else []
    return {"value": ", ".join(words)} if words else {}


def _cells(file: File, table: Table, line: int, cells: tuple[Cell, ...], **about: str) -> Iterator[Claim]:
    of = f", {_variant(cells[0])} only" if _variant(cells[0]) else ""
    for head, cell in zip(table.headers[1:], cells[1:], strict=True):
        if head == "Modality":
            if not _MODALITY.fullmatch(cell.text):
                raise Refused(f"{file.path}:{line}: {cell.text!r} is no modality")
            yield claim(file, line, "native", fields={"value": cell.text + of}, **about, feature="modality")
        elif cell.text:
            yield _said(file, line, cell, of, **about, feature=slug(head))


def _said(file: File, line: int, cell: Cell, of: str = "", **about: str) -> Claim:
    word, _, rest = cell.text.partition(" (")
    if word.lower() not in WORDS:
        raise Refused(f"{file.path}:{line}: nobody knows what {cell.text!r} says: a cell holds one of {', '.join(WORDS)}")
    printed = cell.text if rest or cell.text in ("N/A", "Untested", "Known issues") else ""
    notes = f"{printed or cell.text} with footnote {', '.join(cell.notes)}" if cell.notes else printed
    notes = f"{notes or cell.text}{of}" if of else notes
    return claim(file, line, WORDS[word.lower()], fields={"value": notes} if notes else {}, **about)


def _source(what: str, ending: str, title: str, path: str, read, least: int, **more) -> Harvester:
    return Harvester(
        engine="tensorrt-llm", prefix="trtllm", what=what, ending=ending, title=title, url=f"{REPOSITORY}/blob/{{tag}}/{path}", tag="v{version}",
        read=read, repository=REPOSITORY, least=least, **more,
    )  # fmt: skip


HARVESTERS = (
    _source("arch-index", "registry", "Index of the PyTorch model zoo of TensorRT LLM {version}", INDEX, index, 25, older=older),
    _source(
        "supported-models", "supported-models", "Page Supported Models of TensorRT LLM {version}", PAGE, page, 60,
        complete=False, whole_page=True, every=True, type="documentation", optional=True, extra=autodeploy,
    ),
    _source(
        "feature-combinations", "feature-combinations", "Which features of TensorRT LLM {version} go together", COMBINATIONS, combinations, 40,
        complete=False, whole_page=True, type="documentation", optional=True,
    ),
)  # fmt: skip
