"""Writes a harvest as records in canonical form: the same tree gives the same bytes."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from infercompat.harvest.base import Claim, Harvester, Tree, overlaps, subject
from infercompat.read import plain_scalar
from infercompat.records import Record


def slug(version: str) -> str:
    """A version as it stands in ids: 0.33.0 -> 0-33-0."""
    return version.lower().replace(".", "-").replace("+", "-").replace("_", "-")


_SENTENCE = re.compile(r"[A-Z][\w ,.;()/'-]*[.)]", re.A)
"""What YAML reads as the same text without quotes."""

WRITTEN = frozenset({"engine", "version", "title", "complete", "cites", "read_on", "claims", "aliases", "notes", "whole_page"})
"""The fields that a harvest writes or keeps; a snapshot with others was worked on by hand."""


def snapshot_id(harvester: Harvester, version: str) -> str:
    return f"{harvester.prefix}-{slug(version)}-{harvester.ending}"


def citation_id(harvester: Harvester, version: str) -> str:
    return f"{harvester.prefix}-{harvester.what}-{slug(version)}"


def records(harvester: Harvester, tree: Tree, version: str, read_on: str, read_through: str, before: Record | None = None) -> dict[str, str]:
    """The snapshot and its citation, as catalog paths and their text.

    Of a snapshot that is there (`before`) the id, the title, the citations, all notes and every claim `by_hand` stay.
    """
    tag = harvester.tag.format(version=version)
    url = (harvester.older(tree) or harvester.url).format(tag=tag, version=version)
    citation = citation_id(harvester, version)
    title = harvester.title.format(version=version)
    old = before.data if before else {}
    cites = [_flow(cite) for cite in old.get("cites", [{"id": citation}])]
    people = [claim for claim in old.get("claims", ()) if "by_hand" in claim]
    lines = [
        f"engine: {harvester.engine}",
        f'version: "{version}"',
        f"title: {old.get('title', title)}",
        *([f"aliases: [{', '.join(map(_word, old['aliases']))}]"] if "aliases" in old else []),
        *(["complete: true"] if harvester.complete else []),
        *(["whole_page: true"] if harvester.whole_page else []),
        f"cites: [{', '.join(cites)}]",
        f"read_on: {read_on}",
        "claims:",
    ]
    notes = {subject(claim): claim["note"] for claim in old.get("claims", ()) if "note" in claim}
    left = list(people)
    for item in harvester.claims(tree):
        hers = [claim for claim in people if overlaps(subject(claim), item.subject)]
        for claim in hers:
            if claim in left:  # it stands where the first that it replaces would
                left.remove(claim)
                lines += _block(claim)
        if not hers:
            lines += _claim(item, notes.get(item.subject, ""))
    for item in (*left, *(item for item in harvester.extra(tree) if not any(overlaps(subject(claim), subject(item)) for claim in people))):
        lines += _block(item)
    if "notes" in old:
        lines += ["notes: |", *(f"  {line}" if line else "" for line in old["notes"].rstrip("\n").split("\n"))]
    files = {f"support/{harvester.engine}/{before.id if before else snapshot_id(harvester, version)}.yaml": "\n".join(lines) + "\n"}
    if before is None or any(cite["id"] == citation for cite in before.data["cites"]):
        owner = "/".join(urlsplit(url).path.strip("/").split("/")[:2])
        source = [
            f"title: {title}",
            f"url: {url}",
            f"type: {harvester.type}",
            f"publisher: {owner}",
            f"retrieved: {read_on}",
            f'pin: "{tag}"' if tag[:1].isdigit() else f"pin: {tag}",
            f"read_through: {read_through}",
        ]
        files[f"citations/{urlsplit(url).hostname}/{citation}.yaml"] = "\n".join(source) + "\n"
    return files


def _flow(cite: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {value if key == 'id' else json.dumps(value)}" for key, value in cite.items()) + "}"


def _claim(item: Claim, note: str = "") -> list[str]:
    about = ", ".join(f"{key}: {_word(value)}" for key, value in item.about)
    fields = dict(item.fields)
    when = [f"    when: {_condition(fields.pop('when'))}"] if "when" in fields else []
    lines = [f"  - about: {{{about}}}", *when, f"    holds: {item.holds}"]
    lines += [f"    {key}: {_text(value) if key == 'lacks' else _word(value)}" for key, value in fields.items()]
    lines += [f"    at: {item.at}", f'    sha256: "{item.sha256}"']
    return [*lines, f"    note: {_text(note)}"] if note else lines


def _text(sentence: str) -> str:
    return sentence if _SENTENCE.fullmatch(sentence) else json.dumps(sentence, ensure_ascii=False)


def _block(item: dict[str, Any]) -> list[str]:
    """A claim with a condition, in flow form: JSON is YAML, and its strings are quoted."""
    return [
        f"  - {key}: {json.dumps(value, ensure_ascii=False)}" if index == 0 else f"    {key}: {json.dumps(value, ensure_ascii=False)}"
        for index, (key, value) in enumerate(item.items())
    ]


def _condition(value: Any) -> str:
    """A condition in flow form, plain words unquoted."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_condition(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_condition, value))}]"
    return _word(value) if isinstance(value, str) else json.dumps(value)


def _word(value: Any) -> str:
    """A string as it stands in YAML: plain where it stays a string, such as llama, quoted such as "true" or "4-bit"."""
    text = str(value)
    plain = text.replace("_", "a").isalnum() and not text[:1].isdigit() and plain_scalar(text) == text
    return text if plain else json.dumps(text, ensure_ascii=False)
