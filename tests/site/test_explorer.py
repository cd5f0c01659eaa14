"""The explorer as a person uses it, in Chromium: filters and counts, the address, keyboard, the panel, versions, and without a script."""

from __future__ import annotations

import json
import re

import pytest
from chromium import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]
PAGE = "13-model-compatibility/"


@pytest.fixture
def explorer(tab, server):
    def opened(query: str = ""):
        tab.goto(server + PAGE + query)
        tab.wait_for_function("document.documentElement.dataset.explorer === 'ready'")
        tab.evaluate("document.getElementById('ex-more').open = true")
        return tab

    yield opened
    assert tab.faults == []


@pytest.fixture(scope="module")
def matrix(site):
    return json.loads((site / "api/v1/matrix.json").read_text())


def models_shown(page) -> int:
    return int(page.locator("#ex-count").inner_text().split(" of ")[0])


def test_a_filter_shows_what_the_matrix_has_and_stays_in_the_address(explorer, matrix):
    page = explorer()
    assert models_shown(page) == len(matrix["rows"])
    page.locator("select[name=family]").select_option("gemma")
    page.wait_for_url("**/?family=gemma")
    assert models_shown(page) == sum(row["family"] == "gemma" for row in matrix["rows"])
    page.locator("select[name=verdict]").select_option("only-with")
    page.wait_for_url("**/?family=gemma&verdict=only-with")
    wanted = sum(row["family"] == "gemma" and any(cell["verdict"] == "only-with" for cell in row["cells"].values()) for row in matrix["rows"])
    assert models_shown(page) == wanted
    page.reload()
    page.wait_for_function("document.documentElement.dataset.explorer === 'ready'")
    assert models_shown(page) == wanted
    page.evaluate("document.getElementById('ex-more').open = true")
    page.locator("#ex-filters button[type=reset]").click()
    page.wait_for_function(f"document.getElementById('ex-count').textContent.startsWith('{len(matrix['rows'])} ')")


def test_the_search_tells_what_it_hides(explorer, matrix):
    page = explorer("?model=gemma-3-27b-it")
    assert models_shown(page) == 1
    assert f"the search alone hides {len(matrix['rows']) - 1}" in page.locator("#ex-count").inner_text()
    assert page.locator("#ex-table th[scope=row]").inner_text() == "Gemma 3 27B"


def test_the_most_downloaded_come_first_and_families_stand_no_longer(explorer, site):
    counted = {
        row.group(1): int(row.group(2) or 0)
        for row in re.finditer(r'<tr data-id="([^"]+)"[^>]*data-downloads="(\d*)"', (site / PAGE / "index.html").read_text())
    }
    page = explorer("?order=downloads")
    shown = page.locator("#ex-table tbody tr[data-id]").evaluate_all("rows => rows.map((row) => row.dataset.id)")
    assert [counted[id] for id in shown] == sorted(counted.values(), reverse=True)[: len(shown)]
    assert page.locator("#ex-table .ex-group").count() == 0
    page.locator("select[name=order]").select_option("")
    page.wait_for_url("**/13-model-compatibility/")
    assert page.locator("#ex-table .ex-group").count() >= 1


@pytest.mark.parametrize("grade", ["verified", "unverified", "contested", "stale"])
def test_a_grade_shows_the_models_that_have_it_somewhere(explorer, matrix, grade):
    page = explorer(f"?grade={grade}")
    assert models_shown(page) == sum(any(cell["grade"] == grade for cell in row["cells"].values()) for row in matrix["rows"])


def test_hardware_leaves_out_engines_that_do_not_run_there(explorer):
    page = explorer("?hardware=m3-ultra-256gb")
    assert page.locator("#ex-table thead th[data-engine='tensorrt-llm']").is_hidden()
    assert page.locator("#ex-table thead th[data-engine='mlx-lm']").is_visible()


