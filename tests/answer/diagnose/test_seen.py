"""What is seen carries the name of its text, all the way down."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose.seen import Reading, Seen, alike, holding, once, reading


def test_a_source_reaches_what_a_command_says():
    inner = Seen("fact", "tensor_parallel", 2, 4)
    command = Seen("command", "vllm", (inner,), 3).within("serve.sh")
    assert (command.source, command.value[0].source, command.value[0].line) == ("serve.sh", "serve.sh", 4)
    assert inner.within("a").value == 2


def test_a_reading_is_plain():
    assert reading([], [2, 1, 2]) == Reading((), frozenset({1, 2}))


@pytest.mark.parametrize("words", [("a1",), ("a2", "b"), ("x", ""), ("é9",), ("no",)])
def test_lines_are_found_by_words_as_they_stand(words):
    lines = ["a1", "a2 b", "", "c x", "é9", "a1 again"]
    assert holding(lines, words) == {place for place, line in enumerate(lines) if any(word in line for word in words)}


def test_lines_that_differ_in_numbers_are_looked_at_once():
    assert once(["took 12 s", "took 13 s", "took 123 s"]) == b"took 00 s\ntook 000 s"
    assert alike("v1.2") in once(["x", "v3.4 y"])
