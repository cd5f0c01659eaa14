"""What harvesters share: files, trees and dict literals are read as Python itself would, and a tiny registry is never believed."""

from __future__ import annotations

import ast
import warnings
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from catalogs import ROOT
from infercompat.harvest import HARVESTERS, Refused, Tree, base
from infercompat.harvest.base import File, assigned, assignments, claim, entries

from .trees import grow, said

# printf 'class Model(nn.Module):' | sha256sum
DIGEST = "a2718a5d024528b818de8967fe96cba4a21584421da2c9c4119db836d77bbf51"


@pytest.mark.parametrize(
    "content",
    [
        b"class Model(nn.Module):\n    x = 1\n",
        b"class Model(nn.Module):\r\n    x = 1\r\n",
        b"\xef\xbb\xbfclass Model(nn.Module):\n",
        b"class Model(nn.Module):",
    ],
    ids=["lines", "carriage returns", "byte order mark", "no line end"],
)
def test_a_line_has_one_digest_however_its_file_ends_lines(tmp_path, content):
    file = grow(tmp_path, {"a.py": content}).file("a.py")
    assert file.digest(1) == DIGEST


def test_a_digest_is_of_the_whole_line_with_its_indent():
    assert File("a.py", "x = 1\n  class Model(nn.Module):").digest(2) != DIGEST


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\ny = (\n", "a.py:2: not Python that this version can read: '(' was never closed"),
        ("print 'old'\n", "a.py:1: not Python that this version can read: "),
        ("x = 1\0\n", "a.py"),
        ("x = " + "-" * 200_000 + "1\n", "a.py"),
    ],
)
def test_a_file_that_is_no_python_is_refused_in_one_line(text, told):
    with pytest.raises(Refused) as refused:
        _ = File("a.py", text).module
    assert str(refused.value).startswith(told)
    assert "not Python that this version can read" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("error", "told"), [(MemoryError(), "MemoryError"), (RecursionError("too deep"), "too deep"), (ValueError("null"), "null")])
def test_whatever_stops_the_parser_is_told(monkeypatch, error, told):
    def stop(text):
        raise error

    monkeypatch.setattr(base, "ast", SimpleNamespace(parse=stop))
    with pytest.raises(Refused, match=f"a.py: not Python that this version can read: {told}"):
        _ = File("a.py", "x = 1").module


def test_what_upstream_is_warned_of_is_not_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert File("a.py", "x = '\\d'\n").module.body


def test_a_file_is_the_first_of_its_places(tmp_path):
    tree = grow(tmp_path, {"new/a.py": "new", "old/a.py": "old", "dir.py/x": ""})
    assert tree.file("gone/a.py", "new/a.py", "old/a.py") == File("new/a.py", "new")
    with pytest.raises(Refused, match=r"none of gone/a\.py, dir\.py is there"):
        tree.file("gone/a.py", "dir.py")


def test_bytes_that_are_no_text_do_not_stop_a_harvest(tmp_path):
    assert grow(tmp_path, {"a.py": b"# caf\xe9\nx = 1\n"}).file("a.py").lines[1] == "x = 1"


def test_files_of_a_folder_come_by_name_and_are_files(tmp_path):
    tree = grow(tmp_path, {"m/b.py": "", "m/a.py": "", "m/c.txt": "", "m/d.py/e.py": "", "m/f.py": "", "other/z.py": ""})
    assert [file.path for file in tree.files("gone", "m", "other")] == ["m/a.py", "m/b.py", "m/f.py"]
    assert [file.path for file in tree.files("m", pattern="*.txt")] == ["m/c.txt"]
    with pytest.raises(Refused, match="none of gone, away is there"):
        tree.files("gone", "away")


def test_a_claim_names_its_file_only_where_the_source_is_a_folder():
    file = File("models/a.py", "x\ny\n")
    assert [claim(file, 2, "native", named=named, architecture="A").at for named in (True, False)] == ["a.py L2", "L2"]


def reader(*names: str):
    """A harvester whose tree says these names, each on the line of its place."""
    file = File("a.py", "\n".join(names))
    return replace(HARVESTERS["vllm"], read=lambda tree: [claim(file, line, "native", architecture=name) for line, name in enumerate(names, 1)])


def test_one_claim_a_subject_on_its_first_line(tmp_path):
    assert said(replace(reader("A", "B", "A"), least=2).claims(Tree(tmp_path))) == ["A native L1", "B native L2"]


@pytest.mark.parametrize("names", [(), ("A",), ("A", "A", "A")])
def test_an_empty_or_tiny_registry_is_an_error(tmp_path, names):
    count = len(set(names))
    with pytest.raises(Refused, match=f"vllm: only {count} claims were read, fewer than 2: the source has changed its shape"):
        replace(reader(*names), least=2).claims(Tree(tmp_path))


def test_every_harvester_expects_a_registry_of_some_size_of_an_engine_that_is_there():
    assert len(HARVESTERS) >= 15
    assert all(harvester.engine == engine for engine, harvester in HARVESTERS.items())
    assert all(harvester.least >= (10 if harvester.complete else 3) for harvester in HARVESTERS.values())
    assert all((ROOT / "catalog" / "engines" / f"{engine}.yaml").is_file() for engine in HARVESTERS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("X = 1", "1"),
        ("X: dict[str, str] = {}", "{}"),
        ("X: dict", None),
        ("X: dict = {}\nX: dict", "{}"),
        ("X = {}\nX = {'a': 1}", "{'a': 1}"),
        ("Y = X = 2", "2"),
        ("X, Y = 1, 2", None),
        ("X.a = 1\nX['b'] = 2", None),
        ("if True:\n    X = 1", None),
        ("class A:\n    X = 1", None),
        ("def X(): ...", None),
        ("", None),
    ],
)
def test_the_value_of_a_name_at_the_top_of_a_module(text, value):
    found = assigned(ast.parse(text), "X")
    assert (found and ast.unparse(found)) == value


def test_assignments_come_in_the_order_of_their_lines():
    assert [name for name, _ in assignments(ast.parse("B = 1\nA: int = 2\nB = 3\nC: int\nD = E = 4"))] == ["B", "A", "B", "D", "E"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{'a': 1, 'b': (2, 3)}", {"a": "1", "b": "(2, 3)"}),
        ("{}", {}),
        ("{'a': 1, **{'b': 2}, **OTHER, **{k: v for k, v in X}}", {"a": "1", "b": "2"}),
        ("{NAME: 1, f'{x}': 2, 'a': 3}", {"a": "3"}),
        ("OrderedDict([('a', 1), ('b', 2)])", {"a": "1", "b": "2"}),
        ("OrderedDict((('a', 1),))", {"a": "1"}),
        ("collections.OrderedDict([('a', 1), *list(X.items()), ['b', 2], ('c',), (NAME, 3)])", {"a": "1"}),
        ("OrderedDict({'a': 1})", {"a": "1"}),
        ("OrderedDict()", {}),
        ("OrderedDict(X)", {}),
        ("{'a', 'b'}", {}),
        ("{k: v for k, v in X}", {}),
        ("None", {}),
    ],
)
def test_entries_of_a_dict_literal_or_of_pairs(text, found):
    assert {key: ast.unparse(value) for key, value, _ in entries(ast.parse(text).body[0].value)} == found


def test_entries_of_nothing():
    assert list(entries(None)) == []


def test_entries_have_the_line_of_their_key():
    value = ast.parse("{\n 'a': (\n  1,\n ),\n **{\n  'b': 2}}").body[0].value
    assert [(key, line) for key, _, line in entries(value)] == [("a", 2), ("b", 6)]
