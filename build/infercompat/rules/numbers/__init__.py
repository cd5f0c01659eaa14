"""Rules on numbers in prose: equations hold, figures agree with the record, and what is computed is not typed."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat import equations
from infercompat.derive import Derived
from infercompat.products import Products
from infercompat.records import Path, Record, walk
from infercompat.rules.base import Finding, rule
from infercompat.rules.numbers.remarks import Remark, remarks
from infercompat.rules.numbers.sentences import blank
from infercompat.rules.numbers.subject import Subject, Surroundings
from infercompat.span import Span

_MODEL = """
# catalog/models/acme/tiny-model.yaml
name: Tiny
family: gemma
architecture: TinyForCausalLM
checkpoints: [{hub: acme/tiny-it, format: bf16}]
config:
  basis: official
  cites: [{id: tiny-config}]
  values: {model_type: gemma2, num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 2, head_dim: 64, hidden_size: 256,
    sliding_window: 1024, max_position_embeddings: 8192}
notes: |
"""
_NO_PROSE = frozenset({"url", "at", "sha256", "hub", "repository", "pattern", "error_patterns", "relation", "pin"})


def prose_of(record: Record) -> Iterator[tuple[Path, str]]:
    """The strings of a record that may hold an equation."""
    for path, value in walk(record.data):
        if isinstance(value, str) and "=" in value and path[:2] != ("config", "values") and not _NO_PROSE.intersection(path):
            yield path, value


def remarks_of(products: Products) -> Iterator[tuple[Record, Remark]]:
    """What there is to say about the numbers in models' notes; nothing where a config cannot be read."""
    around = Surroundings(products.catalog)
    for model in products.catalog.of_kind("model"):
        derived = products.derived[model.id]
        if isinstance(derived, Derived) and "notes" in model.data:
            found = remarks(Subject(model, derived, around), model.data["notes"])
            yield from ((model, remark) for remark in sorted(found, key=lambda remark: remark.start))


def short(text: str) -> str:
    """A stretch of prose for a message: on one line."""
    return " ".join(text.split())


@rule(
    code="NUM001",
    name="false-equation",
    what="An equation in prose holds, at the precision it is printed with; with a free variable it holds for every value of it.",
    why="A sum that is wrong is copied for years, since nobody works it out again.",
    bad=_MODEL + "  A full layer takes 2 * 64 * 2 * 2 = 516 bytes a token. # NUM001\n",
    good=_MODEL + "  A full layer takes 2 * 64 * 2 * 2 = 512 bytes a token, all four (2*512*c + 2*512*1024)/c = 1,024 + 1,048,576/c.\n",
)
def false_equation(products: Products) -> Iterator[Finding]:
    for record in products.catalog.records.values():
        for path, text in prose_of(record):
            for equation in equations.find(blank(text)):
                for fault in equation.faults():
                    span = record.document.span_inside(path, fault.start, _line_end(text, fault.start, fault.end))
                    right, wrong = short(text[fault.of_start : fault.of_end]), short(text[fault.start : fault.end])
                    yield span, f"{right} is not {wrong}", f"It is {fault.truth}."


@rule(
    code="NUM002",
    name="number-against-record",
    what="A number in a model's notes beside layers, KV heads, a window, cache bytes and the like is the one that its config gives.",
    why="The sentence and the table on one page would disagree, and the sentence is the one that is quoted.",
    bad=_MODEL + "  It has 4 layers and 8 KV heads. # NUM002\n",
    good=_MODEL + "  It has {{ layers.total }} layers and {{ kv_heads }} KV heads.\n",
)
def number_against_record(products: Products) -> Iterator[Finding]:
    for model, remark in remarks_of(products):
        if not remark.placeholder:
            span, written = _place(model, remark)
            yield span, f"{written} is not what this record gives", f"Here {remark.truth}."


@rule(
    code="NUM003",
    name="typed-figure",
    severity="warning",
    what="A figure that is derived for a model stands in its notes as a placeholder.",
    why="A typed one is right until the config is mended, and nobody looks for it then.",
    bad=_MODEL + "  The cache takes 2 KiB a token. # NUM003\n",
    good=_MODEL + "  The cache takes {{ cache.naive.bytes_per_token | bytes }} a token.\n",
)
def typed_figure(products: Products) -> Iterator[Finding]:
    for model, remark in remarks_of(products):
        if remark.placeholder:
            span, written = _place(model, remark)
            yield span, f"{written} is typed, and it is derived", f"Write {remark.placeholder}, or run: infercompat fmt"


def _place(model: Record, remark: Remark) -> tuple[Span, str]:
    """Where a remark points, and what is written there."""
    text = model.data["notes"]
    return model.document.span_inside(("notes",), remark.start, _line_end(text, remark.start, remark.end)), short(text[remark.start : remark.end])


def _line_end(text: str, start: int, end: int) -> int:
    """Where a stretch ends on its first line."""
    newline = text.find("\n", start, end)
    return end if newline < 0 else newline


RULES = (false_equation, number_against_record, typed_figure)
