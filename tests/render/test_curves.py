"""Cost curves: points worked out by hand, labels that do not touch, and axes with plain numbers."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from infercompat.render.curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Series, cost_curves

KIB = 1 << 10


def drawn(*series: Series, reach: int = 8192) -> ElementTree.Element:
    return ElementTree.fromstring(str(cost_curves(series, reach)))


def line(svg: ElementTree.Element, style: str) -> list[tuple[float, float]]:
    group = next(group for group in svg.iter("g") if group.get("class").split()[-1] == f"ic-line-{style}")
    return [tuple(map(float, point.split(","))) for point in group.find("polyline").get("points").split()]


FULL = Series("every layer full", "naive", lambda tokens: 2 * KIB * tokens)
WINDOWED = Series("what layers need", "ideal", lambda tokens: KIB * (tokens + min(tokens, 1024)))


def test_a_line_runs_from_nothing_to_its_reach():
    """16 MiB on an axis that ends at 20 MiB: four fifths of the way up."""
    points = line(drawn(FULL), "naive")
    assert points[0] == (LEFT, HEIGHT - BOTTOM)
    assert points[-1] == (WIDTH - RIGHT, pytest.approx(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * 0.8, abs=0.1))


def test_two_lines_share_their_axes():
    svg = drawn(FULL, WINDOWED)
    full, windowed = line(svg, "naive"), line(svg, "ideal")
    assert [x for x, _ in full] == [x for x, _ in windowed]
    assert all(below >= above for (_, above), (_, below) in zip(full, windowed, strict=True))
    assert windowed[-1][1] == pytest.approx(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * 9 / 20, abs=0.1)


def test_points_say_their_values():
    svg = drawn(FULL, WINDOWED)
    titles = [title.text for title in svg.iter("title")]
    assert "every layer full at 8,192 tokens: 16 MiB" in titles
    assert "what layers need at 2,048 tokens: 3 MiB" in titles
    assert svg.get("aria-label") == "Cache of one sequence over context, at 8,192 tokens: every layer full 16 MiB; what layers need 9 MiB"


def test_axes_have_plain_numbers():
    assert [text.text for text in drawn(FULL).iter("text") if text.get("class") == "ic-axis"] == [
        "0", "0", "5 MiB", "2,048", "10 MiB", "4,096", "15 MiB", "6,144", "20 MiB", "8,192",
    ]  # fmt: skip


def test_labels_of_equal_lines_do_not_touch():
    svg = drawn(FULL, Series("twin", "ideal", FULL.bytes_at), Series("third", "other", FULL.bytes_at))
    heights = sorted(float(group.find("text").get("y")) for group in svg.iter("g"))
    assert all(below - above >= 14 for above, below in pairwise(heights))


@pytest.mark.parametrize("bytes_at", [lambda tokens: 0, lambda tokens: 1, lambda tokens: tokens**3, lambda tokens: 1 << 20])
@pytest.mark.parametrize("reach", [1, 127, 128, 131072, 10_000_000])
def test_every_point_is_inside_the_drawing(bytes_at, reach):
    points = line(drawn(Series("a <b>", "a", bytes_at), reach=reach), "a")
    assert all(LEFT <= x <= WIDTH - RIGHT and TOP <= y <= HEIGHT - BOTTOM for x, y in points)


@pytest.mark.parametrize(
    ("value", "top"),
    [
        (1, "1 B"),
        (7, "8 B"),
        (8.5, "10 B"),
        (11, "20 B"),
        (1000, "1,000 B"),
        (1001, "1 KiB"),
        (KIB, "1 KiB"),
        (KIB + 1, "2 KiB"),
        (5 * KIB, "6 KiB"),
        (801 * KIB, "1,000 KiB"),
        (1023 * KIB, "1 MiB"),
        (16 << 20, "20 MiB"),
        (1010 << 20, "1 GiB"),
        (129 << 30, "200 GiB"),
        (900 << 30, "1,000 GiB"),
        (1 << 50, "1,024 TiB"),
    ],
)
def test_an_axis_ends_at_a_plain_number_above_its_highest_point(value, top):
    svg = drawn(Series("a", "a", lambda tokens: value if tokens else 0))
    assert [text.text for text in svg.iter("text") if text.get("text-anchor") == "end"][-1] == top


@pytest.mark.parametrize("power", [0, 3, 9, 10, 13, 27, 30, 39.99, 40, 43])
def test_no_axis_is_more_than_twice_as_high_as_its_line(power):
    points = line(drawn(Series("a", "a", lambda tokens: 2**power if tokens else 0)), "a")
    assert TOP <= points[-1][1] <= (TOP + HEIGHT - BOTTOM) / 2 + 4


def test_labels_of_many_low_lines_stay_above_the_axis_and_apart():
    svg = drawn(FULL, *(Series(f"low {number}", f"low-{number}", lambda tokens: tokens) for number in range(6)))
    heights = [float(group.find("text").get("y")) for group in svg.iter("g")]
    assert max(heights) == HEIGHT - BOTTOM + 4
    assert all(below - above >= 13.9 for above, below in pairwise(sorted(heights)))


def test_lines_are_drawn_from_the_highest_down_and_named_in_the_order_given():
    svg = drawn(WINDOWED, FULL)
    assert [group.find("text").text for group in svg.iter("g")] == ["every layer full", "what layers need"]
    assert svg.get("aria-label").endswith(": what layers need 9 MiB; every layer full 16 MiB")


def test_names_are_text_and_no_markup():
    svg = drawn(Series("a <b> & c", "a", lambda tokens: tokens))
    assert next(svg.iter("g")).find("text").text == "a <b> & c"
    assert next(svg.iter("title")).text.startswith("a <b> & c at 1,024 tokens")


def test_each_line_has_eight_points_that_say_their_value():
    svg = drawn(FULL, reach=1000)
    titles = [title.text for title in svg.iter("title")]
    assert len(titles) == 8
    assert titles[0] == "every layer full at 125 tokens: 250 KiB"


def test_a_line_of_nothing_is_drawn_on_the_axis():
    svg = drawn(Series("none", "a", lambda tokens: 0))
    assert {y for _, y in line(svg, "a")} == {HEIGHT - BOTTOM}
