"""Whether a version has a fault: every clause of the rule."""

import pytest

from infercompat.versions import affected

TODAY = "2026-11-29"
DATES = {"0.28.0": "2026-08-20", "0.29.0": "2026-09-05", "0.30.0": "2026-10-01"}


def ask(component, version, date=None, status="open", read_on="2026-11-01", scheme="pep440"):
    result = affected(scheme, {"engine": "vllm", **component}, status, read_on, version, date, today=TODAY, dates=DATES)
    return result.truth.value, result.stale


OBSERVED = {"observed": ["0.19.0", "0.23.0"]}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.18.0", (None, False)),  # before the first observation
        ("0.19.0", (True, False)),
        ("0.21.3", (True, False)),  # between two
        ("0.23.0", (True, False)),
        ("0.23.0+cu128", (True, False)),
        ("0.23.1", (True, True)),  # after the last, the thread is open
    ],
)
def test_observations_while_the_thread_is_open(version, expected):
    assert ask(OBSERVED, version) == expected


@pytest.mark.parametrize("status", ["fixed", "fixed-unreleased", "stale-closed", "superseded", "unknown"])
def test_after_the_last_observation_a_closed_thread_says_nothing(status):
    assert ask(OBSERVED, "0.24.0", status=status) == (None, False)
    assert ask(OBSERVED, "0.21.0", status=status) == (True, False)


def test_what_nobody_means_to_change_stays():
    assert ask(OBSERVED, "0.24.0", status="wontfix") == (True, True)
    assert ask(OBSERVED, "0.24.0", status="wontfix", read_on="2026-06-01") == (None, False)


def test_an_open_thread_counts_for_180_days():
    assert ask(OBSERVED, "0.24.0", read_on="2026-06-02") == (True, True)  # 180 days before today
    assert ask(OBSERVED, "0.24.0", read_on="2026-06-01") == (None, False)


def test_introduced():
    brought = {"introduced": {"version": "0.15.0"}, "observed": ["0.19.0"]}
    assert ask(brought, "0.14.2") == (False, False)
    assert ask(brought, "0.15.0") == (True, False)
    assert ask(brought, "0.17.0") == (True, False)
    assert ask(brought, "0.20.0") == (True, True)
    assert ask({"introduced": {"version": "0.15.0"}}, "0.15.0") == (True, False)
    assert ask({"introduced": {"version": "0.15.0"}}, "0.16.0", status="unknown") == (None, False)
    assert ask({"introduced": {"pr": "https://example.org/1"}, "observed": ["0.19.0"]}, "0.14.2") == (None, False)


def test_the_main_branch_may_hold_a_fault_before_the_release_that_brought_it():
    brought = {"introduced": {"version": "0.15.0"}}
    assert ask(brought, "0.14.1rc1.dev300") == (None, False)
    assert ask(brought, "0.1.dev20073", "2026-08-30") == (None, False)


FIXED = {"observed": ["0.25.1"], "fixed": {"merged": "2026-08-25", "first_release": "0.29.0"}}


@pytest.mark.parametrize(
    ("version", "date", "expected"),
    [
        ("0.29.0", None, False),
        ("0.29.1", None, False),
        ("0.30.0", None, False),
        ("0.28.0", "2026-08-20", True),  # released before the fix was merged
        ("0.28.1", "2026-09-01", True),  # after the merge, and not the first release that holds it
        ("0.24.0", None, None),  # before the first observation
        ("0.28.1rc1.dev40", "2026-08-24", True),
        ("0.28.1rc1.dev90", "2026-08-26", False),  # the main branch holds it from the day after
        ("0.28.1rc1.dev70", "2026-08-25", None),
        ("0.28.1rc1.dev70", None, None),
        ("0.1.dev20073", "2026-08-30", None),  # a nightly without a tag, or an image from a fork
        ("0.1.dev20073", "2026-08-24", None),  # nothing dates the observation
        ("0.1.dev20073", "2026-10-02", False),  # after the first release that holds it
    ],
)
def test_fixed(version, date, expected):
    assert ask(FIXED, version, date, status="fixed") == (expected, False)


