"""Goldens: short files that somebody read. RENEW_GOLDENS=1 writes them anew; read the change before it is committed."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def check(name: str, text: str) -> None:
    """Holds a text against its golden."""
    path = FOLDER / name
    if os.environ.get("RENEW_GOLDENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")
