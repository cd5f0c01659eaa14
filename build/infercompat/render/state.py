"""The state of the catalog: how much of the matrix is known and how well, how old the evidence is, and what to test next."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import urlencode

from msgspec import Struct

from infercompat.answer.serving import Serving, serving
from infercompat.join import VERDICTS, Cell, Matrix
from infercompat.join.grade import days_between
from infercompat.records import KINDS, Record

AGES = ((31, "a month"), (92, "three months"), (183, "half a year"), (366, "a year"))
"""Days, and the words for them, of the groups by age; what is older is a group of its own."""


class Share(Struct, frozen=True):
    """Some cells of the matrix: how many there are, by verdict, and how many of those with a grade are contested or stale."""

    label: Record | str
    cells: int
    verdicts: dict[str, int]
    contested: int
    stale: int

    @property
    def known(self) -> float:
        """The share of cells that are not unknown, 0 to 1."""
        return 1 - self.verdicts["unknown"] / self.cells if self.cells else 0.0


class Gap(Struct, frozen=True):
    """What one engine's unknown cells wait for: the hop, the models that it would decide or bring nearer, one to try, and how."""

    engine: Record
    hop: str
    models: tuple[Record, ...]
    alone: tuple[Record, ...]
    example: Record
    served: Serving | None

    @property
    def downloads(self) -> int:
        """Downloads in thirty days of the models that it would decide at once; a model on no list of downloads adds none."""
        return sum(map(downloads, self.alone))

    @property
    def commands(self) -> list[str]:
        """What to run, one line a step; empty where the engine's record does not say how it is started."""
        return [shlex.join(argv) for argv in (*(step for step, _ in self.served.prepare), self.served.argv)] if self.served else []

    def form(self, repository: str) -> str:
        """The address of the form for observations, with what is known of this one filled in."""
        stack = f"{self.example.id} on {self.engine.id} {self.engine.data['releases'][0]['version']}"
        known = {"template": "observation.yml", "title": f"Observation: {stack} ({self.hop})", "stack": stack, "ran": "\n".join(self.commands)}
        return f"{repository}/issues/new?{urlencode(known)}"


def share(label: Record | str, cells: Iterable[Cell]) -> Share:
    """What is known of some cells."""
    found = list(cells)
    counted = Counter(cell.verdict for cell in found)
    grades = Counter(cell.grade.word for cell in found if cell.grade)
    return Share(label, len(found), {verdict: counted[verdict] for verdict in VERDICTS}, grades["contested"], grades["stale"])


def by_engine(matrix: Matrix) -> list[Share]:
    return [share(engine, matrix.of_engine(engine)) for engine in matrix.engines]


def by_family(matrix: Matrix) -> list[Share]:
    """Family by family, the least known first."""
    names = matrix.products.catalog.words("family")
    found = [share(names[family], (cell for model in models for cell in matrix.of_model(model))) for family, models in matrix.families.items()]
    return sorted(found, key=lambda row: (row.known, str(row.label)))


def counts(matrix: Matrix) -> dict[str, int]:
    """Live records of each kind."""
    return {kind: len(matrix.products.catalog.of_kind(kind)) for kind in KINDS}


def ages(days: Iterable[str], today: str) -> dict[str, int]:
    """How many of some ISO dates lie within each age of AGES before today; what is older is "older"."""
    found = dict.fromkeys([f"within {words}" for _, words in AGES] + ["older"], 0)
    for day in days:
        age = days_between(day, today)
        found[next((f"within {words}" for most, words in AGES if age <= most), "older")] += 1
    return found


def evidence(matrix: Matrix) -> dict[str, dict[str, int]]:
    """By age: when sources were opened, when snapshots and gotchas were read, and when the newest releases in the catalog came out."""
    catalog, today = matrix.products.catalog, matrix.products.today
    return {
        "Sources, since somebody opened them": ages((c.data["retrieved"] for c in catalog.of_kind("citation") if "retrieved" in c.data), today),
        "Support snapshots, since they were read": ages((s.data["read_on"] for s in catalog.of_kind("support")), today),
        "Gotchas, since their threads were read": ages((g.data["read_on"] for g in catalog.of_kind("gotcha")), today),
        "Newest release of each engine in the matrix": ages((e.data["releases"][0]["date"] for e in matrix.engines), today),
    }


def unopened(matrix: Matrix) -> int:
    """Citations that nobody could open."""
    return sum("retrieved" not in citation.data for citation in matrix.products.catalog.of_kind("citation"))


def downloads(model: Record) -> int:
    """How often a model's checkpoints were downloaded in thirty days; 0 where no list says so."""
    return model.data["downloads"]["count"] if "downloads" in model.data else 0


def known_by_downloads(matrix: Matrix) -> float:
    """The share of the matrix that is known if each model counts as often as it was downloaded, 0 to 1; models on no list do not count."""
    every = sum(downloads(cell.model) for cell in matrix.cells.values())
    known = sum(downloads(cell.model) for cell in matrix.cells.values() if cell.verdict != "unknown")
    return known / every if every else 0.0


def gaps(matrix: Matrix) -> list[Gap]:
    """What unknown cells wait for, by engine and hop: those first that decide the models with the most downloads at once, then the most models."""
    waiting: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in matrix.cells.values():
        if cell.verdict == "unknown":
            for hop in cell.missing:
                waiting[cell.engine.id, hop].append(cell)
    found = [_gap(hop, cells) for (_, hop), cells in waiting.items() if hop != "config"]
    return sorted(found, key=lambda gap: (-gap.downloads, -len(gap.alone), -len(gap.models), gap.engine.id, gap.hop))


def _gap(hop: str, cells: list[Cell]) -> Gap:
    best = min(cells, key=lambda cell: (len(cell.missing), -downloads(cell.model), -len(cell.model.data["checkpoints"]), cell.model.id))
    first = best.model.data["checkpoints"][0]
    served = serving(best.engine, first["hub"], first["format"], task=best.model.data.get("task"))
    most_first = sorted((cell.model for cell in cells), key=lambda model: -downloads(model))
    alone = tuple(cell.model for cell in cells if len(cell.missing) == 1)
    return Gap(best.engine, hop, tuple(most_first), alone, best.model, served)
