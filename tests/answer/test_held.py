"""Threads held against answers: a verdict has to be the same word, a figure within three percent."""

from __future__ import annotations

import pytest

from infercompat.answer import held
from infercompat.answer.check import Assessor

WORDS = {"supported": "yes", "unsupported": "no", "bytes": "bytes"}


def asked(products, thread: str, **line):
    entry = {"id": "one", "url": "https://example.com/1", "question": "?", "thread": thread, "answer": "!", "asks": [line]}
    [found] = held.held(Assessor(products), {"words": WORDS, "questions": [entry]})
    return found


@pytest.mark.parametrize(("thread", "met"), [("supported", False), ("unsupported", True)])
def test_a_verdict_is_met_by_the_same_word(real, thread, met):
    found = asked(real, thread, ask="check gpt-oss-20b vllm@0.33.0 --hardware t4")
    assert (found.met, found.asked[0].verdict) == (met, "no")
    assert asked(real, thread, ask="check gpt-oss-20b vllm@0.33.0 --hardware t4", verdict="no").met


@pytest.mark.parametrize(("thread", "met"), [(67_500, True), (67_600, False), (63_700, True), (63_500, False)])
def test_a_figure_is_met_within_three_percent(real, thread, met):
    """Qwen3.5 27B keeps 16 layers x 4 heads x 256 x K and V x 2 bytes = 65,536 bytes a token; 67,563 and 63,627 are three percent away."""
    assert asked(real, "bytes", ask="cache qwen3.5-27b", figures=[{"at": "cache.naive.bytes_per_token", "is": thread}]).met is met


def test_a_figure_that_nobody_gives_and_a_line_that_is_refused_are_not_met(real):
    assert not asked(real, "bytes", ask="cache qwen3.5-27b", figures=[{"at": "cache.nothing", "is": 1}]).met
    refused = asked(real, "supported", ask="check qwen3.5-27b no-such-engine", figures=[{"at": "x", "is": 1, "unit": "GB"}])
    assert (refused.met, refused.asked[0].verdict, refused.asked[0].figures[0].ours) == (False, "refused", None)


def test_units_scale():
    assert held.Figure("x", 8.0, 8.2, "GB").met and not held.Figure("x", 8.0, 8.3, "GB").met
    assert held.SCALES == {"GB": 10**9, "GiB": 2**30, "MiB": 2**20}
