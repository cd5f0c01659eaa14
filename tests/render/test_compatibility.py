"""The rows behind docs/13 and the compatibility page, before any text: cache figures worked out by hand, and words for hardware."""

from __future__ import annotations

import pytest

from catalogs import GOTCHA, MODEL, OFFERS, REGISTRY, WINDOWED, changed, gotcha, snapshot
from infercompat.join import Matrix
from infercompat.render.compatibility import (
    CacheAt,
    Citer,
    blockers,
    cache_at,
    cell_sources,
    condition_rows,
    condition_text,
    feature_column,
    hardware_text,
    overpay_rows,
)


def test_cache_at(tiny):
    """Four layers of 512 bytes a token, two of them with a window of 1,024."""
    assert cache_at(tiny.derived["tiny-model"], 8192) == CacheAt(8192, 16_777_216, 9_437_184, pytest.approx(16 / 9))
    assert cache_at(tiny.derived["tiny-model"], 1024) == CacheAt(1024, 2_097_152, 2_097_152, 1.0)


def test_overpay_rows(tiny):
    [row] = overpay_rows(Matrix(tiny))
    assert (row.model.id, row.reach) == ("tiny-model", 8192)
    assert [point and point.tokens for point in row.at] == [8192, None, None]
    assert [(cell.engine.id, hop.name) for cell, hop in row.holders] == [("enga", "sliding-window")]


def test_rows_are_those_of_models_that_overpay_worst_first(make):
    files = {
        "models/acme/longer.yaml": changed(MODEL, ("aliases: [old/tiny]\n", ""), ("max_position_embeddings: 8192", "max_position_embeddings: 32768"))[MODEL],
        "models/acme/shorter.yaml": changed(MODEL, ("aliases: [old/tiny]\n", ""), ("max_position_embeddings: 8192", "max_position_embeddings: 1024"))[MODEL],
    }
    assert [row.model.id for row in overpay_rows(Matrix(make(files)))] == ["longer", "tiny-model"]


def test_an_engine_that_keeps_windows_holds_no_full_cache(make):
    [row] = overpay_rows(Matrix(make({OFFERS: snapshot(WINDOWED)})))
    assert row.holders == ()


def test_feature_column(make):
    claims = [
        "about: {architecture: TinyForCausalLM, feature: windows}, holds: not-applicable, value: N/A",
        "about: {architecture: X, feature: windows}, holds: native",
    ]
    rows = feature_column(Matrix(make({"support/enga/table.yaml": snapshot(*claims)})), "enga", "windows")
    assert [(row.architecture, row.word, row.status, [model.id for model in row.models]) for row in rows] == [
        ("TinyForCausalLM", "N/A", "not-applicable", ["tiny-model"]),
        ("X", "native", "native", []),
    ]


def test_blockers(make):
    files = {
        "gotchas/enga/b.yaml": gotcha(),
        "gotchas/enga/a.yaml": gotcha(when="{requires: logit-softcap}"),
        "gotchas/engb/c.yaml": gotcha(engine="engb", affects='{all: [{engine: engb, observed: ["b200"]}]}', when=""),
        "gotchas/enga/d.yaml": gotcha(severity="minor"),
        GOTCHA: None,
    }
    rows = blockers(Matrix(make(files)))
    assert [(row.gotcha.id, [model.id for model in row.models], row.conditions) for row in rows] == [
        ("a", [], "the model requires logit-softcap"),
        ("b", ["tiny-model"], "the model requires sliding-window"),
        ("c", ["tiny-model", "plain-model"], ""),
    ]


@pytest.mark.parametrize(
    ("hardware", "text"),
    [
        ({"scope": "any"}, "any hardware"),
        ({"scope": "any", "seen_on": ["sm90"]}, "any hardware, seen on sm90"),
        ({"scope": "list", "seen_on": ["sm90", "sm100"], "clean_on": ["sm80"]}, "seen on sm90, sm100; clean on sm80"),
        ({"scope": "cc-range", "min": "sm80"}, "from sm80"),
        ({"scope": "cc-range", "min": "sm80", "max": "sm90"}, "from sm80 to sm90"),
    ],
)
def test_hardware_text(hardware, text):
    assert hardware_text(hardware) == text


def test_each_condition_has_who_decides_it(make, tiny):
    assert condition_rows(tiny.catalog.records["enga-wrong-past-window"]) == [
        ("the model requires sliding-window", "the model"),
        ("cache.dtype is fp8_e4m3", "a setting, or the engine's own choice"),
    ]
    found = make(changed(GOTCHA, ("    - {cache.dtype: [fp8_e4m3]}", '    - {setting.fast: true}\n    - {relation: "sequence_length > model.window"}')))
    assert [decider for _, decider in condition_rows(found.catalog.records["enga-wrong-past-window"])] == [
        "the model",
        "a setting, or the engine's own choice",
        "the requests; what follows from model, hardware and settings",
    ]


def test_condition_text(tiny):
    found = tiny.catalog.records["enga-wrong-past-window"]
    assert condition_text(found) == "all of: the model requires sliding-window; cache.dtype is fp8_e4m3"
    assert condition_text(found, "clean_when") == ""


def test_citations_are_numbered_as_they_come():
    citer = Citer()
    assert [citer.number(id) for id in ("b", "a", "b", "c")] == [1, 2, 1, 3]


def test_a_cell_shows_its_architecture_s_source_first_then_those_of_what_is_missing(tiny, make):
    assert [source.id for source in cell_sources(Matrix(tiny).cells["tiny-model", "enga"])] == ["enga-registry", "enga-cache", "tiny-config"]
    assert [source.id for source in cell_sources(Matrix(tiny).cells["tiny-model", "enga"], limit=1)] == ["enga-registry"]
    assert [source.id for source in cell_sources(Matrix(make({REGISTRY: None})).cells["tiny-model", "enga"])] == ["enga-cache", "tiny-config"]
