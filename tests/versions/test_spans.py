"""Spans of versions: their bounds, and how an entry reaches a version that nobody read."""

from __future__ import annotations

import pytest

from infercompat.versions import reach

ENGINE = {"scheme": "pep440", "releases": [{"version": v, "date": d} for v, d in (("1.2.0", "2026-03-01"), ("1.1.0", "2026-02-01"), ("1.0.0", "2026-01-01"))]}


@pytest.mark.parametrize(
    ("span", "version", "how"),
    [
        ({"seen_at": ["1.1.0"]}, "1.1.0", "exact"),
        ({"seen_at": ["1.1.0"]}, "1.1.3", "same-minor"),
        ({"seen_at": ["1.0.0", "1.2.0"]}, "1.1.0", "interpolated"),
        ({"seen_at": ["1.1.0"]}, "1.2.0", "carried"),
        ({"since": "1.1.0", "seen_at": ["1.1.0"]}, "1.1.0", "exact"),
        ({"until": "1.2.0", "seen_at": ["1.1.0"]}, "1.1.9", "same-minor"),
    ],
)
def test_within_the_span(span, version, how):
    found = reach(ENGINE, span, version)
    assert (found.status, found.how) == ("native", how)


@pytest.mark.parametrize(
    ("span", "version"),
    [
        ({"since": "1.1.0", "seen_at": ["1.1.0"]}, "1.0.9"),
        ({"until": "1.2.0", "seen_at": ["1.1.0"]}, "1.2.0"),
        ({"until": "1.2.0", "seen_at": ["1.1.0"]}, "2.0.0"),
    ],
)
def test_outside_of_it(span, version):
    assert reach(ENGINE, span, version) is None


def test_what_was_read_does_not_reach_far_back():
    assert reach(ENGINE, {"seen_at": ["1.2.0"]}, "1.0.0").status is None
