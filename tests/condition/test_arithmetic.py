"""Comparisons computed: exactly over numbers and ranges, by their order over versions, and None where a part is not known."""

import pytest

from infercompat.condition.arithmetic import compare, holds, impossible
from infercompat.condition.facts import read_version
from infercompat.condition.relation import parse_relation
from infercompat.condition.values import MISSING, Range

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


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("k / tp % 32 != 0", {"k": 2880, "tp": 4}, True),  # 720 = 22 * 32 + 16
        ("k / tp % 32 != 0", {"k": 2880, "tp": 3}, False),  # 960 = 30 * 32
        ("k / tp * 3 == 1000", {"k": 1000, "tp": 3}, True),  # a third is a third, not 333.333
        ("k / tp % 1 == 1 / 3", {"k": 1000, "tp": 3}, True),
        ("k / tp % 32 == 13.5", {"k": 155, "tp": 2}, True),  # 77.5 = 2 * 32 + 13.5
        ("k // tp % 32 == 13", {"k": 155, "tp": 2}, True),  # 77 = 2 * 32 + 13
        ("(k - 200) % 32 == 8", {"k": 16}, True),  # -184 = -6 * 32 + 8
        ("k / tp / 10 == 0.3", {"k": 9, "tp": 3}, True),
    ],
)
def test_quotients_are_exact(text, values, expected):
    assert check(text, **values) is expected
    assert check(text, always=True, **values) is expected


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("cuda.version < 13.0", {"cuda.version": "12.10"}, True),
        ("cuda.version < 13.0", {"cuda.version": "13"}, False),
        ("torch.version >= 2.10", {"torch.version": "2.9.1"}, False),  # not the number 2.1
        ("torch.version >= 2.10", {"torch.version": "2.11.0+cu130"}, True),
        ("torch.version == 2.11.0", {"torch.version": "2.11.0+cu130"}, True),
        ("torch.version == 2.11.0", {"torch.version": "2.11.0rc1"}, False),
        ("torch.version != '2.11'", {"torch.version": "2.11.0"}, False),
        ("0.7.0.post1 > flashinfer.version", {"flashinfer.version": "0.7.0"}, True),
        ("flashinfer-cubin.version < flashinfer.version", {"flashinfer-cubin.version": "0.6.16.post3", "flashinfer.version": "0.6.18"}, True),
        ("flashinfer-cubin.version < flashinfer.version", {"flashinfer-cubin.version": "0.7.0.post1", "flashinfer.version": "0.7.0.post1"}, False),
        ("llama.cpp.version < 'b10488'", {"llama.cpp.version": "b9888"}, True),
    ],
)
def test_versions_are_ordered_as_versions(text, values, expected):
    assert holds(parse_relation(text), {name: read_version(value) for name, value in values.items()}) is expected


@pytest.mark.parametrize("text", ["4b12345", "0.1.dev20073", "nightly", "vllm-openai:gptoss"])
def test_what_has_no_order_is_no_version(text):
    assert read_version(text) is MISSING


def test_what_is_not_known_leaves_it_open_and_what_there_is_not_makes_it_false():
    relation = parse_relation("a / b > 3")
    assert compare(relation, {"a": 8, "b": MISSING}) is None
    assert compare(relation, {"a": None, "b": MISSING}) is False
    assert compare(relation, {"a": 8, "b": 2}) is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a % 32 == 40", True), ("a % 32 == 31", False), ("a < 1", True), ("a / b < 0", True), ("a - b < 0", False), ("a % b == 3", False)],
)
def test_quantities_that_come_to_nothing_like_it(text, expected):
    assert impossible(parse_relation(text), {"a": Range(1, INF), "b": Range(1, INF)}) is expected


def test_a_divisor_that_may_be_nothing_leaves_it_possible():
    assert not impossible(parse_relation("a / b < 0"), {"a": Range(0, INF), "b": Range(0, INF)})


@pytest.mark.parametrize(
    ("text", "values", "can"),
    [
        # Every whole number is divided by 1 without a rest, and not every one by 2.
        ("model.heads % tensor_parallel != 0", {"model.heads": Range(1, INF), "tensor_parallel": 1}, False),
        ("model.heads % tensor_parallel != 0", {"model.heads": Range(1, INF), "tensor_parallel": 2}, True),
        # The rest of whole numbers by 8 is 7 at most; that of half a number may be 7.5.
        ("model.heads % 8 > 7", {"model.heads": Range(1, INF)}, False),
        ("model.heads % 8 >= 7", {"model.heads": Range(1, INF)}, True),
        ("model.heads / 2 % 8 > 7", {"model.heads": Range(1, INF)}, True),
        ("gpu_memory_utilization % 1 != 0", {"gpu_memory_utilization": Range(0, 1)}, True),
        # The rest by a negative number is above it: -1 at least by -2.
        ("model.heads % (0 - 2) < 0 - 1", {"model.heads": Range(1, INF)}, False),
        ("model.heads % (0 - 2) < 0", {"model.heads": Range(1, INF)}, True),
        ("model.heads % max_num_seqs > 15", {"model.heads": Range(1, INF), "max_num_seqs": Range(1, 16)}, False),
    ],
)
def test_the_rest_of_whole_numbers(text, values, can):
    assert check(text, **values) is can
