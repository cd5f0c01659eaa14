"""Disagreements on a small catalog: within a file, page against code, what a page leaves out, across versions, and spellings; then of the real one."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from catalogs import ENGINE, ROOT, changed, citation, snapshot
from infercompat.join import Ledger
from infercompat.join.conflicts import Conflict, conflicts

PAGE = "support/enga/enga-page.yaml"


def found(make, *claims: str, version: str = "1.1.0", whole: bool = False, more: dict | None = None) -> list[tuple[str, str, tuple[str, str]]]:
    text = snapshot(*claims, version=version, cites="doc")
    text = text.replace("claims:", "whole_page: true\nclaims:") if whole else text
    products = make({PAGE: text} | citation("documentation") | (more or {}))
    return [(c.kind, c.subject, (c.sides[0].says, c.sides[1].says)) for c in conflicts(Ledger(products.catalog))]


def test_one_file_that_says_yes_and_no(make):
    claims = (
        "about: {architecture: TinyForCausalLM, feature: lora}, holds: native",
        "about: {architecture: TinyForCausalLM, feature: lora}, holds: unsupported",
    )
    assert found(make, *claims) == [("one-file", "TinyForCausalLM", ("native", "unsupported"))]


def test_a_page_against_the_registry_of_its_release(make):
    assert found(make, "about: {architecture: TinyForCausalLM}, holds: unsupported") == [("same-release", "TinyForCausalLM", ("unsupported", "native"))]
    assert found(make, "about: {architecture: TinyForCausalLM}, holds: native") == []
    assert found(make, "about: {architecture: GoneForCausalLM}, holds: native") == [("same-release", "GoneForCausalLM", ("native", "not in the registry"))]
    assert found(make, "about: {architecture: GoneForCausalLM}, holds: untested") == []


def test_a_page_of_another_version_is_skew_where_the_versions_on_both_sides_agree_against_it(make):
    gone = "about: {architecture: GoneForCausalLM}, holds: native"
    assert found(make, gone, version="1.0.0") == []  # it may have been removed since
    older = snapshot("about: {architecture: TinyForCausalLM}, holds: native", version="0.9.0", cites="enga-registry", complete=True)
    having = snapshot(gone, "about: {architecture: TinyForCausalLM}, holds: native", version="0.9.0", cites="enga-registry", complete=True)
    name = "support/enga/enga-0-9-0-registry.yaml"
    engine = changed(ENGINE, ('  - {version: "1.0.0"', '  - {version: "0.9.0", date: 2025-12-01}\n  - {version: "1.0.0"'))
    skew = [("version-skew", "GoneForCausalLM", ("native", "not in the registry"))]
    assert found(make, gone, version="1.0.0", more={name: older} | engine) == skew
    assert found(make, gone, version="1.0.0", more={name: having} | engine) == []


def test_what_a_whole_page_leaves_out(make):
    said = ("about: {architecture: TinyForCausalLM}, holds: native",)
    registry = {
        "support/enga/enga-1-1-0-registry.yaml": snapshot(*said, "about: {architecture: NewForCausalLM}, holds: native", cites="enga-registry", complete=True)
    }
    assert found(make, *said, whole=True, more=registry) == [("left-out", "NewForCausalLM", ("not listed", "native"))]
    assert found(make, *said, more=registry) == []


def test_what_a_whole_page_lists_under_a_condition_is_not_left_out(make):
    said = ("about: {architecture: TinyForCausalLM}, holds: native",)
    registry = {
        "support/enga/enga-1-1-0-registry.yaml": snapshot(*said, "about: {architecture: NewForCausalLM}, holds: native", cites="enga-registry", complete=True)
    }
    assert found(make, *said, "about: {architecture: NewForCausalLM}, when: {lora: true}, holds: native", whole=True, more=registry) == []


def test_limits_that_differ(make):
    code = {"support/enga/enga-code.yaml": snapshot("about: {backend: FAST, feature: compute-capability}, holds: partial, value: 9.x", cites="enga-registry")}
    assert found(make, "about: {backend: FAST, feature: compute-capability}, holds: native, value: any", more=code) == [
        ("same-release", "FAST", ("native (any)", "partial (9.x)"))
    ]


def test_spellings_of_two_projects(make):
    other = {
        "support/engb/engb-registry.yaml": snapshot(
            "about: {architecture: Tiny_ForCausalLM}, holds: native", cites="doc", complete=True, engine="engb", version="b200"
        )
    }
    products = make(other | citation("code", more="retrieved: 2026-02-02\npin: b200\n"))
    [conflict] = [c for c in conflicts(Ledger(products.catalog)) if c.kind == "spelling"]
    assert {value for _, value in conflict.about} == {"TinyForCausalLM", "Tiny_ForCausalLM"}
    assert {side.engine for side in conflict.sides} == {"enga", "engb"}
    assert conflict.engine in ("enga against engb", "engb against enga") and {engine for side in conflict.engines for engine in side} == {"enga", "engb"}


# The contradictions that people listed before: each is found by program, or the page names it as beyond reach with the reason.

LEAVES = (ROOT / "site_templates/pages/what-the-harvest-leaves.md.j2").read_text("utf-8")
BEYOND = re.compile(r'<tr><td>([^<]+)</td><th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]{30,})</td><td><a href="https')


@pytest.fixture(scope="module")
def real_conflicts(real) -> list[Conflict]:
    return conflicts(Ledger(real.catalog))


with (Path(__file__).parent / "source_conflicts.csv").open(encoding="utf-8", newline="") as _file:
    LISTED = list(csv.DictReader(_file))
_RELEASE = re.compile(r"/blob/v(\d[\w.]*)/")


def statements(row: dict[str, str]) -> list[tuple[str, str, str]]:
    """A row's statements: the feature, or nothing, and what either side says of it."""
    pairs = zip(row["says_one"].split(" | "), row["says_other"].split(" | "), strict=True)
    split = [(one.rpartition(": "), other.rpartition(": ")) for one, other in pairs]
    return [(one[0], one[2], other[2]) for one, other in split]


