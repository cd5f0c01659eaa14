"""The built site in Debian's Chromium: no horizontal page scroll, no failed request, none to another host, no console error."""

from __future__ import annotations

from pathlib import Path

import pytest

CHROMIUM = next((path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if path.exists()), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGES = [
    "",
    "13-model-compatibility/",
    "models/gemma-3-27b/",
    "models/mistral-7b-v0.1/",
    "engines/llama.cpp/",
    "gotchas/gotcha-flashinfer-bf16q-fp8kv-spec-decode-corrupts-swa/",
    "requirements/sliding-window/",
    "hardware/b200/",
    "measurements/gemma3n-e2b-shared-kv-swa-32k/",
    "sources/github.com/vllm-project--vllm/",
    "reference/rules/lnk001/",
    "reference/fields/gotcha/",
    "reference/what-the-notes-had-wrong/",
]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(params=[1280, 390])
def tab(request, browser):
    """A fresh page of one width, which keeps what went wrong in `faults`."""
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    page = context.new_page()
    page.faults = []
    page.requested = []
    page.on("console", lambda message: page.faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("requestfailed", lambda asked: page.faults.append(asked.url))
    page.on("response", lambda got: page.faults.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    page.on("request", lambda asked: page.requested.append(asked.url))
    yield page
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_page_is_sound_at_both_widths(tab, server, path):
    tab.goto(server + path)
    tab.wait_for_load_state("networkidle")
    assert tab.faults == []
    assert [url for url in tab.requested if not url.startswith((server, "data:", "blob:"))] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]
    assert tab.locator("h1").count() == 1


def test_first_column_and_header_of_the_matrix_stay(tab, server):
    tab.goto(server + "13-model-compatibility/")
    box = tab.locator(".ic-scroll").first
    row = box.locator("tbody th").last
    header = box.locator("thead th").nth(1)
    before = row.bounding_box()["x"], header.bounding_box()["y"]
    box.evaluate("element => { element.scrollLeft = 120; element.scrollTop = 60; }")
    assert (row.bounding_box()["x"], header.bounding_box()["y"]) == pytest.approx(before, abs=1)


def test_a_cell_leads_to_its_chain(tab, server):
    tab.goto(server + "13-model-compatibility/")
    tab.locator("tbody td a.ic-plain").first.click()
    tab.wait_for_load_state("networkidle")
    assert "/models/" in tab.url
    target = tab.url.split("#")[1]
    assert tab.locator(f"[id='{target}'] h3").is_visible()


def test_search_finds_a_model(tab, server):
    tab.goto(server)
    if tab.viewport_size["width"] < 1000:
        tab.locator("label[for=__search].md-header__button").click()
    tab.locator("input.md-search__input").fill("gemma 3n")
    tab.wait_for_selector(".md-search-result__item a")
    assert "gemma-3n" in " ".join(link.get_attribute("href") for link in tab.locator(".md-search-result__item a").all())
    assert tab.faults == []
