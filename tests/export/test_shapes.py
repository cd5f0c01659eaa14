"""The shapes behind /api/v1: what a model without a readable config gives, and support over releases."""

from __future__ import annotations

from catalogs import MODEL, changed
from infercompat.export.shapes import derived_of, over_time_of, weights_of_checkpoints
from infercompat.join import Matrix


def test_a_config_that_cannot_be_read_is_unknown_with_what_is_missing(make):
    products = make(changed(MODEL, ("model_type: gemma2", "model_type: unheard")))
    found = derived_of(products.catalog.records["tiny-model"], products.derived["tiny-model"])
    assert found["known"] is False
    assert found["missing"]


def test_weights_name_each_checkpoint(tiny):
    model = tiny.catalog.records["tiny-model"]
    rows = weights_of_checkpoints(model)
    assert [row["hub"] for row in rows] == [checkpoint["hub"] for checkpoint in model.data["checkpoints"]]
    assert all((row["low_bytes"] is None) == bool(row["missing"]) for row in rows)


def test_support_over_time_has_the_releases_that_were_read_whole(tiny):
    matrix = Matrix(tiny)
    found = over_time_of(matrix, tiny.catalog.records["enga"])
    assert found["versions"] == ["1.1.0"]
    assert found["cells"]["tiny-model"] == ["native"]
