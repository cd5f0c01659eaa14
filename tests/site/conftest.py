"""The site of the real catalog, built once a session into a folder of its own, and a server for it."""

from __future__ import annotations

import fcntl
import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

import pytest
from chromium import ARGUMENTS, CHROMIUM

from infercompat.building import build
from infercompat.pipeline import load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the built site: that of INFERCOMPAT_SITE, or one made for these tests. Where several processes test, one builds and the
    others wait for it: it takes minutes."""
    if "INFERCOMPAT_SITE" in os.environ:
        return Path(os.environ["INFERCOMPAT_SITE"]).resolve()
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "built"
    root.mkdir(exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / "site" / "index.html").exists():
            shutil.copy(ROOT / "mkdocs.yml", root)
            shutil.copytree(ROOT / "site_templates" / "theme", root / "site_templates" / "theme", dirs_exist_ok=True)
            assert build(load(ROOT / "catalog"), root, site=True) == 0
    return root / "site"


@pytest.fixture(scope="session")
def server(site, tmp_path_factory):
    """The address of a server below whose /base/ path the site lies, so that absolute links would fail."""
    parent = tmp_path_factory.mktemp("served")
    (parent / "base").symlink_to(site)
    handler = functools.partial(_Quiet, directory=str(parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/base/"
        running.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args) -> None:
        pass


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(params=[1280, 390])
def tab(request, browser):
    """A fresh page of one width, which keeps what went wrong in `faults`; what a page that was left had still asked for did not."""
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    page = context.new_page()
    page.faults = []
    page.requested = []
    page.on("console", lambda message: page.faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("requestfailed", lambda asked: page.faults.append(asked.url) if asked.failure != "net::ERR_ABORTED" else None)
    page.on("response", lambda got: page.faults.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    page.on("request", lambda asked: page.requested.append(asked.url))
    yield page
    context.close()
