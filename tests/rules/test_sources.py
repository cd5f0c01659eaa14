"""Rules about citations, dates and versions, beyond their own examples."""

from __future__ import annotations

import pytest

from catalogs import text_of
from infercompat import rules

USE = {"requirements/windowing.yaml": "name: Windowing\nsummary: Windows.\nconcept: true\ncites: [{id: a}]\n"}


def codes(make, files, today="2026-03-01"):
    return [diagnostic.rule for diagnostic in rules.check(make({**USE, **files}, today))]


def citation(url: str, type: str = "article", more: str = "") -> str:
    return f"title: A\nurl: {url}\ntype: {type}\npublisher: acme\n{more}"


@pytest.mark.parametrize(
    ("folder", "text", "told"),
    [
        ("example.com", citation("https://example.com/a"), []),
        ("example.com", citation("http://example.com/a"), ["CIT001"]),
        ("example.com", citation("ftp://example.com/a"), ["CIT001"]),
        ("example.com", citation("https:///a"), ["CIT001"]),
        ("example.com", citation("https://EXAMPLE.com:443/a"), []),
        ("example.com", citation("https://www.example.com/a"), ["CIT002"]),
        ("", citation("https://example.com/a"), ["CIT002"]),
        ("example.com", citation("https://example.com/blob/v1/a", "code", "pin: v1\n"), []),
        ("example.com", citation("https://example.com/blob/v1/a", "code"), ["CIT004"]),
        ("example.com", citation("https://example.com/blob/main/a", "code", "pin: main\n"), ["CIT004"]),
        ("example.com", citation("https://example.com/tree/master", "code", "pin: master\n"), ["CIT004"]),
        ("example.com", citation("https://example.com/blob/maintenance/a", "code", "pin: maintenance\n"), []),
        ("example.com", citation("https://example.com/blob/v1/a", "code", "pin: v2\n"), ["CIT004"]),
        ("example.com", citation("https://example.com/blob/main/a", "documentation"), []),
        ("example.com", citation("https://example.com/a", more="retrieved: 2026-03-01\n"), []),
        ("example.com", citation("https://example.com/a", more="retrieved: 2026-03-02\n"), ["DAT001"]),
        ("example.com", citation("https://example.com/a", more="published: 2026-02-30\n"), ["DAT001"]),
    ],
)
def test_citations_and_dates(make, folder, text, told):
    assert codes(make, {f"citations/{folder}/a.yaml": text}) == told


def test_an_unused_citation_is_not_told_while_its_user_may_be_broken(make):
    unused = {"citations/example.com/b.yaml": citation("https://example.com/b"), "citations/example.com/a.yaml": citation("https://example.com/a")}
    assert codes(make, unused) == ["CIT003"]
    assert codes(make, {**unused, "engines/engb.yaml": "name: [\n"}) == ["YAML001"]


def test_dates_in_config_values_are_upstream_s_own(make):
    model = text_of("models/acme/plain-model.yaml") + "    date: 2999-01-01\n"
    assert rules.check(make({"models/acme/plain-model.yaml": model})) == []


def snapshot(engine: str, version: str) -> dict[str, str]:
    text = text_of("support/enga/enga-1-1-0-registry.yaml").replace("engine: enga", f"engine: {engine}").replace('1.1.0"', f'{version}"')
    return {f"support/{engine}/a.yaml": text}


@pytest.mark.parametrize(
    ("engine", "version", "told"),
    [
        ("enga", "1.0.0", []),
        ("enga", "1.2.0", ["VER002"]),
        ("enga", "1..0", ["VER001"]),
        ("enga", "0.11.*", ["VER001"]),
        ("engb", "b200", []),
        ("engb", "b199", ["VER002"]),
        ("engb", "two hundred", ["VER001"]),
    ],
)
def test_versions_of_snapshots(make, engine, version, told):
    assert [diagnostic.rule for diagnostic in rules.check(make(snapshot(engine, version)))] == told


@pytest.mark.parametrize(
    "affects",
    [
        '[{engine: enga, observed: ["1.1.0", "x y"]}]',
        '[{engine: enga, introduced: {version: "x y", cites: [{id: enga-issue-1}]}}]',
        '[{engine: enga, fixed: {first_release: "x y", cites: [{id: enga-issue-1}]}}]',
        '[{component: engb, observed: ["x y"]}]',
    ],
)
def test_versions_of_gotchas(make, affects):
    text = text_of("gotchas/enga/enga-wrong-past-window.yaml").replace('[{engine: enga, observed: ["1.1.0"]}]', affects)
    found = rules.check(make({"gotchas/enga/enga-wrong-past-window.yaml": text}))
    place = (7, text.splitlines()[6].index('"x y"') + 1)
    assert [(diagnostic.rule, (diagnostic.span.line, diagnostic.span.column)) for diagnostic in found] == [("VER001", place)]


def test_components_without_a_record_have_no_scheme_to_break(make):
    text = text_of("gotchas/enga/enga-wrong-past-window.yaml")
    text = text.replace('[{engine: enga, observed: ["1.1.0"]}]', '[{engine: enga, observed: ["1.1.0"]}, {component: torch, observed: ["x y"]}]')
    assert rules.check(make({"gotchas/enga/enga-wrong-past-window.yaml": text})) == []


def test_a_scheme_that_the_program_does_not_know_is_no_crash(make):
    files = {
        "vocabulary.yaml": text_of("vocabulary.yaml").replace("  task:\n", '    calver: "By the calendar."\n  task:\n'),
        "engines/engb.yaml": text_of("engines/engb.yaml").replace("scheme: build", "scheme: calver"),
        **snapshot("engb", "b200"),
    }
    assert rules.check(make(files)) == []
