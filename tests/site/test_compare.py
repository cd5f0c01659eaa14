"""Compare in Chromium: from the address, by choosing, with what is unknown or wrong, and as text without a script."""

from __future__ import annotations

import json

import pytest
from chromium import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]
READY = "document.documentElement.dataset.compare === 'ready'"
ROWS = """(heading) => [...[...document.querySelectorAll('#cp-found .ic-scroll')].find((box) => box.ariaLabel === heading)
  .querySelectorAll('tbody tr:not(.cp-section)')].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"""


@pytest.fixture
def compare(tab, server):
    def opened(query: str = ""):
        tab.goto(f"{server}compare/{query}")
        tab.wait_for_function(READY)
        return tab

    yield opened
    assert tab.faults == []
    assert [url for url in tab.requested if not url.startswith((server, "data:", "blob:"))] == []


@pytest.fixture(scope="module")
def of(site):
    return lambda path: json.loads((site / "api/v1" / path).read_text())


def rows(page, heading: str) -> dict[str, list[str]]:
    return {label: values for label, *values in page.evaluate(ROWS, heading)}


def test_two_models_what_differs_first(compare, of):
    page = compare("?models=gemma-3-27b,mistral-7b-v0.1")
    first, second = of("models/gemma-3-27b.json"), of("models/mistral-7b-v0.1.json")
    different, same = rows(page, "What differs"), rows(page, "The same in all")
    assert different["Architecture"] == [first["record"]["architecture"], second["record"]["architecture"]]
    assert different["Context in tokens"] == [f"{model['derived']['context']['native']:,}" for model in (first, second)]
    assert all(len(set(values)) > 1 for values in different.values())
    assert same and all(len(set(values)) == 1 for values in same.values())
    assert f"{len(different)} differ, {len(same)} are the same." in page.locator("#cp-status").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_three_engines_have_their_verdict_on_each_model(compare, of):
    page = compare("?engines=vllm,sglang,llama.cpp")
    everything = rows(page, "What differs") | rows(page, "The same in all")
    names = {each["id"]: each["name"] for each in of("index.json")["records"]["models"]}
    rowed = of("matrix.json")["rows"]
    assert len(rowed) > 100
    for row in rowed:
        shown = [value.split()[-1] for value in everything[names[row["model"]]]]
        assert shown == [row["cells"][engine]["verdict"] for engine in ("vllm", "sglang", "llama.cpp")]


def test_choosing_fills_the_address_and_back_returns(compare, server):
    page = compare()
    assert "Choose two to four models." in page.locator("#cp-status").inner_text()
    page.locator("#cp-choices select").nth(0).select_option("gemma-3-27b")
    page.locator("#cp-choices select").nth(1).select_option("mistral-7b-v0.1")
    page.wait_for_url("**/compare/?models=gemma-3-27b,mistral-7b-v0.1")
    page.wait_for_selector("#cp-found table")
    page.locator("input[value=engines]").check()
    page.wait_for_url("**/compare/?engines=")
    assert page.locator("#cp-found table").count() == 0
    page.go_back()
    page.wait_for_selector("#cp-found table")
    assert page.locator("#cp-choices select").nth(1).input_value() == "mistral-7b-v0.1"
    page.locator("#cp-found thead a").first.click()
    assert page.url == server + "models/gemma-3-27b/"


def test_what_there_is_not_is_named(compare):
    page = compare("?models=gemma-3-27b,nobody,mistral-7b-v0.1")
    page.wait_for_selector("#cp-found table")
    assert "There is no model nobody here." in page.locator("#cp-status").inner_text()
    page = compare("?engines=nobody,vllm")
    assert page.locator("#cp-status").inner_text() == "There is no engine nobody here. Choose two to four engines."


def test_a_fifth_is_left_out_and_a_repeated_one_counts_once(compare):
    page = compare("?engines=vllm,vllm,sglang,llama.cpp,mlx-lm,transformers")
    assert page.locator("#cp-found .ic-scroll").first.locator("thead th").count() == 5


def test_sizes_read_as_on_the_pages(compare):
    """80 MiB, 9.5 GiB and 1,536 bytes by hand."""
    page = compare()
    read = "async () => { const { formatBytes } = await import('../assets/check/units.js'); return [83886080, 9.5 * 2 ** 30, 1536, 12].map(formatBytes); }"
    found = page.evaluate(read)
    assert found == ["80 MiB", "9.5 GiB", "1.5 KiB", "12 B"]


def test_without_a_script_it_says_how_and_leads_to_the_matrix(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + "compare/?models=gemma-3-27b,mistral-7b-v0.1")
    assert page.locator("#cp-form").is_hidden()
    text = page.locator("article").inner_text()
    assert "Comparing needs a script" in text and "How to read it" in text
    page.locator("article a", has_text="the matrix").first.click()
    assert page.url == server + "13-model-compatibility/"
    context.close()
