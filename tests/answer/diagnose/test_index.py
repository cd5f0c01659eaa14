"""The error-string index over the whole catalog: patterns compile, find their own fault, and are no wider than it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from answer.diagnose.examples import EXAMPLES, MORE
from infercompat.answer.diagnose.index import LONGEST_LINE, compiled, find, literal, patterns

INNOCENT = (Path(__file__).parent / "innocent.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def known(real):
    return patterns(real.catalog)


def found(known, text: str) -> list[str]:
    return sorted(match.gotcha.id for match in find(known, [("", text.split("\n"))]))


def written(real) -> list[tuple[str, str]]:
    """Every pattern as the records have it."""
    gotchas = real.catalog.of_kind("gotcha")
    texts = [(gotcha.id, text) for gotcha in gotchas for text in gotcha.data.get("error_patterns", ())]
    return texts + [(gotcha.id, text) for gotcha in gotchas if (text := gotcha.data.get("detector", {}).get("pattern"))]


def test_every_pattern_compiles(real, known):
    assert {id: text for id, text in written(real) if compiled(text) is None} == {}
    assert len(known) == len(written(real)) >= 60


def test_a_faulty_pattern_is_left_out():
    assert compiled("a(") is None


def test_every_gotcha_with_a_pattern_has_an_example(known):
    assert {pattern.gotcha.id for pattern in known} == {id for ids in EXAMPLES for id in ids}


@pytest.mark.parametrize(("ids", "text"), [*EXAMPLES.items(), *MORE.items()], ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_an_example_shows_its_gotchas_and_no_others(known, ids, text):
    assert found(known, text) == sorted(ids)


def test_every_pattern_is_matched_by_an_example(known):
    texts = [*EXAMPLES.values(), *MORE.values()]
    assert {pattern.pattern.pattern for pattern in known if not any(pattern.pattern.search(text) for text in texts)} == set()


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("out of memory", "out of memory"),
        (r"head_size \(\d+\) is (?:not|un)supported, see", "supported, see"),
        (r"colou?r table", "r table"),
        (r"ab+c{2}longest.*x", "longest"),
        (r"a[bc]|longer", ""),
        (r"(a|b) there", " there"),
        (r"(?i)whatever", ""),
        (r"x\nlonger line\.", "longer line."),
        (r"[^\]|)]quoted(?:a(?:b|c)d|e)?s", ""),
    ],
)
def test_the_words_that_every_match_holds(pattern, words):
    assert literal(pattern) == words


def test_the_words_of_a_pattern_are_in_all_that_it_matches(known):
    for text in (*EXAMPLES.values(), *MORE.values()):
        assert [one.words for one in known for match in one.pattern.finditer(text) if one.words not in match[0]] == []


def plain(pattern: str) -> str:
    """What a pattern says in plain words: escapes and repetitions taken away."""
    text = pattern.replace("\\(", "\0").replace("\\)", "\1")
    text = re.sub(r"\[\^?(?:\\.|[^\]\\])+\][*+?]?(?:\{\d+,\d+\})?|\\[swdb][*+?]?|\(\?[:i]+\)?|[()?|]", " ", text)
    return re.sub(r"\\(.)", r"\1", text).replace("\0", "(").replace("\1", ")")


def test_no_pattern_fits_the_words_of_another(known):
    wide = {
        (one.gotcha.id, other.gotcha.id)
        for one in known
        for other in known
        if one.gotcha.id != other.gotcha.id and one.pattern.pattern != other.pattern.pattern and one.pattern.search(plain(other.pattern.pattern))
    }
    shared = {tuple(sorted(pair)) for pair in wide}
    assert shared == set()


def test_ordinary_lines_show_nothing(known):
    assert len(INNOCENT) >= 80
    assert {line: ids for line in INNOCENT if (ids := found(known, line))} == {}
    assert found(known, "\n".join(INNOCENT)) == []


@pytest.mark.parametrize("wide", ["Using .*TRITON_ATTN", "illegal memory access", "mat1 and mat2 shapes", "too many values to unpack"])
def test_a_pattern_that_is_too_wide_would_be_found(wide):
    assert any(re.search(wide, line) for line in INNOCENT)


def test_patterns_stay_quick_on_what_provokes_them(known):
    """Each pattern over a megabyte of the words that it begins with: no pattern may look at a line again and again."""
    slow = {}
    for pattern in known:
        start = re.split(r"[\[(\\.*+?|{]", pattern.pattern.pattern.removeprefix("(?i)").lstrip("(?:"))[0] or "x"
        text = "\n".join([(start + " ") * (4000 // (len(start) + 1))] * 250)
        began = time.process_time()
        sum(1 for _ in pattern.pattern.finditer(text))
        if (spent := time.process_time() - began) > 2:
            slow[pattern.pattern.pattern] = spent
    assert slow == {}


def test_a_match_has_its_line_and_how_often(known):
    line = "x" * 500 + "RotatingKVCache Quantization NYI"
    matches = find(known, [("a.log", ["first", line, line]), ("b.log", [line])])
    assert {(match.source, match.line, match.count) for match in matches} == {("a.log", 2, 2)}
    assert {match.gotcha.id for match in matches} == set(next(ids for ids, text in EXAMPLES.items() if "RotatingKVCache" in text))
    assert all(match.text == "x" * LONGEST_LINE + " …" for match in matches)


def test_a_match_over_several_lines_stands_at_its_last(known):
    lines = ['File "mlx_lm/models/gemma3n.py", line 133', "    keys, values = cache.state", "ValueError: too many values to unpack (expected 2)"]
    assert [(match.line, match.text) for match in find(known, [("", lines)])] == [(3, lines[2])]
