"""Writes a harvest as records in canonical form: the same tree gives the same bytes."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from infercompat.harvest.base import Claim, Harvester, Tree
from infercompat.read import plain_scalar


def slug(version: str) -> str:
    """A version as it stands in ids: 0.33.0 -> 0-33-0."""
    return version.lower().replace(".", "-").replace("+", "-").replace("_", "-")


WRITTEN = frozenset({"engine", "version", "title", "complete", "cites", "read_on", "claims"})
"""The fields that a harvest writes; a snapshot with others was worked on by hand."""


def snapshot_id(harvester: Harvester, version: str) -> str:
    return f"{harvester.prefix}-{slug(version)}-{harvester.ending}"


def records(harvester: Harvester, tree: Tree, version: str, read_on: str, read_through: str) -> dict[str, str]:
    """The snapshot and its citation, as catalog paths and their text."""
    tag = harvester.tag.format(version=version)
    url = (harvester.older(tree) or harvester.url).format(tag=tag, version=version)
    citation = f"{harvester.prefix}-{harvester.what}-{slug(version)}"
    lines = [
        f"engine: {harvester.engine}",
        f'version: "{version}"',
        f"title: {harvester.title.format(version=version)}",
        *(["complete: true"] if harvester.complete else []),
        f"cites: [{{id: {citation}}}]",
        f"read_on: {read_on}",
        "claims:",
    ]
    for item in harvester.claims(tree):
        lines += _claim(item)
    for item in harvester.extra(tree):
        lines += _block(item)
    owner = "/".join(urlsplit(url).path.strip("/").split("/")[:2])
    source = [
        f"title: {harvester.title.format(version=version)}",
        f"url: {url}",
        f"type: {harvester.type}",
        f"publisher: {owner}",
        f"retrieved: {read_on}",
        f'pin: "{tag}"' if tag[:1].isdigit() else f"pin: {tag}",
        f"read_through: {read_through}",
    ]
    return {
        f"support/{harvester.engine}/{snapshot_id(harvester, version)}.yaml": "\n".join(lines) + "\n",
        f"citations/{urlsplit(url).hostname}/{citation}.yaml": "\n".join(source) + "\n",
    }


def _claim(item: Claim) -> list[str]:
    about = ", ".join(f"{key}: {_word(value)}" for key, value in item.about)
    lines = [f"  - about: {{{about}}}", f"    holds: {item.holds}"]
    lines += [f"    {key}: {_word(value)}" for key, value in item.fields]
    return [*lines, f"    at: {item.at}", f'    sha256: "{item.sha256}"']


def _block(item: dict[str, Any]) -> list[str]:
    """A claim with a condition, in flow form: JSON is YAML, and its strings are quoted."""
    return [f"  - {key}: {json.dumps(value)}" if index == 0 else f"    {key}: {json.dumps(value)}" for index, (key, value) in enumerate(item.items())]


def _word(value: Any) -> str:
    """A string as it stands in YAML: plain where it stays a string, such as llama, quoted such as "true" or "4-bit"."""
    text = str(value)
    plain = text.replace("_", "a").isalnum() and not text[:1].isdigit() and plain_scalar(text) == text
    return text if plain else json.dumps(text)
