"""Which release a person means."""

import pytest

from infercompat.versions import Selection, select

VLLM = [
    {"version": "0.34.0rc1", "date": "2026-11-20"},
    {"version": "0.33.0", "date": "2026-11-10"},
    {"version": "0.11.2", "date": "2025-11-25"},
    {"version": "0.12.0", "date": "2025-11-20"},
    {"version": "0.11.1", "date": "2025-11-01"},
    {"version": "0.11.0", "date": "2025-10-02"},
    {"version": "0.1.dev20073", "date": "2026-08-30"},
]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, Selection("0.33.0", True)),
        ("0.33.0", Selection("0.33.0", False)),
        ("v0.33", Selection("0.33.0", False)),
        ("0.34.0rc1", Selection("0.34.0rc1", False)),
        ("0.1.dev20073", Selection("0.1.dev20073", False)),
        ("0.11.*", Selection("0.11.2", False)),
        ("0.11.x", Selection("0.11.2", False)),
        ("0.*", Selection("0.33.0", False)),
        ("0.34.*", Selection("0.34.0rc1", False)),
        ("2025-11-20", Selection("0.12.0", False)),
        ("2025-11-19", Selection("0.11.1", False)),
        ("2025-12-01", Selection("0.12.0", False)),
        ("2025-10-01", None),
        ("2026-13-45", None),
        ("0.25.1", None),
        ("0.13.*", None),
        ("one-point-zero", None),
    ],
)
def test_select(wanted, expected):
    assert select("pep440", wanted, VLLM) == expected


def test_only_prereleases():
    releases = [{"version": "1.3.0rc9", "date": "2026-09-01"}, {"version": "1.3.0rc11", "date": "2026-10-01"}]
    assert select("pep440", None, releases) == Selection("1.3.0rc11", True)


def test_builds_and_commits():
    builds = [{"version": "b7621", "date": "2026-01-03"}, {"version": "b10488", "date": "2026-08-30"}]
    assert select("build", "7621", builds) == Selection("b7621", False)
    assert select("build", None, builds) == Selection("b10488", True)
    commits = [{"version": "79d603f0", "date": "2026-07-23"}, {"version": "95009ea6", "date": "2026-08-21"}]
    assert select("commit", None, commits) == Selection("95009ea6", True)
    assert select("commit", "79d603f01c2d", commits) == Selection("79d603f0", False)
    assert select("commit", "2026-08-01", commits) == Selection("79d603f0", False)


def test_a_commit_that_fits_two_is_none_of_them():
    commits = [{"version": "79d603f0a", "date": "2026-07-23"}, {"version": "79d603f0b", "date": "2026-08-21"}]
    assert select("commit", "79d603f0", commits) is None


def test_no_releases():
    assert select("pep440", None, []) is None
