"""Predicted against logged: rows worst first, their words, their summary, and a plot whose dots can be worked out by hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from infercompat.measure import Computed
from infercompat.records import Document, Record
from infercompat.render.predicted import EDGE, SIZE, Row, Summary, plot, rows, summary

HEAD = "name: A figure\nmodel: tiny-model\nmethod: engine-log\nreproducible: true\ncites: [{id: tiny-config}]\n"


def row(value: float | None, logged: float | str | None, error: float | None = None, metric: str = "cache.ideal.bytes", **fields) -> Row:
    data = {"name": fields.pop("name", "A figure"), "metric": metric, "value": logged, "unit": "GiB", **fields.pop("data", {})}
    return Row(Record("a", "measurement", data, Document("a.yaml", data, {}, {}, {}, ())), Computed(value, error, **fields))


def figure(value: object, unit: str = "MiB", more: str = "") -> str:
    return f"{HEAD}metric: cache.ideal.bytes\nvalue: {value}\nunit: {unit}\nconditions: {{context: 8192}}\n{more}"


def test_rows_come_worst_first_and_those_without_an_error_last(make):
    """The tiny model takes 9 MiB at 8,192 tokens."""
    products = make(
        {
            "measurements/exact.yaml": figure(9),
            "measurements/far.yaml": figure(18),
            "measurements/over.yaml": figure(6),
            "measurements/even.yaml": figure(18),
            "measurements/unknown.yaml": figure(1, "word"),
        }
    )
    found = rows(products)
    assert [(row.record.id, row.computed.error) for row in found] == [
        ("even", -0.5),
        ("far", -0.5),
        ("over", 0.5),
        ("exact", 0),
        ("tiny-at-8k", None),
        ("unknown", None),
    ]
    assert summary(found) == Summary(4, 0.5, 1)


@pytest.mark.parametrize(
    ("metric", "group"),
    [
        ("cache.ideal.bytes", "cache"),
        ("engine.capacity_tokens", "cache"),
        ("weights.bytes", "weights"),
        ("device.cache_bytes", "device"),
        ("outcome", "outcome"),
    ],
)
def test_groups(metric, group):
    assert row(1.0, 1, metric=metric).group == group


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (row(None, 1, why="the measurement names no context"), "the measurement names no context"),
        (row(2.0, 1, 1.0), "unexplained"),
        (row(2.0, 1, -1.0), "unexplained"),
        (row(1.006, 1, 0.006), "unexplained"),
        (row(1.005, 1, 0.005), "close"),
        (row(1.0, 1, 0.0), "close"),
        (row(2.0, 1, 1.0, rounding=True), "within the printed digits"),
        (row(2.0, 1, 1.0, data={"explanation": "Adapters are loaded too."}), "Adapters are loaded too."),
        (row(None, 1, why="x", data={"explanation": "Adapters are loaded too."}), "Adapters are loaded too."),
    ],
)
def test_verdicts(found, verdict):
    assert found.verdict == verdict


def test_a_summary_of_what_has_an_error():
    found = [row(1.0, 1, error) for error in (0.0, -0.02, 0.021, 0.5)] + [row(None, 1), row(1.0, "about 1")]
    assert summary(found) == Summary(4, 0.0205, 2)
    assert summary(found[4:]) is None
    assert summary([]) is None


def drawn(*found: Row) -> ElementTree.Element:
    return ElementTree.fromstring(str(plot(found)))


def dots(svg: ElementTree.Element) -> list[tuple[str, float, float]]:
    return [(dot.get("class"), float(dot.get("cx")), float(dot.get("cy"))) for dot in svg.iter("circle")]


def test_dots_lie_on_logarithmic_axes():
    """From 1 to 100 in two equal steps: 10 is in the middle."""
    inner, middle = SIZE - 2 * EDGE, SIZE / 2
    assert dots(drawn(row(1.0, 1, 0.0), row(10.0, 100, -0.9), row(100.0, 10, 9.0), row(99.0, 100, -0.01))) == [
        ("ic-near", EDGE, SIZE - EDGE),
        ("ic-far", EDGE + inner, middle),
        ("ic-far", middle, EDGE),
        ("ic-near", EDGE + inner, pytest.approx(EDGE, abs=0.8)),
    ]


def test_a_dot_on_the_diagonal_is_right():
    svg = drawn(row(3.0, 3, 0.0), row(7.0, 7, 0.0), row(500.0, 500, 0.0))
    assert all(x + y == pytest.approx(SIZE, abs=0.11) for _, x, y in dots(svg))
    [diagonal] = [line for line in svg.iter("line")]
    assert [float(diagonal.get(end)) for end in ("x1", "y1", "x2", "y2")] == [EDGE, SIZE - EDGE, SIZE - EDGE, EDGE]


def test_words_of_the_plot():
    svg = drawn(row(1234567.0, 1200000, 0.0288, name="A <b> & c"), row(2.0, 2, 0.0))
    assert svg.get("aria-label") == "2 figures, logged on the horizontal axis and predicted on the vertical one; 1 within 2 percent"
    assert [title.text for title in svg.iter("title")] == [
        "A <b> & c: logged 1,200,000 GiB, predicted 1.235e+06",
        "A figure: logged 2 GiB, predicted 2",
    ]
    ticks = [text.text for text in svg.iter("text") if text.get("text-anchor") == "end"]
    assert ticks == ["1", "10", "100", "1,000", "10,000", "100,000", "1e6", "1e7"]


@pytest.mark.parametrize(
    "found",
    [
        row(None, 1),
        row(1.0, "about 1"),
        row(0.0, 5, -1.0),
        row(5.0, 0),
        row(5.0, -2.14, -3.3),
        row(-1.0, 5, -1.2),
        row(1.0, None),
    ],
)
def test_what_has_no_place_on_a_logarithmic_axis_is_left_out(found):
    assert plot([found]) == plot([]) == ""
    assert len(dots(drawn(found, row(1.0, 1, 0.0)))) == 1


@pytest.mark.parametrize("size", [1e-9, 0.5, 1, 1000, 1e12])
def test_a_single_dot_is_inside_the_frame(size):
    [(_, x, y)] = dots(drawn(row(size, size, 0.0)))
    assert EDGE <= x <= SIZE - EDGE
    assert EDGE <= y <= SIZE - EDGE
