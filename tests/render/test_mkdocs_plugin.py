"""The plugin leaves every kind of page as Markdown would have made it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import markdown

from infercompat.join import Matrix
from infercompat.render import Renderer, pages
from infercompat.render.mkdocs_plugin import WholePages


def converted(text: str) -> str:
    return markdown.markdown(text, extensions=["attr_list", "toc", "tables", "fenced_code"])


def spaceless(html: str) -> str:
    return re.sub(r"\s+", " ", html).replace("> <", "><")


def through_the_plugin(text: str) -> tuple[str, list[str]]:
    plugin, page = WholePages(), SimpleNamespace()
    return plugin.on_page_content(converted(plugin.on_page_markdown(text, page)), page), page.bodies


def test_every_kind_of_page_comes_out_as_it_would_without(tiny):
    matrix, seen, taken = Matrix(tiny), set(), 0
    renderer = Renderer(matrix)
    for page in pages(matrix):
        if page.template in seen or page.template.startswith(("pages/", "compatibility")):
            continue
        seen.add(page.template)
        text = renderer.render(page).partition("\n---\n")[2]
        html, bodies = through_the_plugin(text)
        taken += len(bodies)
        assert spaceless(html) == spaceless(converted(text)), page.address
    assert len(seen) > 15
    assert taken > 15


def test_headings_and_prose_stay_in_markdown():
    html, bodies = through_the_plugin('# Title\n\n<div class="ic">\n<p>a *b*</p>\n</div>\n\n## More {: #more }\n\nSome *prose*.\n')
    assert bodies == ['<div class="ic">\n<p>a *b*</p>\n</div>']
    assert '<h2 id="more">More</h2>' in html
    assert "<em>prose</em>" in html
    assert "a *b*" in html
