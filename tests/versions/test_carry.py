"""Carrying a claim over versions: every case of the rule, at its boundaries."""

import pytest

from infercompat.versions import carry

A = ("0.11.0", "2025-10-02")
B = ("0.33.0", "2026-11-10")


def brief(result):
    return result.status, result.how, result.stale


def test_olmo3_on_vllm_changed_between():
    seen = [(*A, "native"), (*B, "fallback")]
    between = carry("pep440", seen, "0.20.0", "2026-05-01")
    assert brief(between) == (None, "changed", False)
    assert between.between == ("0.11.0", "0.33.0")
    assert between.reason == "native at 0.11.0, fallback at 0.33.0: changed in (0.11.0, 0.33.0]"
    assert brief(carry("pep440", seen, "0.11.0")) == ("native", "exact", False)
    assert brief(carry("pep440", seen, "0.11.2")) == ("native", "same-minor", False)
    assert brief(carry("pep440", seen, "0.33.0")) == ("fallback", "exact", False)
    assert brief(carry("pep440", seen, "0.33.1")) == ("fallback", "same-minor", False)
    assert brief(carry("pep440", seen, "0.34.0")) == ("fallback", "carried", True)


@pytest.mark.parametrize(
    ("version", "date", "expected"),
    [
        ("0.34.0", None, ("native", "carried", True)),
        ("0.36.0", None, ("native", "carried", True)),
        ("0.36.4", "2028-01-01", ("native", "carried", True)),
        ("0.37.0", None, (None, "none", False)),
        ("0.37.0", "2027-03-10", ("native", "carried", True)),  # 120 days after 2026-11-10
        ("0.37.0", "2027-03-11", (None, "none", False)),
        ("1.0.0", "2026-12-01", ("native", "carried", True)),  # nobody knows how many minors lie between, 21 days do
        ("1.0.0", None, (None, "none", False)),
        ("0.1.dev20073", "2026-12-01", ("native", "carried", True)),
        ("0.1.dev20073", None, (None, "none", False)),
    ],
)
def test_native_carries_three_minors_or_120_days_and_is_stale(version, date, expected):
    assert brief(carry("pep440", [(*B, "native")], version, date)) == expected


def test_the_thresholds_are_parameters():
    assert carry("pep440", [(*B, "native")], "0.34.0", carry_minor_releases=0).status is None
    assert carry("pep440", [(*B, "native")], "0.40.0", "2026-12-10", carry_days=30).status == "native"


@pytest.mark.parametrize("status", ["native", "fallback", "plugin", "redirected", "rewritten", "partial", "known-issues"])
def test_what_works_carries_forward_and_not_back(status):
    assert brief(carry("pep440", [(*B, status)], "0.34.0")) == (status, "carried", True)
    assert brief(carry("pep440", [(*B, status)], "0.32.0")) == (None, "before", False)


def test_unsupported_carries_back_and_not_forward():
    assert brief(carry("pep440", [(*B, "unsupported")], "0.34.0")) == (None, "none", False)
    assert brief(carry("pep440", [(*B, "unsupported")], "0.2.0")) == ("unsupported", "carried-back", False)


@pytest.mark.parametrize("status", ["removed", "untested", "not-applicable"])
def test_removed_and_undecided_carry_neither_way(status):
    for version, how in (("0.34.0", "none"), ("0.32.0", "before")):
        assert brief(carry("pep440", [(*B, status)], version)) == (None, how, False)


@pytest.mark.parametrize("status", ["native", "unsupported", "removed"])
def test_same_minor_holds_both_ways(status):
    for version in ("0.33.1", "0.33.0.post1", "0.33.0rc2"):
        assert brief(carry("pep440", [(*B, status)], version)) == (status, "same-minor", False)


@pytest.mark.parametrize("status", ["native", "unsupported", "removed"])
def test_between_two_that_agree_is_interpolated(status):
    result = carry("pep440", [(*B, status), (*A, status)], "0.20.0")
    assert brief(result) == (status, "interpolated", False)
    assert result.between == result.basis == ("0.11.0", "0.33.0")


