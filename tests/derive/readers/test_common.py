"""The shared pieces of readers."""

from infercompat.derive.config import Config
from infercompat.derive.layers import Layer, Unknown
from infercompat.derive.readers.common import FULL, SLIDING, assemble, attention, demands, interleaved, layer_types, one_full_in, windowed

HEADS = {"num_attention_heads": 8, "hidden_size": 64}


def test_absent_and_null_heads_follow_the_query_heads():
    for kv_heads in ({}, {"num_key_value_heads": None}):
        config = Config(HEADS | kv_heads)
        assert attention(config) == Layer("full", 8, 8, 8)
        assert config.defaults_used == [
            "num_key_value_heads=8 (one for each query head)",
            "head_dim=8 (hidden_size // num_attention_heads)",
        ]


def test_stated_fields_may_be_null_but_not_absent():
    config = Config(HEADS | {"num_key_value_heads": None})
    attention(config, stated="num_key_value_heads head_dim")
    assert config.missing == ["head_dim"]


def test_class_numbers_are_used_only_where_a_reader_gives_them():
    config = Config(HEADS)
    assert attention(config, kv_heads=4, head_dim=256, why="SomeConfig") == Layer("full", 4, 256, 256)
    assert config.defaults_used == ["num_key_value_heads=4 (SomeConfig)", "head_dim=256 (SomeConfig)"]


def test_a_list_of_types_wins_over_a_pattern():
    config = Config({"num_hidden_layers": 2, "layer_types": ["attention", "sliding_attention"]})
    assert layer_types(config, one_full_in(2, 1), "SomeConfig") == [FULL, SLIDING]
    assert config.defaults_used == []


def test_a_pattern_fills_in_for_the_list():
    config = Config({"num_hidden_layers": 5})
    assert layer_types(config, one_full_in(3, 2), "SomeConfig") == [SLIDING, SLIDING, FULL, SLIDING, SLIDING]
    assert config.defaults_used == ["layer_types=1 full_attention + 4 sliding_attention (SomeConfig)"]


def test_without_list_and_pattern_a_field_is_missing():
    config = Config({"num_hidden_layers": 5})
    assert layer_types(config, missing="hybrid_layer_pattern") == []
    assert config.missing == ["hybrid_layer_pattern"]


def test_a_window_is_asked_for_only_where_a_layer_slides():
    full = Layer("full", 1, 8, 8)
    config = Config({"layer_types": ["full_attention"] * 2})
    assert interleaved(config, full) == [full, full]
    assert config.missing == []
    config = Config({"layer_types": ["full_attention", "sliding_attention"]})
    assert interleaved(config, full) == [full, windowed(full, 1)]
    assert config.missing == ["sliding_window"]


def test_words_a_family_does_not_have_are_missing():
    config = Config({})
    assert assemble(config, [FULL, "hyena"], {FULL: Layer("full")}) == [Layer("full")]
    assert config.missing == ["layer_types (no layer of this family is 'hyena')"]


def test_a_reading_with_a_missing_field_is_unknown():
    config = Config({})
    config.size("hidden_size")
    assert demands(config, [Layer("full")]) == Unknown(("hidden_size",), "the config lacks fields that decide the layers")
