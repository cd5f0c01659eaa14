"""docs/13-model-compatibility.md in its short form: Markdown tables that a code host shows, words instead of colours."""

from __future__ import annotations

from infercompat.join import Matrix
from infercompat.render.environment import Renderer
from infercompat.render.pages import compatibility_context

PATH = "docs/13-model-compatibility.md"


def table_cell(text: object) -> str:
    """Text that may stand in a Markdown table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def docs13(matrix: Matrix) -> str:
    """The whole file."""
    environment = Renderer(matrix).environment
    environment.filters["cell"] = table_cell
    catalog = matrix.products.catalog
    context = compatibility_context(matrix) | {"words": catalog.words, "record": catalog.follow}
    return environment.get_template("docs13.plain.md.j2").render(matrix=matrix, **context)
