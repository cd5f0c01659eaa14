"""Reading and ordering versions, scheme by scheme, at the boundaries that each scheme has."""

import itertools

import pytest

from infercompat.versions import Ordered, Unordered, compare, date_of_build, days_between, diverged, is_main_build, minor, parse_version, placed

RISING = {
    "pep440": [
        "0.23.0rc1", "0.23.0", "0.23.0.post1", "0.23.1.dev3", "0.23.1rc1.dev842", "0.23.1rc1.dev843", "0.23.1rc1", "0.23.1rc2",
        "0.23.1", "0.24.0a1", "0.24.0b1", "0.24.0rc3", "0.24.0", "0.24.10", "0.100.0", "1.0.0",
    ],
    # The example of semver.org, and numbers against words.
    "semver": [
        "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
        "1.0.1-1", "1.0.1-rc", "1.0.1", "1.2.0", "1.10.0", "2.0.0",
    ],
    "build": ["b999", "b7000", "7001", "b10488"],
}  # fmt: skip


@pytest.mark.parametrize("scheme", RISING)
def test_each_version_is_less_than_every_later_one(scheme):
    versions = [parse_version(scheme, text) for text in RISING[scheme]]
    for one, other in itertools.combinations(versions, 2):
        assert (compare(one, other), compare(other, one)) == ("less", "greater"), (one.text, other.text)


@pytest.mark.parametrize(
    ("scheme", "one", "other"),
    [
        ("pep440", "0.33.0", "v0.33.0"),
        ("pep440", "0.33", "0.33.0"),
        ("pep440", "0.14.3-rc2", "0.14.3rc2"),
        ("pep440", "0.33.0", "0.33.0+cu128"),
        ("pep440", "0.23.1rc1.dev843", "0.23.1rc1.dev843+g1a2b3c4"),
        ("pep440", "0.1.dev20073", "0.1.dev20073"),
        ("semver", "v1.2.0", "1.2"),
        ("semver", "1.2.0+linux", "1.2.0+mac"),
        ("build", "b7000", "7000"),
        ("commit", "4ba787ec9", "4ba787ec9d0f1e2c3b4a5968778695a4b3c2d1e0"),
    ],
)
def test_equal_however_they_are_written(scheme, one, other):
    assert compare(parse_version(scheme, one), parse_version(scheme, other)) == "equal"


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("pep440", "0.1.dev20073"),
        ("pep440", "0.0.0.dev5"),
        ("pep440", "vllm-openai:gptoss"),
        ("pep440", "0.12.0-aarch64"),
        ("pep440", "4ba787ec9"),
        ("pep440", "4b12345"),
        ("pep440", "main"),
        ("semver", "1.4.0-rc.01"),
        ("build", "master-542348a"),
        ("commit", "79d603f0"),
    ],
)
def test_a_name_is_unordered_until_a_date_places_it(scheme, text):
    without = parse_version(scheme, text)
    early, late = parse_version(scheme, "v9.9.x1", "2026-01-01"), parse_version(scheme, "v9.9.x2", "2026-12-31")
    dated = parse_version(scheme, text, "2026-06-01")
    assert isinstance(without, Unordered) and minor(without) is None
    assert compare(without, early) is None
    assert (compare(dated, early), compare(dated, late)) == ("greater", "less")


@pytest.mark.parametrize("text", ["", "0.11.*", "0.11.x", ">=0.19", "0..11", "0.33,0", "one-point-zero", "2026-07-01", "dev custom image"])
def test_what_is_no_version(text):
    assert parse_version("pep440", text) is None


def test_a_date_places_a_nightly_among_releases_but_not_on_the_same_day():
    nightly, before = parse_version("pep440", "0.1.dev20073", "2026-08-30"), parse_version("pep440", "0.28.0", "2026-08-20")
    assert compare(nightly, before) == "greater"
    assert compare(nightly, parse_version("pep440", "0.29.0", "2026-08-30")) is None
    assert compare(nightly, parse_version("pep440", "0.29.0")) is None


def test_a_moving_name_is_only_itself_on_the_same_day():
    assert compare(parse_version("pep440", "main"), parse_version("pep440", "main")) is None
    assert compare(parse_version("pep440", "main", "2026-08-01"), parse_version("pep440", "main", "2026-08-01")) == "equal"
    assert compare(parse_version("pep440", "main", "2026-08-01"), parse_version("pep440", "main", "2026-09-01")) == "less"


@pytest.mark.parametrize(
    ("scheme", "text", "expected"),
    [
        ("pep440", "0.33.0", (0, 33)),
        ("pep440", "0.33", (0, 33)),
        ("pep440", "26", (26, 0)),
        ("pep440", "0.23.1rc1.dev843", (0, 23)),
        ("semver", "1.4.0-rc.1", (1, 4)),
        ("build", "b7000", None),
        ("commit", "79d603f0", None),
    ],
)
def test_minor(scheme, text, expected):
    assert minor(parse_version(scheme, text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0.23.1rc1.dev843", True), ("0.23.1rc1", False), ("0.23.1.dev3", False), ("0.5.10.post2.dev346", False), ("0.1.dev20073", False)],
)
def test_the_main_branch_is_told_by_its_number(text, expected):
    assert is_main_build(parse_version("pep440", text)) is expected


@pytest.mark.parametrize(
    ("release", "expected"),
    [("0.23.0", False), ("0.23.1", True), ("0.23.2", True), ("0.24.0", False), ("0.23.1rc1.dev900", False)],
)
def test_a_patch_release_is_not_on_the_way_of_the_main_branch(release, expected):
    main, other = parse_version("pep440", "0.23.1rc1.dev843"), parse_version("pep440", release)
    assert diverged(main, other) is diverged(other, main) is expected
    assert (placed(main, other) is None) is expected


def test_final():
    finals = {text: parse_version("pep440", text).final for text in ("0.33.0", "0.33.0.post1", "0.33.0rc1", "0.33.0.dev1")}
    assert finals == {"0.33.0": True, "0.33.0.post1": True, "0.33.0rc1": False, "0.33.0.dev1": False}
    assert isinstance(parse_version("semver", "1.0.0"), Ordered)


def test_days_between():
    assert days_between("2026-02-27", "2026-03-01") == 2
    assert days_between(None, "2026-03-01") is None


DATED = {"b10441": "2026-08-15", "b11057": "2026-09-20", "0c1e57098": "2026-10-01"}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("b10488", "2026-08-15/2026-09-20"),
        ("b9000", "0001-01-01/2026-08-15"),
        ("b12000", "2026-09-20/9999-12-31"),
        ("79d603f0", None),
        ("main", None),
    ],
)
def test_a_numbered_build_was_made_between_its_neighbours(text, days):
    assert date_of_build(text, DATED) == days


@pytest.mark.parametrize(
    ("other", "day", "order"),
    [
        ("b10441", None, "greater"),
        ("b11057", "2026-09-20", "less"),
        ("79d603f0", "2026-08-14", "greater"),
        ("79d603f0", "2026-08-15", None),
        ("79d603f0", "2026-09-01", None),
        ("79d603f0", "2026-09-21", "less"),
        ("79d603f0", None, None),
    ],
)
def test_builds_order_by_number_and_against_commits_where_the_days_around_them_tell(other, day, order):
    build = parse_version("commit", "b10488", date_of_build("b10488", DATED))
    assert compare(build, parse_version("commit", other, day)) == order
