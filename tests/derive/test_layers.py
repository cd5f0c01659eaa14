"""Element counts of single layers."""

import pytest

from infercompat.derive.layers import ATTENDING, KINDS, Layer

HEADS = {"kv_heads": 2, "k_width": 8, "v_width": 4}


def held(layer, tokens):
    return {part: int(count) for part, count in layer.held(tokens).items() if count}


def test_every_kind_that_attends_is_a_kind():
    assert set(KINDS) > ATTENDING


def test_a_full_layer_keeps_k_and_v_of_every_token():
    assert held(Layer("full", **HEADS), 10) == {"k": 160, "v": 80}


@pytest.mark.parametrize(("tokens", "rows"), [(3, 3), (4, 4), (5, 4)])
def test_a_sliding_layer_keeps_no_more_than_its_window(tokens, rows):
    assert held(Layer("sliding", window=4, **HEADS), tokens) == {"k": 16 * rows, "v": 8 * rows}


def test_a_latent_replaces_k_and_v_and_an_index_comes_on_top():
    assert held(Layer("indexed", latent_width=6, index_width=3, **HEADS), 10) == {"latent": 60, "index": 30}
    assert held(Layer("indexed", index_width=3, **HEADS), 10) == {"k": 160, "v": 80, "index": 30}


def test_compressed_entries_are_counted_by_begun_blocks():
    layer = Layer("indexed", latent_width=6, index_width=3, window=4, compress_ratio=4, **HEADS)
    assert held(layer, 9) == {"latent": 6 * (4 + 3), "index": 3 * 3}


def test_a_layer_that_shares_keeps_only_an_index_of_its_own():
    assert held(Layer("full", shares=True, **HEADS), 10) == {}
    assert held(Layer("indexed", latent_width=6, index_width=3, shares=True, **HEADS), 10) == {"index": 30}
    assert not any(Layer("sliding", window=4, shares=True, **HEADS).windowed.values())


def test_cross_attention_and_states_are_held_once():
    layer = Layer("cross", cross_tokens=5, conv_elements=7, state_elements=9, **HEADS)
    assert held(layer, 100) == {}
    assert layer.fixed == {"k": 80, "v": 40, "convolution": 7, "state": 9}
    assert layer.naive == {}


@pytest.mark.parametrize("kind", sorted(set(KINDS) - ATTENDING))
def test_other_kinds_never_grow(kind):
    layer = Layer(kind, window=4, index_width=3, **HEADS)
    assert (layer.held(100), layer.growth, layer.windowed, layer.naive) == ({}, {}, {}, {})
