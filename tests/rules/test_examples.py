"""Every rule's own examples, overlaid on the tiny catalog: the bad one is told where it is marked, the good one is clean."""

from __future__ import annotations

import re

import pytest

from infercompat import rules
from infercompat.declaration import Declaration, files_of
from infercompat.diagnostic import ERROR, Diagnostic

EVERY = pytest.mark.parametrize("declaration", rules.DECLARATIONS.values(), ids=lambda declaration: declaration.code)


def without_root(files: dict[str, str]) -> dict[str, str]:
    return {path.removeprefix("catalog/"): text for path, text in files.items()}


def marked(declaration: Declaration) -> set[tuple[str, int]]:
    """File and line of every line of the bad example that ends in `# CODE`."""
    mark = re.compile(rf"# {declaration.code}\Z")
    lines = ((path, number, line) for path, text in files_of(declaration.bad).items() for number, line in enumerate(text.split("\n"), 1))
    return {(path, number) for path, number, line in lines if mark.search(line)}


def found(diagnostics: list[Diagnostic], code: str) -> set[tuple[str, int]]:
    return {(diagnostic.span.path, diagnostic.span.line) for diagnostic in diagnostics if diagnostic.rule == code}


@EVERY
def test_bad_example_is_told_on_its_marked_lines(declaration, make):
    assert marked(declaration), "the bad example marks no line"
    diagnostics = rules.check(make(without_root(files_of(declaration.bad))))
    assert found(diagnostics, declaration.code) == marked(declaration)


@EVERY
def test_bad_example_has_no_other_error(declaration, make):
    diagnostics = rules.check(make(without_root(files_of(declaration.bad))))
    others = {diagnostic for diagnostic in diagnostics if diagnostic.severity == ERROR and diagnostic.rule != declaration.code}
    assert others == set()


@EVERY
def test_bad_example_is_told_with_the_declared_severity(declaration, make):
    diagnostics = rules.check(make(without_root(files_of(declaration.bad))))
    assert {diagnostic.severity for diagnostic in diagnostics if diagnostic.rule == declaration.code} == {declaration.severity}


@EVERY
def test_good_example_is_clean(declaration, make):
    assert rules.check(make(without_root(files_of(declaration.good)))) == []
