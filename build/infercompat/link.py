"""Joins records by their ids: resolves references and [[wiki-links]] both ways, and keeps what does not resolve as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from infercompat.records import KINDS, Path, Record, dotted, walk
from infercompat.span import Span

ANY = KINDS

REFERENCE_FIELDS: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {
    ("support", ("engine",)): ("engine",),
    ("gotcha", ("engine",)): ("engine",),
    ("engine", ("part_of",)): ("engine",),
    ("engine", ("runs",)): ("engine",),
    ("measurement", ("model",)): ("model",),
    ("measurement", ("engine",)): ("engine",),
    ("measurement", ("hardware",)): ("hardware",),
    ("recipe", ("engine",)): ("engine",),
    ("recipe", ("models", "*")): ("model",),
    ("support", ("claims", "*", "about", "requirement")): ("requirement",),
    ("gotcha", ("evidence", "*", "id")): ("citation",),
    ("gotcha", ("affects", "all", "*", "engine")): ("engine",),
    ("gotcha", ("affects", "any", "*", "engine")): ("engine",),
    ("gotcha", ("related", "*")): ("gotcha",),
}
"""Fields that hold a bare id, by kind and path (`*` for a list index), and the kinds that fit."""

_CLASS_LISTS = {("hardware", "seen_on"), ("hardware", "clean_on")}


class Reference(Struct, frozen=True):
    """One record pointing at another. `target` is what is written, `id` the record it leads to or None."""

    source: str
    path: Path
    span: Span
    target: str
    kinds: tuple[str, ...]
    id: str | None
    prose: bool = False

    @property
    def field(self) -> str:
        return dotted(self.path)


class Clash(Struct, frozen=True):
    """An id or alias that two files claim."""

    word: str
    first: Span
    second: Span
    alias: bool


class Catalog(Struct, dict=True):
    """Records by id and by kind, in canonical order, with references resolved both ways."""

    records: Mapping[str, Record]
    aliases: dict[str, str]
    vocabulary: dict[str, Any]
    clashes: tuple[Clash, ...] = ()
    set_aside: frozenset[str] = frozenset()
    memo: dict[Any, Any] = field(default_factory=dict)
    """What later stages worked out once for all records, such as parsed conditions."""

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Every reference of every record; made when first asked for, since answering a question needs none."""
        return tuple(reference for record in self.records.values() for reference in _references(record, self))

    @cached_property
    def _by_target(self) -> dict[str, list[Reference]]:
        return _grouped((reference.id, reference) for reference in self.references if reference.id is not None)

    @cached_property
    def _by_source(self) -> dict[str, list[Reference]]:
        return _grouped((reference.source, reference) for reference in self.references if reference.id is not None)

    @cached_property
    def _by_kind(self) -> dict[str, list[Record]]:
        return _grouped((record.kind, record) for record in self.records.values() if record.live)

    def of_kind(self, kind: str) -> list[Record]:
        """The live records of one kind, by id."""
        return list(self._by_kind.get(kind, ()))

    def resolve(self, target: str) -> Record | None:
        """The record of an id or alias; for a moved record, the stub that says where to."""
        return self.records.get(target) or self.records.get(self.aliases.get(target, ""))

    def follow(self, target: str) -> Record | None:
        """Like resolve, and on through moves."""
        seen: set[str] = set()
        record = self.resolve(target)
        while record and "moved_to" in record.data and record.id not in seen:
            seen.add(record.id)
            record = self.resolve(record.data["moved_to"])
        return record

    def references_to(self, id: str) -> list[Reference]:
        return self._by_target.get(id, [])

    def references_from(self, id: str) -> list[Reference]:
        """Those of one record's own references that lead somewhere, in the order in which they are written."""
        return self._by_source.get(id, [])

    def words(self, name: str) -> dict[str, str]:
        """One word list of the vocabulary: word to sentence."""
        return self.vocabulary.get("words", {}).get(name, {})

    @cached_property
    def hardware_words(self) -> frozenset[str]:
        return frozenset(self.words("hardware-class")) | frozenset(self.words("platform"))

    def is_hardware_word(self, value: str) -> bool:
        """Whether a word names a class or platform; without a vocabulary nobody can tell, and no word is taken for a broken link."""
        return not self.hardware_words or value in self.hardware_words

    def newest_date(self) -> str:
        """The newest date that any record holds, for builds without SOURCE_DATE_EPOCH."""
        dates = (
            value
            for record in self.records.values()
            for path, value in walk(record.data)
            if path and path[-1] in ("retrieved", "read_on", "date", "published") and isinstance(value, str)
        )
        return max(dates, default="1970-01-01")


