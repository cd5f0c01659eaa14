"""The registry of rules: every code declared once and in order, every rule listed, and exceptions that expire."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from types import ModuleType, SimpleNamespace

import pytest

from catalogs import ROOT
from infercompat import rules
from infercompat.declaration import Declaration, files_of
from infercompat.diagnostic import ERROR, WARNING
from infercompat.rules import stages
from infercompat.rules.base import Rule, rule

CODE = re.compile(r"[A-Z]{3,4}[0-9]{3}\Z")
MODULES = {info.name: importlib.import_module(f"infercompat.rules.{info.name}") for info in pkgutil.iter_modules(rules.__path__)}
FAMILIES = [module for name, module in MODULES.items() if name not in ("base", "examples", "stages")]


def test_codes_are_declared_once():
    declared = [*stages.DECLARATIONS, *(rule.declaration for rule in rules.RULES)]
    codes = [declaration.code for declaration in declared]
    names = [declaration.name for declaration in declared]
    assert len(codes) == len(set(codes)) == len(rules.DECLARATIONS)
    assert len(names) == len(set(names))


def test_codes_and_names_have_their_form():
    for code, declaration in rules.DECLARATIONS.items():
        assert CODE.match(code)
        assert declaration.code == code
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", declaration.name)
        assert declaration.severity in (ERROR, WARNING)
        assert re.fullmatch(r"\d+\.\d+\.\d+", declaration.since)


def test_rules_are_shown_in_order(run):
    shown = [line.split()[0] for line in run("explain").output.splitlines()]
    assert shown == sorted(shown) == list(rules.DECLARATIONS)


def missing_prose(declaration: Declaration) -> list[str]:
    """The parts of a rule's page that say nothing."""
    faults = [name for name in ("what", "why") if not re.fullmatch(r"[A-Z0-9].{15,}\.", getattr(declaration, name))]
    faults += [name for name in ("bad", "good") if not files_of(getattr(declaration, name))]
    return faults + (["mark"] if f"# {declaration.code}" not in declaration.bad else [])


@pytest.mark.parametrize("declaration", rules.DECLARATIONS.values(), ids=lambda declaration: declaration.code)
def test_rules_are_documented(declaration):
    assert missing_prose(declaration) == []


def test_a_rule_without_prose_would_be_found():
    assert missing_prose(Declaration("ABC001", "a-rule", "", "because", "", "")) == ["what", "why", "bad", "good", "mark"]


def unlisted(module: ModuleType | SimpleNamespace) -> set[str]:
    """Rules that a module has and does not list in its RULES; a module without any rule has lost them."""
    own = {value.code for value in vars(module).values() if isinstance(value, Rule)}
    if not own:
        raise AssertionError(f"no rule was found in {module.__name__}")
    return own - {rule.code for rule in module.RULES}


@pytest.mark.parametrize("module", FAMILIES, ids=lambda module: module.__name__)
def test_every_rule_is_listed_by_its_module(module):
    assert unlisted(module) == set()
    assert set(module.RULES) <= set(rules.RULES)


def test_a_rule_that_is_not_listed_would_be_found():
    made = rule(code="ABC001", name="a", what="", why="", bad="", good="")(lambda products: iter(()))
    assert unlisted(SimpleNamespace(__name__="made", one=made, RULES=())) == {"ABC001"}
    with pytest.raises(AssertionError, match="no rule was found"):
        unlisted(SimpleNamespace(__name__="made", RULES=()))


def test_the_families_are_those_of_the_registry():
    assert {"content", "links", "sources"} <= set(MODULES)
    assert {rule.code for module in FAMILIES for rule in module.RULES} == {rule.code for rule in rules.RULES}


def codes_in(source: str) -> set[str]:
    """Codes that a module's source names as a whole string."""
    return {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.match(node.value)}


def test_every_code_in_the_source_is_declared():
    files = sorted((ROOT / "build" / "infercompat").rglob("*.py"))
    used = set().union(*(codes_in(file.read_text("utf-8")) for file in files))
    assert used == set(rules.DECLARATIONS)
    assert codes_in("Diagnostic('ABC123', f'{x} ABC124', span)") == {"ABC123"}


