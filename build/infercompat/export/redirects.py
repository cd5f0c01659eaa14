"""Pages at the former addresses of records: where a record moved to, where an older or outside id of it leads, and why one was withdrawn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from infercompat.join import Matrix
from infercompat.records import FOLDER_OF_KIND, Record
from infercompat.render.address import address, href
from infercompat.render.environment import SITE
from infercompat.render.pages.listing import PAGED

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_PAGE = Markup(
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Moved: {name}</title>\n<link rel="canonical" href="{canonical}">\n'
    '<meta http-equiv="refresh" content="0; url={link}">\n<meta name="robots" content="noindex">\n'
    '<p>The page is now at <a href="{link}">{name}</a>.</p>\n</html>\n'
)


_WITHDRAWN = Markup(
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Withdrawn: {name}</title>\n<meta name="robots" content="noindex">\n'
    '<h1>{name}</h1>\n<p>This record was withdrawn on {on}. {because}</p>\n<p><a href="{link}">To the catalog</a></p>\n</html>\n'
)


def redirects(matrix: Matrix) -> dict[str, bytes]:
    """Each page by its path below the site. Ids that cannot stand in an address lead nowhere."""
    moved = {f"{former}index.html": _page(former, record) for former, record in _moves(matrix)}
    gone = [record for record in matrix.products.catalog.records.values() if record.kind in PAGED and "withdrawn" in record.data]
    return moved | {f"{address(record)}index.html": _withdrawn(record) for record in gone}


def _withdrawn(record: Record) -> bytes:
    said = record.data["withdrawn"]
    return str(_WITHDRAWN.format(name=record.name, on=said["on"], because=said["because"], link=href(address(record), ""))).encode()


def _moves(matrix: Matrix) -> Iterator[tuple[str, Record]]:
    """Former addresses with the records that stand there now."""
    catalog = matrix.products.catalog
    for record in catalog.records.values():
        if record.kind not in PAGED:
            continue
        now = catalog.follow(record.id)
        if now is None or not now.live:
            continue
        former = ([record.id] if now is not record else []) + [alias for alias in record.data.get("aliases", ()) if _PLAIN.match(alias)]
        yield from ((f"{FOLDER_OF_KIND[record.kind]}/{id}/", now) for id in former)


def _page(former: str, record: Record) -> bytes:
    place = address(record)
    return str(_PAGE.format(name=record.name, canonical=SITE + place, link=href(former, place))).encode()
