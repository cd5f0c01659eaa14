"""Guards over the project itself: the traps of a source root named build, the direction of imports, docstrings, sizes, and mirrored tests.

Each guard is a function over plain data, so that it can be shown to fail; each says so when it looked at nothing.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from catalogs import ROOT

PACKAGE = ROOT / "build" / "infercompat"
TESTS = ROOT / "tests"

LAYERS = (
    {"__main__"},
    {"cli"},
    {"harvest", "building", "showing", "scaffold", "formatting"},
    {"export"},
    {"render", "report"},
    {"rules"},
    {"answer"},
    {"measure"},
    {"weighing"},
    {"join"},
    {"snapshot"},
    {"pipeline"},
    {"products"},
    {"allocate"},
    {"derive"},
    {"link"},
    {"shape"},
    {"read"},
    {"versions"},
    {"condition", "declaration"},
    {"records", "diagnostic", "prose", "revisions"},
    {"search_parts"},
    {"span", "units", "places", "write", "equations", "aside", "__init__"},
)
"""Top to bottom: a module imports from the layers below its own, and never from another module beside it."""

MOST_LINES = 400


def sources(folder: Path, least: int) -> dict[str, str]:
    """Path below the folder and text of every Python file. A folder with fewer files than there are for sure is the wrong one."""
    found = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}
    assert len(found) >= least, f"only {len(found)} files were found below {folder}"
    return found


def test_a_guard_that_looks_at_nothing_fails(tmp_path):
    with pytest.raises(AssertionError, match="only 0 files"):
        sources(tmp_path, least=1)


# The folder named build


def test_the_source_root_is_no_package():
    assert PACKAGE.is_dir()
    assert not (ROOT / "build" / "__init__.py").exists()


def packaging_faults(project: Mapping) -> list[str]:
    """Settings without which the wheel comes out empty or over another package, or tests in a folder named build are skipped."""
    tool = project["tool"]
    wheel, pytest_options = tool["hatch"]["build"]["targets"]["wheel"], tool["pytest"]["ini_options"]
    checks = {
        "build-backend": project["build-system"]["build-backend"] == "hatchling.build",
        "packages": wheel.get("packages") == ["build/infercompat"],
        "ignore-vcs": tool["hatch"]["build"].get("ignore-vcs") is True,
        "data": {"infercompat/_data/catalog", "infercompat/_data/schemas", "infercompat/_data/site_templates"} <= set(wheel["force-include"].values()),
        "only-include": "build/infercompat" in tool["hatch"]["build"]["targets"]["sdist"].get("only-include", ()),
        "testpaths": pytest_options.get("testpaths") == ["tests"],
        "pythonpath": "build" in pytest_options.get("pythonpath", ()),
    }
    return [name for name, right in checks.items() if not right]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_packaging():
    assert packaging_faults(project()) == []


def test_packaging_faults_would_be_found():
    broken = project()
    del broken["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    broken["tool"]["hatch"]["build"]["ignore-vcs"] = False
    broken["tool"]["pytest"]["ini_options"] = {}
    assert packaging_faults(broken) == ["packages", "ignore-vcs", "testpaths", "pythonpath"]


def ignoring_build(gitignore: str) -> list[str]:
    """Lines that keep the source root out of version control, and so out of a wheel."""
    return [line for line in gitignore.splitlines() if re.fullmatch(r"\s*(\*\*/|/)?build(/\*{0,2})?\s*", line)]


def test_version_control_does_not_ignore_the_source():
    text = (ROOT / ".gitignore").read_text("utf-8")
    assert "/docs/*" in text.splitlines()
    assert ignoring_build(text) == []


def test_a_line_that_ignores_build_would_be_found():
    assert ignoring_build("build/\n/build\n**/build/\nbuild/*\n# build/\nbuild.log\n!build/\n") == ["build/", "/build", "**/build/", "build/*"]


def recipes(makefile: str) -> dict[str, list[str]]:
    """Each target with the lines of its recipe."""
    found: dict[str, list[str]] = {}
    for line in makefile.splitlines():
        if target := re.match(r"([A-Za-z0-9_./$()-]+(?: +[A-Za-z0-9_./$()-]+)*) *:(?!=)", line):
            names = target[1].split()
            found.update({name: [] for name in names})
        elif line.startswith("\t") and found:
            found[names[-1]].append(line.strip())
    return found


def make_faults(makefile: str) -> list[str]:
    """A target named build would never run, as the folder exists; clean must leave the source alone."""
    found = recipes(makefile)
    faults = ["no clean target"] if not found.get("clean") else []
    faults += ["a target named build"] if "build" in found else []
    return faults + [line for line in found.get("clean", ()) if re.search(r"\bbuild\b", line)]


def test_makefile():
    text = (ROOT / "Makefile").read_text("utf-8")
    assert {"test", "validate", "site", "docs", "docs-check", "clean"} <= set(recipes(text))
    assert make_faults(text) == []


def test_makefile_faults_would_be_found():
    assert make_faults("build: x\n\ttrue\nclean:\n\trm -rf site build dist\n") == ["a target named build", "rm -rf site build dist"]
    assert make_faults("all:\n\ttrue\n") == ["no clean target"]


# Imports


def imported(text: str) -> set[str]:
    """Top-level modules of the package that a source imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == "infercompat":
            found |= {"__init__" if alias.name.startswith("__") else alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("infercompat."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.add(f"a relative import of {node.module}")
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("infercompat.")}
    return found


def upward_imports(texts: Mapping[str, str]) -> list[str]:
    """Imports of a layer above or of a module beside, and modules that no layer names."""
    depth = {name: index for index, layer in enumerate(LAYERS) for name in layer}
    faults = []
    for path, text in texts.items():
        own = path.split("/")[0].removesuffix(".py")
        if own not in depth:
            faults.append(f"{path}: {own} has no layer")
            continue
        faults += [f"{path} imports {other}" for other in sorted(imported(text)) if depth.get(other, -1) <= depth[own] and other != own]
    return faults


def test_imports_point_down():
    assert upward_imports(sources(PACKAGE, least=60)) == []


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("link.py", "from infercompat.join import Matrix", "link.py imports join"),
        ("link.py", "def f():\n    from infercompat.join.matrix import Matrix", "link.py imports join"),
        ("join/cell.py", "import infercompat.rules", "join/cell.py imports rules"),
        ("units.py", "from infercompat import derive", "units.py imports derive"),
        ("showing.py", "from infercompat import building", "showing.py imports building"),
        ("measure.py", "from infercompat.answer.check import Assessor", "measure.py imports answer"),
        ("snapshot.py", "from infercompat.cli.common import usage", "snapshot.py imports cli"),
        ("derive/cost.py", "if TYPE_CHECKING:\n    from infercompat.pipeline import Products", "derive/cost.py imports pipeline"),
        ("read.py", "from .shape import x", "read.py imports a relative import of shape"),
        ("newcomer.py", "", "newcomer.py: newcomer has no layer"),
    ],
)
def test_an_upward_import_would_be_found(path, text, fault):
    assert upward_imports({path: text}) == [fault]


