"""The site of the real catalog, built once a session into a folder of its own, and a server for it."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from pathlib import Path

import pytest

from infercompat.building import build
from infercompat.pipeline import load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the built site."""
    root = tmp_path_factory.mktemp("built")
    shutil.copy(ROOT / "mkdocs.yml", root)
    assert build(load(ROOT / "catalog"), root, site=True) == 0
    return root / "site"


@pytest.fixture(scope="session")
def server(site):
    """The address of a server below whose /base/ path the site lies, so that absolute links would fail."""
    parent = site.parent / "served"
    parent.mkdir()
    (parent / "base").symlink_to(site)
    handler = functools.partial(_Quiet, directory=str(parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/base/"
        running.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args) -> None:
        pass
