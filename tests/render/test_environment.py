"""What templates work with: strict names, escaping, links from where a page stands, and look-ups in the catalog."""

from __future__ import annotations

import jinja2
import pytest

from catalogs import MODEL, changed, citation
from infercompat.join import Matrix
from infercompat.render import Page, Renderer
from infercompat.render.environment import GLYPHS, REPOSITORY, Desk, chip


@pytest.fixture
def desk(tiny):
    return Desk(Matrix(tiny), "models/tiny-model/")


@pytest.fixture
def render(tiny):
    environment = Renderer(Matrix(tiny)).environment
    return lambda template, **context: environment.from_string(template).render(**context)


@pytest.mark.parametrize(
    "template", ["{{ nothing }}", "{{ record.data.nothing_here }}", "{{ record.nothing }}", "{{ [].nothing }}", "{% if nothing %}{% endif %}"]
)
def test_an_unknown_name_is_an_error(render, tiny, template):
    with pytest.raises(jinja2.UndefinedError):
        render(template, record=tiny.catalog.records["enga"])


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ record.data.name }}", "EngA"),
        ("{{ record.data.part_of is none }}", "True"),
        ("{{ record.data.releases[0].bundles or 'none' }}", "none"),
        ("{{ record.data.items()|list|length }}", "8"),
        ("{{ 83886080|bytes }} {{ 1.5|times }} {{ 0.5|percent }} {{ 1024|thousands }}", "80 MiB 1.50× 50% 1,024"),
        ("{{ glyphs['no'] }} {{ repository }}", f"✕ {REPOSITORY}"),
    ],
)
def test_what_templates_can_name(render, tiny, template, text):
    assert render(template, record=tiny.catalog.records["enga"]) == text


def test_pages_escape_and_plain_text_does_not(tiny):
    environment = Renderer(Matrix(tiny)).environment
    assert environment.autoescape("record/model.md.j2")
    assert environment.autoescape(None)
    assert not environment.autoescape("docs13.plain.md.j2")


def test_a_record_s_name_cannot_bring_markup(make):
    products = make(changed(MODEL, ("name: Tiny\n", 'name: "<script>alert(1)</script>"\n')))
    matrix = Matrix(products)
    assert Desk(matrix, "").link("tiny-model") == '<a href="models/tiny-model/">&lt;script&gt;alert(1)&lt;/script&gt;</a>'
    page = Page("x/", "<script>", "rule.md.j2", {"rule": {"severity": "<script>", "since": "", "what": "<script>", "why": "", "bad": "<script>", "good": ""}})
    assert "<script>" not in Renderer(matrix).render(page).partition("---\n\n")[2]


@pytest.mark.parametrize(
    ("target", "text", "html"),
    [
        ("enga", None, '<a href="../../engines/enga/">EngA</a>'),
        ("old/tiny", None, '<a href="./">Tiny</a>'),
        ("enga", "the engine", '<a href="../../engines/enga/">the engine</a>'),
        ("nobody", None, "nobody"),
        ("nobody", "<b>", "&lt;b&gt;"),
    ],
)
def test_links(desk, target, text, html):
    assert desk.link(target, text) == html


def test_prose_links_from_where_it_stands(desk, tiny):
    record = tiny.catalog.records["tiny-model"]
    assert desk.prose(record, record.data["notes"]) == (
        '<p>Half of its layers slide: 2 of 4, see <a href="../../requirements/windowing/" rel="noopener">Windowing</a>.</p>\n'
    )
    assert desk.line(record, "[[enga#releases|its releases]]") == '<a href="../../engines/enga/#releases" rel="noopener">its releases</a>'
    assert desk.line(record, "[[window-paper]]") == '<a href="../../sources/example.com/#window-paper" rel="noopener">A paper on windows</a>'
    assert desk.line(record, "[[nobody]]") == '<a href="#" rel="noopener">nobody</a>'


def test_placeholders_are_those_of_the_record_itself(desk, tiny):
    assert desk.line(tiny.catalog.records["plain-model"], "{{ layers.total }} {{ layers.sliding }}") == "2 0"
    assert desk.line(tiny.catalog.records["enga"], "{{ layers.total }}") == "unknown"


def test_citations(desk, make):
    assert desk.cites([{"id": "enga-cache", "at": "L7"}, {"id": "window-paper"}]) == (
        '<a class="ic-cite" href="../../sources/example.com/#enga-cache" title="Cache manager of EngA 1.1.0">enga-cache L7</a>, '
        '<a class="ic-cite" href="../../sources/example.com/#window-paper" title="A paper on windows">window-paper</a>'
    )
    unopened = Desk(Matrix(make(citation("issue", more=""))), "")
    assert 'class="ic-unopened"' in unopened.cite("doc")
    assert unopened.cite("gone") == "gone"


def test_values_and_records_for_hand_written_pages(desk):
    assert desk.value("tiny-model", "cache.ideal.at.8192") == 9_437_184
    assert desk.record("old/tiny").id == "tiny-model"
    with pytest.raises(jinja2.UndefinedError, match="has no value window_size"):
        desk.value("tiny-model", "window_size")
    with pytest.raises(jinja2.UndefinedError, match="no record nobody"):
        desk.record("nobody")


def test_a_record_s_own_file_and_the_kinds_that_have_none(desk, tiny):
    assert desk.data_file(tiny.catalog.records["tiny-model"]) == "api/v1/models/tiny-model.json"
    assert desk.data_file(tiny.catalog.records["window-paper"]) == ""


def test_edit_and_report_links(desk, tiny):
    record = tiny.catalog.records["tiny-model"]
    assert desk.edit_link(record) == f"{REPOSITORY}/edit/main/catalog/models/acme/tiny-model.yaml"
    assert desk.report_link(record) == f"{REPOSITORY}/issues/new?title=tiny-model:%20"


@pytest.mark.parametrize("verdict", ["yes", "only-with", "unknown", "no"])
def test_a_verdict_is_a_colour_a_glyph_and_a_word(verdict):
    assert chip(verdict) == f'<span class="ic-chip ic-{verdict}"><span aria-hidden="true">{GLYPHS[verdict]}</span> {verdict}</span>'
    assert len(set(GLYPHS.values())) == 4
