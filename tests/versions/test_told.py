"""What is told of a build beside its version; the command line and the page's script read and decide each row alike."""

import pytest

from infercompat.versions import Told, affected, changes_named, holds_change, told
from scripts import same_in_the_script

TOLD = [
    ("0.33.0", ("0.33.0", None, ())),
    ("0.33.0+pr57754", ("0.33.0", None, (57754,))),
    ("0.33.0+PR57754", ("0.33.0", None, (57754,))),
    ("0.33.0+cu130.pr57754", ("0.33.0+cu130", None, (57754,))),
    ("0.33.0+pr57800.cu130.pr57754.pr57800", ("0.33.0+cu130", None, (57754, 57800))),
    ("0.33.1rc1.dev40+g4b12345.pr7", ("0.33.1rc1.dev40+g4b12345", None, (7,))),
    ("0.33.0+cu130", ("0.33.0+cu130", None, ())),
    ("0.33.0+pr", ("0.33.0+pr", None, ())),
    ("0.33.0+prfix12", ("0.33.0+prfix12", None, ())),
    ("v0.30.0-rc1+pr12", ("v0.30.0-rc1", None, (12,))),
    ("b10488+pr15050", ("b10488", None, (15050,))),
    ("main@2026-11-20", ("main", "2026-11-20", ())),
    ("main+pr9@2026-11-20", ("main", "2026-11-20", (9,))),
    ("0.1.dev20073@2026-11-20", ("0.1.dev20073", "2026-11-20", ())),
    ("main@2026-02-30", ("main@2026-02-30", None, ())),
    ("2026-11-20", ("2026-11-20", None, ())),
    ("0.33.*", ("0.33.*", None, ())),
]

NAMED = [
    ("57754", (57754,)),
    ("#57754", (57754,)),
    ("57800, 57754,57800", (57754, 57800)),
    ("https://github.com/vllm-project/vllm/pull/57754", (57754,)),
    ("https://gitlab.com/a/b/-/merge_requests/5", (5,)),
    ("57754,", None),
    ("abc", None),
    ("-3", None),
    ("https://github.com/vllm-project/vllm/issues/57754", None),
    ("12345678901", None),
]


@pytest.mark.parametrize(("text", "wanted"), TOLD)
def test_a_version_and_what_is_told_beside_it(text, wanted):
    assert told(text) == Told(*wanted)


@pytest.mark.parametrize(("text", "wanted"), NAMED)
def test_numbers_of_changes(text, wanted):
    assert changes_named(text) == wanted


@pytest.mark.parametrize(
    ("address", "repository", "wanted"),
    [
        ("https://github.com/vllm-project/vllm/pull/57754", None, True),
        ("https://github.com/vllm-project/vllm/pull/57754", "https://github.com/vllm-project/vllm", True),
        ("https://github.com/vllm-project/vllm/pull/57754/files", "https://github.com/vllm-project/vllm/", True),
        ("https://github.com/flashinfer-ai/flashinfer/pull/57754", "https://github.com/vllm-project/vllm", False),  # another's number
        ("https://github.com/vllm-project/vllm/pull/5775", None, False),
        (None, None, False),
    ],
)
def test_numbers_are_those_of_the_component_s_repository(address, repository, wanted):
    assert holds_change((57754,), address, repository) is wanted


TODAY = "2026-11-30"
DATES = {"0.31.0": "2026-10-10", "0.32.0": "2026-10-30", "0.33.0": "2026-11-18"}
REPOSITORY = "https://github.com/vllm-project/vllm"
MENDED = {"pr": f"{REPOSITORY}/pull/57754", "merged": "2026-11-15"}
BROUGHT = {"pr": f"{REPOSITORY}/pull/50000"}

