"""What people listed before: every cell of support comes out of the harvested registries, and every contradiction is found or accounted for.

The lists are facts with the address of their source. Where a program reads something else, the page says which line decides.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from catalogs import ROOT
from infercompat.join import Ledger
from infercompat.join.conflicts import Conflict, conflicts

HERE = Path(__file__).parent
PAGE = (ROOT / "site_templates/pages/what-the-harvest-leaves.md.j2").read_text("utf-8")
DIFFERENT = re.compile(r'<tr><td>([^<]+)</td><th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+)</td><td>.+ <a href="https')
BEYOND = re.compile(r'<tr><td>([^<]+)</td><th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]{30,})</td><td><a href="https')


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def registries(real) -> dict[str, dict[str, str]]:
    """What the newest whole registry of each engine says of each name by itself, without conditions."""
    found: dict[str, dict[str, str]] = {}
    for engine in real.catalog.of_kind("engine"):
        whole = {s.data["version"]: s for s in real.catalog.of_kind("support") if s.data["engine"] == engine.id and s.data.get("complete")}
        newest = next((whole[entry["version"]] for entry in engine.data["releases"] if entry["version"] in whole), None)
        claims = newest.data["claims"] if newest else ()
        said: dict[str, str] = {}
        for claim in claims:
            if len(claim["about"]) == 1 and "when" not in claim:
                said.setdefault(next(iter(claim["about"].values())), claim["holds"])
        found[engine.id] = said
    return found


def test_every_cell_of_support_is_read_the_same_or_explained(registries):
    explained = {(engine, subject): (theirs, ours) for engine, subject, theirs, ours in DIFFERENT.findall(PAGE.partition('id="support"')[2])}
    cells = rows("support_cells.csv")
    assert len(cells) == 404
    wrong = []
    for cell in cells:
        ours = registries[cell["engine"]].get(cell["subject"], "not listed")
        same = ours == cell["status"] or (cell["status"] == "unsupported" and ours == "not listed")
        if not same and explained.get((cell["engine"], cell["subject"])) != (cell["status"], ours):
            wrong.append((cell["engine"], cell["subject"], cell["status"], ours))
    assert wrong == []
    listed = {(cell["engine"], cell["subject"]) for cell in cells}
    assert explained.keys() <= listed


@pytest.fixture(scope="module")
def found(real) -> list[Conflict]:
    return conflicts(Ledger(real.catalog))


def test_every_contradiction_that_was_listed_is_found_or_named_as_beyond_reach(found):
    subjects = {str(value) for conflict in found for _, value in conflict.about}
    beyond = {(engine, subject.replace("&amp;", "&")) for engine, subject, *_ in BEYOND.findall(PAGE.partition('id="support"')[0])}
    listed = rows("source_conflicts.csv")
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
