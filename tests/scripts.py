"""Asks the page's script what tests hold against the command line, where Node.js is there to run it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from catalogs import ROOT
from infercompat.condition import FACTS
from infercompat.export.check import _fact, value_of

RUN = ROOT / "tests" / "vectors" / "run_tables.mjs"


def same_in_the_script(tables: Mapping[str, list[dict[str, Any]]], folder: Path) -> None:
    """Fails with the rows that the page's script decides otherwise."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js here")
    file = folder / "tables.json"
    file.write_text(json.dumps({"facts": {name: _fact(fact) for name, fact in FACTS.items()}, **tables}, default=value_of), "utf-8")
    done = subprocess.run([node, str(RUN), str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
