"""Measurements recomputed. The tiny model has two full and two sliding layers of 512 bytes a token, with a window of 1,024."""

from __future__ import annotations

import pytest

from infercompat.measure import computed

HEAD = "name: A figure\nmodel: {model}\nmethod: {method}\nreproducible: true\ncites: [{{id: tiny-config}}]\n"


@pytest.mark.parametrize(
    ("fields", "value", "error"),
    [
        # 2 layers * 512 B * 1,024 + 2 layers * 512 B * 8,192
        ("metric: cache.ideal.bytes\nvalue: 9437184\nunit: B\nconditions: {context: 8192}", 9_437_184, 0),
        ("metric: cache.ideal.bytes\nvalue: 9.5\nunit: MiB\nconditions: {context: 8192}", 9, -0.5 / 9.5),
        ("metric: cache.ideal.bytes\nvalue: 4.5\nunit: MiB\nconditions: {context: 8192, cache_dtype: fp8}", 4.5, 0),
        # 4,718,592 elements in blocks of 32 that take 34 bytes
        ("metric: cache.ideal.bytes\nvalue: 5013504\nunit: B\nconditions: {context: 8192, cache_dtype: q8_0}", 5_013_504, 0),
        ("metric: cache.ideal.bytes_per_token\nvalue: 1000\nunit: B/token\nconditions: {context: 8192}", 1152, 0.152),
        ("metric: cache.ideal.growing_bytes_per_token\nvalue: 1024\nunit: B/token", 1024, 0),
        ("metric: cache.naive.bytes\nvalue: 32768\nunit: KiB\nconditions: {context: 8192}", 16_384, -0.5),
        ("metric: cache.naive.bytes_per_token\nvalue: 2048\nunit: B/token", 2048, 0),
        ("metric: cache.overpay\nvalue: 2\nunit: x\nconditions: {context: 8192}", 16 / 9, -1 / 9),
        ("metric: cache.ideal.bytes\nvalue: about 9 MB\nunit: B\nconditions: {context: 8192}", 9_437_184, None),
        ("metric: cache.ideal.bytes\nvalue: 0\nunit: B\nconditions: {context: 8192}", 9_437_184, None),
    ],
)
def test_computed(make, fields, value, error):
    products = make({"measurements/a.yaml": HEAD.format(model="tiny-model", method="engine-log") + fields + "\n"})
    assert products.diagnostics == []
    found = computed(products, products.catalog.records["a"])
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.error == (None if error is None else pytest.approx(error, abs=1e-12))


def test_a_derived_figure_has_a_value_and_no_error(tiny):
    found = computed(tiny, tiny.catalog.records["tiny-at-8k"])
    assert (found.value, found.error) == (9_437_184, None)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("metric: outcome\nvalue: ran\nunit: word", "an outcome is observed"),
        ("metric: cache.ideal.bytes\nvalue: 1\nunit: B", "names no context"),
        ("metric: cache.ideal.bytes\nvalue: 1\nunit: word\nconditions: {context: 8192}", "in word"),
        ("metric: cache.ideal.bytes\nvalue: 1\nunit: B\nconditions: {context: 8192, cache_dtype: auto}", "auto cache"),
    ],
)
def test_what_cannot_be_computed_says_why(make, fields, why):
    products = make({"measurements/a.yaml": HEAD.format(model="tiny-model", method="engine-log") + fields + "\n"})
    assert products.diagnostics == []
    found = computed(products, products.catalog.records["a"])
    assert (found.value, found.error) == (None, None)
    assert why in found.why


@pytest.mark.parametrize("model", ["nobody", "enga"])
def test_a_model_that_is_not_there_is_no_crash(make, model):
    products = make({"measurements/a.yaml": HEAD.format(model=model, method="derived") + "metric: cache.ideal.bytes\nunit: B\nconditions: {context: 1}\n"})
    assert computed(products, products.catalog.records["a"]).value is None
