"""The table of families: names that lead to one row each, and to a reader."""

from collections import Counter

import pytest

from infercompat.derive.config import Config
from infercompat.derive.readers import BY_NAME as READERS
from infercompat.derive.weights.anatomy import BY_NAME, FAMILIES, flag

NAMES = [name for family in FAMILIES for name in family.names.split()]


def test_each_name_leads_to_one_row():
    assert [name for name, count in Counter(NAMES).items() if count > 1] == []
    assert len(BY_NAME) == len(NAMES) > 80


def test_each_name_has_a_reader_of_its_layers():
    assert [name for name in NAMES if name not in READERS] == []


@pytest.mark.parametrize(
    ("word", "values", "result", "default"),
    [
        (True, {}, True, False),
        ("bias", {}, False, False),
        ("bias", {"bias": True}, True, False),
        ("bias=true", {}, True, True),
        ("bias=true", {"bias": False}, False, False),
    ],
)
def test_a_switch_is_fixed_or_a_flag_of_the_config(word, values, result, default):
    config = Config(values)
    assert flag(config, word) is result
    assert bool(config.defaults_used) is default
