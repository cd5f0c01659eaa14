"""What changed: the list of change sets, and a page for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from infercompat.answer.changeset import ChangeSet, change_sets
from infercompat.join import Matrix
from infercompat.records import KINDS, Record
from infercompat.render.address import WHOLE_FEED
from infercompat.render.page import WIDE, Page

FEED = ((WHOLE_FEED, "What changed"),)


def change_pages(matrix: Matrix) -> Iterator[Page]:
    """Every page below changes/."""
    sets = change_sets(matrix.products.folder)
    about = "Verdicts, grades, caches and gotchas of open-weight models on inference engines that changed, by version of the catalog."
    yield Page("changes/", "What changed", "changes.md.j2", {"sets": sets, "whole_feed": WHOLE_FEED}, about, WIDE, FEED)
    for found in sets:
        context = {"set": found, "kinds": KINDS, "gotchas": _by_engine(matrix, found)}
        yield Page(f"changes/{found.id}/", f"What changed up to {found.moment} UTC", "changeset.md.j2", context, about, WIDE, FEED)


def _by_engine(matrix: Matrix, found: ChangeSet) -> dict[str, list[Record]]:
    """Gotchas that came in and are still there, the most severe first."""
    catalog = matrix.products.catalog
    severities = list(catalog.words("severity"))
    added = [record for id in found.data["added"].get("gotcha", ()) if (record := catalog.follow(id))]
    grouped: dict[str, list[Record]] = defaultdict(list)
    for gotcha in sorted(added, key=lambda gotcha: (gotcha.data["engine"], severities.index(gotcha.data["severity"]), gotcha.id)):
        grouped[gotcha.data["engine"]].append(gotcha)
    return dict(grouped)
