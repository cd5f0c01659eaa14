"""Puts how often checkpoints were downloaded into the model records, from a list of the hub's own counts.

    python -m infercompat.harvest.downloads LIST CITATION

LIST is a JSON array of objects with `name`, the checkpoint on the hub, and `hf_downloads`, its downloads in thirty days, as llmfit keeps
one (llmfit-core/data/hf_models.json); or a file that holds such an array somewhere, as the program in its released package does. CITATION
is the id of the record that says where the list came from.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from infercompat.harvest.base import Refused
from infercompat.pipeline import load
from infercompat.write import write_file

BY_HAND = 100_000
"""Counts that are a multiple of this were typed into the list by people, and stand for no month."""

_ARRAY = re.compile(rb'\[\s*\{\s*"name"\s*:')
_LINE = re.compile(r"^downloads:.*\n(?:[ \t].*\n)*", re.M)
_BEFORE = re.compile(r"^(?=chat_template:|checkpoints:)", re.M)


def read_list(content: bytes) -> dict[str, int]:
    """Checkpoint to downloads in thirty days, of the longest array of such objects in a file; raises Refused where there is none."""
    found: dict[str, int] = {}
    for start in _ARRAY.finditer(content):
        try:
            entries, _ = json.JSONDecoder().raw_decode(content[start.start() :].decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        counts = {entry["name"]: entry.get("hf_downloads") for entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)}
        counted = {name: count for name, count in counts.items() if type(count) is int and count > 0 and count % BY_HAND}
        found = max(found, counted, key=len)
    if not found:
        raise Refused("no list of downloads in it: an array of objects with name and hf_downloads is looked for")
    return found


def counted(model: Mapping, counts: Mapping[str, int]) -> int:
    """The downloads of a model's checkpoints that the list has."""
    return sum(counts.get(checkpoint["hub"], 0) for checkpoint in {c["hub"]: c for c in model["checkpoints"]}.values())


def written(text: str, count: int, citation: str) -> str:
    """A model record's text with this count instead of the one that it had; without any where the count is 0."""
    text = _LINE.sub("", text)
    line = f"downloads: {{count: {count}, cites: [{{id: {citation}, at: hf_downloads}}]}}\n" if count else ""
    return _BEFORE.sub(lambda _: line, text, count=1)


def main(arguments: list[str]) -> None:
    """Rewrites the models of the catalog in the working directory; those with faults stay as they are."""
    if len(arguments) != 2:
        sys.exit(__doc__)
    try:
        counts = read_list(Path(arguments[0]).read_bytes())
    except (OSError, Refused) as error:
        sys.exit(f"{arguments[0]}: {error}")
    catalog = load(Path("catalog")).catalog
    if arguments[1] not in catalog.records:
        sys.exit(f"{arguments[1]}: no such record below catalog/citations; the working directory has to be that of the catalog")
    changed = 0
    for model in catalog.of_kind("model"):
        path = Path(model.path)
        changed += write_file(path, written(path.read_bytes().decode(), counted(model.data, counts), arguments[1]).encode())
    print(f"{changed} models have another count of downloads")


if __name__ == "__main__":
    main(sys.argv[1:])
