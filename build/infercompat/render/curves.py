"""Cost curves: cache bytes over context as an SVG made at build time, with the values of each point on hover."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup, escape
from msgspec import Struct

from infercompat.units import format_bytes

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 72, 164, 12, 36
MARKS, SAMPLES = 8, 128


class Series(Struct, frozen=True):
    """One line: its name, its style's name, and bytes as a function of tokens."""

    name: str
    style: str
    bytes_at: Callable[[int], float]


def cost_curves(series: Sequence[Series], reach: int) -> Markup:
    """The lines from 0 to `reach` tokens, on linear axes, each named at its end."""
    tokens = [reach * step // SAMPLES for step in range(SAMPLES + 1)]
    values = {line.name: [line.bytes_at(count) if count else 0 for count in tokens] for line in series}
    top = _round_up(max(max(points) for points in values.values()) or 1)
    parts = [_grid(reach, top)]
    ordered = sorted(series, key=lambda line: -values[line.name][-1])
    heights = _apart([_y(values[line.name][-1], top) + 4 for line in ordered])
    for line, label_y in zip(ordered, heights, strict=True):
        points = [(_x(count, reach), _y(value, top)) for count, value in zip(tokens, values[line.name], strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dots = "".join(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(line.name)} at {count:,} tokens: {format_bytes(value)}</title></circle>'
            for (x, y), count, value in list(zip(points, tokens, values[line.name], strict=True))[SAMPLES // MARKS :: SAMPLES // MARKS]
        )
        parts.append(
            f'<g class="ic-line ic-line-{line.style}"><polyline points="{path}"/>{dots}'
            f'<text x="{WIDTH - RIGHT + 8}" y="{label_y:.1f}">{escape(line.name)}</text></g>'
        )
    label = "; ".join(f"{line.name} {format_bytes(values[line.name][-1])}" for line in series)
    return Markup(
        f'<svg class="ic-curves" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(f"Cache of one sequence over context, at {reach:,} tokens: {label}")}">{"".join(parts)}</svg>'
    )


def _x(tokens: float, reach: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * tokens / reach


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _round_up(value: float) -> float:
    """The next 1, 2, 3, 4, 6 or 8 times a power of 10 of a unit, or the next unit, so that the axis has plain numbers."""
    unit = 1.0
    while unit * 1024 <= value:
        unit *= 1024
    scale = 1.0
    while scale * 10 * unit <= value:
        scale *= 10
    steps = [step for step in (1, 2, 3, 4, 6, 8, 10, 20) if scale * step <= 1000]
    return next((unit * scale * step for step in steps if unit * scale * step >= value), unit * 1024)


def _apart(heights: list[float]) -> list[float]:
    """Label heights from the top down, moved so that none overlaps another and the lowest stays above the axis."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + 14) if placed else height)
    lowest = HEIGHT - BOTTOM + 4.0
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = min(placed[index], lowest)
        lowest = placed[index] - 14
    return placed


def _grid(reach: int, top: float) -> str:
    lines = []
    for step in range(5):
        value, count = top * step / 4, reach * step // 4
        x, y = _x(count, reach), _y(value, top)
        lines.append(f'<line class="ic-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text class="ic-axis" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{format_bytes(value) if value else "0"}</text>')
        lines.append(f'<text class="ic-axis" x="{x:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{count:,}</text>')
    return "".join(lines)
