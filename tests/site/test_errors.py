"""The error lookup in Chromium finds in each example what the command finds in it, and nothing in ordinary lines."""

from __future__ import annotations

import pytest
from chromium import CHROMIUM

from answer.diagnose.examples import EXAMPLES
from answer.diagnose.test_index import INNOCENT

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]

FIND = """async ([texts, base]) => {
  const { find } = await import(base + 'assets/errors.js');
  const { errors } = await (await fetch(base + 'api/v1/errors.json')).json();
  return texts.map((text) => find(errors, text).map((match) => match.known.gotcha).sort());
}"""


def test_the_page_finds_what_the_command_finds(tab, server):
    tab.goto(server + "errors/")
    texts = [*EXAMPLES.values(), "\n".join(INNOCENT)]
    assert tab.evaluate(FIND, [texts, server]) == [*(sorted(ids) for ids in EXAMPLES), []]
    assert tab.faults == []


def test_a_pasted_error_names_the_gotcha_and_what_helps(tab, server):
    tab.goto(server + "errors/")
    tab.locator("#er-text").fill("INFO starting\n" + EXAMPLES[("llamacpp-quantized-v-requires-fa",)])
    tab.wait_for_selector("#er-found li")
    assert "line 2 is its error" in tab.locator("#er-found li").inner_text()
    tab.locator("#er-found a").first.click()
    assert tab.url == server + "gotchas/llamacpp-quantized-v-requires-fa/"
    assert [url for url in tab.requested if not url.startswith((server, "data:", "blob:"))] == []


def test_a_text_that_nobody_knows_is_told_so(tab, server):
    tab.goto(server + "errors/")
    tab.locator("#er-text").fill("all is well")
    tab.wait_for_selector("#er-found p")
    assert "No known fault prints this" in tab.locator("#er-found").inner_text()
