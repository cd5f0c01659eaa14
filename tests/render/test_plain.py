"""A page as Markdown: what of its HTML stays, and that nothing of it is left."""

from __future__ import annotations

import re

import pytest

from infercompat.join import Matrix
from infercompat.render import Renderer, pages
from infercompat.render.plain import plain


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("---\ntitle: x\n---\n\n# T {: data-x data-y=1 }\n\n## Part {: #part }\n\n<p>One</p>", "# T\n\n## Part\n\nOne\n"),
        ('<p>A <a href="../x/">link</a>, <strong>bold</strong> and <code>code</code></p>', "A [link](../x/), **bold** and `code`\n"),
        ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n\n  - c\n"),
        ("<ol><li>a</li></ol>", "1. a\n"),
        ("<table><tr><th>K</th><td>a|b</td></tr></table>", "|  |  |\n| --- | --- |\n| K | a\\|b |\n"),
        (
            "<table><tr><th>A</th><th>B</th><th>C</th></tr><tr><th rowspan=2>x</th><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>",
            "| A | B | C |\n| --- | --- | --- |\n| x | 1 | 2 |\n| x | 3 | 4 |\n",
        ),
        ("<table><tr><td colspan=2>x</td><td>y</td></tr></table>", "| x |  | y |\n| --- | --- | --- |\n"),
        ('<svg aria-label="two layers"><g><text>F</text></g></svg>', "(two layers)\n"),
        ("<pre><code>a\n  b</code></pre>", "```\na\n  b\n```\n"),
        ("<p>a &lt;b&gt; &amp; c</p><script>x</script>", "a &lt;b> & c\n"),
        ("<details><summary>More (1)</summary><p>x</p></details>", "**More (1)**\n\nx\n"),
    ],
)
def test_what_stays(html, markdown):
    assert plain(html) == markdown


def test_no_tag_is_left_and_every_figure_is_there(tiny):
    matrix = Matrix(tiny)
    page = next(page for page in pages(matrix) if page.address == "models/tiny-model/")
    text = plain(Renderer(matrix).render(page))
    assert text.startswith("# Tiny\n")
    assert re.findall(r"</?[a-z]+[ >]", text) == []
    assert "| 8,192 | 16 MiB | 9 MiB | 1.78× |" in text
    assert "[Windowing](../../requirements/windowing/)" in text
