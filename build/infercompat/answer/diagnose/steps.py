"""What a paste has to say before there is a verdict, with the line that says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from infercompat.answer.diagnose.understanding import Understood
from infercompat.link import Catalog

EXAMPLES = {"model": "google/gemma-3-27b-it", "engine": "vllm", "hardware": "h100-sxm"}


class Step(NamedTuple):
    """What is missing, why nothing of the paste will do, and a line to add, as an example of its kind."""

    missing: str
    why: str
    add: str


def steps(missing: Sequence[str], found: Understood, catalog: Catalog) -> tuple[Step, ...]:
    """What to add where there is no verdict, hardware at the end: without it the verdict counts no memory."""
    return tuple(_steps(missing, found, catalog)) if missing else ()


def _steps(missing: Sequence[str], found: Understood, catalog: Catalog) -> Iterator[Step]:
    if "model" in missing:
        unset = found.model is not None and str(found.model.value).startswith("$")
        why = f"the catalog has no model {found.model.value}: name the one that it was made from" if found.model else "no model is named"
        why = f"nothing says what {found.model.value} is" if unset and found.model else why
        yield Step("model", why, f"model: {EXAMPLES['model']}")
    engine = EXAMPLES["engine"] if "engine" in missing or found.engine is None else found.engine.name
    newest = next((release["version"] for release in record.data["releases"]), "") if (record := catalog.follow(engine)) else ""
    if "engine" in missing:
        why = f"{found.engine.name} is no engine of the catalog" if found.engine else "no engine is named: the serve command names it, too"
        yield Step("engine", why, f"engine: {engine} {newest}")
    elif "version" in missing or found.version is None:
        why = f"{found.version.value} is no version of {engine}" if found.version else "no version is named"
        yield Step("version", why, f"engine: {engine} {newest}")
    if not any(kind.id for kind in found.hardware):
        yield Step("hardware", "no hardware on record is named: the output of nvidia-smi or rocm-smi names it, too", f"hardware: 1x {EXAMPLES['hardware']}")
