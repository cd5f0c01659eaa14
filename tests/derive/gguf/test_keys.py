"""Reading keys: values of another kind are missing, never an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.derive.gguf import ARCHITECTURES, Header, config_of_header
from infercompat.derive.gguf.header import Length
from infercompat.derive.gguf.keys import Keys
from infercompat.derive.layers import Unknown


def keys(**fields):
    return Keys(Header({f"x.{name}": value for name, value in ({"block_count": 3} | fields).items()}, ()), "x")


def test_numbers():
    read = keys(a=4, b=-1, c="4", d=True)
    assert [read.number(name) for name in "abcde"] == [4, 0, 0, 0, 0]
    assert read.missing == ["x.b", "x.c", "x.d", "x.e"]
    assert (read.number("f", 7), read.optional("f"), read.optional("a")) == (7, None, 4)


def test_a_value_for_each_layer():
    read = keys(a=(1, 2, 3), b=5)
    assert (read.each("a"), read.each("b"), read.each("c", 9)) == ([1, 2, 3], [5, 5, 5], [9, 9, 9])


@pytest.mark.parametrize("value", [(1, 2), (1, 2, 3, 4), (1, 2, -3), (1.0, 2.0, 3.0), Length(3), "123"])
def test_what_is_no_value_for_each_layer(value):
    read = keys(a=value)
    assert read.each("a") == [0, 0, 0]
    assert read.missing


def test_entries_of_draft_layers_are_dropped():
    read = keys(nextn_predict_layers=1, a=(1, 2, 3), b=(1, 2))
    assert (read.layers, read.each("a"), read.each("b")) == (2, [1, 2], [1, 2])


def test_one_value_of_a_list():
    read = keys()
    assert (read.one("a", [0, 8, 8]), read.one("a", [0, 0])) == (8, 0)
    read.one("a", [1, 2])
    assert read.missing == ["x.a (differs from layer to layer: 1, 2)"]


def test_the_vocabulary_is_counted_by_its_list():
    header = Header({"x.block_count": 1, "tokenizer.ggml.tokens": Length(32000)}, ())
    assert Keys(header, "x").vocabulary() == 32000


VALUES = st.none() | st.booleans() | st.integers(-2, 1 << 33) | st.floats() | st.text(max_size=3) | st.lists(st.integers(0, 4), max_size=4).map(tuple)
NAMES = [
    *("block_count", "embedding_length", "context_length", "nextn_predict_layers", "expert_count", "expert_used_count", "feed_forward_length"),
    *("attention.head_count", "attention.head_count_kv", "attention.key_length", "attention.sliding_window", "attention.sliding_window_pattern"),
    *("attention.kv_lora_rank", "rope.dimension_count", "rope.scaling.type", "ssm.inner_size", "ssm.state_size", "ssm.time_step_rank"),
]


@given(st.sampled_from(sorted(ARCHITECTURES)), st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_any_values_are_a_config_or_unknown(architecture, values):
    fields = {"general.architecture": architecture} | {f"{architecture}.{name}": value for name, value in values.items()}
    assert isinstance(config_of_header(Header(fields, ())), (dict, Unknown))
