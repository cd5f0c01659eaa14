"""The search box in Chromium: what people type finds its page, by keyboard alone, and nothing is loaded before it has the focus."""

from __future__ import annotations

import re

import pytest
from chromium import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]

TYPED = {
    "gemma-3-27b": "models/gemma-3-27b/",
    "llama-3.3-70b": "models/llama-3.1-70b/",
    "vllm": "engines/vllm/",
    "sliding-window": "requirements/sliding-window/",
    "google/gemma-3-27b-it": "models/gemma-3-27b/",
    "gemma-3-27b-it": "models/gemma-3-27b/",
    "Gemma3ForConditionalGeneration": "models/gemma-3-",
    "gemma3forcond": "models/gemma-3-",
    "HiRadixCache only supports MHA": "gotchas/sglang-hicache-swa-unsupported/",
    "No feasible kernel found for the problem": "gotchas/lmdeploy-turbomind-fp8-presm90-regression/",
    "fmhaSm100fKernel": "gotchas/sglang-gemma4-mtp-trtllm-swa-pool/",
    "LNK001": "reference/rules/lnk001/",
}
"""What is typed, and how the address of the first result begins: ids, an alias, checkpoints, architectures, error texts, a rule."""


@pytest.fixture
def search(tab, server):
    tab.goto(server + "models/mistral-7b-v0.1/")
    tab.wait_for_load_state("networkidle")
    tab.locator(".se-open").wait_for()
    yield tab
    assert tab.faults == []
    assert [url for url in tab.requested if not url.startswith((server, "data:", "blob:"))] == []


def found(page, text: str) -> list[str]:
    """The addresses of the results, once those of this text are there."""
    page.locator(".se-list").evaluate("list => list.replaceChildren()")
    page.locator(".se-dialog input").fill(text)
    page.locator(".se-list a, .se-status:has-text('Nothing')").first.wait_for()
    return page.locator(".se-list a").evaluate_all("links => links.map((link) => link.href)")


def test_what_people_type_finds_its_page(search, server):
    search.keyboard.press("/")
    first = {text: found(search, text)[0].removeprefix(server) for text in TYPED}
    assert [text for text, place in TYPED.items() if not first[text].startswith(place)] == []
    assert found(search, "жжж") == []
    assert search.locator(".se-status").inner_text() == "Nothing is found for “жжж”."
    assert search.evaluate("document.documentElement.scrollWidth") <= search.viewport_size["width"]


def test_nothing_is_loaded_before_focus_and_little_after(search):
    """Bytes as files have them; a server that compresses sends less."""
    sizes: dict[str, int] = {}
    search.on("response", lambda got: sizes.update({got.url.partition("/pagefind/")[2]: len(got.body())}) if "/pagefind/" in got.url else None)
    assert [url for url in search.requested if "pagefind" in url] == []
    with search.expect_response(re.compile("wasm")):
        search.locator(".se-open").click()
    search.wait_for_load_state("networkidle")
    assert {re.sub(r"\W.*", "", name) for name in sizes} == {"pagefind", "wasm"}
    assert sum(sizes.values()) <= 150_000
    sizes.clear()
    assert found(search, "gemma-3-27b")
    search.wait_for_load_state("networkidle")
    parts = {name: size for name, size in sizes.items() if name.startswith(("index/", "filter/"))}
    assert parts and max(parts.values()) <= 31_000  # a part of one word is not cut: that of an engine stands on some three thousand pages


def test_the_keyboard_is_enough(search, server):
    search.keyboard.press("/")
    dialog = search.get_by_role("dialog", name="Search")
    assert dialog.is_visible()
    assert search.evaluate("document.activeElement.type") == "search"
    assert len(found(search, "gemma")) == 8
    search.keyboard.press("ArrowDown")
    search.keyboard.press("ArrowDown")
    assert search.evaluate("document.activeElement === document.querySelectorAll('.se-list a')[1]")
    search.keyboard.press("ArrowUp")
    search.keyboard.press("ArrowUp")
    assert search.evaluate("document.activeElement.type") == "search"
    search.locator(".se-more").click()
    search.wait_for_function("document.querySelectorAll('.se-list a').length === 16")
    search.keyboard.press("Escape")
    assert dialog.is_hidden()
    search.keyboard.press("/")
    found(search, "gemma-3-27b")
    search.locator(".se-dialog input").press("Enter")
    search.wait_for_url(server + "models/gemma-3-27b/")


def test_a_slash_in_another_field_is_a_letter(tab, server):
    tab.goto(server + "errors/")
    tab.locator("#er-text").press("/")
    assert tab.locator("#er-text").input_value() == "/"
    assert tab.locator(".se-dialog").is_hidden()


def test_a_site_without_an_index_has_no_box_after_the_first_try(tab, server):
    tab.route("**/pagefind/**", lambda route: route.abort())
    tab.goto(server + "state/")
    tab.locator(".se-open").click()
    tab.locator(".se-open").wait_for(state="detached")
    assert tab.locator(".se-dialog").count() == 0
