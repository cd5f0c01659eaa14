"""Tables of Markdown pages, row by row."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.base import File
from infercompat.harvest.pipes import rows

PAGE = """\
# Page

| Feature | Status |
|---|---|
| Other table | ✅ |

#### Core Models ##

=== "Tab"

    | Model | Support | Note |
    |-------|:---:|---|
    | [Qwen3](https://x.example/a|b) | ✅ |  |
    | A<br>B | ❌ | one \\| two |

| Model | Support |
|---|---|
|Llama|🟡|
| Short |
"""


def test_rows_of_the_tables_that_are_asked_for():
    found = list(rows(File("a.md", PAGE.replace("a|b", "ab")), "Model"))
    assert [(row.line, row.heading, row.cells) for row in found] == [
        (13, "Core Models", {"Model": "Qwen3", "Support": "✅", "Note": ""}),
        (14, "Core Models", {"Model": "A B", "Support": "❌", "Note": "one | two"}),
        (18, "Core Models", {"Model": "Llama", "Support": "🟡"}),
        (19, "Core Models", {"Model": "Short", "Support": ""}),
    ]
    assert found[0].cell("Nothing") == ""


@pytest.mark.parametrize("text", ["", "no table", "| Name | B |\n|---|---|\n| a | b |\n", "| Model | B |\nno line below\n"])
def test_a_page_without_the_table_is_refused(text):
    with pytest.raises(Refused, match=r"a\.md: there is no table whose first column is 'Model'"):
        list(rows(File("a.md", text), "Model"))
