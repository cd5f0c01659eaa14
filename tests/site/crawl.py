"""A crawl of a built site: every internal link with its fragment, and everything a page would load."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_PLAIN = re.compile(r"""<([a-zA-Z][a-zA-Z0-9-]*)((?:\s+[a-zA-Z_:][\w:.-]*(?:="[^"]*")?)*)\s*>""", re.ASCII)
_ATTRIBUTE = re.compile(r"""\s([a-zA-Z_:][\w:.-]*)(?:="([^"]*)")?""", re.ASCII)
_END = re.compile(r"</[a-zA-Z][a-zA-Z0-9-]*\s*>")
_TOLD = frozenset({"a", "img", "source", "video", "audio", "link"})
_OPAQUE = frozenset({"script", "style", "title", "textarea", "iframe", "noscript", "noembed", "noframes", "xmp", "plaintext"})
"""Tags whose contents may be no tags."""


class _Page(HTMLParser):
    """The ids of a page, where it links to and what it loads. Tags as our pages write them are read at once, since there are millions and few
    tell anything; the library's parser reads every other."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def updatepos(self, i: int, j: int) -> int:
        return j

    def parse_starttag(self, i: int) -> int:
        found = _PLAIN.match(self.rawdata, i)
        tag, attributes = (found[1].lower(), found[2]) if found else ("", "")
        if found is None or tag in _OPAQUE:
            return super().parse_starttag(i)
        if tag in _TOLD or "id=" in attributes.lower():
            self.handle_starttag(tag, [(name.lower(), unescape(value)) for name, value in _ATTRIBUTE.findall(attributes)])
        return found.end()

    def parse_endtag(self, i: int) -> int:
        found = None if self.cdata_elem else _END.match(self.rawdata, i)
        return super().parse_endtag(i) if found is None else found.end()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "a" and found.get("name"):
            self.ids.add(found["name"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "iframe", "source", "video", "audio") and found.get("src"):
            self.loads.append(found["src"])
        if tag == "link" and found.get("href") and found.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(found["href"])


def read_pages(site: Path) -> dict[str, _Page]:
    """Every HTML page of a site, by its path below the site."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        page = _Page()
        page.feed(file.read_text("utf-8"))
        pages[file.relative_to(site).as_posix()] = page
    return pages


def faults(site: Path, pages: dict[str, _Page]) -> Iterator[str]:
    """Links and loads that lead nowhere, or out of the site where they must not."""
    for path, page in pages.items():
        for load in page.loads:
            if urlsplit(load).netloc:
                yield f"{path} loads {load} from another host"
            elif path != "404.html" and not (site / _target(path, load)).is_file():
                yield f"{path} loads {load}, which is not there"
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path == "404.html":
                continue
            target = _target(path, link)
            if target not in pages and not (site / target).is_file():
                yield f"{path} links to {link}, which is not there"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{path} links to {link}, and there is no such place on that page"


def _target(path: str, link: str) -> str:
    inner = unquote(urlsplit(link).path)
    if not inner:
        return path
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), inner))
    if inner.endswith("/") or inner.rpartition("/")[2] in (".", ".."):
        return posixpath.normpath(posixpath.join(joined, "index.html"))
    return joined
