"""Where each record's page is, and every internal link: one function makes them all, and a crawl of the built site checks them."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from urllib.parse import urlsplit

from infercompat.records import FOLDER_OF_KIND, Record

FED = ("model", "engine", "hardware")
"""The kinds of which each record has a feed of its own."""
WHOLE_FEED = "feeds/all.xml"
_BESIDE = ("docs", "docker", "examples", "recipes", "requirements")
"""Folders of a repository that hold no code of the engine itself."""
_LINES = re.compile(r"L(\d+)(?:\s*-\s*L?(\d+))?\Z")


def source_page(url: str) -> str:
    """The page that lists a citation: one a host, on GitHub one a repository, and one each for its threads, its documents, its models and
    its attention, on Hugging Face one an owner, its blog and its documents apart."""
    parts = urlsplit(url)
    host = parts.hostname or "unknown"
    if host == "github.com":
        owner, repository, what, _, folder, *_ = [*parts.path.strip("/").split("/"), "", "", "", "", ""]
        part = "--threads" if what in ("issues", "pull", "discussions") else _part(parts.path, folder) if what == "blob" else ""
        return f"sources/github.com/{owner}--{repository}{part}/" if repository else "sources/github.com/other/"
    owner = parts.path.strip("/").partition("/")[0]
    return f"sources/huggingface.co/{owner}/" if host == "huggingface.co" and owner not in ("", "blog", "docs") else f"sources/{host}/"


def _part(path: str, folder: str) -> str:
    return "--documents" if folder in _BESIDE else "--models" if "/models/" in path else "--attention" if "/attention/" in path else ""


def address(record: Record) -> str:
    """The site-relative address of a record's page, with a fragment where it is an entry on a shared page."""
    if record.kind == "citation":
        return f"{source_page(record.data['url'])}#{record.id}"
    if record.kind in ("support", "recipe"):
        return f"engines/{record.data['engine']}/{record.id}/"
    return f"{FOLDER_OF_KIND[record.kind]}/{record.id}/"


def feed(record: Record) -> str:
    """Where the feed of a model, an engine or a product lies."""
    return f"feeds/{FOLDER_OF_KIND[record.kind]}/{record.id}.xml"


@cache
def href(here: str, target: str) -> str:
    """The relative link from one site address to another, so that the site works below any base path."""
    page, _, fragment = target.partition("#")
    anchor = f"#{fragment}" if fragment else ""
    if page == here:
        return anchor or "./"
    relative = posixpath.relpath(page or ".", here or ".")
    return (relative if relative.endswith("/") or ("." in posixpath.basename(page.rstrip("/")) and not page.endswith("/")) else f"{relative}/") + anchor


def source_href(url: str, at: str) -> str:
    """A citation's url, at the cited lines where the code host can show them."""
    match = _LINES.match(at.strip()) if at else None
    if match and urlsplit(url).hostname == "github.com" and "/blob/" in url and "#" not in url:
        return f"{url}#L{match[1]}" + (f"-L{match[2]}" if match[2] else "")
    return url


def markdown_file(address: str) -> str:
    """The Markdown file below docs/ that becomes a site address: models/x/ -> models/x.md, sources/ -> sources/index.md."""
    bare = address.rstrip("/")
    return f"{bare}.md" if "/" in bare else f"{bare}/index.md" if bare else "index.md"
