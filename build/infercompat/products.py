"""What the stages make of a catalog: its files, its records linked, and what follows from them when somebody asks."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.derive import Derived, Unknown, derive
from infercompat.diagnostic import Diagnostic
from infercompat.link import Catalog
from infercompat.records import Document, Files, Record


class Products(Struct, dict=True):
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
            self._found[id] = _as_said(derive(data["config"]["values"], data["architecture"]), data)
        return self._found[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)


def _as_said(found: Derived | Unknown, model: Mapping[str, Any]) -> Derived | Unknown:
    """With the inputs that the record names and that no field of the config tells: configs written by hand often leave the encoders out."""
    if isinstance(found, Unknown):
        return found
    inputs = model.get("modalities", {}).get("inputs", ())
    kinds = [kind for kind in ("image", "audio") if {kind, "text"} <= set(inputs) and f"{kind}-input" not in found.requirements]
    said = {f"{kind}-input": f"it takes {kind} input, as its maker says" for kind in kinds}
    return replace(found, demands=replace(found.demands, requirements=found.requirements | said)) if said else found


def reference_date(catalog: Catalog) -> str:
    """The date a build counts from: SOURCE_DATE_EPOCH, else the newest date in the catalog."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdigit():
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    return catalog.newest_date()
