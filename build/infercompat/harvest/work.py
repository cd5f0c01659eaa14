"""One harvest of one engine: all its sources read from its released trees, and written or compared with the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from infercompat.harvest import compare, guard, newrelease, releases, run, snapshot
from infercompat.harvest.base import Harvester, Refused, Tree, Unreachable
from infercompat.products import Products
from infercompat.records import Record
from infercompat.write import write_file

DRIFT = ("added", "removed", "changed", "cell", "answer")
"""How lines begin that tell of a difference."""
_DAY = re.compile(r"^read_on: .*$", re.M)


class Missed(Struct, frozen=True):
    """A source that was not read though the catalog has it: out of reach by its channel, or in another shape."""

    harvester: Harvester
    error: Refused

    @property
    def reached(self) -> bool:
        return not isinstance(self.error, Unreachable)

    def __str__(self) -> str:
        return f"{'refused ' if self.reached else 'no tree '} {self.harvester.engine} {self.harvester.ending}: {self.error}"


class Read(Struct, frozen=True):
    """A source that was read: its harvester gives the claims again without reading, `before` is its last snapshot at or below the version."""

    harvester: Harvester
    version: str
    tree: Tree
    how: str
    before: Record | None


class Job(Struct):
    """ENGINE[@VERSION] of a catalog. Without a version it is the newest release upstream."""

    products: Products
    target: str
    source: str = ""
    given: Path | None = None
    day: str = ""
    dated: bool = False
    """Whether somebody gave the day: then a snapshot that says the same is dated anew, else it keeps its day and its bytes."""
    released: str = ""
    """The day on which the version was released, for one that the record does not list and nobody else tells the day of."""
    fewer: bool = False
    """Whether a source may have lost most of what it had."""
    skipped: list[str] = field(default_factory=list)
    """Optional sources that the catalog does not have at this version or below either, each with the reason."""
    missed: list[Missed] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    """The channels that gave a tree."""

    def _read(self, writing: bool = False) -> Iterator[Read]:
        """Each source that could be read; trees are shared between sources."""
        catalog, (harvesters, version) = self.products.catalog, run.wanted(self.target, self.source)
        version = version or releases.newest(catalog, harvesters[0].engine)
        trees: dict[tuple, tuple[Tree, str] | Refused] = {}
        with ExitStack() as stack:
            for harvester in harvesters:
                before = run.existing(catalog, harvester, version) or run.nearest(catalog, harvester, version)
                channel = () if self.given else (harvester.package, harvester.sdist, harvester.repository)
                try:
                    if channel not in trees:
                        trees[channel] = stack.enter_context(run.tree_of(harvester, version, self.given))
                        self.reached.add(run.channel(harvester))
                    tree, how = trees[channel]
                    claims = harvester.claims(tree)
                    if not self.fewer:
                        guard.believed(before, claims, harvester.extra(tree), tree)
                except Refused as error:
                    if not harvester.optional:
                        raise
                    if before is not None:
                        self.missed.append(Missed(harvester, error))
                    elif writing or isinstance(error, Unreachable):
                        self.skipped.append(f"skipped  {harvester.engine} {harvester.ending}: {error}")
                    continue
                yield Read(replace(harvester, read=lambda _, claims=claims: claims), version, tree, how, before)

    def write(self) -> Iterator[str]:
        """Writes the snapshots, and tells of each file whether it changed. A release that the engine's record does not list is added to it."""
        folder = self.products.folder
        for number, item in enumerate(self._read(writing=True)):
            harvester, version = item.harvester, item.version
            before = run.existing(self.products.catalog, harvester, version)
            if before is not None and (why := run.by_hand(before, harvester)):
                raise Refused(f"{before.id} has {why}, which would be lost or doubled; --check says what differs")
            files = snapshot.records(harvester, item.tree, version, self.day, item.how, before)
            for path in files:
                if (folder / path).is_file() and Path(path).stem not in self.products.catalog.records:
                    raise Refused(f"{folder.name}/{path} is there and has faults: mend it first, or what people wrote in it would be lost")
            if number == 0:
                yield from self._release(item, next(Path(path).stem for path in files if path.startswith("citations/")) if before is None else "")
            for path, text in files.items():
                known = self.products.catalog.records.get(Path(path).stem) if path.startswith("citations/") else None
                # A citation that is there may serve other records and have a person's title: only another address is written over it.
                same = known is not None and f"url: {known.data['url']}" in text.splitlines()
                kept = same and (folder / path).read_bytes() != text.encode()
                kept_day = not self.dated and path.startswith("support/") and _same_but_for_its_day(folder / path, text)
                changed = not kept and not kept_day and write_file(folder / path, text.encode())
                yield f"{'kept' if kept else 'written' if changed else 'unchanged'}  {folder.name}/{path}"
        yield from self._left()

    def _release(self, item: Read, citation: str) -> Iterator[str]:
        """Adds the version to the engine's releases, with its day and the source that was read of it."""
        engine = self.products.catalog.records.get(item.harvester.engine)
        if engine is None or newrelease.listed(engine, item.version):
            return
        day = self.released or newrelease.day_of(item.harvester, item.version, item.tree.root)
        if not day:
            told = "neither a tag nor the package index says when"
            raise Refused(f"{engine.path} does not list {item.version}, and {told} it was released: give --released YYYY-MM-DD")
        path = self.products.folder.parent / engine.path
        text = newrelease.written(path.read_text("utf-8"), engine, item.version, day, citation)
        write_file(path, text.encode())
        yield f"written  {engine.path}"

    def check(self) -> Iterator[str]:
        """What differs from the catalog: claims, and the cells and answers that they move, the claims that move one first.

        A new release is compared with the newest snapshot.
        """
        catalog, (harvesters, named) = self.products.catalog, run.wanted(self.target, self.source)
        if named and not any(run.existing(catalog, one, named) or run.nearest(catalog, one, named) for one in harvesters):
            raise Refused(f"the catalog has no registry of {self.target.replace('@', ' at ')}")
        after, same, engine, at, some = self.products, self.products, "", "", False
        differences: list[compare.Difference] = []
        for item in self._read():
            harvester, version, before = item.harvester, item.version, item.before
            if before is None:
                if harvester.optional or not harvester.complete:
                    continue
                raise Refused(f"the catalog has no registry of {harvester.engine}")
            how = "" if before.data["version"] == version else f" (new, against {before.data['version']})"
            claims = compare.read_claims(harvester, item.tree)
            found, some, engine, at = compare.differences(before, claims), True, harvester.engine, version
            if found:
                yield f"{engine} {version} {harvester.ending}{how}: {len(found)} claims differ from {before.id}"
                differences += found
            else:
                yield f"{before.id}: the same upstream{how}"
            if found or how:
                day = self.released or self.day or self.products.today
                after = compare.updated(compare.released(after, engine, version, day), harvester, before, version, claims)
                if how:
                    same = compare.updated(compare.released(same, engine, version, day), harvester, before, version, before.data["claims"])
        if not some and not self.missed:
            raise Refused(f"the catalog has no snapshot to compare {self.target.replace('@', ' at ')} with")
        if after is not self.products:
            yield from self._moves(differences, list(compare.moved(self.products, after, engine, at, same if same is not self.products else None)))
        yield from self._left()

    def _moves(self, differences: list[compare.Difference], changes: list[compare.Moved]) -> Iterator[str]:
        aged = [change for change in changes if change.surface == "aged"]
        changes = [change for change in changes if change.surface != "aged"]
        models = [self.products.catalog.records[model] for model in dict.fromkeys(change.model for change in changes)]
        near = {found: compare.about_what_moves(found, models) for found in differences}
        yield from (str(found) for found in differences if models and near[found] == 0)
        yield f"{len(changes)} cells and answers move" if changes else "no cell and no answer moves"
        if aged:
            yield f"{len(aged)} more differ by age alone: what else was read of the release before {aged[0].version} says nothing of it"
        yield from map(str, changes)
        yield from (str(found) for found in sorted(differences, key=near.get) if not models or near[found])

    def _left(self) -> Iterator[str]:
        yield from self.skipped
        yield from map(str, self.missed)


def _same_but_for_its_day(path: Path, text: str) -> bool:
    return path.is_file() and _DAY.sub("", path.read_text("utf-8"), count=1) == _DAY.sub("", text, count=1)