def test_within_one_minor():
    seen = [("0.11.0", None, "native"), ("0.11.2", None, "unsupported")]
    assert brief(carry("pep440", seen, "0.11.1")) == (None, "changed", False)
    assert brief(carry("pep440", [*seen, ("0.11.1", None, "native")], "0.11.1")) == ("native", "exact", False)
    agreeing = carry("pep440", [seen[0], ("0.11.2", None, "native")], "0.11.1")
    assert brief(agreeing) == ("native", "same-minor", False)


def test_the_nearest_snapshots_count():
    seen = [("0.20.0", None, "native"), ("0.10.0", None, "unsupported"), ("0.30.0", None, "native")]
    assert brief(carry("pep440", seen, "0.25.0")) == ("native", "interpolated", False)
    changed = carry("pep440", seen, "0.15.0")
    assert (changed.how, changed.between) == ("changed", ("0.10.0", "0.20.0"))


def test_the_main_branch_shares_no_minor_with_the_release_before_it():
    assert brief(carry("pep440", [("0.23.0", None, "unsupported")], "0.23.1rc1.dev843")) == (None, "none", False)
    assert brief(carry("pep440", [("0.23.0", None, "native")], "0.23.1rc1.dev843")) == ("native", "carried", True)
    main = ("0.23.1rc1.dev843", None, "native")
    assert brief(carry("pep440", [main], "0.23.1")) == (None, "none", False)
    assert brief(carry("pep440", [main], "0.24.0")) == ("native", "carried", True)
    assert brief(carry("pep440", [main], "0.23.1rc1.dev900")) == ("native", "same-minor", False)
    assert brief(carry("pep440", [main, ("0.23.0", None, "unsupported")], "0.23.1")) == ("unsupported", "same-minor", False)


def test_a_nightly_does_not_outweigh_a_release_of_the_same_minor():
    seen = [(*B, "native"), ("0.1.dev20900", "2026-11-15", "fallback")]
    assert brief(carry("pep440", seen, "0.33.1", "2026-11-20")) == ("native", "same-minor", False)
    assert brief(carry("pep440", seen, "0.34.0", "2026-11-20")) == ("fallback", "carried", True)


def test_snapshots_of_one_version_that_disagree_make_it_unknown():
    result = carry("pep440", [(*B, "native"), (*B, "unsupported")], "0.33.0")
    assert brief(result) == (None, "none", False)
    assert result.reason == "sources of 0.33.0 disagree: native, unsupported"
    assert carry("pep440", [(*A, "native"), (*B, "native"), (*B, "unsupported")], "0.20.0").status is None


def test_builds_and_commits_carry_by_days():
    build = [("b10488", "2026-08-30", "native")]
    assert brief(carry("build", build, "b10600", "2026-12-28")) == ("native", "carried", True)
    assert brief(carry("build", build, "b10600", "2026-12-29")) == (None, "none", False)
    assert brief(carry("build", build, "b10600")) == (None, "none", False)
    commits = [("79d603f0", "2026-07-23", "native"), ("95009ea6", "2026-08-21", "native")]
    assert brief(carry("commit", commits, "1234abcd", "2026-08-01")) == ("native", "interpolated", False)


def test_nothing_to_carry():
    assert carry("pep440", [], "0.33.0").reason == "no source on record speaks of it"
    assert carry("pep440", [(*B, "native")], "0.1.dev20073").reason == "none of the versions on record can be placed before or after 0.1.dev20073"
    assert carry("pep440", [(*B, "native")], "0.33.*").reason == "0.33.* is no pep440 version"


def test_of_two_redundant_snapshots_one_is_enough():
    both = carry("pep440", [(*B, "native"), ("0.33.0", B[1], "native")], "0.34.0")
    assert brief(both) == brief(carry("pep440", [(*B, "native")], "0.34.0"))
