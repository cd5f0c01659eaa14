"""Where the catalogs that tests use lie, and how one is changed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT / "catalog"
TINY = ROOT / "tests" / "tiny" / "catalog"
TODAY = "2026-03-01"
COUNT = sum(1 for _ in TINY.rglob("*.yaml"))
"""Files of the tiny catalog; all but the vocabulary and the exceptions are records."""

Files = Mapping[str, str | None]
"""Paths below the catalog folder and their text; None takes a file away."""


def text_of(name: str) -> str:
    """The text of a file of the tiny catalog."""
    return (TINY / name).read_text("utf-8")


def copy_tiny(folder: Path, files: Files | None = None) -> Path:
    """A copy of the tiny catalog and its change sets below a folder, with some files of the catalog added, replaced or taken away."""
    shutil.copytree(TINY.parent / "changes", folder / "changes")
    catalog = Path(shutil.copytree(TINY, folder / "catalog"))
    for name, text in (files or {}).items():
        path = catalog / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return catalog


RECIPE = "recipes/enga/tiny-on-enga.yaml"
RECIPE_TEXT = """name: Tiny on EngA
engine: enga
models: [tiny-model]
version: "1.1.0"
images: [{name: "acme/enga:1.1.0", cites: [{id: enga-registry}]}]
flags:
  - {argv: [--trust-code], for: serving, why: Its class is not in the library., cites: [{id: enga-registry, at: L3}]}
  - {argv: [--tool-parser, tiny], for: tools, why: Reads its tool calls., cites: [{id: enga-registry, at: L3}]}
cites: [{id: enga-registry}]
"""
REGISTRY = "support/enga/enga-1-1-0-registry.yaml"
OFFERS = "support/enga/enga-1-1-0-offers.yaml"
GOTCHA = "gotchas/enga/enga-wrong-past-window.yaml"
MODEL = "models/acme/tiny-model.yaml"
ENGINE = "engines/enga.yaml"
WINDOW = "requirements/sliding-window.yaml"
SOFTCAP = "requirements/logit-softcap.yaml"

NATIVE = "about: {architecture: TinyForCausalLM}, holds: native"
WINDOWED = "about: {requirement: sliding-window}, holds: native"


def changed(name: str, *pairs: tuple[str, str]) -> dict[str, str]:
    """A file of the tiny catalog with texts replaced, each of which has to be there."""
    text = text_of(name)
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return {name: text}


def snapshot(*claims: str, version: str = "1.1.0", cites: str = "enga-registry", complete: bool = False, engine: str = "enga") -> str:
    """A support snapshot; each claim is the inside of a flow mapping, such as `about: {architecture: X}, holds: native`."""
    head = f'engine: {engine}\nversion: "{version}"\ntitle: A source\ncites: [{{id: {cites}}}]\nread_on: 2026-02-02\n'
    return head + ("complete: true\n" if complete else "") + "claims:\n" + "".join(f"  - {{{claim}, at: L1}}\n" for claim in claims)


def citation(type: str, name: str = "doc", more: str = "retrieved: 2026-02-02\n") -> dict[str, str]:
    text = f"title: A source\nurl: https://example.com/{name}\ntype: {type}\npublisher: acme\n{more}"
    return {f"citations/example.com/{name}.yaml": text}


def gotcha(**fields: str) -> str:
    """A gotcha that the tiny model meets outright on enga, with some fields changed or, where empty, left out."""
    base = {
        "title": "Goes wrong",
        "engine": "enga",
        "symptom": "crash-on-first-request",
        "severity": "blocker",
        "detectability": "loud-at-request",
        "affects": '{all: [{engine: enga, observed: ["1.1.0"]}]}',
        "hardware": "{scope: any}",
        "when": "{requires: sliding-window}",
        "workarounds": "[]",
        "status": "open",
        "read_on": "2026-02-02",
        "evidence": "[{id: enga-issue-1, strength: reproducible-case, shows: A script.}]",
    }
    return "".join(f"{name}: {value}\n" for name, value in (base | fields).items() if value)