def test_a_cell_opens_its_chain_and_has_a_link_of_its_own(explorer, server):
    page = explorer("?model=gemma-3-27b")
    page.locator("#ex-table tr[data-id='gemma-3-27b'] td a").first.press("Enter")
    panel = page.locator("#ex-panel")
    panel.locator("ol li").first.wait_for()
    assert "architecture" in panel.inner_text()
    assert panel.locator("a.ic-cite").count() > 0
    assert re.search(r"/check/\?model=gemma-3-27b&engine=[\w.-]+$", panel.locator("a", has_text="Ask about your stack").evaluate("link => link.href"))
    address = page.url
    assert "cell=gemma-3-27b%3A" in address
    page.keyboard.press("Escape")
    assert panel.is_hidden()
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#ex-panel ol li")
    assert "Gemma 3 27B on" in page.locator("#ex-panel h2").inner_text()


def test_arrow_keys_move_and_enter_opens(explorer):
    page = explorer()
    page.locator("#ex-scroll").focus()
    place = "(() => { const cell = document.activeElement.closest('td'); return [cell.parentElement.dataset.id, Number(cell.ariaColIndex)] })()"
    page.keyboard.press("ArrowDown")
    first = page.evaluate(place)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(place) == [first[0], first[1] + 1]
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    far = page.evaluate(place)
    assert far[0] != first[0]
    assert page.evaluate("document.activeElement.getBoundingClientRect().bottom <= document.getElementById('ex-scroll').getBoundingClientRect().bottom + 1")
    page.keyboard.press("Enter")
    page.wait_for_selector("#ex-panel ol li")
    page.keyboard.press("Escape")
    assert page.evaluate(place) == far


def test_arrow_keys_reach_columns_that_were_out_of_sight(explorer, matrix):
    page = explorer("?model=gemma-3-27b")
    page.locator("#ex-scroll").focus()
    page.keyboard.press("ArrowDown")
    for _ in range(len(matrix["engines"])):
        page.keyboard.press("ArrowRight")
    cell = "document.activeElement.closest('td')"
    assert page.evaluate(f"Number({cell}.ariaColIndex)") == len(matrix["engines"]) + 1
    assert page.evaluate(f"{cell}.getBoundingClientRect().right <= document.getElementById('ex-scroll').getBoundingClientRect().right + 1")
    for _ in range(len(matrix["engines"])):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.closest('th, td').tagName") == "TH"


def test_a_cell_stands_under_the_head_of_its_engine(explorer, matrix):
    """Cells of columns out of sight are left out of their rows; those that are drawn keep their column, filtered or scrolled."""
    page = explorer("?model=gemma-3-27b")
    under = """() => { const heads = [...document.querySelectorAll('#ex-table thead th[data-engine]')];
      return [...document.querySelectorAll("tr[data-id='gemma-3-27b'] td:not(.ex-gap)")].every((cell) => {
        const head = heads[Number(cell.ariaColIndex) - 2];
        const [above, own] = [head.getBoundingClientRect().left, cell.getBoundingClientRect().left];
        return Math.abs(above - own) < 1 && cell.querySelector('a').href.endsWith(`#on-${head.dataset.engine}`);
      }) }"""
    assert page.evaluate(under)
    page.locator("#ex-scroll").evaluate("element => { element.scrollLeft = element.scrollWidth }")
    page.wait_for_function("[...document.querySelectorAll('tr[data-id] td')].at(-1).ariaColIndex == " + str(len(matrix["engines"]) + 1))
    assert page.evaluate(under)
    page.locator("select[name=hardware]").select_option("h100-sxm")
    page.wait_for_url("**hardware=h100-sxm*")
    assert page.evaluate(under)


def test_columns_can_be_the_versions_of_an_engine(explorer, site):
    versions = json.loads((site / "api/v1/engines/vllm.json").read_text())["over_time"]["versions"]
    assert len(versions) > 2
    page = explorer("?columns=vllm")
    assert page.locator("#ex-table thead th").all_inner_texts() == ["Model", *versions]


def test_only_rows_in_sight_are_drawn(explorer, matrix):
    page = explorer()
    assert page.locator("#ex-table tbody tr").count() < len(matrix["rows"]) / 2
    page.locator("#ex-scroll").evaluate("element => { element.scrollTop = element.scrollHeight }")
    last = [row["model"] for row in matrix["rows"]][-1]
    page.wait_for_selector(f"#ex-table tr[data-id='{last}']")


def test_without_a_script_the_table_is_whole(browser, server, matrix):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + PAGE)
    assert page.locator("#ex-table tr[data-id]").count() == len(matrix["rows"])
    assert page.locator("#ex-filters").is_hidden()
    context.close()
