"""The link check: the whole built site, hrefs and fragments, and no request to another host."""

from __future__ import annotations

import shutil
from html.parser import HTMLParser

import pytest
from crawl import _Page, faults, read_pages

from infercompat.building import run_mkdocs


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


@pytest.mark.parametrize(
    "text",
    [
        '<p id="a&amp;b"><a href="x?a=1&amp;b#c" name=n>x</a><IMG SRC="i.png" alt="a > b"><img src=\'j.png\'/><br/>',
        '<script src="s.js"></script><script>"<p id=no><a href=no>"</script><style>a{}</style><p ID="after"></p >',
        '<!-- <p id="no"> --><p\n id="lines"\n hidden><a data-id="no" href>y</a><a id="x" id="y" href = "spaced">z</a>',
        '<title>a <b id="t"></title><textarea><p id="u"></textarea><p id="open" <a href="w"><p id="v">< p id="no">1 < 2',
        '<link rel="canonical" href="c"><link rel="stylesheet" href="d.css"><iframe src="e"></iframe><svg viewBox="0 0 1 1"><use href="#s"/></svg>',
    ],
)
def test_the_crawl_reads_tags_as_the_library_does(text):
    class Library(_Page):
        parse_starttag, parse_endtag = HTMLParser.parse_starttag, HTMLParser.parse_endtag

    ours, theirs = _Page(), Library()
    for page in (ours, theirs):
        page.feed(text)
        page.close()
    assert (ours.ids - {None}, ours.links, ours.loads) == (theirs.ids - {None}, theirs.links, theirs.loads)


def test_no_page_is_heavier_than_400_kb_and_the_matrix_than_1500(site, pages):
    weights = {path: (site / path).stat().st_size for path in pages}
    assert weights.pop("13-model-compatibility/index.html") <= 1_500_000
    assert {path: weight for path, weight in weights.items() if weight > 400_000} == {}


def test_building_twice_gives_the_same_bytes(site, tmp_path):
    """What mkdocs makes of the first page of each kind; that the pages themselves are the same is held in tests/render."""
    made = []
    for turn in ("first", "second"):
        root = tmp_path / turn
        for page in (
            "index.md",
            *(f"{name}/index.md" for name in sorted(place.name for place in (site.parent / "docs").iterdir() if (place / "index.md").is_file())),
        ):
            (root / "docs" / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(site.parent / "docs" / page, root / "docs" / page)
        shutil.copytree(site.parent / "docs" / "assets", root / "docs" / "assets")
        shutil.copy(site.parent / "mkdocs.yml", root)
        shutil.copytree(site.parent / "site_templates", root / "site_templates")
        assert run_mkdocs(root, "2026-01-02") == 0
        made.append({file.relative_to(root / "site").as_posix(): file.read_bytes() for file in (root / "site").rglob("*") if file.is_file()})
    assert len(made[0]) > 20
    assert made[0].keys() == made[1].keys()
    assert [path for path in made[0] if made[0][path] != made[1][path]] == []
