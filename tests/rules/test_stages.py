"""The codes that reading and the shape check report: every one of them can be brought about, and none by a rule."""

from __future__ import annotations

import pytest

from infercompat import rules
from infercompat.declaration import files_of
from infercompat.rules import stages


@pytest.mark.parametrize("declaration", stages.DECLARATIONS, ids=lambda declaration: declaration.code)
def test_the_stage_itself_reports_the_code(declaration, make):
    files = {path.removeprefix("catalog/"): text for path, text in files_of(declaration.bad).items()}
    products = make(files)
    by_stage = {diagnostic.rule for diagnostic in products.diagnostics}
    by_rules = {diagnostic.rule for rule in rules.RULES for diagnostic in rule(products)}
    assert declaration.code not in by_rules
    assert (declaration.code in by_stage) is (declaration.code != "EXC001")


def test_a_broken_file_leaves_the_others_as_they_were(tiny, make):
    """Each stage's fault sets its own file aside and nothing else."""
    for declaration in stages.DECLARATIONS:
        files = {path.removeprefix("catalog/"): text for path, text in files_of(declaration.bad).items()}
        assert set(make(files).catalog.records) >= set(tiny.catalog.records) - {path.rpartition("/")[2].removesuffix(".yaml") for path in files}
