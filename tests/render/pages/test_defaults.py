"""The page of defaults that flipped: both values, the models, and what brings the old one back."""

from __future__ import annotations

from catalogs import ENGINE, changed
from infercompat.join import Matrix
from infercompat.render.pages.defaults import defaults_page, shown

SETTING = """settings:
  setting.eager:
    flag: --eager
    default: true
    defaults: [{when: {enga.version: {below: "1.1.0"}}, value: false}, {value: true}]
    touches: {requires: sliding-window}
    cites: [{id: enga-registry}]
"""


def test_a_row(make):
    page = defaults_page(Matrix(make(changed(ENGINE, ("releases:\n", SETTING + "releases:\n")))))
    [(engine, [row])] = page.context["groups"]
    assert (page.address, page.context["count"], engine.id) == ("reference/defaults-that-flipped/", 1, "enga")
    assert (row.was, row.now, row.back, row.told) == ("false", "true", "--no-eager", ())
    assert "sliding-window" in row.where
    assert [model.id for model in row.models] == ["tiny-model"]


def test_what_is_not_set_is_said():
    assert (shown(None), shown("auto"), shown(0.9)) == ("not set", "auto", "0.9")
