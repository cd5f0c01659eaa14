"""Pages of sources: one a host, on GitHub one a repository or a part of it, on Hugging Face one an owner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from infercompat.join import Matrix
from infercompat.records import Record
from infercompat.render.address import source_page
from infercompat.render.page import Page


def source_pages(matrix: Matrix) -> Iterator[Page]:
    """The list of places, and a page for each."""
    catalog = matrix.products.catalog
    grouped: dict[str, list[Record]] = defaultdict(list)
    for citation in catalog.of_kind("citation"):
        grouped[source_page(citation.data["url"])].append(citation)
    names = {page: page.removeprefix("sources/").removesuffix("/").replace("--", "/") for page in grouped}
    listing = [(page, names[page], len(grouped[page])) for page in sorted(grouped)]
    yield Page("sources/", "Sources", "index/source.md.j2", {"listing": listing})
    for page in sorted(grouped):
        yield Page(page, f"Sources: {names[page]}", "sources.md.j2", {"citations": grouped[page], "place": names[page]})
