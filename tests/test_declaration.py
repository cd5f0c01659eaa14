"""Examples of rules, taken apart into files."""

from __future__ import annotations

import pytest

from infercompat.declaration import files_of


@pytest.mark.parametrize(
    ("example", "files"),
    [
        ("\n# catalog/a.yaml\nx: 1\n", {"catalog/a.yaml": "x: 1\n"}),
        (
            "# catalog/a.yaml\nx: 1  # ABC001\n# catalog/b.yaml\n# a comment\ny: 2",
            {"catalog/a.yaml": "x: 1  # ABC001\n", "catalog/b.yaml": "# a comment\ny: 2\n"},
        ),
        ("\n# catalog/a.yaml\nnotes: |\n  one\n\n  two\n", {"catalog/a.yaml": "notes: |\n  one\n\n  two\n"}),
        ("", {}),
    ],
)
def test_files_of(example, files):
    assert files_of(example) == files
