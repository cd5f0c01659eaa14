"""How an engine is started for a checkpoint: what makes its files ready, and the command."""

from __future__ import annotations

from msgspec import Struct

from infercompat.records import Record


class Serving(Struct, frozen=True):
    """The words of a command, and of the steps that go before it, each with its reason; no steps where the engine loads the checkpoint as it is."""

    argv: list[str]
    prepare: list[tuple[list[str], str]]


def serving(engine: Record, checkpoint: str, format: str | None, file: bool = False, task: str | None = None) -> Serving | None:
    """How an engine serves a checkpoint that is stored in a format, if that is known, for a task; None where its record does not say how it is
    started.

    A `file` of one's own, such as a GGUF file, is there already: it is neither fetched nor made.
    """
    serve = engine.data.get("serve")
    if serve is None:
        return None
    argv = serve.get("tasks", {}).get(task) or serve["argv"]
    if file:
        return Serving(_filled(argv, checkpoint, checkpoint.removesuffix(f".{format}")), [])
    stored = serve.get("stored", {}).get(format)
    steps = [] if stored else serve.get("prepare", [])
    return Serving(_filled(stored or argv, checkpoint), [(_filled(step["argv"], checkpoint), step["why"]) for step in steps])


def _filled(argv: list[str], checkpoint: str, name: str | None = None) -> list[str]:
    """The words with the checkpoint's hub id or file, and with its name, else the last part of the id, where they leave a place for them."""
    name = name or checkpoint.rstrip("/").rpartition("/")[2]
    return [word.replace("{checkpoint}", checkpoint).replace("{name}", name) for word in argv]
