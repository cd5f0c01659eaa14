"""Reading fields: their variants, what is missing, what is a default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.derive import derive
from infercompat.derive.config import ABSENT, VARIANTS, Config


@pytest.mark.parametrize(("name", "variant"), [(name, variant) for name, variants in VARIANTS.items() for variant in variants])
def test_every_variant_of_a_field_is_read(name, variant):
    values = 7
    for step in reversed(variant.split(".")):
        values = {step: values}
    assert Config(values).size(name) == 7


def test_the_first_variant_with_a_value_wins():
    assert Config({"head_dim": None, "kv_channels": 64, "attention_head_dim": 80}).size("head_dim") == 80


def test_null_and_absent_are_different_statements():
    assert Config({"sliding_window": None}).find("sliding_window") is None
    assert Config({}).find("sliding_window") is ABSENT
    assert not Config({}).find("sliding_window")


@pytest.mark.parametrize("part", ["text_config", "llm_config", "language_config", "decoder", "generator"])
def test_the_text_part_is_found(part):
    config = Config({"model_type": "outer", "vision_config": {"depth": 2}, part: {"model_type": "inner", "hidden_size": 8}})
    assert config.names == ("inner", "outer")
    assert config.size("hidden_size") == 8
    assert config.anywhere("vision_config") == {"depth": 2}


def test_a_thinker_holds_its_text_part():
    config = Config({"thinker_config": {"text_config": {"hidden_size": 8}, "audio_config": {"d_model": 4}}})
    assert config.size("hidden_size") == 8
    assert config.anywhere("audio_config") == {"d_model": 4}


def test_names_come_from_model_types_then_the_given_class_then_the_config():
    config = Config({"model_type": "outer", "architectures": ["Outer"], "text_config": {"architectures": ["Inner"]}}, "Given")
    assert config.names == ("outer", "Given", "Inner", "Outer")


@pytest.mark.parametrize("value", [-1, 1 << 48, 10**900, 1.5, 4096.0, True, "8", [], {}])
def test_what_is_no_size_is_missing(value):
    config = Config({"hidden_size": value})
    assert config.size("hidden_size") == 0
    assert len(config.missing) == 1
    assert config.missing[0].startswith("hidden_size (")
    assert len(config.missing[0]) < 100


def test_a_default_is_used_for_null_and_absent_and_noted_once():
    config = Config({"sliding_window_pattern": None})
    assert config.size("sliding_window_pattern", 4, "SomeConfig") == config.size("sliding_window_pattern", 4, "SomeConfig") == 4
    assert config.defaults_used == ["sliding_window_pattern=4 (SomeConfig)"]
    assert config.missing == []


def test_a_default_does_not_hide_nonsense():
    config = Config({"head_dim": "wide"})
    config.size("head_dim", 128, "SomeConfig")
    assert config.missing == ["head_dim ('wide' is not a size)"]
    assert config.defaults_used == []


def test_sections_keep_the_same_accounts():
    config = Config({"linear_attn_config": {"num_heads": 4}})
    section = config.section("linear_attn_config")
    assert section.size("num_heads") == 4
    section.size("head_dim")
    config.section("nothing").section("deeper").size("head_dim")
    assert config.missing == ["linear_attn_config.head_dim", "nothing.deeper.head_dim"]


@pytest.mark.parametrize("value", ["full", [1], [None], {"0": "full"}, ["full"] * 10_000])
def test_a_list_of_words_is_nothing_else(value):
    config = Config({"layer_types": value})
    assert config.words("layer_types") == []
    assert config.missing


def test_a_list_of_sizes_has_no_negatives():
    config = Config({"kda_layers": [1, -2]})
    assert config.sizes("kda_layers") == []
    assert config.missing == ["kda_layers (an entry is not a size)"]


def test_layers_are_counted_by_their_list_where_no_field_counts_them():
    assert Config({"layer_types": ["full_attention"] * 3}).layer_count() == 3
    assert Config({"hybrid_override_pattern": "M-M*"}).layer_count() == 4
    assert Config({"num_hidden_layers": 5, "layer_types": ["full_attention"] * 3}).layer_count() == 5


@pytest.mark.parametrize("count", [0, -1, 4097, 1 << 40, None, "many"])
def test_impossible_layer_counts_are_missing(count):
    config = Config({"num_hidden_layers": count})
    assert config.layer_count() == 1
    assert config.missing


def test_entries_for_draft_layers_are_dropped():
    config = Config({"num_nextn_predict_layers": 1})
    assert config.per_layer([1, 2, 3], 2, "ratios") == [1, 2]
    assert config.missing == []
    assert Config({}).per_layer([1, 2, 3], 2, "ratios") == [1, 2]


def test_lists_of_a_wrong_length_are_missing():
    config = Config({})
    assert config.per_layer([1], 3, "ratios") == [1, None, None]
    assert config.missing == ["ratios (1 entries for 3 layers)"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_value_can_be_read_as_anything(value):
    config = Config({"field": value})
    assert type(config.size("field")) is int
    assert config.size("field", least=1) >= 1
    assert isinstance(config.flag("field"), bool)
    assert config.words("field") is None or isinstance(config.words("field"), list)
    assert config.sizes("field") is None or isinstance(config.sizes("field"), list)
    assert config.section("field").size("inner") >= 0
    assert config.peek("field") is None or config.peek("field") >= 0


def test_the_largest_size():
    assert Config({"hidden_size": (1 << 48) - 1}).size("hidden_size") == (1 << 48) - 1


def test_a_summary_gives_its_name_and_takes_no_class_default():
    # Mistral's window is 4096 where a config.json leaves the field out; a summary that leaves it out says nothing of the window.
    llama = {"architecture": "llama", "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "hidden_size": 256}
    mistral = llama | {"architecture": "mistral"}
    assert derive(llama).counts() == {"full": 2}
    assert derive(mistral).missing == ("sliding_window",)
    assert derive({**mistral, "model_type": "mistral"}).counts() == {"sliding": 2}
