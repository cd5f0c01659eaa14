"""Every page: all of them render under strict names, twice to the same bytes, with balanced tags and links that lead somewhere."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser

import jinja2
import pytest

from catalogs import MODEL, RECIPE, RECIPE_TEXT, changed, text_of
from infercompat.join import Matrix
from infercompat.places import TEMPLATES
from infercompat.records import KINDS
from infercompat.render import Page, Renderer, pages
from infercompat.render.address import address
from infercompat.rules import DECLARATIONS
from render.goldens import check


def hand_written(page) -> bool:
    """Pages that name records of the real catalog."""
    return page.template.startswith("pages/")


@pytest.fixture(scope="module")
def rendered(tiny) -> dict[str, str]:
    matrix = Matrix(tiny)
    renderer = Renderer(matrix)
    return {page.address: renderer.render(page) for page in pages(matrix) if not hand_written(page)}


def test_the_model_page_of_the_tiny_model(rendered):
    """Without its drawings, which have tests of their own."""
    check("tiny-model.md", re.sub(r"<svg.*?</svg>", "<svg/>", rendered["models/tiny-model/"], flags=re.DOTALL))


def test_everything_has_a_page(tiny, rendered):
    records = [record for kind in KINDS for record in tiny.catalog.of_kind(kind)]
    assert {address(record).partition("#")[0] for record in records} <= set(rendered)
    assert {f"reference/rules/{code.lower()}/" for code in DECLARATIONS} <= set(rendered)
    assert {f"reference/fields/{kind}/" for kind in KINDS} <= set(rendered)
    assert {"", "13-model-compatibility/", "models/", "sources/", "reference/", "reference/facts/", "reference/glossary/"} <= set(rendered)


def test_addresses_are_unique(tiny, real):
    addresses = [page.address for page in pages(Matrix(tiny))]
    assert len(addresses) == len(set(addresses)) > 50
    assert all(re.fullmatch(r"([A-Za-z0-9._-]+/)*", place) for place in addresses)
    records = [address(record) for kind in KINDS for record in real.catalog.of_kind(kind)]
    assert len(records) == len(set(records)) > 500


def test_every_template_is_used(make):
    used = {page.template for page in pages(Matrix(make({RECIPE: RECIPE_TEXT})))}
    shared = {"frame.md.j2", "macros.html.j2", "docs13.plain.md.j2"}
    assert {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.j2")} == used | shared


def test_rendering_twice_gives_the_same_bytes(tiny, rendered):
    matrix = Matrix(tiny)
    renderer = Renderer(matrix)
    assert {page.address: renderer.render(page) for page in pages(matrix) if not hand_written(page)} == rendered


def test_hand_written_pages_render_on_the_real_catalog(real_matrix):
    names = [path.name.removesuffix(".md.j2") for path in (TEMPLATES / "pages").glob("*.md.j2")]
    texts = [Renderer(real_matrix).render(Page(f"reference/{name}/", name, f"pages/{name}.md.j2")) for name in names]
    assert texts
    assert all(text.startswith("---\ntitle: ") for text in texts)


def test_a_page_whose_template_asks_for_too_much_fails(tiny):
    matrix = Matrix(tiny)
    page = next(page for page in pages(matrix) if page.template == "glossary.md.j2")
    with pytest.raises(jinja2.UndefinedError):
        Renderer(matrix).render(type(page)(page.address, page.title, page.template))


VOID = {"br", "hr", "img", "input", "meta", "link"}


class Tags(HTMLParser):
    """Holds opened tags against closed ones, and collects ids and links. A cell of a table ends where the next one or its row does, as HTML has it."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag == "td" and self.open[-1:] == ["td"]:
            self.open.pop()
        if tag not in VOID:
            self.open.append(tag)
        self.handle_startendtag(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [value for name, value in attributes if name == "href"]

    def handle_endtag(self, tag):
        if tag == "tr" and self.open[-1:] == ["td"]:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def tags(text: str) -> Tags:
    found = Tags()
    found.feed(text.partition("---\n\n")[2])
    found.faults += found.open
    found.ids += re.findall(r"^#+ .*\{: #([^ ]+) \}$", text, re.MULTILINE)
    return found


def test_tags_are_balanced_and_ids_unique(rendered):
    for place, text in rendered.items():
        found = tags(text)
        assert (place, found.faults) == (place, [])
        assert len(found.ids) == len(set(found.ids)), place


def test_unbalanced_tags_would_be_found():
    assert tags("---\n\n<p><em>x</p>").faults
    assert tags("---\n\n<p>").faults == ["p"]
    assert tags("---\n\n<table><tr><td>1<td>2</tr></table>").faults == []
    assert tags("---\n\n<table><tr><td><b>1<td>2</tr></table>").faults


def broken_links(texts: dict[str, str]) -> list[tuple[str, str]]:
    """Links from one page to another, or to a part of one, that lead nowhere."""
    found = {place: tags(text) for place, text in texts.items()}
    broken = []
    for place, page in found.items():
        for link in page.links:
            if (
                re.match(r"[a-z]+:", link) or re.search(r"/(api|feeds)/", f"/{link}") or link.endswith("index.md")
            ):  # files beside the pages; the crawl of the built site looks for them
                continue
            path, _, part = link.partition("#")
            path = path.partition("?")[0]
            target = posixpath.normpath(f"/{place}{path}").strip("/")
            target = f"{target}/" if target else ""
            if target.startswith("reference/") and target not in found:
                target, part = "reference/", ""
            if target not in found or (part and part not in found[target].ids):
                broken.append((place, link))
    return broken


def test_links_lead_somewhere(rendered):
    assert sum(len(tags(text).links) for text in rendered.values()) > 200
    assert broken_links(rendered) == []


def test_a_broken_link_would_be_found():
    texts = {"": '---\n\n<a href="a/#b">x</a>', "a/": '---\n\n<a href="../#c">x</a><p id="b"></p>', "d/": '---\n\n<a href="../e/">x</a>'}
    assert broken_links(texts) == [("a/", "../#c"), ("d/", "../e/")]


def test_a_model_that_cannot_be_read_has_a_page_that_says_so(make):
    matrix = Matrix(make(changed(MODEL, ("    sliding_window: 1024\n", ""))))
    page = next(page for page in pages(matrix) if page.address == "models/tiny-model/")
    text = Renderer(matrix).render(page)
    assert "Unknown: the config cannot be read into layers." in text
    assert "sliding_window" in text


def test_withdrawn_records_have_no_page(make):
    files = {"requirements/idea.yaml": text_of("requirements/windowing.yaml") + "withdrawn: {on: 2026-01-01, because: It was wrong.}\n"}
    assert "requirements/idea/" not in {page.address for page in pages(Matrix(make(files)))}


@pytest.mark.parametrize(
    ("kind", "path", "type", "required"),
    [
        ("model", "name", "text", True),
        ("model", "aliases", "aliases", False),
        ("model", "checkpoints[].hub", "string", True),
        ("model", "config.basis", "word of basis", True),
        ("model", "checkpoints[].tuned", "word", False),
        ("gotcha", "affects.all[].observed", "array", False),
        ("gotcha", "when", "condition", False),
        ("engine", "settings.<name>.flag", "string", True),
        ("engine", "settings.<name>.default", "string or number or boolean or null", False),
        ("measurement", "conditions.context", "integer", False),
    ],
)
def test_the_field_reference_follows_the_schemas(tiny, kind, path, type, required):
    page = next(page for page in pages(Matrix(tiny)) if page.address == f"reference/fields/{kind}/")
    row = next(row for row in page.context["rows"] if row["path"] == path)
    assert (row["type"], row["required"]) == (type, required)
    assert row["description"] or type.startswith("word of")


def test_a_recipe_has_a_page_and_stands_on_the_model_s(make):
    matrix = Matrix(make({RECIPE: RECIPE_TEXT}))
    found = {page.address: Renderer(matrix).render(page) for page in pages(matrix) if page.address in ("models/tiny-model/", "engines/enga/tiny-on-enga/")}
    for text in found.values():
        assert "<code>--tool-parser tiny</code>" in text
        assert "Reads its tool calls." in text
    assert "acme/enga:1.1.0" in found["engines/enga/tiny-on-enga/"]


def test_an_engine_with_paths_and_a_path_that_runs_another_link_to_each_other(make):
    head = "role: engine\nrepository: https://example.com/w\nscheme: pep440\n"
    files = {
        "engines/whole.yaml": f'name: Whole\n{head}releases: [{{version: "2.0", date: 2026-02-01}}]\n',
        "engines/path.yaml": f'name: A path\n{head}part_of: whole\nruns: enga\nreleases: [{{version: "2.0", date: 2026-02-01, bundles: {{enga: "1.1.0"}}}}]\n',
    }
    matrix = Matrix(make(files))
    renderer = Renderer(matrix)
    html = {page.address: renderer.render(page) for page in pages(matrix) if page.address in ("engines/whole/", "engines/path/", "engines/enga/")}
    assert re.search(r'Paths</th><td><a [^>]*href="[^"]*path/"[^>]*>A path</a>; an answer takes', html["engines/whole/"])
    assert re.search(r'One path of</th><td><a [^>]*href="[^"]*whole/"', html["engines/path/"])
    assert re.search(r'Runs models in</th><td><a [^>]*href="[^"]*enga/"', html["engines/path/"])
    assert "Paths</th>" not in html["engines/enga/"]