def link(records: tuple[Record, ...], vocabulary: dict[str, Any], set_aside: frozenset[str] = frozenset()) -> Catalog:
    """The catalog of these records. `set_aside` names ids whose files had faults: links to them are not dangling."""
    by_id: dict[str, Record] = {}
    clashes: list[Clash] = []
    for record in sorted(records, key=lambda record: (KINDS.index(record.kind), record.id, record.path)):
        if record.id in by_id:
            clashes.append(Clash(record.id, by_id[record.id].document.span(), record.document.span(), alias=False))
        else:
            by_id[record.id] = record
    aliases: dict[str, str] = {}
    taken: dict[str, tuple[Record, Path]] = {id: (record, ()) for id, record in by_id.items()}
    for record in by_id.values():
        for index, alias in enumerate(record.aliases):
            place = ("aliases", index)
            if alias in taken:
                holder, where = taken[alias]
                clashes.append(Clash(alias, holder.document.span(where), record.document.span(place), alias=True))
            else:
                taken[alias], aliases[alias] = (record, place), record.id
    return Catalog(by_id, aliases, vocabulary, clashes=tuple(clashes), set_aside=set_aside)


def _grouped(pairs: Iterable[tuple[str, Reference]]) -> dict[str, list[Reference]]:
    groups: dict[str, list[Reference]] = defaultdict(list)
    for key, reference in pairs:
        groups[key].append(reference)
    return dict(groups)


def _references(record: Record, catalog: Catalog) -> Iterator[Reference]:
    from infercompat import prose  # needed by those alone who ask for references

    for path, value in walk(record.data):
        if not isinstance(value, str) or not path:
            continue
        kinds = _kinds_at(record.kind, path, value, catalog)
        if kinds:
            yield _reference(record, path, record.document.span(path), value, kinds, catalog)
        elif "[[" in value and path[:2] != ("config", "values"):
            for mark in prose.links(value):
                span = record.document.span_inside(path, mark.start, mark.end)
                yield _reference(record, path, span, mark.target, ANY, catalog, in_prose=True)


def _reference(record: Record, path: Path, span: Span, target: str, kinds: tuple[str, ...], catalog: Catalog, in_prose: bool = False) -> Reference:
    found = catalog.resolve(target)
    return Reference(record.id, path, span, target, kinds, found.id if found else None, in_prose)


def _kinds_at(kind: str, path: Path, value: str, catalog: Catalog) -> tuple[str, ...]:
    """The kinds of record that a field may name; empty when the field is no reference."""
    if path == ("moved_to",):
        return ANY
    if len(path) >= 3 and path[-1] == "id" and path[-3] == "cites":
        return ("citation",)
    if path[-1] == "requires" and kind in ("gotcha", "support", "requirement"):
        return ("requirement",)
    if len(path) >= 3 and tuple(path[-3:-1]) in _CLASS_LISTS:
        return () if catalog.is_hardware_word(value) else ("hardware",)
    if path[-2:] == ("about", "platform"):
        return () if catalog.is_hardware_word(value) else ("hardware",)
    if path[-1] == "component" and kind == "gotcha":
        return ("engine",) if value in catalog.records else ()
    pattern = tuple("*" if isinstance(step, int) else step for step in path)
    return REFERENCE_FIELDS.get((kind, pattern), ())


def graph(catalog: Catalog) -> Any:
    """The catalog as a networkx MultiDiGraph: nodes carry kind and name, edges the referring field, its span and whether it is prose."""
    import networkx  # 0.25 s to import, and answering a question does not need it

    made = networkx.MultiDiGraph()
    for record in catalog.records.values():
        made.add_node(record.id, kind=record.kind, name=record.name)
    for reference in catalog.references:
        if reference.id is not None:
            made.add_edge(reference.source, reference.id, field=reference.field, span=reference.span, prose=reference.prose)
    return made


def impact(catalog: Catalog, id: str, demands: Iterable[tuple[str, str]] = ()) -> dict[str, list[str]]:
    """Every record whose content or answer rests on this one, directly or through others, by kind.

    Prose that mentions a record does not rest on it: only reference fields count, and `demands`, the pairs of a model and a
    requirement that its config gives rise to.
    """
    import networkx

    made = graph(catalog)
    made.remove_edges_from([(source, target, key) for source, target, key, prose in made.edges(keys=True, data="prose") if prose])
    made.add_edges_from(demands)
    found = networkx.ancestors(made, id)
    by_kind: dict[str, list[str]] = {}
    for kind in KINDS:
        ids = sorted(other for other in found if catalog.records[other].kind == kind)
        if ids:
            by_kind[kind] = ids
    return by_kind