def test_a_dated_observation_places_a_nightly():
    fixed = {"observed": ["0.28.0"], "fixed": {"merged": "2026-08-25"}}
    assert ask(fixed, "0.1.dev20001", "2026-08-24", status="fixed") == (True, False)
    assert ask(fixed, "0.1.dev20001", "2026-08-19", status="fixed") == (None, False)


def test_merged_without_a_release():
    merged = {"observed": ["0.28.0"], "fixed": {"merged": "2026-08-25"}}
    assert ask(merged, "0.28.1", "2026-08-24", status="fixed-unreleased") == (True, False)
    assert ask(merged, "0.28.2", "2026-09-30", status="fixed-unreleased") == (None, False)
    assert ask(merged, "0.28.1rc1.dev9", "2026-09-30", status="fixed-unreleased") == (False, False)


def test_a_patch_release_may_lack_what_was_seen_on_the_main_branch():
    seen = {"observed": ["0.23.1rc1.dev843"]}
    assert ask(seen, "0.23.1rc1.dev843") == (True, False)
    assert ask(seen, "0.23.1") == (None, False)
    assert ask(seen, "0.24.0") == (True, True)
    assert ask({"observed": ["0.23.0", "0.23.1rc1.dev843"]}, "0.23.1") == (True, True)
    assert ask({"observed": ["0.22.0"], "fixed": {"first_release": "0.23.1"}}, "0.23.1rc1.dev843", status="fixed") == (None, False)


@pytest.mark.parametrize("status", ["open", "fixed"])
def test_without_an_observation_every_version_is_possible(status):
    assert ask({}, "0.24.0", status=status) == (None, False)
    assert ask({"fixed": {"first_release": "0.29.0"}}, "0.24.0", status=status) == (None, False)
    assert ask({"fixed": {"first_release": "0.29.0"}}, "0.29.0", status=status) == (False, False)


def test_seen_at_the_version_itself_outweighs_what_is_said_of_a_range():
    assert ask({"observed": ["0.29.0"], "fixed": {"first_release": "0.29.0"}}, "0.29.0", status="fixed") == (True, False)


def test_commits_are_placed_by_their_days():
    component = {"observed": ["79d603f0"], "fixed": {"merged": "2026-08-10"}}
    result = lambda date: affected(  # noqa: E731
        "commit", {"engine": "mlc-llm", **component}, "fixed", "2026-11-01", "1234abcd", date, today=TODAY, dates={"79d603f0": "2026-07-23"}
    )
    assert result("2026-08-01").truth.value is True
    assert result("2026-08-11").truth.value is False
    assert result("2026-07-01").truth.value is None


def test_a_numbered_build_is_placed_by_its_number_and_by_the_days_of_its_neighbours():
    """b8738 brought it, and the fix was merged between two builds that are dated."""
    dates = {"b8700": "2026-04-01", "b9000": "2026-05-01", "b9400": "2026-06-01"}
    component = {"engine": "llama.cpp", "introduced": {"version": "b8738"}, "fixed": {"merged": "2026-05-20"}}
    result = lambda version: affected("commit", component, "fixed", "2026-11-01", version, today=TODAY, dates=dates).truth.value  # noqa: E731
    assert result("b8730") is False
    assert result("b8900") is True
    assert result("b9200") is None
    assert result("b9500") is False


def test_the_reasons_tell_missing_from_untested():
    missing = affected("pep440", {"component": "flashinfer", **OBSERVED}, "open", "2026-11-01", None, today=TODAY).truth
    assert missing.missing == ("flashinfer.version",) and not missing.untested
    untested = affected("pep440", {"component": "flashinfer", **OBSERVED}, "open", "2026-11-01", "0.18.0", today=TODAY).truth
    assert untested.untested and not untested.missing
    assert untested.because[0].text == "flashinfer 0.18.0 is before the first observation"
    assert affected("pep440", {"engine": "vllm", **OBSERVED}, "open", "2026-11-01", "0.18.*", today=TODAY).truth.untested
