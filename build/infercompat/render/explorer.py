"""The rows and columns of the explorer: the whole matrix as a table that is complete without a script, with what filters ask about."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from infercompat.answer.facts import platform_of
from infercompat.derive import Unknown
from infercompat.join import Cell, Matrix, Source
from infercompat.measure import weights_of
from infercompat.records import Record
from infercompat.render.compatibility import cell_sources


class Row(Struct, frozen=True):
    """A model, its cells in the matrix's order, and what the filters ask: requirements, parameters, licence, GiB of its lightest checkpoint."""

    model: Record
    cells: tuple[Cell, ...]
    requirements: tuple[str, ...]
    parameters: int | None
    licence: str
    lightest_bytes: int | None

    @property
    def words(self) -> str:
        """What search as you type looks through, in lower case."""
        hubs = [checkpoint["hub"] for checkpoint in self.model.data["checkpoints"]]
        told = [word.lower() for word in (*hubs, self.model.name, self.model.data["architecture"], *self.model.aliases, self.model.id)]
        return " ".join(word for place, word in enumerate(told) if not any(word in other for other in told[:place]))


class Machine(Struct, frozen=True):
    """A product that the hardware filter offers: its platform decides which engines run there, its memory what fits."""

    record: Record
    platform: str
    gib: float


def rows(matrix: Matrix) -> dict[str, list[Row]]:
    """The rows of the table by family, in the matrix's order."""
    return {family: [_row(matrix, model) for model in models] for family, models in matrix.families.items()}


def _row(matrix: Matrix, model: Record) -> Row:
    derived = matrix.products.derived[model.id]
    required = () if isinstance(derived, Unknown) else tuple(derived.requirements)
    sizes = [found.low for checkpoint in model.data["checkpoints"] if not isinstance(found := weights_of(model, checkpoint["hub"]), Unknown)]
    return Row(
        model,
        tuple(matrix.of_model(model)),
        required,
        model.data.get("parameters", {}).get("total"),
        model.data.get("licence", {}).get("name", ""),
        min(sizes, default=None),
    )


def machines(matrix: Matrix) -> list[Machine]:
    """The products whose memory is on record, by name."""
    found = []
    for record in matrix.products.catalog.of_kind("hardware"):
        size, platform = record.data.get("visible_bytes") or record.data.get("memory_bytes"), platform_of(record.data["class"])
        if size and platform:
            found.append(Machine(record, platform, round(size / 2**30, 1)))
    return sorted(found, key=lambda machine: machine.record.name.lower())


def asked(rows_by_family: dict[str, list[Row]], name: str) -> dict[str, int]:
    """The values of one field of the rows that a filter offers, and how many models have each, the most frequent first."""
    counts: dict[str, int] = {}
    for row in (row for found in rows_by_family.values() for row in found):
        value = getattr(row, name)
        for each in value if isinstance(value, tuple) else (value,):
            if each:
                counts[each] = counts.get(each, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def first_source(cell: Cell) -> Source | None:
    """The one source that stands for a cell; the panel has all."""
    return next(iter(cell_sources(cell, 1)), None)


def column_sources(rows: dict[str, list[Row]]) -> dict[str, str]:
    """For each engine the source that stands for most of its cells, by ids; it is named once, above the column."""
    counted: dict[str, Counter[str]] = {}
    for row in (row for found in rows.values() for row in found):
        for cell in row.cells:
            if source := first_source(cell):
                counted.setdefault(cell.engine.id, Counter())[source.id] += 1
    return {engine: min(counts, key=lambda id: (-counts[id], id)) for engine, counts in counted.items()}
