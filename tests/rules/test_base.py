"""What a rule is made of: calling one gives diagnostics with its code and severity."""

from __future__ import annotations

from infercompat.diagnostic import Diagnostic
from infercompat.rules.base import rule
from infercompat.span import Span

HERE, THERE = Span("catalog/a.yaml", 3, 5), Span("catalog/b.yaml", 1, 1)


@rule(code="ABC001", name="a-rule", severity="warning", what="What.", why="Why.", bad="", good="")
def made(products):
    yield HERE, f"{products} is wrong", "Mend it."
    yield HERE, "twice", "", (("first here", THERE),)


def test_findings_become_diagnostics():
    assert list(made("this")) == [
        Diagnostic("ABC001", "this is wrong", HERE, "warning", "Mend it.", ()),
        Diagnostic("ABC001", "twice", HERE, "warning", "", (("first here", THERE),)),
    ]
    assert made.code == "ABC001"
