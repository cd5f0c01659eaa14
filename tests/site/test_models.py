"""A model's page in Chromium: the cost curves read by keys and pointer, the filter of its gotchas, and both complete without a script."""

from __future__ import annotations

import json

import pytest
from chromium import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]
MODEL = "models/gemma-3-27b/"


def test_curves_are_read_with_the_keyboard(tab, server):
    """Gemma 3 27B at 131,072 tokens: 62 layers x 16 KV heads x 128 x 2 x 2 bytes are 62 GiB where every layer is full; half as much at half."""
    tab.goto(server + MODEL)
    said, slider = tab.locator(".ic-said"), tab.locator(".ic-slide")
    slider.wait_for()
    assert said.inner_text().startswith("At 131,072 tokens: every layer full 62 GiB")
    slider.focus()
    for _ in range(4):
        tab.keyboard.press("ArrowLeft")
    assert said.inner_text().startswith("At 65,536 tokens: every layer full 31 GiB")
    assert slider.evaluate("slider => slider.ariaValueText") == "65,536 tokens"
    assert tab.locator(".ic-line circle.ic-lit").count() == tab.locator(".ic-line").count()
    assert tab.faults == []


def test_curves_follow_the_pointer(tab, server):
    tab.goto(server + MODEL)
    tab.locator(".ic-slide").wait_for()
    svg = tab.locator("svg.ic-curves")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * (72 + (720 - 72 - 164) / 8) / 720, box["y"] + box["height"] / 2)
    assert tab.locator(".ic-said").inner_text().startswith("At 16,384 tokens: ")


def test_gotchas_that_cannot_touch_a_stack_are_hidden(tab, server, site):
    tab.goto(server + MODEL)
    form = tab.locator("#ic-touch")
    form.wait_for()
    gotchas = {
        gate["id"]: gate
        for cell in json.loads((site / "api/v1/models/gemma-3-27b.json").read_text())["cells"]
        if cell["engine"] == "vllm"
        for gate in cell["gates"]
    }
    form.locator("[name=engine]").select_option("vllm")
    shown = tab.locator(".ic-gates > li:visible")
    assert shown.count() == len(gotchas) > 5
    form.locator("[name=severity]").select_option("blocker")
    assert shown.count() == sum(gate["severity"] == "blocker" for gate in gotchas.values())
    form.locator("[name=hardware]").select_option("gfx942")
    assert not any("Speculation with BF16 queries and an FP8 cache" in text for text in shown.all_inner_texts())
    assert form.locator("output").inner_text() == f"{shown.count()} of {tab.locator('.ic-gates > li').count()} can touch it."
    assert tab.faults == []


def test_without_a_script_all_gotchas_are_shown_and_no_form(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + MODEL)
    assert not page.locator("#ic-touch").is_visible()
    assert page.locator(".ic-gates > li:visible").count() == page.locator(".ic-gates > li").count() > 20
    assert page.locator(".ic-line circle title").count() >= 16
    context.close()


def test_an_advisory_on_paper_has_its_tables_and_no_controls(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.goto(server + MODEL)
    page.locator("#ic-touch").wait_for()
    page.emulate_media(media="print")
    assert not page.locator("#ic-touch").is_visible()
    assert not page.locator(".md-header").is_visible()
    page.goto(server + "gotchas/gotcha-flashinfer-bf16q-fp8kv-spec-decode-corrupts-swa/")
    assert page.locator(".ic-advisory table").first.is_visible()
    assert not page.locator(".md-tabs").is_visible()
    context.close()
