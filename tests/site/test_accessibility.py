"""axe-core on every kind of page: no violation, wide in light colours and narrow in dark ones; and it does find what is wrong."""

from __future__ import annotations

from importlib.resources import files

import pytest
from chromium import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]

# One page of each kind, a short one where there is a choice; the explorer with one family, as it draws only rows in sight anyway.
PAGES = [
    "",
    "13-model-compatibility/?family=phi&cell=phi-4:vllm",
    "compare/?models=gemma-3-27b,mistral-7b-v0.1",
    "graph/?node=gemma-3-27b",
    "check/",
    "check/?model=gemma-3-27b&engine=vllm&hardware=h100-sxm&context=32768",
    "errors/",
    "changes/",
    "changes/2026-11-29-04/",
    "state/",
    "models/",
    "models/mistral-7b-v0.1/",
    "engines/",
    "engines/flashinfer/",
    "gotchas/",
    "gotchas/llamacpp-quantized-v-requires-fa/",
    "requirements/",
    "requirements/sliding-window/",
    "hardware/",
    "hardware/b200/",
    "measurements/",
    "measurements/gemma3n-e2b-shared-kv-swa-32k/",
    "sources/",
    "sources/docs.modular.com/",
    "reference/",
    "reference/rules/",
    "reference/rules/lnk001/",
    "reference/fields/gotcha/",
    "reference/facts/",
    "reference/glossary/",
    "reference/where-the-sources-disagree/",
]
LOOKS = {"wide-light": (1280, "light"), "narrow-dark": (390, "dark")}
AXE = files("axe_playwright_python").joinpath("axe.min.js")
SHORTEN = """() => {
  for (const [parent, most] of [['tbody', 15], ['ul, ol', 30], ['article > .ic', 40]]) {
    for (const element of document.querySelectorAll(parent)) [...element.children].slice(most).forEach((child) => child.remove());
  }
}"""
"""Rows of one table are alike, and axe takes minutes over thousands: the first ones stand for all."""
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
}"""


@pytest.fixture
def look(request, browser):
    width, scheme = LOOKS[getattr(request, "param", "wide-light")]
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    yield page
    context.close()


def violations(page) -> list[str]:
    page.evaluate(SHORTEN)
    page.evaluate(AXE.read_text("utf-8"))
    return page.evaluate(RUN)


@pytest.mark.parametrize(("path", "look"), [(path, list(LOOKS)[place % 2]) for place, path in enumerate(PAGES)], indirect=["look"])
def test_no_violation(look, server, path):
    look.goto(server + path)
    look.wait_for_load_state("networkidle")
    assert look.evaluate("document.body.dataset.mdColorScheme") == ("slate" if look.viewport_size["width"] == 390 else "default")
    assert violations(look) == []


@pytest.mark.parametrize("look", list(LOOKS), indirect=True)
def test_no_violation_in_the_open_search(look, server):
    look.goto(server + "state/")
    look.locator(".se-open").click()
    look.locator(".se-dialog input").fill("sliding window")
    look.locator(".se-list a").first.wait_for()
    assert violations(look) == []


def test_a_violation_would_be_found(look):
    look.set_content('<html lang="en"><title>x</title><main><h1>x</h1><img src="data:,"><p style="color:#999;background:#fff">pale</p></main>')
    assert [fault.partition(":")[0] for fault in violations(look)] == ["color-contrast", "image-alt"]
