"""vLLM's pages: supported models with their columns, pooling models, and the matrices of features and of quantization."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim
from infercompat.harvest.markdown import Table, column, slug, tables

PAGE = "docs/models/supported_models.md"
POOLING = ("docs/models/pooling_models", "docs/models")
FEATURES = "docs/features/README.md"
QUANTIZATION = "docs/features/quantization/README.md"
REPOSITORY = "https://github.com/vllm-project/vllm"

MARKS = {"✅": "native", "🟠": "partial", "❌": "unsupported", "❔": "untested"}
"""The legend of both matrices. ❔ stands for unknown: upstream's own word that it was not found out."""

COLUMNS = {"LoRA": "lora", "PP": "pipeline-parallel"}
KNOWN = {"Architecture", "Models", "Example HF Models", "Inputs", "Plugin Repository", "V1", *COLUMNS}
TASKS = {"Transcription": "transcription", "Realtime Transcription": "realtime-transcription"}
INPUTS = {"I": "image-input", "A": "audio-input"}
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*")


def models(tree: Tree) -> Iterator[Claim]:
    """A claim for each architecture of each table, and one for each column that has a mark for it."""
    yield from _rows(tree.file(PAGE))


def pooling(tree: Tree) -> Iterator[Claim]:
    """The same of the pages on pooling models, which older releases have on the main page."""
    for file in tree.below(*POOLING, pattern="*.md"):
        if file.path != PAGE:
            yield from _rows(file, file.path.rpartition("/")[0])


def _rows(file: File, named: str | bool = False) -> Iterator[Claim]:
    for table in tables(file):
        if "Architecture" not in table.headers:
            continue
        marked = COLUMNS | _new_columns(table)
        status = "plugin" if "Plugin Repository" in table.headers else "fallback" if _by_transformers(file, table) else "native"
        place = column(file, table, "Architecture")
        for line, cells in table.rows:
            for name in (name for name in cells[place].code if _CLASS.fullmatch(name)):
                yield claim(file, line, status, named=named, architecture=name)
                if table.section in TASKS:
                    yield claim(file, line, status, named=named, architecture=name, feature=TASKS[table.section])
                if "Inputs" in table.headers:
                    for letter in re.findall(r"\b[A-Z](?=[E+]|\b)", cells[table.headers.index("Inputs")].text):
                        if letter in INPUTS:
                            yield claim(file, line, status, named=named, architecture=name, requirement=INPUTS[letter])
                for header, feature in marked.items():
                    if header in table.headers and (mark := _mark(cells[table.headers.index(header)].text)):
                        yield claim(file, line, mark, named=named, architecture=name, feature=feature)


def _by_transformers(file: File, table: Table) -> bool:
    """Whether the sentence above a table says that its models run through the Transformers modelling backend alone."""
    above = next((line for line in reversed(file.lines[: table.line - 1]) if line.strip()), "")
    return "only via the [Transformers" in above or "primarily supported via the [Transformers" in above


def _new_columns(table: Table) -> dict[str, str]:
    """Columns that this reader does not know and that hold marks and nothing else: they are features under their own names."""
    found = {}
    for index, header in enumerate(table.headers):
        words = [cells[index].text for _, cells in table.rows if cells[index].text]
        if header not in KNOWN and words and all(word.startswith(tuple(MARKS)) for word in words):
            found[header] = slug(header)
    return found


def _mark(text: str) -> str:
    """The status of a cell that holds a mark, with or without a footnote; none where it is blank. Raises Refused for another word."""
    if not text:
        return ""
    for mark, status in MARKS.items():
        if text.startswith(mark):
            return status
    raise Refused(f"a cell says {text!r}, which is none of {' '.join(MARKS)}")


def features(tree: Tree) -> Iterator[Claim]:
    """Feature by feature and feature by hardware; each pair of features once, in the page's order."""
    yield from _matrix(tree, FEATURES, "Feature", lambda row, head: f"{head}-with-{row}" if head != row else f"{row}-alone")


def quantization(tree: Tree) -> Iterator[Claim]:
    """Weight formats by hardware."""
    yield from _matrix(tree, QUANTIZATION, "Implementation", None, prefix="quantization.")


HARDWARE = {
    "Volta": ("sm70",),
    "Turing": ("sm75",),
    "Ampere": ("sm80", "sm86"),
    "Ada": ("sm89",),
    "Hopper": ("sm90",),
    "Blackwell": ("sm100",),
    "CPU": ("cpu",),
    "x86 CPU": ("cpu",),
    "Arm CPU": ("cpu",),
    "AMD": ("rocm",),
    "AMD GPU": ("rocm",),
    "Intel GPU": ("xpu",),
    "Google TPU": ("tpu",),
}
"""Columns of hardware and the classes that the page's own note gives them. The processors of the two makes are told apart by the feature."""


def _matrix(tree: Tree, path: str, first: str, pair, prefix: str = "") -> Iterator[Claim]:
    file, found = tree.file(path), False
    for table in tables(file):
        if not table.headers or table.headers[0] != first:
            continue
        found = True
        hardware = set(HARDWARE) & set(table.headers)
        for line, cells in table.rows:
            row = slug(cells[0].text)
            for head, cell in zip(table.headers[1:], cells[1:], strict=True):
                status = _told(file.path, table, line, cell.text)
                if not status:
                    continue
                fields = {"value": cell.text} if cell.text not in MARKS else {}
                if hardware or pair is None:
                    if head not in HARDWARE:
                        raise Refused(f"{file.path}:{table.line}: nobody knows what hardware the column {head} means")
                    kind = f".{slug(head)}" if head in ("x86 CPU", "Arm CPU") else ""
                    for platform in HARDWARE[head]:
                        yield claim(file, line, status, fields=fields, feature=f"{prefix}{row}{kind}", platform=platform)
                else:
                    yield claim(file, line, status, fields=fields, feature=pair(row, slug(head)))
    if not found:
        raise Refused(f"{file.path}: there is no table of which the first column is {first}")


def _told(path: str, table: Table, line: int, text: str) -> str:
    try:
        return _mark(text)
    except Refused as error:
        raise Refused(f"{path}:{line}: {error}") from None


def _page(what: str, ending: str, title: str, path: str, read, least: int, form: str = "blob") -> Harvester:
    return Harvester(
        engine="vllm", prefix="vllm", what=what, ending=ending, title=title, url=f"{REPOSITORY}/{form}/{{tag}}/{path}", tag="v{version}",
        read=read, sdist="vllm", repository=REPOSITORY, least=least, complete=False, whole_page=True, type="documentation", every=True, optional=True,
    )  # fmt: skip


HARVESTERS = (
    _page("supported-models-md", "supported-models-page", "Page Supported Models of vLLM {version}", PAGE, models, 100),
    _page("pooling-pages", "pooling-pages", "Pages on pooling models of vLLM {version}", POOLING[1], pooling, 10, "tree"),
    _page("features-md", "features-page", "Feature matrices of vLLM {version}", FEATURES, features, 40),
    _page("quantization-md", "quantization-page", "Quantization by hardware of vLLM {version}", QUANTIZATION, quantization, 30),
)
