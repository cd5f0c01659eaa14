"""Prose: links and placeholders are found and filled in, code is left alone, and nothing unsafe or running comes out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat import prose
from infercompat.prose import Link, Placeholder

VALUES = {"cache.x": 83_886_080, "ratio": 1.5, "words": "<b>plain</b>", "layers.recurrent+full": 3}


def linker(link: Link) -> tuple[str, str]:
    return f"../{link.target}/" + (f"#{link.part}" if link.part else ""), link.text or link.target


def to_html(text: str) -> str:
    return prose.to_html(text, linker, VALUES.get)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[a]]", [("a", "", "", 0, 5)]),
        ("see [[a.b-1|the text]] now", [("a.b-1", "", "the text", 4, 22)]),
        ("[[a#L1]] [[flop/b#part|text]]", [("a", "L1", "", 0, 8), ("flop/b", "part", "text", 9, 29)]),
        ("[[ a ]]", [("a", "", "", 0, 7)]),
        ("`[[a]]` [[b]]", [("b", "", "", 8, 13)]),
        ("``[[a]]`` [[b]]", [("b", "", "", 10, 15)]),
        ("```\n[[a]]\n```\n[[b]]", [("b", "", "", 14, 19)]),
        ("```\n[[a]] and no end", []),
        ("a lone ` and [[b]]", [("b", "", "", 13, 18)]),
        ("[[]] [[|x]] [[a\nb]] [a] [[a]", []),
    ],
)
def test_links(text, found):
    assert prose.links(text) == [Link(*link) for link in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ cache.x }}", [("cache.x", "", 0, 13, "")]),
        ("a {{cache.at.8192|bytes}} b", [("cache.at.8192", "bytes", 2, 25, "")]),
        ("{{ layers.recurrent+full }}", [("layers.recurrent+full", "", 0, 27, "")]),
        ("`{{ a }}` {{ b }}", [("b", "", 10, 17, "")]),
        ("{ a } {{ b\n}}", [("b", "", 6, 13, "")]),
    ],
)
def test_placeholders(text, found):
    assert prose.placeholders(text) == [Placeholder(*mark) for mark in found]


@pytest.mark.parametrize(
    "inside",
    ["''.__class__", "a()", "a + 1", "1", "a.b.", ".a", "A", "a b", "", "a[0]", "a.__class__", "__import__", "self", "a | b | bytes", "a | safe", "a | nope"],
)
def test_a_placeholder_is_a_dotted_name_and_one_known_filter(inside):
    [mark] = prose.placeholders("{{ " + inside + " }}")
    assert bool(mark.fault) is (inside != "self")


def test_faults_name_the_filters():
    [mark] = prose.placeholders("{{ cache.x | gib }}")
    assert mark.fault == "there is no filter gib; the filters are bytes, times, percent, thousands"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("holds {{ cache.x | bytes }} a token", "<p>holds 80 MiB a token</p>\n"),
        ("{{ cache.x }} and {{ ratio | times }}", "<p>83,886,080 and 1.50×</p>\n"),
        ("{{ nothing.here }}", "<p>unknown</p>\n"),
        ("{{ words }}", "<p>&lt;b&gt;plain&lt;/b&gt;</p>\n"),
        ("see [[a]]", '<p>see <a href="../a/" rel="noopener">a</a></p>\n'),
        ("see [[a#b c|the *text*]]", '<p>see <a href="../a/#b%20c" rel="noopener">the *text*</a></p>\n'),
        ("[[a|{{ cache.x | bytes }}]]!", '<p><a href="../a/" rel="noopener">80 MiB</a>!</p>\n'),
        ("{{ [[a]] }} end", "<p>unknown end</p>\n"),
        ("`{{ cache.x }}` `[[a]]`", "<p><code>{{ cache.x }}</code> <code>[[a]]</code></p>\n"),
        ("*a* **b**", "<p><em>a</em> <strong>b</strong></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("[a](https://example.com/x)", '<p><a href="https://example.com/x" rel="noopener">a</a></p>\n'),
        ("[a](http://example.com)", '<p><a rel="noopener">a</a></p>\n'),
        ("a < b & c", "<p>a &lt; b &amp; c</p>\n"),
    ],
)
def test_html(text, html):
    assert to_html(text) == html


def test_inline_html_and_text():
    text = "*a* [[b|c]] {{ cache.x | bytes }}"
    assert prose.to_inline_html(text, linker, VALUES.get) == '<em>a</em> <a href="../b/" rel="noopener">c</a> 80 MiB'
    assert prose.to_text(text, linker, VALUES.get) == "*a* c 80 MiB"
    assert prose.to_text(text, linker, None) == "*a* c unknown"


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=https://e.com onclick=alert(1)>x</a>",
    "<iframe src=https://e.com></iframe>",
    "<style>*{display:none}</style>",
    "<svg/onload=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#115;cript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x)",
    "<javascript:alert(1)>",
    "![a](https://e.com/x.png)",
    "![a](javascript:alert(1))",
    "[a]: javascript:alert(1)\n\n[a]",
    "[[a|<b onmouseover=alert(1)>x</b>]]",
    "[[a|</a><script>alert(1)</script>]]",
    "[[a#x) [b](javascript:alert(1)]]",
    '[[a#"onmouseover="alert(1)]]',
    "[[a#x>y<script>]]",
    "[[javascript:alert(1)]]",
    "`<script>alert(1)</script>`",
    "```\n</code><script>alert(1)</script>\n```",
    "<!-- --><script>alert(1)</script>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    "\\<script>alert(1)</script>",
    "{{ ''.__class__ }}",
    "{{ {{ cache.x }} }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "{{ words }}<script>{{ words }}</script>",
]
TAG = re.compile(r"<(/?)([a-z0-9]+)((?:\s[^<>]*)?)>")
ALLOWED = {
    "p",
    "a",
    "em",
    "strong",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "br",
    "h3",
    "h4",
    "h5",
    "hr",
    "sup",
}
ATTRIBUTE = re.compile(r'\s+(href|rel|title|align)="([^"<>]*)"')


def unsafe(html: str) -> list[str]:
    """Tags, attributes and addresses that have no place in a page."""
    found = ["a stray <"] if "<" in TAG.sub("", html) else []
    for _, name, attributes in TAG.findall(html):
        found += [] if name in ALLOWED else [f"<{name}>"]
        found += [attributes] if ATTRIBUTE.sub("", attributes).strip() else []
        found += [value for key, value in ATTRIBUTE.findall(attributes) if key == "href" and not value.startswith(("https://", "../", "#", "/", "?"))]
    return [item for item in found if item]


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_unsafe_comes_out(text):
    assert unsafe(to_html(text)) == []
    assert unsafe(prose.to_inline_html(text, linker, VALUES.get)) == []


@pytest.mark.parametrize(
    "html",
    ["<script>x</script>", "<p onclick=x>", '<a href="javascript:x">', '<a onclick="x">', "<p><", '<p style="x">'],
)
def test_unsafe_html_would_be_found(html):
    assert unsafe(html)


@given(st.lists(st.sampled_from([*ATTACKS, "[[", "]]", "{{", "}}", "`", "|", "\n", "(", ")", "](", "#", "a", " ", "**", "&lt;", '"']), max_size=8).map("".join))
def test_no_mixture_of_attacks_is_unsafe(text):
    assert unsafe(to_html(text)) == []


def test_nothing_in_a_placeholder_is_computed():
    asked = []
    prose.to_html("{{ ''.__class__ }} {{ 7 * 7 }} {{ cache.x }} {{ cache.x | eval }}", linker, asked.append)
    assert asked == ["cache.x"]
    assert "49" not in to_html("{{ 7 * 7 }}")


@pytest.mark.parametrize(
    ("value", "filter", "text"), [(2048, "bytes", "2 KiB"), (2048, "", "2,048"), (True, "bytes", "True"), ("x", "bytes", "x"), (0.5, "percent", "50%")]
)
def test_show(value, filter, text):
    assert prose.show(value, filter) == text


def test_escape():
    assert prose.escape('<a href="x">\'&') == "&lt;a href=&quot;x&quot;&gt;&#x27;&amp;"
