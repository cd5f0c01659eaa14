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
