"""Diagnostics for programs: JSON, SARIF and workflow commands."""

from __future__ import annotations

import json

import pytest

from infercompat.declaration import Declaration
from infercompat.diagnostic import WARNING, Diagnostic
from infercompat.report import as_github, as_json, as_sarif
from infercompat.span import Span

FAULT = Diagnostic("ABC001", "é is wrong", Span("catalog/a.yaml", 3, 7, 3, 12), help="Mend it.", related=(("first here", Span("catalog/b.yaml", 1, 2, 1, 3)),))
ODD = Diagnostic("ABC002", "is odd", Span("catalog/b.yaml", 1, 1), WARNING)
DECLARED = {"ABC001": Declaration("ABC001", "a-rule", "What it checks.", "", "", "")}


def test_json():
    assert json.loads(as_json([FAULT, ODD])) == {
        "schema_version": 1,
        "diagnostics": [
            {
                "rule": "ABC001", "severity": "error", "message": "é is wrong", "help": "Mend it.",
                "path": "catalog/a.yaml", "line": 3, "column": 7, "end_line": 3, "end_column": 12,
                "related": [{"label": "first here", "path": "catalog/b.yaml", "line": 1, "column": 2, "end_line": 1, "end_column": 3}],
            },
            {
                "rule": "ABC002", "severity": "warning", "message": "is odd", "help": "",
                "path": "catalog/b.yaml", "line": 1, "column": 1, "end_line": 0, "end_column": 0, "related": [],
            },
        ],
    }  # fmt: skip
    assert json.loads(as_json([])) == {"schema_version": 1, "diagnostics": []}
    assert "é" in as_json([FAULT])


def test_sarif():
    log = json.loads(as_sarif([FAULT, ODD], DECLARED))
    [run] = log["runs"]
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "infercompat")
    assert run["tool"]["driver"]["rules"] == [{"id": "ABC001", "name": "a-rule", "shortDescription": {"text": "What it checks."}}]
    assert run["results"][0] == {
        "ruleId": "ABC001",
        "level": "error",
        "message": {"text": "é is wrong. Mend it."},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "catalog/a.yaml"}, "region": {"startLine": 3, "startColumn": 7}}}],
    }
    assert [result["level"] for result in run["results"]] == ["error", "warning"]
    assert json.loads(as_sarif([], DECLARED))["runs"][0]["results"] == []


@pytest.mark.parametrize(
    ("diagnostic", "line"),
    [
        (FAULT, "::error file=catalog/a.yaml,line=3,col=7::ABC001 é is wrong. Mend it."),
        (ODD, "::warning file=catalog/b.yaml,line=1,col=1::ABC002 is odd."),
        (Diagnostic("ABC001", "100%\r\nx", Span("a", 1, 1)), "::error file=a,line=1,col=1::ABC001 100%25%0D%0Ax."),
        (Diagnostic("ABC001", "m", Span("a,b:c%\nd.yaml", 1, 1)), "::error file=a%2Cb%3Ac%25%0Ad.yaml,line=1,col=1::ABC001 m."),
    ],
)
def test_github(diagnostic, line):
    assert as_github([diagnostic]) == line


def test_github_is_one_line_each():
    assert as_github([FAULT, ODD]).count("\n") == 1
    assert as_github([]) == ""
