"""Tests against values, ranges and several values at once."""

import pytest

from infercompat.condition.values import Between, OneOf, Range, fits, passes


@pytest.mark.parametrize(
    ("test", "value", "can", "must"),
    [
        (OneOf((8,)), 8, True, True),
        (OneOf((8,)), 4, False, False),
        (OneOf((1,)), True, False, False),  # true is not 1
        (OneOf((True,)), True, True, True),
        (OneOf((8,)), None, False, False),
        (OneOf((8,)), Range(1, 8), True, False),
        (OneOf((8,)), Range(9, 20), False, False),
        (OneOf((8,)), Range(8, 8), True, True),
        (OneOf((1, 2, 3)), Range(1, 2), True, True),
        (OneOf((1, 3)), Range(1, 3), True, False),
        (OneOf((256,)), (256, 512), True, False),
        (OneOf((256,)), (), False, False),
        (Between(min=4), 4, True, True),
        (Between(above=4), 4, False, False),
        (Between(max=4), 4, True, True),
        (Between(below=4), 4, False, False),
        (Between(min=2, below=5), 4, True, True),
        (Between(min=2), None, False, False),
        (Between(above=1024), Range(1, 1024), False, False),
        (Between(above=1024), Range(1, 1025), True, False),
        (Between(min=10, max=20), Range(12, 18), True, True),
        (Between(min=10, max=20), Range(5, 12), True, False),
        (Between(min=10, max=20), Range(21, float("inf")), False, False),
        (Between(min=300), (256, 512), True, False),
    ],
)
def test_passes(test, value, can, must):
    assert passes(test, value) is can
    assert passes(test, value, always=True) is must


@pytest.mark.parametrize(
    ("test", "whole", "expected"),
    [
        (Between(min=4, max=4), True, False),
        (Between(min=5, max=4), True, True),
        (Between(above=4, below=5), True, True),
        (Between(above=4, below=5), False, False),
        (Between(above=4, max=5), True, False),
        (Between(above=4, max=4), False, True),
        (Between(min=4), True, False),
    ],
)
def test_empty(test, whole, expected):
    assert test.empty(whole) is expected


def test_a_range_is_not_held_against_a_word():
    assert not fits(Between(min=4), "auto")
    assert not fits(Between(min=4), True)
    assert not fits(Between(min=4), (1, "auto"))
    assert fits(Between(min=4), None) and fits(Between(min=4), Range(1, 2)) and fits(OneOf((4,)), "auto")
