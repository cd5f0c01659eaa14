"""llms.txt: where a language model, or a script that knows nothing of this site, starts to read."""

from __future__ import annotations

from infercompat.join import Matrix
from infercompat.records import FOLDER_OF_KIND
from infercompat.render.address import address

PATH = "llms.txt"
LISTED = {"engine": "Engines", "requirement": "Requirements", "model": "Models", "gotcha": "Gotchas"}
TWINNED = ("model", "engine", "gotcha", "requirement", "hardware", "measurement", "recipe", "support")
"""The kinds each of whose pages has a Markdown form beside it."""


def twin(place: str) -> str:
    """Where the Markdown form of a page lies."""
    return f"{place}index.md"


def llms_text(matrix: Matrix) -> str:
    """The file: what this is, how to read a verdict, the data, and the Markdown of each page, with links relative to it."""
    catalog = matrix.products.catalog
    parts = [
        "# infercompat",
        "> Which inference engine can serve which open-weight model, on what hardware, at what memory cost, and what will bite. "
        "Every answer shows its chain, and every hop its source.",
        f"The catalog of {matrix.products.today}: {len(catalog.of_kind('model'))} models, {len(matrix.engines)} engines that serve them, "
        f"{len(catalog.of_kind('gotcha'))} gotchas. A verdict is yes, only-with, unknown or no, at an engine's newest release in the catalog, "
        "at its default settings, on hardware that nobody named. Unknown means that no source tells; it is never a no. "
        "Each page of a record has the same in Markdown beside it, as index.md below the page's address.",
        "## Data",
        "\n".join(
            f"- [{name}]({path}): {what}"
            for name, path, what in (
                ("Matrix as CSV", "api/v1/matrix.csv", "one line for each model on each engine, with verdict, grade and reason"),
                ("Matrix as JSON", "api/v1/matrix.json", "the same with the gotchas of each cell"),
                ("Index", "api/v1/index.json", "every record with the address of its page and of its JSON"),
                ("Errors", "api/v1/errors.json", "what known faults print, as patterns, with what helps"),
                ("Graph", "api/v1/graph.json", "how records refer to each other"),
                ("Changes", "api/v1/changes.json", "the answers that changed, version by version; as Atom at feeds/all.xml"),
                ("OpenAPI", "api/v1/openapi.json", "what each file holds"),
            )
        ),
    ]
    for kind, title in LISTED.items():
        lines = [f"- [{record.name}]({twin(address(record))})" for record in catalog.of_kind(kind)]
        parts += [f"## {title}", "\n".join(lines)]
    optional = [f"- [{folder.title()}]({folder}/)" for kind, folder in FOLDER_OF_KIND.items() if kind in ("hardware", "measurement")]
    parts += ["## Optional", "\n".join([*optional, "- [Sources](sources/)", "- [State of the catalog](state/)", "- [What changed](changes/)"])]
    return "\n\n".join(parts) + "\n"
