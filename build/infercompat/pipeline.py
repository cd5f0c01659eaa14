"""Runs the stages in order: read, check shape, link; derivations are made when somebody asks for them."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from infercompat.derive import Derived, Unknown, derive
from infercompat.diagnostic import Diagnostic
from infercompat.link import Catalog, link
from infercompat.read import Files, read_catalog
from infercompat.records import Document, Record
from infercompat.shape import CATALOG_FILES, Shapes, check_shapes, schemas
from infercompat.span import Span


@dataclass
class Products:
    """What the stages made of one catalog folder, and the faults they met on the way."""

    folder: Path
    files: Files
    catalog: Catalog
    diagnostics: list[Diagnostic]
    today: str

    @cached_property
    def derived(self) -> Mapping[str, Derived | Unknown]:
        """Model id to what its config asks for, or to what is missing to know it; each worked out when it is asked for."""
        return Derivations({model.id: model for model in self.catalog.of_kind("model")})

    @property
    def exceptions(self) -> Document | None:
        """The exceptions file; None where there is none or its own shape is wrong."""
        document = self.files.extras.get("exceptions.yaml")
        faulty = document is not None and any(diagnostic.span.path == document.path for diagnostic in self.diagnostics)
        return None if faulty else document


class Derivations(Mapping[str, "Derived | Unknown"]):
    """What follows from each model's config, worked out once."""

    def __init__(self, models: Mapping[str, Record]):
        self._models = models
        self._found: dict[str, Derived | Unknown] = {}

    def __getitem__(self, id: str) -> Derived | Unknown:
        if id not in self._found:
            data = self._models[id].data
            self._found[id] = derive(data["config"]["values"], data["architecture"])
        return self._found[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)


def reference_date(catalog: Catalog) -> str:
    """The date a build counts from: SOURCE_DATE_EPOCH, else the newest date in the catalog."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdigit():
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    return catalog.newest_date()


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
