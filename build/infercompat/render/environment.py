"""The Jinja environment: strict about unknown names, escaping by default, with the few helpers that templates need."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import jinja2
from markupsafe import Markup

from infercompat import prose
from infercompat.answer import held
from infercompat.answer.check import Assessor
from infercompat.derive import Unknown
from infercompat.join import Cell, Matrix, Source
from infercompat.join.claims import condition_words
from infercompat.places import TEMPLATES
from infercompat.prose import Link
from infercompat.records import FOLDER_OF_KIND, Record, walk
from infercompat.render import address as addresses
from infercompat.render import neighbours, peers
from infercompat.render.page import Page
from infercompat.render.state import downloads
from infercompat.shape import schemas
from infercompat.units import format_bytes, format_percent, format_thousands, format_times

GLYPHS = {"yes": "✓", "only-with": "◐", "unknown": "?", "no": "✕"}
SITE = "https://infercompat.github.io/infercompat/"
"""Where the site is published, as mkdocs.yml has it; only what must be absolute asks for it."""
REPOSITORY = "https://github.com/infercompat/infercompat"
"""The project's own repository, for edit and report links."""
SHARED_FILES = ("support", "citation")
"""The kinds whose records have one file of /api/v1 for all."""


class Desk:
    """What a template of one page works with: links from here, prose, and look-ups in the catalog."""

    def __init__(self, matrix: Matrix, here: str):
        self.matrix, self.here = matrix, here
        self.products = matrix.products
        self.catalog = matrix.products.catalog

    def href(self, target: Record | str) -> str:
        to = addresses.address(target) if isinstance(target, Record) else target
        return addresses.href(self.here, to)

    def link(self, record: Record | str, text: str | None = None) -> Markup:
        """A link to a record by itself or by id."""
        found = self.catalog.follow(record) if isinstance(record, str) else record
        if found is None:
            return Markup("{}").format(text or record)
        return Markup('<a href="{}">{}</a>').format(self.href(found), text or found.name)

    def prose(self, record: Record, text: str) -> Markup:
        return Markup(prose.to_html(text, self._linker, self._lookup(record)))

    def line(self, record: Record, text: str) -> Markup:
        return Markup(prose.to_inline_html(text, self._linker, self._lookup(record)))

    def _linker(self, link: Link) -> tuple[str, str]:
        found = self.catalog.follow(link.target)
        if found is None:
            return "#", link.text or link.target
        target = addresses.address(found)
        return addresses.href(self.here, f"{target.partition('#')[0]}#{link.part}" if link.part else target), link.text or found.name

    def _lookup(self, record: Record):
        derived = self.products.derived.get(record.id)
        return None if derived is None or isinstance(derived, Unknown) else derived.lookup

    def value(self, model: str, name: str) -> float:
        """A derived value of a model, for hand-written pages; an unknown name is an error, as it would be in prose."""
        found = self.products.derived[model].lookup(name)
        if found is None:
            raise jinja2.UndefinedError(f"{model} has no value {name}")
        return found

    @cached_property
    def peers(self) -> peers.Peers:
        """The answers of other calculators, for the page about them."""
        return peers.load(self.products)

    @cached_property
    def held(self) -> list[held.Held]:
        """Real questions with what threads and the program answer, for the page about them."""
        return held.held(Assessor(self.products), held.questions())

    def record(self, id: str) -> Record:
        found = self.catalog.follow(id)
        if found is None:
            raise jinja2.UndefinedError(f"there is no record {id}")
        return found

    def cite(self, source: Source | str, text: str | None = None) -> Markup:
        """A source as a link to its own page at the cited lines, and its entry here beside it."""
        if isinstance(source, str):
            source = self.matrix.ledger.source_of(source)
        record = self.catalog.follow(source.id)
        if record is None:
            return Markup("{}").format(source.id)
        label = text or (f"{record.id} {source.at}" if source.at else record.id)
        mark = "" if source.opened else Markup(' <span class="ic-unopened" title="nobody here could open this source">unopened</span>')
        return Markup('<a class="ic-cite" href="{}" title="{}">{}</a>{}').format(self.href(record), record.name, label, mark)

    def cites(self, cites: list[dict[str, Any]]) -> Markup:
        """A cites list as links."""
        return Markup(", ").join(self.cite(self.matrix.ledger.source_of(cite["id"], cite.get("at", ""))) for cite in cites)

    def outside(self, source: Source) -> str:
        """The address of a source itself, at its lines where its host can show them."""
        record = self.catalog.follow(source.id)
        return addresses.source_href(record.data["url"], source.at) if record else "#"

    def chip(self, cell: Cell) -> Markup:
        return chip(cell.verdict)

    def neighbours(self, record: Record) -> neighbours.Neighbours:
        """Who refers to a record and what it refers to, by kind, with the field of the first reference."""
        return neighbours.neighbours(self.catalog, record)

    def neighbourhood(self, record: Record) -> Markup:
        """The same as a drawing."""
        return neighbours.drawing(record, self.neighbours(record), self.href)

    def data_file(self, record: Record) -> str:
        """The address of a record's own file of /api/v1; empty for the kinds that share one."""
        return f"api/v1/{FOLDER_OF_KIND[record.kind]}/{record.id}.json" if record.kind not in SHARED_FILES else ""

    def feed(self, record: Record) -> str:
        """The address of a record's feed; empty for the kinds that have none."""
        return addresses.feed(record) if record.kind in addresses.FED else ""

    def edit_link(self, record: Record) -> str:
        return f"{REPOSITORY}/edit/main/{record.path}"

    def report_link(self, record: Record) -> str:
        return f"{REPOSITORY}/issues/new?title={record.id}:%20"


def chip(verdict: str) -> Markup:
    """A verdict as colour, glyph and word."""
    return Markup('<span class="ic-chip ic-{}"><span aria-hidden="true">{}</span> {}</span>').format(verdict, GLYPHS[verdict], verdict)


@cache
def _field_names() -> frozenset[str]:
    """Every field that some schema declares."""
    return frozenset(
        name for schema in schemas().values() for path, value in walk(schema) if path and path[-1] == "properties" and isinstance(value, dict) for name in value
    )


class RecordEnvironment(jinja2.Environment):
    """Strict about names, except that an optional field which a record leaves out reads as none."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, dict) and not hasattr(dict, attribute):
            if attribute in obj:
                return obj[attribute]
            return None if attribute in _field_names() else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)


class Renderer:
    """Renders pages of one matrix to text."""

    def __init__(self, matrix: Matrix):
        self.matrix = matrix

    @cached_property
    def environment(self) -> jinja2.Environment:
        made = RecordEnvironment(
            loader=jinja2.FileSystemLoader(TEMPLATES),
            undefined=jinja2.StrictUndefined,
            autoescape=lambda name: not (name or "").endswith(".plain.md.j2"),
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        made.filters |= {
            "bytes": format_bytes,
            "times": format_times,
            "percent": format_percent,
            "thousands": format_thousands,
            "condition": condition_words,
            "downloads": downloads,
        }
        made.globals |= {"chip": chip, "glyphs": GLYPHS, "repository": REPOSITORY}
        return made

    def render(self, page: Page) -> str:
        """The text of a page's Markdown file."""
        desk = Desk(self.matrix, page.address)
        return self.environment.get_template(page.template).render(page=page, desk=desk, matrix=self.matrix, **page.context)
