"""Diagnostics for programs: JSON, SARIF 2.1.0 and GitHub's workflow commands."""

from __future__ import annotations

import json
from collections.abc import Sequence

from infercompat.declaration import Declaration
from infercompat.diagnostic import ERROR, Diagnostic
from infercompat.span import Span


def _place(span: Span) -> dict:
    return {"path": span.path, "line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}


def as_json(diagnostics: Sequence[Diagnostic]) -> str:
    """One object with `diagnostics`, each with rule, severity, message, help and its place."""
    rows = [
        {
            "rule": diagnostic.rule,
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "help": diagnostic.help,
            **_place(diagnostic.span),
            "related": [{"label": label, **_place(span)} for label, span in diagnostic.related],
        }
        for diagnostic in diagnostics
    ]
    return json.dumps({"schema_version": 1, "diagnostics": rows}, indent=2, ensure_ascii=False)


def as_sarif(diagnostics: Sequence[Diagnostic], declarations: dict[str, Declaration]) -> str:
    """A SARIF log with one run."""
    used = sorted({diagnostic.rule for diagnostic in diagnostics})
    rules = [{"id": code, "name": declarations[code].name, "shortDescription": {"text": declarations[code].what}} for code in used if code in declarations]
    results = [
        {
            "ruleId": diagnostic.rule,
            "level": "error" if diagnostic.severity == ERROR else "warning",
            "message": {"text": " ".join(filter(None, (diagnostic.message + ".", diagnostic.help)))},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": diagnostic.span.path},
                        "region": {"startLine": diagnostic.span.line, "startColumn": diagnostic.span.column},
                    }
                }
            ],
        }
        for diagnostic in diagnostics
    ]
    run = {"tool": {"driver": {"name": "infercompat", "rules": rules}}, "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def as_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow commands, one a line, that a code host shows beside the changed lines."""
    lines = []
    for diagnostic in diagnostics:
        level = "error" if diagnostic.severity == ERROR else "warning"
        span = diagnostic.span
        text = _escaped(f"{diagnostic.rule} {diagnostic.message}. {diagnostic.help}".strip())
        path = _escaped(span.path).replace(":", "%3A").replace(",", "%2C")
        lines.append(f"::{level} file={path},line={span.line},col={span.column}::{text}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
