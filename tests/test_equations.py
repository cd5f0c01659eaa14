"""Equations in prose: what is read as one, what holds, what is false and by how much, and that no text takes long."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.equations import find
from infercompat.equations.parsing import MAX_DEPTH, MAX_TOKENS, parse, tokens
from infercompat.equations.values import MAX_EXPONENT, Unreadable, Value, combine, power, show

# Equations of the first notes and others like them, all true; the arithmetic was done by hand.
TRUE = [
    "62 * 16 * 128 * 2 * 2 = 507,904",
    "KV: 62 * 16 * 128 * 2 * 2 bytes = 507,904 bytes/token = 496 KiB/token, the largest of them",
    "KV: 30 * 2 * 256 * 2 * 2 bytes = 61,440 bytes/token = 60 KiB/token.",
    "a * b * c * 2 * 2 = 26 * 4 * 256 * 2 * 2 = 106496 bytes/token at bf16",
    "num_layers * num_kv_heads * head_dim * 2 * 2 = 26 * 4 * 256 * 2 * 2 = 106496 bytes/token",
    "(it is not hidden_size/num_heads = 2304/8 = 288)",
    "34 * 4 * 256 * 2 * 2 = 139,264 B/token (136 KiB).",
    "naive 30*2,048 = 61,440 B/token; and so on",
    "(10*8192*c + 52*8192*1024)/c = 81,920 + 436,207,616/c",
    "giving (10*8192*c + 52*8192*1024)/c = 81,920 + 436,207,616/c B/token - 5.96x overpay at 131,072 context",
    "(6*2048*c + 24*2048*512)/c = 12,288 + 25,165,824/c - 4.71x at its 32,768 max context",
    "(4*4096*c + 22*4096*4096)/c = 16,384 + 369,098,752/c.",
    "(6*4096*c + 28*4096*1024)/c = 24,576 + 117,440,512/c - 5.47x",
    "(16 x 2,048 x 512 + 4 x 2,048 x C) / C = 8,192 + 16,777,216/C",
    "VISION TOKENS = (896/14)^2 = 64*64 = 4,096 tokens for ONE image",
    "KV sharing alone is 30/20 = 1.5x, and it is the part that does not depend on context",
    "507,904 * 131,072 = 62 GiB",
    "507,904 / 85,248 = 5.96x = 5.958x",
    "2 × 3 · 4 = 24 = 2*3*4",
    "2^10 = 1,024 = 2**10 and 2³ is not read",
    "2^3^2 = 512, -2^2 = -4, 10 - 2 - 3 = 5, 2^-1 = 0.5",
    "10/62 = 16% = 16.1%, 50% * 62 = 31",
    "1 MiB = 1,024 KiB = 1048576 bytes",
    "8 * 62 KiB = 496",
    "1.875 GiB = 1,920 MiB",
    "1.9 GiB = 1,920 MiB",
    "(c^2 - 1)/(c - 1) = c + 1",
    "(n + 1)^3 = n^3 + 3*n^2 + 3*n + 1",
    "**2 * 3 = 6** and *2 * 3 = 6* too",
    "(so 2 * 3 = 6)",
    "52 layers + 10 layers = 62 layers",
    "80 + 425,984/c KiB = 81,920 + 436,207,616/c",
    "61,440 B / 8,704 B = 7.06x = 30 / 4.25",
    "1e6 * 2 = 2,000,000",
    "62 * 16 *\n128 * 2 * 2 = 507,904",
]


@pytest.mark.parametrize("text", TRUE)
def test_what_holds_is_read_and_left_alone(text):
    equations = find(text)
    assert equations, "nothing was read"
    assert [fault for equation in equations for fault in equation.faults()] == []


FALSE = [
    ("62 * 16 * 128 * 2 * 2 = 507,905", "507,905", "507,904"),
    ("62 * 16 * 128 * 2 * 2 bytes = 507,904 bytes/token = 497 KiB/token", "497 KiB/token", "496 KiB"),
    ("26 * 4 * 256 * 2 * 2 = 106,498 bytes = 104 KiB", "106,498 bytes", "106,496 B"),
    ("106,498 = 26 * 4 * 256 * 2 * 2", "106,498", "106,496"),
    ("(10*8192*c + 52*8192*1024)/c = 81,920 + 436,207,617/c B/token - 5.96x", "81,920 + 436,207,617/c B/token", "81,920 + 436,207,616/c"),
    ("(6*2048*c + 24*2048*512)/c = 12,289 + 25,165,824/c - 4.71x", "12,289 + 25,165,824/c", "12,288 + 25,165,824/c"),
    ("106,496 / 24,576 = 40x", "40x", "4.33x"),
    ("256 / 320 = 4x", "4x", "0.80x"),
    ("106,496 * 131,072 = 12.7 GiB", "12.7 GiB", "13 GiB"),
    ("30/20 = 1.6x", "1.6x", "1.50x"),
    ("10/62 = 17%", "17%", "16.13%"),
    ("(896/14)^2 = 64*65 = 4,096 tokens", "64*65", "4,096"),
    ("139,264 B/token = 137 KiB", "137 KiB", "136 KiB"),
    ("1 MiB = 1,000 KiB", "1 MiB", "0.98 MiB"),
    ("1.89 GiB = 1,920 MiB", "1.89 GiB", "1.88 GiB"),
    ("12*c/c = 13", "13", "12"),
    ("c + 1 = c + 2", "c + 2", "c + 1"),
    ("**2 * 3 = 7**", "7", "6"),
    ("(so 2 * 3 = 7)", "7", "6"),
    ("2 * 3 = 6.5", "6.5", "6"),
    ("507,904 / 85,248 = 5.95x", "5.95x", "5.96x"),
    ("1/3 = 0.34", "0.34", "0.33"),
    ("62 * 16 *\n128 * 2 * 2 = 507,905", "507,905", "507,904"),
]


@pytest.mark.parametrize(("text", "wrong", "truth"), FALSE)
def test_what_is_false_is_told_at_its_place_with_what_is_right(text, wrong, truth):
    faults = [fault for equation in find(text) for fault in equation.faults()]
    assert [(text[fault.start : fault.end], fault.truth) for fault in faults] == [(wrong, truth)]


NO_EQUATIONS = [
    "c = 32,768 and k=7, w = 1024",
    "sliding_window = 4096, FLAG=1, sm90 = 9.0, opset 17 = 1.12",
    "head_dim = 256 is 4x the hidden size",
    "2 kv heads x head_dim 256 x 2 (K and V) x 2 bytes = 2,048 B",
    "heads * 2 = 17 and kv heads x 2 * 2 = 17",
    "half of 62 * 2 = 17, 10% of 62 = 17",
    "f(2) * 3 = 17 and min(2, 3) = 17",
    "2 * 2 = 4 times 3, 2 * 2 = 4 million, 2 * 2 = 4 to 6",
    "2 * 2 = 5 kv heads x 3, 2 * 2 = 2 (K and V) * 2",
    "0.33.0 = 0.34, 2026-10-03 = 2026, #53786 = 2 * 3, 15:1 = 15, 1,2 = 2 * 3",
    "27B = 27 * 2, 128k = 128 * 1000, 16-bit = 2 * 9",
    "2 * 3 == 7, 2 * 3 != 7, 2 * 3 <= 7, 2 * 3 ~= 7, x := 2 * 3",
    "\ufffc * 3 = 7 and 3 * \ufffc = 7 and 2 * 3 = \ufffc",
    "10 * c = 5 holds for one c, 2 * c = 4 * d for two letters",
    "2 * 3 = and = 7",
    "1 / 0 = 5, 2 / (3 - 3) = 5",
    "see 7 * 7 to 4 * 4 = 17",
    "5\n- 4 * x 2 = 8",
    "1 024 * 2 = 2 048",
    "a sum of 2(3) = 5 and (2)(3) = 5",
]


@pytest.mark.parametrize("text", NO_EQUATIONS)
def test_what_is_no_arithmetic_from_end_to_end_is_left_alone(text):
    assert [fault for equation in find(text) for fault in equation.faults()] == []


def test_a_spaced_hyphen_may_be_a_dash():
    for text in ("2 * 3 = 6 - 4 of them", "at 8 - 2 * 3 = 6", "2 * 3 = 10 - 4"):
        assert [fault for equation in find(text) for fault in equation.faults()] == [], text
    (fault,) = next(iter(find("2 * 3 = 10 - 5"))).faults()
    assert fault.truth == "6"


def test_where_an_equation_stands():
    text = "It holds 2 * 3 = 6 blocks (4 + 4 = 8)."
    assert [text[found.start : found.end] for found in find(text)] == ["2 * 3 = 6", "4 + 4 = 8"]


@pytest.mark.parametrize(
    "side",
    [
        "9^9^9^9",
        "2^65",
        "(2^64)^9",
        "c^9",
        "9e99 * 9e99",
        "1" * 41,
        "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1),
        "-" * (MAX_DEPTH + 1) + "1",
        "+".join("1" * (MAX_TOKENS // 2 + 1)),
        "2^" * (MAX_DEPTH + 1) + "1",
        "2^0.5",
        "2^c",
        "KiB",
        "2 KiB * 2 KiB",
        "",
    ],
)
def test_what_is_too_much_is_not_worked_out(side):
    with pytest.raises(Unreadable):
        parse(tokens(side))


def test_bounds_are_wide_enough_for_prose():
    assert parse(tokens(f"2^{MAX_EXPONENT}")).constant == 1 << 64
    assert parse(tokens("(" * 10 + "7" + ")" * 10)).constant == 7
    assert parse(tokens("+".join("1" * (MAX_TOKENS // 2)))).constant == MAX_TOKENS // 2


@pytest.mark.parametrize(
    "text",
    [
        "1=" * 100_000,
        "1 - " * 50_000 + "1 = 1",
        "(" * 100_000 + "=" + ")" * 100_000,
        "9^9^9^9^9^9 = 9^9^9^9^9^9 " * 5_000,
        "2 * 2 = 4 (" * 20_000,
        "(1+c)^8/(1-c)^8 = (1+c)^8/(1-c)^7 " * 300,
        "1 1 = 1 1 " * 20_000,
        "word " * 50_000 + "= 1",
        "9" * 200_000 + " = 1",
        "1," * 100_000 + " = 1",
        "a-" * 100_000 + " = 1",
    ],
)
def test_no_text_takes_long(text):
    begun = time.process_time()
    for equation in find(text):
        list(equation.faults())
    assert time.process_time() - begun < 10


_ARITHMETIC = st.text(alphabet=st.sampled_from(list("0123456789,.()+-*/^=xc%× \nKiBMGeE")), max_size=80)


@given(st.text(max_size=200) | _ARITHMETIC)
def test_no_text_raises(text):
    for equation in find(text):
        assert 0 <= equation.start < equation.end <= len(text)
        for fault in equation.faults():
            assert equation.start <= fault.start < fault.end <= equation.end
            assert fault.truth


@given(st.lists(st.lists(st.integers(1, 99), min_size=2, max_size=4), min_size=1, max_size=4), st.integers(-3, 3).filter(bool))
def test_a_sum_of_products_comes_to_what_it_is(terms, off):
    side, value = " + ".join(" * ".join(map(str, term)) for term in terms), sum(math.prod(term) for term in terms)
    assert parse(tokens(side)).constant == value
    assert [fault for equation in find(f"{side} = {value:,}") for fault in equation.faults()] == []
    (fault,) = (fault for equation in find(f"{side} = {value + off:,}") for fault in equation.faults())
    assert fault.truth == f"{value:,}"


@given(st.integers(1, 99), st.integers(1, 99), st.integers(1, 10**6))
def test_an_identity_is_one_for_every_value(a, b, off):
    text = f"({a}*c + {b})/c = {a} + {b}/c"
    assert [fault for equation in find(text) for fault in equation.faults()] == []
    (fault,) = (fault for equation in find(f"({a}*c + {b})/c = {a} + {b + off}/c") for fault in equation.faults())
    assert fault.truth == f"{a} + {b}/c"


def test_values_show_as_people_write_them():
    c = Value((Fraction(0), Fraction(1)), name="c")
    assert str(combine("-", combine("*", Value.of(3), power(c, Value.of(2))), Value.of(1))) == "3*c^2 - 1"
    assert str(combine("/", Value.of(-5), c)) == "-5/c"
    assert str(combine("/", c, combine("+", c, Value.of(1)))) == "(c)/(c + 1)"
    assert [show(Fraction(1, 3)), show(Fraction(1, 3), 4), show(Fraction(1, 3000))] == ["0.33", "0.3333", "0.000333"]
    assert show(Fraction(10**40, 3)).startswith("3,333,")
