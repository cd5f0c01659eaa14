"""Reads the options of `cache` that need more than a number: engines, dtypes of parts, memory sizes, images and sounds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import click

from infercompat.answer.cache import Subject
from infercompat.answer.engine_cache import Asked, asked
from infercompat.answer.question import Refused, check_settings, engine_named, hardware_of, read_setting
from infercompat.derive.images import audio_tokens, image_tokens
from infercompat.derive.layers import PARTS, Unknown
from infercompat.link import Catalog
from infercompat.units import ELEMENT_BYTES

_SIZE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([KMGT]i?B|B)?", re.IGNORECASE)
_SCALES = {"b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def bytes_of(text: str) -> int:
    """Bytes from words such as 24.54GiB, 80GB, 512B or, from one MiB on, a plain number."""
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise Refused(f"'{text}' is no memory size; write 24.54GiB, 80GB or bytes")
    if not match[2] and 0 < Fraction(match[1]) < _SCALES["mib"]:
        raise Refused(f"{match[1]} has no unit; write {match[1]}GiB, or {match[1]}B for bytes")
    return int(Fraction(match[1]) * _SCALES[(match[2] or "B").lower()])


def parts_of(texts: Sequence[str]) -> dict[str, str]:
    """Element types by part of the cache."""
    parts = {}
    for text in texts:
        part, _, dtype = text.partition("=")
        if part not in PARTS or dtype not in ELEMENT_BYTES:
            raise Refused(f"--part takes one of {', '.join(PARTS)} and a dtype ({', '.join(ELEMENT_BYTES)}), not '{text}'")
        parts[part] = dtype
    return parts


def engine_of(catalog: Catalog, options: Mapping[str, Any], draft: Subject | None = None) -> Asked:
    """The engine and how the model is served on it, with a draft beside it where one is named."""
    if draft is not None and isinstance(draft.derived, Unknown):
        raise Refused(f"the draft {draft.name} cannot be read into layers: {draft.derived.reason}")
    engine, version = engine_named(catalog, options["engine"])
    settings = dict(read_setting(text, catalog) for text in options["settings"])
    check_settings(engine, settings)
    return asked(
        engine,
        version,
        tensor_parallel=options["tp"],
        max_model_len=options["max_model_len"],
        available_bytes=bytes_of(options["available"]) if options["available"] else None,
        settings=_device(catalog, options.get("hardware")) | settings,
        draft=draft.derived if draft else None,
        draft_architecture=draft.architecture if draft else None,
    )


def _device(catalog: Catalog, hardware: str | None) -> dict[str, Any]:
    """What an engine's defaults ask of the device: its id, its class and its memory."""
    if hardware is None:
        return {}
    record = hardware_of(catalog, hardware)
    memory = record.data.get("visible_bytes") or record.data.get("memory_bytes")
    facts = {"hardware.id": record.id, "hardware.class": record.data["class"], "hardware.memory_bytes": memory}
    return {name: value for name, value in facts.items() if value is not None}


def media_of(subject: Subject, image: str | None, audio: float | None) -> dict[str, Any]:
    """Tokens of an image and of a sound, or why they are unknown."""
    data: dict[str, Any] = {}
    if image is not None:
        match = re.fullmatch(r"([1-9][0-9]{0,5})x([1-9][0-9]{0,5})", image.lower().strip())
        if not match:
            raise Refused(f"--image takes a size such as 1024x768, not '{image}'")
        found = image_tokens(subject.values, int(match[1]), int(match[2]))
        data["image"] = _unknown(found) if isinstance(found, Unknown) else {"tokens": found.tokens, "low": found.low, "high": found.high, "how": found.how}
    if audio is not None:
        heard = audio_tokens(subject.values, audio)
        data["audio"] = _unknown(heard) if isinstance(heard, Unknown) else {"tokens": heard.tokens, "how": heard.how}
    return data


def _unknown(found: Unknown) -> dict[str, Any]:
    return {"tokens": None, "missing": list(found.missing), "reason": found.reason}


def print_media(data: Mapping[str, Any]) -> None:
    """The same for people."""
    for kind in ("image", "audio"):
        if kind in data:
            found = data[kind]
            click.echo(f"{kind}   {found['tokens']} tokens: {found['how']}" if found["tokens"] is not None else f"{kind}   unknown: {found['reason']}")
