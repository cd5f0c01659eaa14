"""llms.txt: its shape, what it says of unknown, and a link for each record to the Markdown of its page."""

from __future__ import annotations

import re

from infercompat.export.llms import llms_text, twin
from infercompat.join import Matrix


def test_it_has_the_shape_that_readers_expect(tiny):
    lines = llms_text(Matrix(tiny)).split("\n")
    assert lines[0] == "# infercompat"
    assert lines[2].startswith("> ")
    assert [line for line in lines if line.startswith("## ")] == ["## Data", "## Engines", "## Requirements", "## Models", "## Gotchas", "## Optional"]
    assert "it is never a no" in lines[4]


def test_each_record_is_linked_to_its_markdown(tiny):
    links = dict(re.findall(r"- \[([^]]+)\]\(([^)]+)\)", llms_text(Matrix(tiny))))
    assert links["Tiny"] == twin("models/tiny-model/") == "models/tiny-model/index.md"
    assert links["EngA"] == "engines/enga/index.md"
    assert links["Matrix as CSV"] == "api/v1/matrix.csv"