def is_found(row: dict[str, str], conflicts: list[Conflict]) -> bool:
    """Whether each of a row's statements is a conflict of its engines, of its release where it names one, with either side saying what it says."""
    if " vs " in row["engine"]:
        wanted = [set(part.split(", ")) for part in row["engine"].split(" vs ")]
        says = [row["says_one"], row["says_other"]]
        return any(
            row["subject"] in dict(c.about).values()
            and [c.sides[i].says for i in order] == says
            and all(wanted[n] <= set(c.engines[i]) for n, i in enumerate(order))
            for c in conflicts
            for order in ((0, 1), (1, 0))
        )
    release = _RELEASE.search(row["one"])
    return all(
        any(
            c.engine == row["engine"]
            and row["subject"] in dict(c.about).values()
            and (dict(c.about).get("feature", row["subject"]) == (feature or row["subject"]))
            and tuple(side.says for side in c.sides) == (one, other)
            and (release is None or {side.version for side in c.sides} == {release[1]})
            for c in conflicts
        )
        for feature, one, other in statements(row)
    )


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row["subject"])
def test_a_contradiction_that_was_listed_is_found_with_both_statements_or_named_as_beyond_reach(real_conflicts, row):
    beyond = {(engine, subject.replace("&amp;", "&")) for engine, subject, *_ in BEYOND.findall(LEAVES.partition('id="support"')[0])}
    named = (row["engine"], row["subject"]) in beyond
    assert is_found(row, real_conflicts) != named  # what is found is not beyond reach


def test_how_many_were_listed_and_how_many_are_found(real_conflicts):
    assert (len(LISTED), sum(is_found(row, real_conflicts) for row in LISTED)) == (55, 34)


def test_a_subject_alone_is_not_enough(real_conflicts):
    """Another engine, another release or another statement is another contradiction."""
    by_subject = {row["subject"]: row for row in LISTED}
    for subject, change in (
        ("B12X", {"says_one": "cache-types: partial (auto)", "says_other": "cache-types: partial (auto, fp8)"}),
        ("MiniMaxVL01ForConditionalGeneration", {"says_other": "removed after 0.22.0"}),
        ("InklingForConditionalGeneration", {"engine": "sglang"}),
        ("Mamba2ForCausalLM", {"one": "https://github.com/vllm-project/vllm/blob/v0.32.0/docs"}),
        ("Ernie4_5ForCausalLM", {"engine": "exllamav3, mlx-lm vs transformers, vllm"}),
    ):
        assert is_found(by_subject[subject], real_conflicts) and not is_found(by_subject[subject] | change, real_conflicts)


def test_both_sides_have_an_address(real_conflicts):
    assert real_conflicts
    assert all(side.url.startswith("https://") for conflict in real_conflicts for side in conflict.sides)


@pytest.mark.parametrize(
    ("subject", "feature", "says"),
    [
        ("B12X", "compute-capability", {"native (any)", "partial (12.0, 12.1)"}),
        ("STEP5_DSA", "compute-capability", {"native (any)", "partial (9.0, 10.0, 10.3)"}),
        ("FLASH_ATTN_DIFFKV", "compute-capability", {"native (any)", "partial (8.0 and up)"}),
        ("FLASHMLA_MEGA_ATTN_DSV41", "attention-sinks", {"unsupported", "native"}),
        ("TRITON_ATTN_DIFFKV", "attention-sinks", {"unsupported", "native"}),
        ("Cohere2MoeForCausalLM", "lora", {"native", "unsupported"}),
        ("Mamba2ForCausalLM", "pipeline-parallel", {"native", "unsupported"}),
    ],
)
def test_what_each_side_says(real_conflicts, subject, feature, says):
    """Limits worked out by hand from the classes of vLLM 0.33.0: b12x.py L216, step5 L896, flash_attn.py L458, sparse_mla.py L146."""
    [conflict] = [c for c in real_conflicts if c.kind == "same-release" and c.subject == subject and dict(c.about).get("feature") == feature]
    assert {side.says for side in conflict.sides} == says


@pytest.mark.parametrize(
    ("kind", "subject", "says"),
    [
        ("one-file", "Llama4ForConditionalGeneration", ("native", "unsupported")),
        ("same-release", "NemotronNASForCausalLM", ("native", "not in the registry")),
        ("left-out", "Starcoder2ForCausalLM", ("not listed", "native")),
        ("left-out", "Qwen2MoeForCausalLM", ("not listed", "native")),
    ],
)
def test_what_the_page_and_the_index_of_tensorrt_llm_disagree_on(real_conflicts, kind, subject, says):
    """As the list of people has them: rows 41, 43, 44 and 45 of the sample, chunked prefill being the feature of the first."""
    found = [c for c in real_conflicts if (c.kind, c.engine, c.subject) == (kind, "tensorrt-llm", subject)]
    assert [tuple(side.says for side in c.sides) for c in found] == [says]


def test_a_row_of_another_backend_is_no_contradiction(real_conflicts):
    """MiniMaxM2 is in the index and, through AutoDeploy, on the page; SeedOss and the Granites likewise."""
    subjects = {c.subject for c in real_conflicts if c.engine == "tensorrt-llm"}
    assert not subjects & {"MiniMaxM2ForCausalLM", "SeedOssForCausalLM", "GraniteForCausalLM", "Olmo3ForCausalLM"}
