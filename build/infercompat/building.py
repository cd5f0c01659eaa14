"""Builds what people browse: docs/13, the pages below docs/, and through mkdocs the site."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import click

from infercompat.export import CARD, TWINNED, api_files, card, feed_files, llms_text, redirects, twin
from infercompat.join import Matrix
from infercompat.places import TEMPLATES
from infercompat.products import Products
from infercompat.render import Renderer, docs13, pages
from infercompat.render.address import address, markdown_file
from infercompat.render.docs13 import PATH
from infercompat.render.plain import plain
from infercompat.write import write_file, write_tree

UNSEARCHED = ".headerlink, .ic-cite"
"""What is left out of the index within what the templates mark: signs beside headings, and ids of sources."""
NEEDED = ("cbor2", "mkdocs", "numpy", "pagefind")
"""What the extra named site brings, and nothing else needs."""
UNUSED = ("pagefind-*.js", "pagefind-*.css", "wasm.unknown.pagefind")
"""What Pagefind brings beside its engine: pages have a search box of their own, and one language."""


def check_docs(products: Products, root: Path) -> int:
    """0 when the committed page is what the catalog gives, else 1 with the command that mends it."""
    committed = root / PATH
    if committed.is_file() and committed.read_text("utf-8") == docs13(Matrix(products)):
        click.echo(f"{PATH} is up to date")
        return 0
    click.echo(f"{PATH} is {'stale' if committed.is_file() else 'missing'}. Run: make docs", err=True)
    return 1


def site_files(matrix: Matrix) -> dict[str, bytes]:
    """Every file below docs/ that the site is made from, the committed page apart."""
    renderer = Renderer(matrix)
    files = {markdown_file(page.address): renderer.render(page).encode() for page in pages(matrix)}
    for asset in sorted(path for path in (TEMPLATES / "assets").rglob("*") if path.is_file()):
        files[asset.relative_to(TEMPLATES).as_posix()] = asset.read_bytes()
    files |= {"llms.txt": llms_text(matrix).encode(), CARD: card(matrix)}
    return files | feed_files(matrix) | redirects(matrix) | api_files(matrix)


def twins(matrix: Matrix, files: dict[str, bytes]) -> dict[str, bytes]:
    """The Markdown form of each record's page, by its path below the site: beside the page, where mkdocs would take it for a page of its own."""
    records = [record for kind in TWINNED for record in matrix.products.catalog.of_kind(kind)]
    return {twin(address(record)): plain(files[markdown_file(address(record))].decode()).encode() for record in records}


def build(products: Products, root: Path, docs_only: bool = False, site: bool = False) -> int:
    """Writes docs/13, then the other pages, then with `site` the site. Returns the exit status."""
    matrix = Matrix(products)
    changed = write_file(root / PATH, docs13(matrix).encode())
    click.echo(f"{PATH}: {'written' if changed else 'unchanged'}")
    if docs_only:
        return 0
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        click.echo(f"infercompat: the pages need {', '.join(missing)}. Run: pip install 'infercompat[site]'", err=True)
        return 2
    files = site_files(matrix)
    write_tree(root / "docs", files, keep=frozenset({Path(PATH).name}))
    click.echo(f"docs/: {len(files)} files")
    if not site:
        return 0
    status = run_mkdocs(root, products.today) or run_pagefind(root)
    if status == 0:
        for path, content in twins(matrix, files).items():
            write_file(root / "site" / path, content)
    return status


def run_mkdocs(root: Path, today: str) -> int:
    """Makes site/ of docs/, with the time of `today` (an ISO date) unless the environment has one. Returns the exit status."""
    if not (root / "mkdocs.yml").is_file():
        click.echo(f"infercompat: there is no mkdocs.yml in {root}; the site is built in a checkout", err=True)
        return 2
    environment = {"SOURCE_DATE_EPOCH": _epoch(today), "NO_MKDOCS_2_WARNING": "1", **os.environ}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    status = subprocess.run(command, cwd=root, env=environment, check=False).returncode
    if status == 0:
        click.echo(f"site/: {sum(1 for file in (root / 'site').rglob('*.html'))} pages")
    return 1 if status else 0


def run_pagefind(root: Path) -> int:
    """Makes site/pagefind/, the index that the search box reads in parts, of what the templates mark. Returns the exit status."""
    command = [sys.executable, "-m", "pagefind", "--site", "site", "--exclude-selectors", UNSEARCHED, "--quiet"]
    status = subprocess.run(command, cwd=root, check=False).returncode
    for pattern in UNUSED:
        for file in (root / "site" / "pagefind").glob(pattern):
            file.unlink()
    if status:
        return 1
    from infercompat import search_parts

    try:
        search_parts.cut(root / "site" / "pagefind")
    except ValueError as error:
        click.echo(f"infercompat: the search works and loads more than it should: {error}", err=True)
    return 0


def _epoch(today: str) -> str:
    import calendar
    import datetime

    return str(calendar.timegm(datetime.date.fromisoformat(today).timetuple()))