def test_downward_imports_pass():
    assert upward_imports({"cli.py": "from infercompat import __version__\nfrom infercompat.join import Matrix\nimport json"}) == []


def test_only_one_module_writes_pages():
    """write.py alone touches the disk; every other module gives values."""
    writing = re.compile(r"\.write_text\(|\.write_bytes\(|open\([^)]*[\"'][wax]b?[\"']")
    texts = sources(PACKAGE, least=60)
    assert [path for path, text in texts.items() if writing.search(text)] == ["write.py"]


# Docstrings and sizes


def docstring_fault(text: str) -> str:
    """What is wrong with a module's docstring: its first line is one sentence, and more stands in paragraphs of their own."""
    docstring = ast.get_docstring(ast.parse(text))
    if not docstring:
        return "no docstring"
    first, _, rest = docstring.partition("\n")
    if not re.fullmatch(r"\S.{10,}[.]", first):
        return f"no sentence: {first}"
    return "" if not rest or rest.startswith("\n") else "more than one line"


def test_every_module_says_what_it_is():
    texts = sources(PACKAGE, least=60) | {f"tests/{path}": text for path, text in sources(TESTS, least=20).items() if text.strip()}
    assert {path: fault for path, text in texts.items() if (fault := docstring_fault(text))} == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = 1", "no docstring"),
        ('"""Things."""', "no sentence: Things."),
        ('"""What this module is for"""', "no sentence: What this module is for"),
        ('"""What this module is for.\nAnd more."""', "more than one line"),
        ('"""What this module is for.\n\nAnd more."""', ""),
    ],
)
def test_a_docstring_fault_would_be_found(text, fault):
    assert docstring_fault(text) == fault


