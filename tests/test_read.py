"""Reading: spans, the scalars of YAML 1.2, what is refused and where, and places inside strings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.diagnostic import Diagnostic
from infercompat.read import MAX_BYTES, parse, plain_scalar, read_catalog
from infercompat.records import Document, walk


def read(text: str | bytes) -> tuple[Document | None, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return parse("x.yaml", text if isinstance(text, bytes) else text.encode(), found), found


def document(text: str) -> Document:
    made, found = read(text)
    assert found == []
    return made


def faults(text: str | bytes) -> list[tuple[str, int, int]]:
    made, found = read(text)
    assert made is None
    return [(diagnostic.rule, diagnostic.span.line, diagnostic.span.column) for diagnostic in found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.10", 0.1), ("no", "no"), ("yes", "yes"), ("on", "on"), ("y", "y"), ("12:30", "12:30"), ("1:2:3", "1:2:3"),
        ("2026-01-02", "2026-01-02"), ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"), ("007", 7), ("-0", 0), ("+12", 12),
        ("0o17", 15), ("017", 17), ("0x1F", 31), ("0b11", "0b11"), ("1_000", "1_000"), ("1e3", 1000.0), ("1E-2", 0.01), (".5", 0.5),
        ("5.", 5.0), ("-.5e1", -5.0), ("~", None), ("null", None), ("Null", None), ("nULL", "nULL"), ("true", True), ("True", True),
        ("TRUE", True), ("tRUE", "tRUE"), ("false", False), ("0.11.0", "0.11.0"), ("1.2.3rc1", "1.2.3rc1"), ("b7000", "b7000"),
        ("1e", "1e"), (".", "."), ("-", "-"), ("0x", "0x"), ("", None), ("e3", "e3"), ("١٢", "١٢"),
    ],
)  # fmt: skip
def test_plain_scalar(text, value):
    assert plain_scalar(text) == value
    assert type(plain_scalar(text)) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.inf", ".nan", "1e999", "9" * 5000, "0x" + "f" * 5000])
def test_numbers_that_json_cannot_hold_stay_text(text):
    assert plain_scalar(text) == text


def test_quoted_scalars_are_text():
    assert document("a: '0.10'\nb: \"true\"\nc: '~'\nd: |\n  12\n").data == {"a": "0.10", "b": "true", "c": "~", "d": "12\n"}


def test_spans_of_keys_and_values():
    made = document('name: Tiny\nreleases:\n  - {version: "1.0", date: 2026-01-02}\n  - version: 2\n')
    places = {
        ("name",): ((1, 1, 1, 5), (1, 7, 1, 11)),
        ("releases", 0, "version"): ((3, 6, 3, 13), (3, 15, 3, 20)),
        ("releases", 0, "date"): ((3, 22, 3, 26), (3, 28, 3, 38)),
        ("releases", 1, "version"): ((4, 5, 4, 12), (4, 14, 4, 15)),
    }
    for path, (key, value) in places.items():
        assert tuple(made.key_span(path))[1:] == key
        assert tuple(made.span(path))[1:] == value
    assert (made.span(("releases", 0)).line, made.span(("releases", 0)).column) == (3, 5)
    assert str(made.span(("name",))) == "x.yaml:1:7"


def test_the_span_of_what_is_not_there_is_that_of_the_nearest_node_above():
    made = document("a:\n  b: 1\n")
    assert made.span(("a", "b", "c", 0)) == made.span(("a", "b"))
    assert made.key_span(("a", "zz")) == made.span(("a",))
    assert made.span(("zz",)) == made.span()


def test_columns_count_characters_not_bytes():
    made = document('é: "日本"  # ü\nb: {é: x}\n')
    assert tuple(made.span(("é",)))[1:] == (1, 4, 1, 8)
    assert tuple(made.span(("b", "é")))[1:] == (2, 8, 2, 9)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\nb: 2\na: 3\n", [("YAML002", 3, 1)]),
        ('a: 1\n"a": 3\n', [("YAML002", 2, 1)]),
        ("m: {x: 1, y: 2, x: 3}\n", [("YAML002", 1, 17)]),
        ("a: 1\na: 2\na: 3\n", [("YAML002", 2, 1), ("YAML002", 3, 1)]),
        ("a: &x 1\nb: *x\n", [("YAML003", 1, 4), ("YAML003", 2, 4)]),
        ("a: &x [1]\n", [("YAML003", 1, 4)]),
        ("&x a: 1\n", [("YAML003", 1, 1)]),
        ("!!str a: 1\n", [("YAML003", 1, 1)]),
        ("a: !!int 3\n", [("YAML003", 1, 4)]),
        ("a: !mine {b: 1}\n", [("YAML003", 1, 4)]),
        ("a: !!python/object/apply:os.system ['true']\n", [("YAML003", 1, 4)]),
        ("a: ! x\n", [("YAML003", 1, 4)]),
        ("<<: {a: 1}\n", [("YAML003", 1, 1)]),
        ("a: >\n  b\n  c\n", [("YAML004", 1, 4)]),
        ("a: >-\n  b\n", [("YAML004", 1, 4)]),
        ("a: 'b\n  c'\n", [("YAML004", 1, 4)]),
        ('a: "b\n  c"\n', [("YAML004", 1, 4)]),
        ("a: b\n  c\n", [("YAML004", 1, 4)]),
        ('- [b,\n   "c\n    d"]\n', [("YAML004", 2, 4)]),
        ("", [("YAML001", 1, 1)]),
        ("# nothing\n", [("YAML001", 1, 1)]),
        ("a: 1\n---\nb: 2\n", [("YAML001", 2, 1)]),
        ("a: b: c\n", [("YAML001", 1, 5)]),
        ("a:\n\tb: 1\n", [("YAML001", 2, 1)]),
        ("[[x]]: 1\n", [("YAML001", 1, 1)]),
        ("? {a: 1}\n: 2\n", [("YAML001", 1, 3)]),
        ("*x : 1\n", [("YAML001", 1, 1)]),
        ("a: [1\n", [("YAML001", 2, 1)]),
        (b"a: 1\nb: x\xff\n", [("YAML001", 2, 5)]),
        ("é: ü".encode() + b"\xff", [("YAML001", 1, 5)]),
        (b"\xef\xbb\xbfa: \xff", [("YAML001", 1, 4)]),
        ("a: 1\n".encode("utf-16"), [("YAML001", 1, 1)]),
        (b"a: \x00\n", [("YAML001", 1, 1)]),
        (b"a: \x1b[31m\n", [("YAML001", 1, 1)]),
    ],
)
def test_refused_with_its_place(text, found):
    assert faults(text) == found


def test_the_second_key_points_at_the_first():
    _, found = read("b:\n  key: 1\n  key: 2\n")
    assert [(label, span.line, span.column) for label, span in found[0].related] == [("first here", 2, 3)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a:\n\tb: 1\n", "spaces"),
        ("a: b: c\n", "double quotes"),
        ("[[x]]: 1\n", "bare id"),
        ("a: >\n  b\n", "literal block"),
        ("a: 1\n---\nb: 2\n", "---"),
    ],
)
def test_help_says_what_to_do(text, words):
    _, found = read(text)
    assert words in found[0].help


def test_an_unquoted_wiki_link_is_read_as_nested_lists():
    assert document("model: [[tiny-model]]\n").data == {"model": [["tiny-model"]]}


@pytest.mark.parametrize(("opening", "closing", "most"), [("[", "]", 40), ("{a: ", "}", 39), ("[{a: ", "}]", 19)])
def test_depth(opening, closing, most):
    """40 nodes may stand below the root, the innermost value among them."""
    assert read("top: " + opening * most + closing * most)[1] == []
    assert {rule for rule, _, _ in faults("top: " + opening * (most + 1) + closing * (most + 1))} == {"YAML005"}


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 100_000, "- " * 50_000, "? " * 50_000, "a: " + "[{a: " * 20_000])
def test_a_file_that_only_nests_is_refused(text):
    assert faults(text)


def test_size():
    head = b"a: "
    assert read(head + b"x" * (MAX_BYTES - len(head)))[1] == []
    assert faults(head + b"x" * (MAX_BYTES - len(head) + 1)) == [("YAML005", 1, 1)]


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbfa: x\nb:\n  - y\n", b"a: x\r\nb:\r\n  - y\r\n", b"---\na: x\nb:\n  - y\n...\n", b"%YAML 1.2\n---\na: x\nb: [y]\n"]
)
def test_byte_order_mark_line_ends_and_document_marks(content):
    made, found = read(content)
    assert found == []
    assert made.data == {"a": "x", "b": ["y"]}


def test_columns_with_windows_line_ends_and_byte_order_mark():
    made, _ = read(b"\xef\xbb\xbfa: x\r\nb:\r\n  - y\r\n")
    assert tuple(made.span(("a",)))[1:] == (1, 4, 1, 5)
    assert tuple(made.span(("b", 0)))[1:] == (3, 5, 3, 6)
    assert made.lines == ("a: x", "b:", "  - y", "")


LINK = "[[x]]"


def place(text: str, path: tuple) -> tuple[int, int, int]:
    """Line, first column and width of the last [[x]] in the string at a path."""
    made = document(text)
    value = made.data
    for step in path:
        value = value[step]
    start = value.rindex(LINK)
    span = made.span_inside(path, start, start + len(LINK))
    assert span.end_line == span.line
    return span.line, span.column, span.end_column - span.column


@pytest.mark.parametrize(
    ("text", "path", "at"),
    [
        ("a: see [[x]] there\n", ("a",), (1, 8, 5)),
        ("a: z [[x]] [[x]]\n", ("a",), (1, 12, 5)),
        ('a: "see [[x]]"\n', ("a",), (1, 9, 5)),
        ("a: '[[x]]'\n", ("a",), (1, 5, 5)),
        ('a: "say \\"hi\\" [[x]]"\n', ("a",), (1, 16, 5)),
        ('a: "\\u00e9\\x41\\U0001F600 [[x]]"\n', ("a",), (1, 26, 5)),
        ("a: 'it''s [[x]]'\n", ("a",), (1, 11, 5)),
        ('[{k: 1}, {k: "[[x]] and [[x]]"}]\n', (1, "k"), (1, 25, 5)),
        ("a: |\n  [[x]]\n", ("a",), (2, 3, 5)),
        ("a: |\n  one\n\n  two [[x]]\n", ("a",), (4, 7, 5)),
        ("a:\n  b:\n    - c: |\n        deep\n          deeper [[x]]\n", ("a", "b", 0, "c"), (5, 18, 5)),
        ("a: |2\n    four and [[x]]\n", ("a",), (2, 14, 5)),
        ("a: |-  # kept\n\n   [[x]]\n", ("a",), (3, 4, 5)),
        ("a: |\r\n  one\r\n  [[x]]\r\n", ("a",), (3, 3, 5)),
        ("a: |\n  é日 [[x]]\n", ("a",), (2, 6, 5)),
    ],
)
def test_a_place_inside_a_string(text, path, at):
    assert place(text, path) == at


def test_a_piece_with_escapes_is_as_wide_as_it_is_written():
    made = document('a: "[[x|say \\"hi\\"]] end"\n')
    span = made.span_inside(("a",), 0, len('[[x|say "hi"]]'))
    assert (span.column, span.end_column) == (5, 21)


prose = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_characters="\x7f\x85\u2028\u2029", exclude_categories=["Cc", "Cs"]), max_size=20)


@given(prose, prose, st.sampled_from(["json", "single", "literal"]))
def test_a_place_inside_any_string_shows_its_piece(before, after, style):
    value = f"{before}{LINK}{after}"
    written = {"json": json.dumps(value), "single": "'" + value.replace("'", "''") + "'", "literal": f"|1\n {value}"}[style]
    text = f"a: {written}\n"
    made = document(text)
    span = made.span_inside(("a",), len(before), len(before) + len(LINK))
    assert text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1] == LINK


def in_order(content: bytes) -> None:
    """Reading gives a document whose nodes and keys all have places, or faults with places in the file."""
    made, found = read(content)
    assert (made is None) is bool(found)
    assert all(diagnostic.span.line >= 1 and diagnostic.span.column >= 1 for diagnostic in found)
    for path, _ in walk(made.data) if made else ():
        assert path in made.spans
        assert not path or isinstance(path[-1], int) or path in made.key_spans


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    in_order(content)


@given(st.text("ab0.:-[]{}|>&*!#'\"\\ \n\t,?%@~<=", max_size=60))
def test_any_small_yaml_is_read_or_refused(text):
    in_order(text.encode())


def test_read_catalog_takes_kinds_from_folders_and_ids_from_names(tmp_path):
    folder = tmp_path / "catalog"
    files = {
        "models/mistralai/mistral-7b-v0.1.yaml": "name: M\n",
        "engines/llama.cpp.yaml": "name: L\n",
        "vocabulary.yaml": "words: {}\n",
        "notices/a.yaml": "name: N\n",
        "engines/b.yml": "name: B\n",
        "engines/.hidden.yaml": "name: H\n",
        "engines/notes.txt": "no YAML\n",
        "engines/broken.yaml": "a: [\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found: list[Diagnostic] = []
    read_files = read_catalog(folder, found)
    assert [(record.id, record.kind, record.folder, record.path) for record in read_files.records] == [
        ("llama.cpp", "engine", "", "catalog/engines/llama.cpp.yaml"),
        ("mistral-7b-v0.1", "model", "mistralai", "catalog/models/mistralai/mistral-7b-v0.1.yaml"),
    ]
    assert list(read_files.extras) == ["vocabulary.yaml"]
    assert read_files.count == 6
    assert [(diagnostic.rule, diagnostic.span.path) for diagnostic in found] == [
        ("YAML006", "catalog/engines/b.yml"),
        ("YAML001", "catalog/engines/broken.yaml"),
        ("YAML006", "catalog/notices/a.yaml"),
    ]


def test_read_catalog_tells_of_a_file_that_cannot_be_opened(tmp_path):
    (tmp_path / "catalog" / "engines").mkdir(parents=True)
    (tmp_path / "catalog" / "engines" / "gone.yaml").symlink_to(tmp_path / "nowhere")
    found: list[Diagnostic] = []
    assert read_catalog(tmp_path / "catalog", found).count == 1
    assert [(diagnostic.rule, str(diagnostic.span)) for diagnostic in found] == [("YAML001", "catalog/engines/gone.yaml:1:1")]
    assert "cannot be read" in found[0].message
