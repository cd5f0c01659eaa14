"""A sentence about a record's page for search results and the cards of links: what it says, in plain text."""

from __future__ import annotations

from infercompat import prose
from infercompat.join import Matrix
from infercompat.records import Record

MOST = 200
"""Characters; what shows such a sentence cuts it there."""
_PLAIN = str.maketrans({'"': "”", "<": "‹", ">": "›", "\n": " "})
"""The theme writes a description into an attribute as it is."""


def describe(matrix: Matrix, record: Record) -> str:
    """The sentence; empty for kinds that have none."""
    maker = _MAKERS.get(record.kind)
    text = maker(matrix, record).translate(_PLAIN) if maker else ""
    return text if len(text) <= MOST else text[: MOST - 1].rsplit(" ", 1)[0] + "…"


def _model(matrix: Matrix, model: Record) -> str:
    verdicts = [cell.verdict for cell in matrix.of_model(model)]
    count = " and ".join(f"{verdict} on {verdicts.count(verdict)}" for verdict in ("yes", "no") if verdict in verdicts) or "unknown on all"
    return f"{model.name} on {len(verdicts)} inference engines: {count}. Its layers, KV cache, known faults and sources."


def _engine(matrix: Matrix, engine: Record) -> str:
    cells = list(matrix.of_engine(engine))
    serves = f": yes for {sum(cell.verdict == 'yes' for cell in cells)} of {len(cells)} models" if cells else ""
    return f"{engine.name} {engine.data['releases'][0]['version']}{serves}. What it offers, its cache, its known faults, its releases, and sources."


def _gotcha(matrix: Matrix, gotcha: Record) -> str:
    catalog = matrix.products.catalog
    found = catalog.follow(gotcha.data["engine"])
    meaning = catalog.words("symptom")[gotcha.data["symptom"]]
    return f"{gotcha.data['severity'].capitalize()} on {found.name if found else gotcha.data['engine']}, {gotcha.data['status']}: {gotcha.name}. {meaning}"


def _requirement(matrix: Matrix, requirement: Record) -> str:
    def name(link: prose.Link) -> tuple[str, str]:
        found = matrix.products.catalog.follow(link.target)
        return "", link.text or (found.name if found else link.target)

    return f"{requirement.name}: {prose.to_text(requirement.data['summary'], name)}"


def _hardware(_: Matrix, hardware: Record) -> str:
    return f"{hardware.name} ({hardware.data['class']}): what runs there, which known faults bite, and what near relatives do not tell."


_MAKERS = {"model": _model, "engine": _engine, "gotcha": _gotcha, "requirement": _requirement, "hardware": _hardware}
