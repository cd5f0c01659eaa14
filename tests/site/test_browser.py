"""The built site in Debian's Chromium: no horizontal page scroll, no failed request, none to another host, no console error."""

from __future__ import annotations

import pytest
from chromium import CHROMIUM

PAGES = [
    "",
    "13-model-compatibility/",
    "compare/",
    "graph/",
    "check/?model=gemma-3-27b&engine=vllm&hardware=h100-sxm&context=32768",
    "errors/",
    "state/",
    "changes/",
    "changes/2026-11-29-03/",
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
    tab.wait_for_function("document.documentElement.dataset.explorer === 'ready'")
    box = tab.locator(".ic-scroll").first
    row = box.locator("tbody th[scope=row]").first
    header = box.locator("thead th").nth(1)
    before = row.bounding_box()["x"], header.bounding_box()["y"]
    box.evaluate("element => { element.scrollLeft = 120; element.scrollTop = 30; }")
    assert (row.bounding_box()["x"], header.bounding_box()["y"]) == pytest.approx(before, abs=1)
