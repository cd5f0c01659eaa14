"""Relations: what parses, where a fault is, and what they say of numbers and ranges."""

import pytest

from infercompat.condition.relation import RelationError, holds, parse_relation
from infercompat.condition.values import Range

INF = float("inf")


def check(text, always=False, **values):
    return holds(parse_relation(text), values, always)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("a > b", {"a": 3, "b": 2}, True),
        ("a > b", {"a": 2, "b": 2}, False),
        ("a >= b", {"a": 2, "b": 2}, True),
        ("a < 3", {"a": 2}, True),
        ("a <= 2", {"a": 2}, True),
        ("a == 2", {"a": 2}, True),
        ("a != 2", {"a": 2}, False),
        ("1 + 2 * a == 7", {"a": 3}, True),
        ("(1 + 2) * a == 9", {"a": 3}, True),
        ("a - 1 - 1 == 1", {"a": 3}, True),
        ("-a + 4 == 1", {"a": 3}, True),
        ("a / 2 == 3", {"a": 7}, False),
        ("a // 2 == 3", {"a": 7}, True),
        ("a / b % 32 != 0", {"a": 2880, "b": 8}, True),  # 360 = 11 * 32 + 8
        ("a / b % 32 != 0", {"a": 2048, "b": 8}, False),  # 256 = 8 * 32
        ("a / b % 32 != 0", {"a": 100, "b": 8}, True),  # 12.5
        ("a * 10 == 9", {"a": 0.9}, True),
        ("a / b > 1", {"a": 1, "b": 0}, False),
        ("a % b > 1", {"a": 1, "b": 0}, False),
        ("a > b", {"a": 3, "b": None}, False),
        ("a != b", {"a": 3, "b": None}, False),
        ("a == b", {"a": "q8_0", "b": "q8_0"}, True),
        ("a != b", {"a": "q8_0", "b": "q4_0"}, True),
        ("a > b", {"a": "q8_0", "b": "q4_0"}, False),
    ],
)
def test_of_single_values(text, values, expected):
    assert check(text, **values) is expected
    assert check(text, always=True, **values) is expected


@pytest.mark.parametrize(
    ("text", "values", "can", "must"),
    [
        ("a > b", {"a": Range(1, 8192), "b": 1024}, True, False),
        ("a > b", {"a": Range(1, 1024), "b": 1024}, False, False),
        ("a > b", {"a": Range(1025, 8192), "b": 1024}, True, True),
        ("a <= b", {"a": Range(1, 1024), "b": 1024}, True, True),
        ("a == 5", {"a": Range(1, 8)}, True, False),
        ("a == 9", {"a": Range(1, 8)}, False, False),
        ("a != 5", {"a": Range(1, 8)}, True, False),
        ("a != 9", {"a": Range(1, 8)}, True, True),
        ("a * b > 2147483648", {"a": Range(1, 131072), "b": Range(1, 16384)}, False, False),  # 2**17 * 2**14 = 2**31
        ("a * b > 2147483648", {"a": Range(1, 131072), "b": Range(1, 16385)}, True, False),
        ("a * b >= 0", {"a": Range(0, INF), "b": Range(0, INF)}, True, True),
        ("a - b > 0", {"a": Range(1, INF), "b": Range(1, INF)}, True, False),
        ("a / b > 100", {"a": Range(1, INF), "b": 8}, True, False),
        ("a / b > 1", {"a": 8, "b": Range(1, INF)}, True, False),
        ("a // 16 == 3", {"a": Range(48, 63)}, True, True),
        ("a // 16 == 3", {"a": Range(48, 64)}, True, False),
        ("a % 16 == 0", {"a": Range(49, 63)}, False, False),
        ("a % 16 == 0", {"a": Range(49, 64)}, True, False),
        ("a % 16 != 0", {"a": Range(1, INF)}, True, False),
        ("a / b > 1", {"a": 8, "b": Range(0, 4)}, False, False),
    ],
)
def test_of_ranges(text, values, can, must):
    assert check(text, **values) is can
    assert check(text, always=True, **values) is must


def test_names_and_their_places():
    relation = parse_relation("sequence_length > decode.model.window - 1")
    assert [(name.name, name.start) for name in relation.names] == [("sequence_length", 0), ("decode.model.window", 18)]
    assert relation.of_quantities
    assert not parse_relation("cache.k.dtype != cache.v.dtype").of_quantities
    assert parse_relation("a == b + 1").of_quantities and parse_relation("a < b").of_quantities


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "column 1: expected a fact or a number, the text ends", (0, 1)),
        ("a", "column 2: expected a comparison (<= >= == != < >), the text ends", (1, 2)),
        ("a = b", "column 3: expected a comparison (equality is ==), found '='", (2, 3)),
        ("a >", "column 4: expected a fact or a number, the text ends", (3, 4)),
        ("a > > b", "column 5: expected a fact or a number, found '>'", (4, 5)),
        ("a > b > c", "column 7: expected the end, for a relation compares once, found '>'", (6, 7)),
        ("a > (b + 1", "column 11: expected a closing parenthesis, the text ends", (10, 11)),
        ("a > b c", "column 7: expected the end, for a relation compares once, found 'c'", (6, 7)),
        ("a > b & c", "column 7: '&' has no meaning in a relation", (6, 7)),
        ("a > __import__('os')", "column 15: expected the end, for a relation compares once, found '('", (14, 15)),
        ("2 > 1", "column 1: a relation without a fact never changes", (0, 5)),
        ("a * / 2 > 1", "column 5: expected a fact or a number, found '/'", (4, 5)),
    ],
)
def test_faults(text, message, place):
    with pytest.raises(RelationError) as error:
        parse_relation(text)
    assert str(error.value) == message
    assert (error.value.start, error.value.end) == place
