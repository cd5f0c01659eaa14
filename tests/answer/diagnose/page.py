"""What the page's script reads in pastes, beside what the command line reads, where Node.js is there to run it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from infercompat.answer.diagnose import understand
from infercompat.export.check import value_of
from infercompat.export.check_paste import paste
from infercompat.products import Products

RUN = Path(__file__).with_name("run_pastes.mjs")


def read_by_the_page(real: Products, texts: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """What the script makes of each text."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js here")
    file = folder / "pastes.json"
    file.write_text(json.dumps({"data": paste(real.catalog), "texts": list(texts)}, default=value_of), "utf-8")
    done = subprocess.run([node, str(RUN), str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same_on_the_page(real: Products, texts: Sequence[str], folder: Path) -> None:
    """Fails with the first text that the script reads otherwise than the command line."""
    for text, by_page in zip(texts, read_by_the_page(real, texts, folder), strict=True):
        found = understand(text, real.catalog)
        here = {
            "engine": found.engine and found.engine.name,
            "version": found.version and found.version.value,
            "model": found.model and found.model.value,
            "facts": found.facts,
            "hardware": [[kind.id, kind.count] for kind in found.hardware],
            "unread": [[one.name, one.value] for one in found.unread],
            "notes": [one.value for one in found.notes],
        }
        assert {name: by_page[name] for name in here} == json.loads(json.dumps(here)), text
