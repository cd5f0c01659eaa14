"""Shell text to words: every quoting form, continuations, variables, operators, JSON values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.diagnose.page import same_on_the_page
from infercompat.answer.diagnose.words import Flag, Word, as_table, command_at, expand, flags, leaves, literal, until_operator


def words(text: str) -> list[str]:
    return [word.text for word in command_at(text.split("\n"), 0)[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm serve m --x 1", ["vllm", "serve", "m", "--x", "1"]),
        ("vllm serve 'a b' \"c d\" e\\ f", ["vllm", "serve", "a b", "c d", "e f"]),
        ("vllm serve m \\\n  --x 1 \\\n  --y", ["vllm", "serve", "m", "--x", "1", "--y"]),
        ("vllm serve m `\n  --x 1", ["vllm", "serve", "m", "--x", "1"]),
        ("vllm serve m ^\n  --x 1", ["vllm", "serve", "m", "--x", "1"]),
        ("vllm serve m \\   \n  --x 1", ["vllm", "serve", "m", "--x", "1"]),
        ("vllm serve m\n  --x 1\n  -tp 2\nnot this", ["vllm", "serve", "m", "--x", "1", "-tp", "2"]),
        ("vllm serve --c '{\"a\": 1}'", ["vllm", "serve", "--c", '{"a": 1}']),
        ('vllm serve --c "{\\"a\\": 1}"', ["vllm", "serve", "--c", '{"a": 1}']),
        ("vllm serve --c '{\n  \"a\": 1\n}' --x", ["vllm", "serve", "--c", '{\n  "a": 1\n}', "--x"]),
        ("vllm serve doesn't start with --x", ["vllm", "serve", "doesn’t", "start", "with", "--x"]),
        ("vllm serve 'never closed", ["vllm", "serve", "'never", "closed"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_each_word_has_its_line():
    found, end = command_at(["vllm serve m \\", "  --max-model-len 1 \\", '  --c \'{"a": 1,', '  "b": 2}\'', "after"], 0)
    assert found[:5] == [Word("vllm", 1), Word("serve", 1), Word("m", 1), Word("--max-model-len", 2), Word("1", 2)]
    assert found[5:] == [Word("--c", 3), Word('{"a": 1,\n  "b": 2}', 3)]
    assert end == 4


@pytest.mark.parametrize("end", ["| tee log", "> log", "2>&1", "&& echo", "; echo", "|| true", "& ", "&> log", "# why"])
def test_a_command_ends_at_an_operator(end):
    found = until_operator([Word(text, 1) for text in f"vllm serve m {end}".split()])
    assert [word.text for word in found] == ["vllm", "serve", "m"]
    assert [word.text for word in until_operator([Word("m;", 1), Word("echo", 1)])] == ["m"]


def test_variables():
    texts = ["$A", "${A}", "$(A)", "${B:-two}", "${C}", "x$A-y"]
    assert [word.text for word in expand([Word(text, 1) for text in texts], {"A": Word("one", 1)})] == ["one", "one", "one", "two", "${C}", "xone-y"]


def flagged(text: str, bare: tuple[str, ...] = ()) -> tuple[list[tuple], list[str]]:
    found, between = flags([Word(text, 1) for text in words(f"p {text}")[1:]], lambda name: name in bare)
    assert all(flag.line == 1 for flag in found)
    return [(flag.name, flag.value) for flag in found], [word.text for word in between]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--x 1 m", ([("--x", "1")], ["m"])),
        ("--x=1 m", ([("--x", "1")], ["m"])),
        ("--x -1", ([("--x", "-1")], [])),
        ("--x --y", ([("--x", None), ("--y", None)], [])),
        ("--on m", ([("--on", None)], ["m"])),
        ("--on false m", ([("--on", "false")], ["m"])),
        ("-tp=2 -c 8", ([("-tp", "2"), ("-c", "8")], [])),
        ("--x fp8, and", ([("--x", "fp8")], ["and"])),
        ("--c.a 1 --c.b.c=2", ([("--c.a", "1"), ("--c.b.c", "2")], [])),
        ('--c \'{"a": 1, "b": {"c": true}}\'', ([("--c.a", 1), ("--c.b.c", True)], [])),
        ("--c \"{'a': None}\"", ([("--c.a", None)], [])),
        ("--c '{broken'", ([("--c", "{broken")], [])),
        ("--x ''", ([("--x", "")], [])),
    ],
)
def test_flags(text, expected):
    assert flagged(text, bare=("--on",)) == expected


def test_tables():
    assert as_table("{'a': True}") == {"a": True}
    assert as_table("[1]") is None
    assert as_table("{" * 5000) is None
    assert list(leaves({"a": {"b": 1}, "c": [2]})) == [("a.b", 1), ("c", [2])]
    assert Flag("--x", None, 1).value is None


@given(st.text(alphabet=st.sampled_from("vllm serve-'\"\\{}$=;|\n #")))
def test_any_text_has_words(text):
    found, end = command_at(text.split("\n"), 0)
    flags(until_operator(expand(found, {})), lambda name: False)
    assert 1 <= end <= text.count("\n") + 1


WRITTEN = [
    *(("1", 1), (".9", 0.9), ("0x2000", 0x2000), ("1_000", 1000), ("1e3", 1000), ("1.0", 1), ("-5", -5), ("1__0", None), ("01", None), ("0b11", 3)),
    *(("'a' 'b'", "ab"), (r"'C:\\models'", "C:\\models"), ("(1)", 1), ("(1,)", [1]), ("{'a': (1, 2)}", {"a": [1, 2]}), ("true", True), ("True", True)),
    *(
        ("...", None),
        ("{1, 2}", None),
        ("{1: 2}", None),
        ("b'x'", None),
        ("1j", None),
        ("1e999", None),
        ("NaN", None),
        ("{'a': set()}", None),
        ("9" * 400, None),
    ),
    *(("'\\ud800'", None), ("constructor", None), ("__proto__", None), ("[" * 3000, None), ("-" * 3000 + "1", None)),
]


def test_a_value_is_one_that_json_can_hold():
    assert [(text, found) for text, wanted in WRITTEN if (found := literal(text)) != wanted or type(found) is not type(wanted)] == []


def test_the_page_reads_the_same_values(real, tmp_path):
    texts = [f'LLM(model="a/b-1", x={text})' for text, _ in WRITTEN] + [f"vllm serve a/b-1 --x '{{\"y\": {text}}}'" for text, _ in WRITTEN if "'" not in text]
    same_on_the_page(real, texts, tmp_path)
