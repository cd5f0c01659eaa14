"""What people listed of contradictions between sources: each is found by program, or the page names it as beyond reach with the reason."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from catalogs import ROOT
from infercompat.join import Ledger
from infercompat.join.conflicts import Conflict, conflicts

PAGE = (ROOT / "site_templates/pages/what-the-harvest-leaves.md.j2").read_text("utf-8")
BEYOND = re.compile(r'<tr><td>([^<]+)</td><th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]{30,})</td><td><a href="https')


@pytest.fixture(scope="module")
def found(real) -> list[Conflict]:
    return conflicts(Ledger(real.catalog))


def test_every_contradiction_that_was_listed_is_found_or_named_as_beyond_reach(found):
    subjects = {str(value) for conflict in found for _, value in conflict.about}
    beyond = {(engine, subject.replace("&amp;", "&")) for engine, subject, *_ in BEYOND.findall(PAGE.partition('id="support"')[0])}
    with (Path(__file__).parent / "source_conflicts.csv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == 55
    reached = [row for row in listed if row["subject"] in subjects]
    assert len(reached) >= 30
    assert [row["subject"] for row in listed if row["subject"] not in subjects and (row["engine"], row["subject"]) not in beyond] == []


def test_both_sides_have_an_address(found):
    assert found
    assert all(side.url.startswith("https://") for conflict in found for side in conflict.sides)


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
def test_what_each_side_says(found, subject, feature, says):
    """Limits worked out by hand from the classes of vLLM 0.33.0: b12x.py L216, step5 L896, flash_attn.py L458, sparse_mla.py L146."""
    [conflict] = [c for c in found if c.kind == "same-release" and c.subject == subject and dict(c.about).get("feature") == feature]
    assert {side.says for side in conflict.sides} == says
