"""Building: docs/13 is written and checked, the pages below docs/ are exactly those of the catalog, and a second build touches nothing."""

from __future__ import annotations

import pytest

from catalogs import GOTCHA, changed
from infercompat import building
from infercompat.join import Matrix
from infercompat.render import pages
from infercompat.render.address import markdown_file


def test_docs13_is_missing_then_up_to_date_then_stale(make, tmp_path, capsys):
    products = make()
    assert building.check_docs(products, tmp_path) == 1
    assert capsys.readouterr().err == "docs/13-model-compatibility.md is missing. Run: make docs\n"
    assert building.build(products, tmp_path, docs_only=True) == 0
    assert building.check_docs(products, tmp_path) == 0
    assert building.check_docs(make(changed(GOTCHA, ("status: open", "status: wontfix"))), tmp_path) == 1
    assert "is stale. Run: make docs" in capsys.readouterr().err


def pages_of_tiny(matrix):
    """All pages but those written by hand, which name records of the real catalog."""
    return (page for page in pages(matrix) if not page.template.startswith("pages/"))


@pytest.fixture
def built(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "pages", pages_of_tiny)
    assert building.build(tiny, tmp_path) == 0
    return tmp_path


def test_docs_hold_every_page_and_asset(built, tiny):
    files = {path.relative_to(built / "docs").as_posix() for path in (built / "docs").rglob("*") if path.is_file()}
    wanted = {markdown_file(page.address) for page in pages_of_tiny(Matrix(tiny))}
    assert {"index.md", "models/tiny-model.md", "engines/index.md"} < wanted
    assert {name for name in files if name.endswith(".md")} == wanted | {"13-model-compatibility.md"}
    assert "assets/infercompat.css" in files


def test_a_second_build_touches_nothing_and_removes_what_is_left_over(built, tiny):
    before = {path: path.stat().st_mtime_ns for path in built.rglob("*") if path.is_file()}
    (built / "docs" / "models" / "gone.md").write_text("old")
    assert building.build(tiny, built) == 0
    assert {path: path.stat().st_mtime_ns for path in built.rglob("*") if path.is_file()} == before


def test_a_site_needs_a_checkout(make, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(building, "site_files", lambda matrix: {})
    assert building.build(make(), tmp_path, site=True) == 2
    assert "there is no mkdocs.yml" in capsys.readouterr().err


def test_what_pages_need_is_named(make, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(building, "NEEDED", ("click", "nosuchmodule"))
    assert building.build(make(), tmp_path) == 2
    assert capsys.readouterr().err == "infercompat: the pages need nosuchmodule. Run: pip install 'infercompat[site]'\n"


def test_every_asset_is_taken_along(tiny, monkeypatch):
    monkeypatch.setattr(building, "pages", lambda matrix: iter(()))
    found = {name for name in building.site_files(Matrix(tiny)) if not name.startswith(("api/", "feeds/")) and not name.endswith(".html")}
    assets = {path.relative_to(building.TEMPLATES).as_posix() for path in (building.TEMPLATES / "assets").rglob("*.*")}
    assert found == {"llms.txt", "assets/card.png"} | assets


def test_the_index_holds_what_is_marked_and_nothing_that_is_not_used(tmp_path):
    """One page marked, one not; of what Pagefind writes its engine stays, with the index."""
    for name, mark in (("found", " data-pagefind-body"), ("unfound", "")):
        (tmp_path / "site" / name).mkdir(parents=True)
        (tmp_path / "site" / name / "index.html").write_text(f'<html lang="en"><body><h1{mark}>A {name} page</h1></body></html>')
    assert building.run_pagefind(tmp_path) == 0
    made = tmp_path / "site" / "pagefind"
    assert len(list((made / "fragment").iterdir())) == 1
    names = {path.name.partition(".")[0] for path in made.iterdir() if path.is_file()}
    assert names == {"pagefind", "pagefind-entry", "wasm"}
