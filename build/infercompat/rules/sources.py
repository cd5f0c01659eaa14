"""Rules about citations, dates and versions."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from infercompat.products import Products
from infercompat.records import walk
from infercompat.rules.base import Finding, rule
from infercompat.rules.examples import CITATION, CITED, SNAPSHOT, USE, changed
from infercompat.versions import SCHEMES, parse_version

_DATE_FIELDS = {"date", "retrieved", "published", "read_on", "merged", "on", "moved_on"}
_CODE = """
# catalog/citations/example.com/report.yaml
title: A source file
url: https://example.com/acme/enga/blob/v1.0.0/registry.py
type: code
publisher: acme/enga
pin: v1.0.0
"""
_FLOATING = re.compile(r"/(blob|tree|raw)/(main|master|latest|HEAD|develop|dev)(/|\Z)")


@rule(
    code="CIT001",
    name="url-not-https",
    what="A citation's url starts with https:// and names a host.",
    why="An address without it may be read or changed on the way, and anything else is no web address.",
    bad=changed(CITATION, ("https://example.com/report", "http://example.com/report  # CIT001")),
    good=CITED,
)
def url_not_https(products: Products) -> Iterator[Finding]:
    for citation in products.catalog.of_kind("citation"):
        parts = urlsplit(citation.data["url"])
        if parts.scheme != "https" or not parts.hostname:
            yield citation.document.span(("url",)), "the url is not https", f"Write https://{parts.netloc}{parts.path}, if the host answers there."


@rule(
    code="CIT002",
    name="citation-in-wrong-folder",
    what="A citation lies in the folder named like the host of its url.",
    why="The folder is where people look for it, and it decides the page that lists it.",
    bad=changed(CITATION, ("citations/example.com", "citations/example.org"), ("example.com/report\n", "example.com/report  # CIT002\n")),
    good=CITED,
)
def citation_in_wrong_folder(products: Products) -> Iterator[Finding]:
    for citation in products.catalog.of_kind("citation"):
        host = urlsplit(citation.data["url"]).hostname or ""
        if host and citation.folder != host:
            fault = f"the url's host is {host}, the folder {citation.folder or 'missing'}"
            yield citation.document.span(("url",)), fault, f"Move the file to citations/{host}/."


@rule(
    code="CIT003",
    name="unused-citation",
    severity="warning",
    what="Every citation is used by some record.",
    why="One that nobody refers to is either a fact that got lost or dead weight.",
    bad=changed(CITATION, ("A report", "A report that nobody cites  # CIT003")),
    good=CITED,
)
def unused_citation(products: Products) -> Iterator[Finding]:
    if products.catalog.set_aside:
        return  # the record that uses it may be one of those with faults
    for citation in products.catalog.of_kind("citation"):
        if not products.catalog.references_to(citation.id):
            yield citation.document.span(), f"nobody cites {citation.id}", "Cite it where its fact stands, or delete it."


@rule(
    code="CIT004",
    name="floating-pin",
    what="A citation of code names a tag or commit: its url holds its pin, and no branch such as main.",
    why="A branch moves on, and the cited line then shows something else.",
    bad=changed(_CODE, ("blob/v1.0.0/registry.py", "blob/main/registry.py  # CIT004"), ("pin: v1.0.0\n", "")),
    good=_CODE + USE,
)
def floating_pin(products: Products) -> Iterator[Finding]:
    for citation in products.catalog.of_kind("citation"):
        url, pin = citation.data["url"], citation.data.get("pin")
        span = citation.document.span(("url",))
        if citation.data["type"] == "code" and _FLOATING.search(url):
            yield span, "the url follows a branch", "Name the tag or the full commit that was read: /blob/<tag>/…"
        elif pin is not None and pin not in url:
            yield citation.document.span(("pin",)), f"the url does not hold the pin {pin}", "The pin is the tag or commit inside the url."
        elif citation.data["type"] == "code" and pin is None:
            yield span, "a citation of code has no pin", "Add pin: with the tag or commit that the url holds."


@rule(
    code="DAT001",
    name="date-in-the-future",
    what="Dates are real days, and none lies after today.",
    why="Evidence ages by its date; one from the future would stay fresh for ever.",
    bad=CITATION + "retrieved: 2999-01-01  # DAT001\n",
    good=CITATION + "retrieved: 2026-01-01\n" + USE,
)
def date_in_the_future(products: Products) -> Iterator[Finding]:
    for record in products.catalog.records.values():
        for path, value in walk(record.data):
            if not path or path[-1] not in _DATE_FIELDS or not isinstance(value, str) or path[:2] == ("config", "values"):
                continue
            span = record.document.span(path)
            try:
                datetime.date.fromisoformat(value)
            except ValueError:
                yield span, f"{value} is no day of the calendar", "Write YYYY-MM-DD."
                continue
            if value > products.today:
                yield span, f"{value} lies in the future (today is {products.today})", "Write the day on which it was read or published."


@rule(
    code="VER001",
    name="version-not-in-scheme",
    what="A version can be read in the version scheme of its engine.",
    why="Versions that cannot be ordered carry no claim to other versions, and a typing slip looks just like one.",
    bad=changed(SNAPSHOT, ('version: "1.0.0"', "version: one-point-zero  # VER001")),
    good=SNAPSHOT,
)
def version_not_in_scheme(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    for record in catalog.records.values():
        for path, engine, version in _versions(record):
            found = catalog.resolve(engine)
            if found is None or found.kind != "engine" or "scheme" not in found.data:
                continue
            scheme = found.data["scheme"]
            if scheme not in SCHEMES:
                continue
            if parse_version(scheme, version) is None:
                yield record.document.span(path), f"'{version}' is no {scheme} version of {engine}", "Write it as the engine does, in quotes."


def _versions(record):
    data = record.data
    if record.kind == "engine":
        for index, release in enumerate(data.get("releases", ())):
            yield ("releases", index, "version"), record.id, release["version"]
    elif record.kind in ("support", "measurement", "recipe") and "version" in data and "engine" in data:
        yield ("version",), data["engine"], data["version"]
    elif record.kind == "gotcha":
        for mode, components in data.get("affects", {}).items():
            for index, component in enumerate(components):
                name = component.get("engine") or component.get("component")
                base = ("affects", mode, index)
                for at, version in enumerate(component.get("observed", ())):
                    yield (*base, "observed", at), name, version
                for event, key in (("introduced", "version"), ("fixed", "first_release")):
                    if key in component.get(event, {}):
                        yield (*base, event, key), name, component[event][key]


@rule(
    code="VER002",
    name="version-without-release",
    what="A snapshot's version is one of its engine's releases.",
    why="A release has the date by which a claim is carried to other versions and ages.",
    bad=changed(SNAPSHOT, ('version: "1.0.0"', 'version: "9.9.9"  # VER002'), ("enga-1-0-0.yaml", "enga-9-9-9.yaml")),
    good=SNAPSHOT,
)
def version_without_release(products: Products) -> Iterator[Finding]:
    catalog = products.catalog
    for snapshot in catalog.of_kind("support"):
        engine = catalog.resolve(snapshot.data["engine"])
        if engine is None or engine.kind != "engine" or "releases" not in engine.data:
            continue
        known = [release["version"] for release in engine.data["releases"]]
        version, scheme = snapshot.data["version"], engine.data["scheme"]
        if version not in known and (scheme not in SCHEMES or parse_version(scheme, version) is not None):
            help = f"Add it to releases in {engine.path} with its date. Known: {', '.join(known[:6])}."
            yield snapshot.document.span(("version",)), f"{engine.id} has no release {version}", help


RULES = (url_not_https, citation_in_wrong_folder, unused_citation, floating_pin, date_in_the_future, version_not_in_scheme, version_without_release)
