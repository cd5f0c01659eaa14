"""TensorRT LLM: the index of its model zoo, the tables of its supported-models page, and which features go together.

Yes, No, Untested and N/A are four values, and Known issues is a fifth; a word about what is read in (L + I) is the text of a cell, and
no status. A footnote that says AutoDeploy or text only changes what a row claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim, entries
from infercompat.harvest.markdown import Cell, Table, slug, tables

INDEX = "tensorrt_llm/_torch/models/_arch_index.py"
PAGE = "docs/source/models/supported-models.md"
COMBINATIONS = "docs/source/features/feature-combination-matrix.md"
REPOSITORY = "https://github.com/NVIDIA/TensorRT-LLM"

WORDS = {"yes": "native", "no": "unsupported", "untested": "untested", "n/a": "not-applicable", "known issues": "known-issues"}
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*")
_MODALITY = re.compile(r"[LIVA](?:\s*\+\s*[LIVA])*")
_NOTE = re.compile(r"^\[\^([^\]]+)\]:\s*(.*)")


def index(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture of the index."""
    file = tree.file(INDEX)
    table = assigned(file.module, "MODEL_ARCH_TO_MODULE")
    if table is None:
        raise Refused(f"{file.path}: there is no MODEL_ARCH_TO_MODULE")
    for architecture, _, line in entries(table):
        yield claim(file, line, "native", architecture=architecture)


def page(tree: Tree) -> Iterator[Claim]:
    """The list of architectures and every cell of the matrices, with the printed word where it says more than the status."""
    file = tree.file(PAGE)
    notes = {found[1]: found[2] for line in file.lines if (found := _NOTE.match(line))}
    for table in tables(file):
        if table.headers[:1] == ("Architecture",):
            for line, cells in table.rows:
                for name in _architectures(cells[0]):
                    yield claim(file, line, "native", fields=_through(cells[0], notes), architecture=name)
        elif table.headers and table.headers[0].startswith("Model Architecture"):
            for line, cells in table.rows:
                for name in _architectures(cells[0]):
                    yield claim(file, line, "native", fields=_through(cells[0], notes), architecture=name)
                    yield from _cells(file, table, line, cells[1:], architecture=name)


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


def _architectures(cell: Cell) -> list[str]:
    """The classes that a first cell names: in backticks, a word in brackets left off."""
    return [found[0] for name in cell.code if (found := _CLASS.match(name))]


def _through(cell: Cell, notes: dict[str, str]) -> dict[str, str]:
    """What a footnote of a row changes: it is served by AutoDeploy, or text only."""
    told = " ".join(notes.get(note, "") for note in cell.notes)
    words = [word for word, mark in (("AutoDeploy", "via the [AutoDeploy]"), ("text only", "Text-only")) if mark in told]
    return {"value": ", ".join(words)} if words else {}


def _cells(file: File, table: Table, line: int, cells: tuple[Cell, ...], **about: str) -> Iterator[Claim]:
    for head, cell in zip(table.headers[1:], cells, strict=True):
        if head == "Modality":
            if not _MODALITY.fullmatch(cell.text):
                raise Refused(f"{file.path}:{line}: {cell.text!r} is no modality")
            yield claim(file, line, "native", fields={"value": cell.text}, **about, feature="modality")
        elif cell.text:
            yield _said(file, line, cell, **about, feature=slug(head))


def _said(file: File, line: int, cell: Cell, **about: str) -> Claim:
    word, _, rest = cell.text.partition(" (")
    if word.lower() not in WORDS:
        raise Refused(f"{file.path}:{line}: nobody knows what {cell.text!r} says: a cell holds one of {', '.join(WORDS)}")
    printed = cell.text if rest or cell.text in ("N/A", "Untested", "Known issues") else ""
    notes = f"{printed or cell.text} with footnote {', '.join(cell.notes)}" if cell.notes else printed
    return claim(file, line, WORDS[word.lower()], fields={"value": notes} if notes else {}, **about)


def _source(what: str, ending: str, title: str, path: str, read, least: int, **more) -> Harvester:
    return Harvester(
        engine="tensorrt-llm", prefix="trtllm", what=what, ending=ending, title=title, url=f"{REPOSITORY}/blob/{{tag}}/{path}", tag="v{version}",
        read=read, repository=REPOSITORY, least=least, **more,
    )  # fmt: skip


HARVESTERS = (
    _source("arch-index", "registry", "Index of the PyTorch model zoo of TensorRT LLM {version}", INDEX, index, 40),
    _source(
        "supported-models", "supported-models", "Page Supported Models of TensorRT LLM {version}", PAGE, page, 60,
        complete=False, whole_page=True, every=True, type="documentation", optional=True,
    ),
    _source(
        "feature-combinations", "feature-combinations", "Which features of TensorRT LLM {version} go together", COMBINATIONS, combinations, 40,
        complete=False, whole_page=True, type="documentation", optional=True,
    ),
)  # fmt: skip
