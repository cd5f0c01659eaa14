"""Atom feeds of answers that changed: for all, and for each model, engine and product."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup
from msgspec import Struct

from infercompat.answer.changeset import ChangeSet, change_sets
from infercompat.join import Matrix
from infercompat.render.address import FED, WHOLE_FEED, address, feed
from infercompat.render.environment import SITE

ATOM = "http://www.w3.org/2005/Atom"
MOST = 200
"""Entries of a feed, the newest first; the site's page has all."""
TAG = "tag:infercompat.github.io,2026:"
"""What ids begin with: they stay the same wherever the site lies."""

ElementTree.register_namespace("", ATOM)


class Entry(Struct, frozen=True):
    """One answer, or several that moved alike. `key` is unique and stable, `link` below the site, `about` the records that it concerns."""

    key: str
    time: str
    title: str
    link: str
    content: Markup
    about: frozenset[str]


def feed_files(matrix: Matrix) -> dict[str, bytes]:
    """Every feed by its path below the site."""
    catalog = matrix.products.catalog
    sets = change_sets(matrix.products.folder)
    entries = [entry for found in sets for entry in _Reader(matrix, found).entries()]
    by_record: dict[str, list[Entry]] = {}
    for entry in entries:
        for id in entry.about:
            by_record.setdefault(id, []).append(entry)
    start = sets[-1].data["before"]["time"] if sets else f"{matrix.products.today}T00:00:00Z"
    files = {WHOLE_FEED: _atom(WHOLE_FEED, "infercompat: what changed", "changes/", entries, start)}
    for record in (record for kind in FED for record in catalog.of_kind(kind)):
        files[feed(record)] = _atom(feed(record), f"infercompat: {record.name}", address(record), by_record.get(record.id, []), start)
    return files


def _atom(path: str, title: str, page: str, entries: list[Entry], start: str) -> bytes:
    """A feed; without entries it was last updated when counting started."""
    root = ElementTree.Element(f"{{{ATOM}}}feed")
    _add(root, "id", TAG + path)
    _add(root, "title", title)
    _add(root, "updated", entries[0].time if entries else start)
    _add(_add(root, "author"), "name", "infercompat")
    _add(root, "link", rel="self", type="application/atom+xml", href=SITE + path)
    _add(root, "link", rel="alternate", type="text/html", href=SITE + page)
    for entry in entries[:MOST]:
        node = _add(root, "entry")
        _add(node, "id", TAG + entry.key)
        _add(node, "title", entry.title)
        _add(node, "updated", entry.time)
        _add(node, "link", rel="alternate", type="text/html", href=SITE + entry.link)
        _add(node, "content", str(entry.content), type="html")
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add(parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
    element.text = text
    return element


class _Reader:
    """Makes entries of one change set, with names and links of records as the catalog has them now."""

    def __init__(self, matrix: Matrix, found: ChangeSet):
        self.catalog, self.id, self.time, self.data = matrix.products.catalog, found.id, found.time, found.data
        self.page = f"changes/{found.id}/"

    def entries(self) -> Iterator[Entry]:
        for section in ("verdicts", "grades"):
            for place, group in enumerate(self.data[section]):
                yield self._cells(section, place, group)
        for place, group in enumerate(self.data["versions"]):
            title = f"{self._name(group['engine'])}: newest release {group['before']} → {group['after']}"
            yield self._entry(f"versions/{place}", title, f"{self.page}#versions", Markup(""), [group["engine"]])
        for group in self.data["caches"]:
            text = Markup("<p>{} → {}</p>").format(group["before"], group["after"])
            yield self._entry(f"caches/{group['model']}", f"{self._name(group['model'])}: cache", f"{self.page}#caches", text, [group["model"]])
        for place, group in enumerate(self.data["gotchas"]):
            title = f"{group['field']} {group['before']} → {group['after']}: {self._name(group['gotcha'])}"
            yield self._entry(f"gotchas/{place}", title, self._page(group["gotcha"]), Markup(""), self._touched(group["gotcha"]))
        for place, group in enumerate(self.data["met"]):
            yield from self._met(place, group)
        for kind, ids in self.data["added"].items():
            for id in ids:
                yield self._added(kind, id)

    def _cells(self, section: str, place: int, group: dict[str, Any]) -> Entry:
        models = group["models"]
        subject = self._name(models[0]) if len(models) == 1 else f"{len(models)} models"
        title = f"{subject} on {self._name(group['engine'])}: {group['before'] or 'none'} → {group['after'] or 'none'}"
        text = (Markup("<p>{}</p>").format(group["why"]) if group["why"] else Markup("")) + self._list(models)
        return self._entry(f"{section}/{place}", title, f"{self.page}#{section}", text, [group["engine"], *models])

    def _met(self, place: int, group: dict[str, Any]) -> Iterator[Entry]:
        """Gotchas that cells can meet now; those that are new are told as new records."""
        known = [id for id in group["gotchas"] if id not in self.data["added"].get("gotcha", ())]
        if known:
            count = f"{len(group['models'])} model{'' if len(group['models']) == 1 else 's'}"
            title = f"{count} on {self._name(group['engine'])} can meet {self._name(known[0]) if len(known) == 1 else f'{len(known)} more gotchas'}"
            text = self._list(known) + self._list(group["models"])
            yield self._entry(f"met/{place}", title, f"{self.page}#met", text, [group["engine"], *group["models"]])

    def _added(self, kind: str, id: str) -> Entry:
        record = self.catalog.follow(id)
        text, about = Markup(""), [id]
        if kind == "gotcha":
            about += self._touched(id)
            if record:
                text = Markup("<p>{}, {}, {}</p>").format(record.data["severity"], record.data["symptom"], record.data["status"])
        elif record and kind == "recipe":
            about += [record.data["engine"], *record.data["models"]]
        return self._entry(f"added/{id}", f"New {'product' if kind == 'hardware' else kind}: {self._name(id)}", self._page(id), text, about)

    def _touched(self, gotcha: str) -> list[str]:
        """The engine of a gotcha, the products that it names, and the models that came to meet it in this set."""
        met = [model for group in self.data["met"] if gotcha in group["gotchas"] for model in (group["engine"], *group["models"])]
        record = self.catalog.follow(gotcha)
        if record is None:
            return met
        seen = set(record.data["hardware"].get("seen_on", ()))
        products = [product.id for product in self.catalog.of_kind("hardware") if seen & {product.id, product.data["class"]}]
        return [record.data["engine"], *products, *met]

    def _entry(self, key: str, title: str, link: str, content: Markup, about: Iterable[str]) -> Entry:
        return Entry(f"changes/{self.id}/{key}", self.time, title, link, content, frozenset(about))

    def _list(self, ids: Iterable[str]) -> Markup:
        items = Markup("").join(Markup('<li><a href="{}">{}</a></li>').format(SITE + self._page(id), self._name(id)) for id in ids)
        return Markup("<ul>{}</ul>").format(items) if items else items

    def _name(self, id: str) -> str:
        found = self.catalog.follow(id)
        return found.name if found else id

    def _page(self, id: str) -> str:
        """A record's page, or the change set's where the record is no more."""
        found = self.catalog.follow(id)
        return address(found) if found else self.page
