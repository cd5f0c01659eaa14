"""What holds for one allocation: given facts before defaults, element types by their engines' names, shares of ranks."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.allocate import Request
from infercompat.allocate.terms import Terms, Unfit, complaint, divides, element_bytes, heads_on_rank, state_elements, whole

from .configs import model


def terms(defaults=None, **request):
    return Terms(Request(model("llama-3.1-8b"), **request), defaults or {}, {}, "some/1", "Some")


def test_what_is_given_goes_before_the_default_of_the_engine():
    settings = {"max_num_seqs": {"default": 4}, "setting.swa_full": {"default": False}}
    assert terms(settings)["max_num_seqs"] == 4
    assert terms(settings, max_num_seqs=8)["max_num_seqs"] == 8
    assert terms(settings, settings={"setting.swa_full": True})["setting.swa_full"] is True
    assert terms()["setting.unheard"] is None


def test_the_longest_sequence_is_that_of_the_config_where_nothing_is_said():
    assert terms().max_model_len == 131072
    assert terms(max_model_len=4096).max_model_len == 4096


def test_drafted_tokens_follow_the_default_once_a_method_is_named():
    settings = {"speculation.tokens": {"default": 3}}
    assert terms(settings).speculative_tokens == 0
    assert terms(settings, settings={"speculation.method": "none"}).speculative_tokens == 0
    assert terms(settings, settings={"speculation.method": "draft-mtp"}).speculative_tokens == 3
    assert terms(settings, speculative_tokens=5, settings={"speculation.method": "draft-mtp"}).speculative_tokens == 5


def test_a_draft_model_is_named_as_not_counted():
    assert list(terms(speculative_tokens=2).notes) == ["the layers of a draft model are not counted"]
    assert list(terms(speculative_tokens=2, settings={"speculation.method": "ngram"}).notes) == []


@pytest.mark.parametrize(("dtype", "size"), [(None, 2), ("auto", 2), ("half", 2), ("f32", 4), ("fp8", 1), ("q8_0", Fraction(34, 32)), ("odd", None)])
def test_bytes_of_an_element(dtype, size):
    assert element_bytes(dtype) == size


@given(st.integers(0, 128), st.integers(1, 64))
def test_ranks_together_keep_every_head(heads, ranks):
    if divides(heads, ranks):
        assert heads_on_rank(heads, ranks) * ranks >= heads
        assert heads_on_rank(heads, ranks) == (0 if not heads else max(1, Fraction(heads, ranks)))


def test_heads_that_neither_divide_nor_are_divided():
    assert not divides(8, 3)
    assert divides(8, 16) and divides(8, 2) and divides(0, 3)


def test_convolutions_grow_by_columns():
    layer = next(layer for layer in model("qwen3.5-9b").layers if layer.conv_elements)
    assert state_elements(layer, 2, 0, None) == (8192 * 3 / 2, 32 * 128 * 128 / 2)
    assert state_elements(layer, 1, 7, 4) == (8192 * 10, 32 * 128 * 128)
    assert state_elements(layer, 1, 7, None) is None


def test_only_numbers_are_whole():
    assert [whole(value) for value in (3, True, "3", None)] == [3, None, None, None]


@pytest.mark.parametrize(
    ("value", "default", "wrong"),
    [
        ("abc", 512, "setting.some is a number, not abc"),
        (True, 0.8, "setting.some is a number, not True"),
        (-1, 512, "setting.some is 0 or more, not -1"),
        (-1, None, "setting.some is 0 or more, not -1"),
        (-1, "auto", ""),
        (0, 512, ""),
        (0.5, 1, ""),
        ("abc", None, ""),
        (None, 512, ""),
        ("off", True, ""),
    ],
)
def test_a_setting_has_a_value_of_the_kind_of_its_default(value, default, wrong):
    assert complaint("setting.some", value, default) == wrong


def test_a_setting_that_cannot_be_is_refused_where_it_is_read():
    with pytest.raises(Unfit, match="is 0 or more, not -1"):
        terms({"setting.some": {"default": 8}}, settings={"setting.some": -1})["setting.some"]