def too_long(texts: Mapping[str, str]) -> dict[str, int]:
    return {path: count for path, text in texts.items() if (count := len(text.splitlines())) > MOST_LINES}


def test_no_module_is_over_400_lines():
    assert too_long(sources(PACKAGE, least=60)) == {}
    assert too_long({"a.py": "x\n" * 401, "b.py": "x\n" * 400}) == {"a.py": 401}


# Tests mirror the source

ALONE = {"__init__.py", "__main__.py"}
OF_THEIR_OWN = re.compile(
    r"test_(guards|catalog|wheel|readme|bench|workflows|vectors)\.py|harvest/test_cells\.py|"
    r"rules/test_(examples|registry)\.py|site/.*|questions/test_questions\.py|answer/test_backends_of_engines\.py"
)
"""Tests of the whole, which mirror no module."""


def untested(modules: set[str], tests: set[str]) -> set[str]:
    """Modules without a test file of their name, or one named after a package that they stand in."""
    found = set()
    for module in modules:
        folder, _, name = module.rpartition("/")
        parts = folder.split("/") if folder else []
        packages = {"/".join((*parts[:depth], f"test_{parts[depth]}.py")) for depth in range(len(parts))}
        if name not in ALONE and not tests & {f"{folder}/test_{name}".lstrip("/"), *packages}:
            found.add(module)
    return found


def of_nothing(modules: set[str], tests: set[str]) -> set[str]:
    """Test files whose module is gone."""
    folders = {"/".join(module.split("/")[:depth]) for module in modules for depth in range(1, module.count("/") + 1)}
    subjects = modules | {f"{folder}.py" for folder in folders}
    return {test for test in tests if not OF_THEIR_OWN.fullmatch(test) and re.sub(r"(^|/)test_([^/]+)$", r"\1\2", test) not in subjects}


def test_tests_mirror_the_source():
    modules = set(sources(PACKAGE, least=60))
    tests = {path for path in sources(TESTS, least=20) if path.rpartition("/")[2].startswith("test_")}
    assert untested(modules, tests) == set()
    assert of_nothing(modules, tests) == set()


def test_a_module_without_tests_would_be_found():
    modules = {"__init__.py", "link.py", "join/cell.py", "derive/readers/gemma.py", "report/text.py"}
    assert untested(modules, {"test_link.py", "derive/test_readers.py"}) == {"join/cell.py", "report/text.py"}
    assert untested(modules, {"test_link.py", "join/test_cell.py", "derive/readers/test_gemma.py", "test_report.py"}) == set()
    assert of_nothing(modules, {"test_link.py", "test_gone.py", "test_join.py", "derive/test_readers.py", "test_guards.py", "join/test_gone.py"}) == {
        "test_gone.py",
        "join/test_gone.py",
    }


def local_paths(text: str) -> list[str]:
    """Paths of one machine, which mean nothing on another."""
    return re.findall(r"(?<![\w.-])/(?:home|root|work|Users)/[\w.-]+", text)


def test_no_file_names_a_folder_of_one_machine():
    texts = sources(PACKAGE, least=60) | sources(TESTS, least=20)
    texts |= {path.name: path.read_text("utf-8") for path in (ROOT / "schemas").glob("*.json")}
    assert {path: found for path, text in texts.items() if (found := local_paths(text))} == {}


def test_a_local_path_would_be_found():
    folder = "/" + "home/somebody"
    assert local_paths(f"see {folder}/x") == [folder]
