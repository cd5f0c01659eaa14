"""One harvest of one engine: all its sources read from its released trees, and written or compared with the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct, field

from infercompat.harvest import compare, releases, run, snapshot
from infercompat.harvest.base import Harvester, Refused, Tree
from infercompat.products import Products
from infercompat.write import write_file

DRIFT = ("added", "removed", "changed", "cell", "answer")
"""How lines begin that tell of a difference."""
_DAY = re.compile(r"^read_on: .*$", re.M)


class Job(Struct):
    """ENGINE[@VERSION] of a catalog. Without a version it is the newest release upstream."""

    products: Products
    target: str
    source: str = ""
    given: Path | None = None
    day: str = ""
    dated: bool = False
    """Whether somebody gave the day: then a snapshot that says the same is dated anew, else it keeps its day and its bytes."""
    missed: list[str] = field(default_factory=list)
    """Optional sources whose tree could not be had, each with the reason."""

    def _read(self) -> Iterator[tuple[Harvester, str, Tree, str]]:
        """Each source with the version, its tree and how that was obtained; trees are shared between sources."""
        harvesters, version = run.wanted(self.target, self.source)
        version = version or releases.newest(self.products.catalog, harvesters[0].engine)
        trees: dict[tuple, tuple[Tree, str]] = {}
        with ExitStack() as stack:
            for harvester in harvesters:
                channel = () if self.given else (harvester.package, harvester.sdist, harvester.repository)
                if channel not in trees:
                    try:
                        trees[channel] = stack.enter_context(run.tree_of(harvester, version, self.given))
                    except Refused as error:
                        if not harvester.optional:
                            raise
                        self.missed.append(f"skipped  {harvester.engine} {harvester.ending}: {error}")
                        continue
                yield harvester, version, *trees[channel]

    def write(self) -> Iterator[str]:
        """Writes the snapshots, and tells of each file whether it changed."""
        for harvester, version, tree, how in self._read():
            before = run.existing(self.products.catalog, harvester, version)
            if before is not None and (why := run.by_hand(before, harvester)):
                raise Refused(f"{before.id} has {why}, which would be lost or doubled; --check says what differs")
            try:
                files = snapshot.records(harvester, tree, version, self.day, how, before)
            except Refused as error:
                if not harvester.optional:
                    raise
                yield f"skipped  {harvester.engine} {harvester.ending}: {error}"
                continue
            for path, text in files.items():
                if (self.products.folder / path).is_file() and Path(path).stem not in self.products.catalog.records:
                    raise Refused(f"{self.products.folder.name}/{path} is there and has faults: mend it first, or what people wrote in it would be lost")
                known = self.products.catalog.records.get(Path(path).stem) if path.startswith("citations/") else None
                # A citation that is there may serve other records and have a person's title: only another address is written over it.
                same = known is not None and f"url: {known.data['url']}" in text.splitlines()
                kept = same and (self.products.folder / path).read_bytes() != text.encode()
                kept_day = not self.dated and path.startswith("support/") and _same_but_for_its_day(self.products.folder / path, text)
                changed = not kept and not kept_day and write_file(self.products.folder / path, text.encode())
                yield f"{'kept' if kept else 'written' if changed else 'unchanged'}  {self.products.folder.name}/{path}"
        yield from self.missed

    def check(self) -> Iterator[str]:
        """What differs from the catalog: claims, then the cells and answers that they move. A new release is compared with the newest snapshot."""
        catalog, (harvesters, named) = self.products.catalog, run.wanted(self.target, self.source)
        if named and not any(run.existing(catalog, one, named) or run.nearest(catalog, one, named) for one in harvesters):
            raise Refused(f"the catalog has no registry of {self.target.replace('@', ' at ')}")
        after, engine, at, some = self.products, "", "", False
        for harvester, version, tree, _ in self._read():
            before = run.existing(self.products.catalog, harvester, version)
            before, how = (before, "") if before else (run.nearest(self.products.catalog, harvester, version), " (new, against {})")
            if before is None:
                if harvester.optional or not harvester.complete:
                    continue
                raise Refused(f"the catalog has no registry of {harvester.engine}")
            try:
                claims = compare.read_claims(harvester, tree)
            except Refused as error:
                if not harvester.optional:
                    raise
                yield f"skipped  {harvester.ending}: {error}"
                continue
            found, some = compare.differences(before, claims), True
            if found:
                yield f"{harvester.engine} {version} {harvester.ending}{how.format(before.data['version'])}: {len(found)} claims differ from {before.id}"
                yield from map(str, found)
            else:
                yield f"{before.id}: the same upstream{how.format(before.data['version'])}"
            if found or before.data["version"] != version:
                after, engine, at = compare.updated(after, before, version, claims), harvester.engine, version
        yield from self.missed
        if not some:
            raise Refused(f"the catalog has no snapshot to compare {self.target.replace('@', ' at ')} with")
        if after is not self.products:
            changes = list(compare.moved(self.products, after, engine, at))
            yield f"{len(changes)} cells and answers move" if changes else "no cell and no answer moves"
            yield from map(str, changes)


def _same_but_for_its_day(path: Path, text: str) -> bool:
    return path.is_file() and _DAY.sub("", path.read_text("utf-8"), count=1) == _DAY.sub("", text, count=1)
