"""Which model of the catalog a hub id, a path or a file name means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from infercompat.answer.cache import find_model
from infercompat.link import Catalog
from infercompat.records import Record

TAG = re.compile(r":[\w.-]*$")
PARTS = re.compile(r"-\d{5}-of-\d{5}$")
ENDINGS = re.compile(r"\.(?:gguf|safetensors|bin)$")
SNAPSHOT = re.compile(r"models--([\w.-]+?)--([\w.-]+)")
# What publishers of converted checkpoints add to a model's name, last word first.
ADDED = re.compile(
    r"(?:^|[-_.])(?:i?q\d(?:[-_](?:[kmsl0-9]|x{1,3}[sl]|nl|k(?:ss?|l|t)|r\d))*|ud|smol|gguf|awq|gptq|exl[23]|mlx|nvfp4|mxfp[48]|fp4|[bf]p?16|fp32|fp8|bf16|int[48]"
    r"|w\d+a\d+(?:fp8)?|q\df\d+(?:[-_]\d)?|mlc|ov|cw|\d+-?bits?|\d(?:\.\d+)?bpw|dynamic|block|static|marlin|quantized(?:\.w\d+a\d+)?|modelopt|bnb|dwq|qat|text|hf"
    r"|unsloth|imatrix|i1|mtp|it|instruct|chat|pt|base)$"
)
FORMATS = (
    (r"\.gguf$|[-_.]gguf\b|[-_.:]i?q\d_\w+$", "gguf"),
    (r"(?:^|/)mlx-community/|[-_]mlx\b|[-_]\d-?bit\b", "mlx"),
    (r"nvfp4", "nvfp4"),
    (r"mxfp4", "mxfp4"),
    (r"mxfp8", "mxfp8"),
    (r"[-_.]fp8\b", "fp8"),
    (r"[-_.]awq\b", "awq"),
    (r"[-_.]gptq\b", "gptq"),
    (r"[-_.](?:w8a8|int8)\b", "int8"),
    (r"[-_.](?:w4a16|int4)\b", "int4"),
)


class Match(NamedTuple):
    """A model of the catalog, the format of the weights where the name gives it, and whether the name is a checkpoint's own."""

    model: Record
    format: str | None
    exact: bool


def find(catalog: Catalog, written: str) -> Match | None:
    """The model that is meant: a checkpoint or record of that name, else one whose name is left without what was added to it."""
    written = written.strip().strip("'\"`").rstrip("/")
    if len(written) > 400:
        return None
    snapshot = SNAPSHOT.search(written)
    hub = f"{snapshot[1]}/{snapshot[2]}" if snapshot else TAG.sub("", written)
    record = find_model(catalog, hub) if hub else None
    if record is not None:
        stored = next((checkpoint["format"] for checkpoint in record.data["checkpoints"] if checkpoint["hub"].lower() == hub.lower()), None)
        return Match(record, stored or format_of(written), stored is not None)
    known = names(catalog)
    return next((Match(known[name], format_of(written), False) for name in _readings(written, hub) if name in known), None)


def format_of(written: str) -> str | None:
    """The weight format that a name ends in."""
    return next((format for pattern, format in FORMATS if re.search(pattern, written.lower())), None)


def _normal(name: str) -> str:
    return re.sub(r"[\s_:]+", "-", name.lower())


def names(catalog: Catalog) -> dict[str, Record]:
    """Every name without its publisher. The publisher's own name for a base or chat version stands for the model, too."""
    names: dict[str, Record] = {}
    for model in catalog.of_kind("model"):
        for checkpoint in model.data["checkpoints"]:
            names.setdefault(_normal(checkpoint["hub"].rpartition("/")[2]), model)
    for model in catalog.of_kind("model"):
        names |= {_normal(name): model for name in (model.id, *model.aliases)}
    return names


def _readings(written: str, hub: str) -> Iterator[str]:
    """The name as it stands, then with one added word less each time; a tag may be a size, as in gemma3:27b."""
    last = re.split(r"[/\\]", ENDINGS.sub("", written.lower()))[-1]
    starts = [PARTS.sub("", ENDINGS.sub("", re.split(r"[/\\]", hub.lower())[-1])), last.replace(":", "-")]
    starts.append(re.sub(r"^([a-z-]+?)(\d)", r"\1-\2", starts[-1], count=1))
    for name in dict.fromkeys(starts):
        name = _normal(name)
        for _ in range(8):
            yield name
            shorter = ADDED.sub("", name)
            if shorter == name or not shorter:
                break
            name = shorter