AFFECTED = [
    # A fix that is merged and in no release that is on record: the build that holds it is clean, of others it is told as before.
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "0.33.0", None, (), (None, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "0.33.0", None, (57754,), (False, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "0.33.0", None, (57755,), (None, False)),
    # Also where the release itself was seen to have the fault, and where no version is known.
    ({"observed": ["0.33.0"], "fixed": MENDED}, "fixed-unreleased", "0.33.0", None, (), (True, False)),
    ({"observed": ["0.33.0"], "fixed": MENDED}, "fixed-unreleased", "0.33.0", None, (57754,), (False, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", None, None, (57754,), (False, False)),
    ({"observed": ["0.32.0"], "fixed": {"pr": "https://github.com/other/one/pull/57754"}}, "open", "0.33.0", None, (57754,), (True, True)),
    # The main branch on a day: with the fix from the day after, without it before; on the day itself nobody knows.
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "main", "2026-11-14", (), (True, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "main", "2026-11-15", (), (None, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "main", "2026-11-16", (), (False, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "nightly", "2026-11-16", (), (False, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "main", None, (), (None, False)),
    ({"observed": ["0.32.0"], "fixed": MENDED}, "fixed-unreleased", "vllm-openai:gptoss", "2026-11-16", (), (None, False)),
    # What brought it: a release from before that holds it is in the range; whether it has the fix, too, is told by days or not at all.
    ({"introduced": {"version": "0.33.0", **BROUGHT}}, "open", "0.31.0", None, (), (False, False)),
    ({"introduced": {"version": "0.33.0", **BROUGHT}}, "open", "0.31.0", None, (50000,), (True, False)),  # before 0.33.0, which has it, too
    ({"introduced": BROUGHT}, "open", "0.31.0", None, (), (None, False)),
    ({"introduced": BROUGHT}, "open", "0.31.0", None, (50000,), (True, True)),
    ({"introduced": BROUGHT, "fixed": MENDED}, "fixed", "0.31.0", None, (50000,), (True, False)),
    ({"introduced": BROUGHT, "fixed": MENDED}, "fixed", "0.33.0", None, (50000,), (None, False)),
    ({"introduced": BROUGHT, "fixed": MENDED}, "fixed", "0.33.0", None, (50000, 57754), (False, False)),
]


@pytest.mark.parametrize(("component", "status", "version", "date", "changes", "wanted"), AFFECTED)
def test_what_a_build_is_told_to_hold_settles_it(component, status, version, date, changes, wanted):
    found = affected(
        "pep440", {"engine": "vllm", **component}, status, "2026-11-29", version, date,
        today=TODAY, dates=DATES, changes=changes, repository=REPOSITORY,
    )  # fmt: skip
    assert (found.truth.value, found.stale) == wanted


def test_the_reason_names_the_build():
    ask = lambda version: affected("pep440", {"engine": "vllm", "fixed": MENDED}, "open", TODAY, version, today=TODAY, changes=(57754,))  # noqa: E731
    assert ask("0.33.0").truth.because[0].text == "vllm 0.33.0 holds the change that mended it"
    assert ask(None).truth.because[0].text == "this build of vllm holds the change that mended it"
    assert ask(None).truth.because[0].fact == "vllm.version"


def test_the_script_reads_and_decides_the_same(tmp_path):
    common = {"scheme": "pep440", "dates": DATES, "today": TODAY, "repository": REPOSITORY}
    rows = [
        {
            **{"component": {"engine": "vllm", **component}, "gotcha": {"status": status, "read_on": "2026-11-29", "reported": None}},
            **{"version": version, "date": date, "changes": changes, "wanted": wanted, **common},
        }
        for component, status, version, date, changes, wanted in AFFECTED
    ]
    readings = [{"text": text, "wanted": {"version": wanted[0], "date": wanted[1], "changes": wanted[2]}} for text, wanted in TOLD]
    same_in_the_script({"told": readings, "named": [{"text": text, "wanted": wanted} for text, wanted in NAMED], "affected": rows}, tmp_path)
