"""The link check: the whole built site, hrefs and fragments, and no request to another host."""

from __future__ import annotations

import pytest
from crawl import faults, read_pages


@pytest.fixture(scope="module")
def pages(site):
    return read_pages(site)


def test_every_link_and_fragment_resolves(site, pages):
    assert len(pages) > 100
    assert list(faults(site, pages))[:20] == []


def test_the_crawl_notices_what_is_broken(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text('<a href="a/#gone">x</a><a href="b/">y</a><script src="https://example.com/x.js"></script>')
    (tmp_path / "a/index.html").write_text('<p id="here"></p><a href="../#top">z</a>')
    assert sorted(faults(tmp_path, read_pages(tmp_path))) == [
        "a/index.html links to ../#top, and there is no such place on that page",
        "index.html links to a/#gone, and there is no such place on that page",
        "index.html links to b/, which is not there",
        "index.html loads https://example.com/x.js from another host",
    ]


def test_no_page_is_heavier_than_400_kb_and_the_matrix_than_1500(site, pages):
    weights = {path: (site / path).stat().st_size for path in pages}
    assert weights.pop("13-model-compatibility/index.html") <= 1_500_000
    assert {path: weight for path, weight in weights.items() if weight > 400_000} == {}


def test_building_twice_gives_the_same_bytes(site, tmp_path):
    import shutil

    from conftest import ROOT
    from infercompat.building import build
    from infercompat.pipeline import load

    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    assert build(load(ROOT / "catalog"), tmp_path, site=True) == 0
    first = {file.relative_to(site).as_posix(): file.read_bytes() for file in site.rglob("*") if file.is_file()}
    second = {file.relative_to(tmp_path / "site").as_posix(): file.read_bytes() for file in (tmp_path / "site").rglob("*") if file.is_file()}
    assert first.keys() == second.keys()
    assert [path for path in first if first[path] != second[path]] == []
