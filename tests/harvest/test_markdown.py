"""Tables of a page with their lines: fences hold none, cells keep their footnotes, and a missing column is told."""

from __future__ import annotations

import pytest

from infercompat.harvest.base import File, Refused
from infercompat.harvest.markdown import Cell, column, slug, tables

PAGE = """\
---
title: x
---

# Models

| Architecture | LoRA |
| --- | --- |
| `AForCausalLM`, `BForCausalLM` [^1] | ✅︎ |
| `CForCausalLM` | a \\| b |
| `DForCausalLM` |

```md
| Not | a table |
| --- | --- |
| x | y |
```

## Other

| Feature | [APC](apc.md) | <abbr title="x">enc-dec</abbr> |
| - | - | - |
| [APC](apc.md) | ✅ | [❌](https://example.com)<sup>^</sup> |
"""


def test_tables_lines_and_sections():
    first, second = tables(File("page.md", PAGE))
    assert (first.section, first.line, first.headers) == ("Models", 7, ("Architecture", "LoRA"))
    assert [line for line, _ in first.rows] == [9, 10, 11]
    assert first.rows[0][1][0].code == ("AForCausalLM", "BForCausalLM")
    assert first.rows[0][1][0].notes == ("1",)
    assert [cells[1].text for _, cells in first.rows] == ["✅", "a | b", ""]
    assert (second.section, second.headers) == ("Other", ("Feature", "APC", "enc-dec"))
    assert [cell.text for cell in second.rows[0][1]] == ["APC", "✅", "❌^"]


def test_a_column_that_is_not_there():
    file = File("page.md", PAGE)
    [first, _] = tables(file)
    assert column(file, first, "Model", "LoRA") == 1
    with pytest.raises(Refused, match=r"page.md:7: the table has no column Class: it has Architecture, LoRA"):
        column(file, first, "Class")


def test_words_as_ids():
    assert slug("EAGLE-3 — Linear") == "eagle-3-linear"
    assert slug("❌") == "unnamed"
    assert Cell("a `b` **c** [^2]").text == "a b c"
