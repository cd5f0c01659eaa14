"""What is seen carries the name of its text, all the way down."""

from __future__ import annotations

from infercompat.answer.diagnose.seen import Reading, Seen, reading


def test_a_source_reaches_what_a_command_says():
    inner = Seen("fact", "tensor_parallel", 2, 4)
    command = Seen("command", "vllm", (inner,), 3).within("serve.sh")
    assert (command.source, command.value[0].source, command.value[0].line) == ("serve.sh", "serve.sh", 4)
    assert inner.within("a").value == 2


def test_a_reading_is_plain():
    assert reading([], [2, 1, 2]) == Reading((), frozenset({1, 2}))
