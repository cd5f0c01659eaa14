"""Runs the stages in order: read, check shape, link; derivations are made when somebody asks for them."""

from __future__ import annotations

from pathlib import Path

from infercompat.diagnostic import Diagnostic
from infercompat.link import link
from infercompat.products import Products, reference_date
from infercompat.read import read_catalog
from infercompat.records import Files, Record
from infercompat.shape import CATALOG_FILES, Shapes, check_shapes, schemas
from infercompat.span import Span


def load(folder: Path, today: str | None = None) -> Products:
    """Reads, checks and links a catalog folder. Records with faults are set aside and named in the diagnostics."""
    diagnostics: list[Diagnostic] = []
    files = read_catalog(folder, diagnostics)
    vocabulary = _vocabulary(folder, files, diagnostics)
    records = check_shapes(files.records, vocabulary, diagnostics)
    broken = {Path(diagnostic.span.path).stem for diagnostic in diagnostics}
    broken |= {alias for record in files.records if record.id in broken for alias in _aliases(record)}
    catalog = link(records, vocabulary, set_aside=frozenset(broken))
    return Products(folder, files, catalog, diagnostics, today or reference_date(catalog))


def _aliases(record: Record) -> list[str]:
    """The aliases of a record whose shape may be wrong."""
    aliases = record.data.get("aliases") if isinstance(record.data, dict) else None
    return [alias for alias in aliases if isinstance(alias, str)] if isinstance(aliases, list) else []


def _vocabulary(folder: Path, files: Files, diagnostics: list[Diagnostic]) -> dict:
    """The vocabulary's data, empty lists for it when its file is missing or broken."""
    needed = schemas()["vocabulary-file"]["properties"]["words"]["required"]
    empty = {"words": {name: {} for name in needed}, "source-rank": {}, "thresholds": {}}
    shapes = Shapes(empty)
    sound = {}
    for name, document in files.extras.items():
        path = document.path
        if name not in CATALOG_FILES:
            help = f"The files beside the folders are {', '.join(CATALOG_FILES)}."
            diagnostics.append(Diagnostic("YAML006", "no record stands at the top of the catalog", Span(path, 1, 1), help=help))
            continue
        faults = shapes.check(document, CATALOG_FILES[name])
        diagnostics.extend(faults)
        if not faults:
            sound[name] = document.data
    if "vocabulary.yaml" not in files.extras and not any(fault.span.path.endswith("vocabulary.yaml") for fault in diagnostics):
        diagnostics.append(Diagnostic("YAML006", "the catalog has no vocabulary.yaml", Span(f"{folder.name}/vocabulary.yaml", 1, 1)))
    return sound.get("vocabulary.yaml", empty)