def test_the_stages_declare_what_no_rule_does():
    ours = {declaration.code for declaration in stages.DECLARATIONS}
    assert ours == {*(f"YAML00{n}" for n in range(1, 7)), *(f"SHP00{n}" for n in range(1, 7)), "EXC001"}


UNUSED = "title: A\nurl: https://example.com/{0}\ntype: paper\npublisher: acme\n"
TWO = {f"citations/example.com/{name}.yaml": UNUSED.format(name) for name in ("a", "b")}


def exceptions(*entries: tuple[str, str]) -> str:
    lines = [f"  - {{rule: {rule}, path: {path}, reason: Kept for its figures.}}\n" for rule, path in entries]
    return "exceptions:\n" + "".join(lines)


def check(make, *entries: tuple[str, str]) -> list[tuple[str, str, int]]:
    found = rules.check(make({**TWO, "exceptions.yaml": exceptions(*entries)}))
    return [(diagnostic.rule, diagnostic.span.path, diagnostic.span.line) for diagnostic in found]


A, B = (f"catalog/citations/example.com/{name}.yaml" for name in ("a", "b"))


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ([("CIT003", A)], [("CIT003", B, 1)]),
        ([("CIT003", A), ("CIT003", B)], []),
        ([("CIT003", "catalog/citations/example.com/c.yaml")], [("CIT003", A, 1), ("CIT003", B, 1), ("EXC001", "catalog/exceptions.yaml", 2)]),
        ([("LNK001", A)], [("CIT003", A, 1), ("CIT003", B, 1), ("EXC001", "catalog/exceptions.yaml", 2)]),
        ([("CIT003", A), ("CIT003", A)], [("CIT003", B, 1), ("EXC001", "catalog/exceptions.yaml", 3)]),
        ([("CIT999", A)], [("CIT003", A, 1), ("CIT003", B, 1), ("EXC001", "catalog/exceptions.yaml", 2)]),
    ],
)
def test_an_exception_suppresses_one_rule_in_one_file_or_is_told(make, entries, left):
    assert check(make, *entries) == left


WINDOWING = "catalog/requirements/windowing.yaml"
MISSPELT = {"requirements/windowing.yaml": "name: Windowing\nsummary: Windows.\nconcept: true\ncites: [{id: window-paper}]\nzz: 1\n"}


def test_an_exception_reaches_the_faults_of_the_stages_too(make):
    assert rules.check(make({**MISSPELT, "exceptions.yaml": exceptions(("SHP001", WINDOWING))})) == []


@pytest.mark.parametrize("text", ["exceptions: [x]\n", "exceptions:\n", "[]\n", "exceptions: [\n", f"exceptions: [{{rule: SHP001, path: {WINDOWING}}}]\n"])
def test_a_broken_exceptions_file_is_told_and_suppresses_nothing(make, text):
    found = rules.check(make({**MISSPELT, "exceptions.yaml": text}))
    assert [diagnostic.rule for diagnostic in found if diagnostic.span.path == WINDOWING] == ["SHP001"]
    assert {diagnostic.span.path for diagnostic in found} == {WINDOWING, "catalog/exceptions.yaml"}


def test_strict_makes_warnings_errors(make):
    found = rules.check(make(TWO))
    assert [diagnostic.severity for diagnostic in found] == [WARNING, WARNING]
    assert [diagnostic.severity for diagnostic in rules.as_errors(found)] == [ERROR, ERROR]


def test_nothing_is_told_twice_and_all_is_in_order(make):
    found = rules.check(make({**TWO, "engines/engb.yaml": "name: [\n", "hardware/card_b.yaml": "name: B\n"}))
    places = [(diagnostic.span.path, diagnostic.span.line, diagnostic.span.column) for diagnostic in found]
    assert places == sorted(places)
    assert len(found) == len(set(found)) > 3
