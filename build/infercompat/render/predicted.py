"""Predicted against logged: every measurement recomputed, worst first, and a plot of all of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from markupsafe import Markup, escape
from msgspec import Struct

from infercompat.measure import Computed, computed
from infercompat.products import Products
from infercompat.records import Record

SIZE, EDGE = 420, 56


class Row(Struct, frozen=True):
    """One measurement with what we compute for it."""

    record: Record
    computed: Computed

    @property
    def group(self) -> str:
        """Figures that start from a device's total memory, or from loaded weights, are groups of their own."""
        scope = self.record.data["metric"].partition(".")[0]
        return scope if scope in ("device", "weights", "outcome") else "cache"

    @property
    def verdict(self) -> str:
        """Why there is an error, or that nobody knows."""
        if self.record.data.get("explanation"):
            return str(self.record.data["explanation"])
        if self.computed.error is None:
            return self.computed.why
        return "within the printed digits" if self.computed.rounding else "unexplained" if abs(self.computed.error) > 0.005 else "close"


class Summary(Struct, frozen=True):
    """How well a group is predicted: how many figures were computed, their median error, and how many lie within 2%."""

    count: int
    median: float
    within: int


def rows(products: Products) -> list[Row]:
    """Every measurement, those with the largest error first, those without one last."""
    found = [Row(record, computed(products, record)) for record in products.catalog.of_kind("measurement")]
    return sorted(found, key=lambda row: (row.computed.error is None, -abs(row.computed.error or 0), row.record.id))


def summary(found: Sequence[Row]) -> Summary | None:
    """The summary of rows that have an error."""
    errors = [abs(row.computed.error) for row in found if row.computed.error is not None]
    return Summary(len(errors), statistics.median(errors), sum(error <= 0.02 for error in errors)) if errors else None


def plot(found: Sequence[Row]) -> Markup:
    """Logged against predicted on logarithmic axes; dots on the diagonal are right."""
    points = [row for row in found if row.computed.error is not None and row.computed.value > 0 and row.record.data["value"] > 0]
    if not points:
        return Markup("")
    values = [number for row in points for number in (row.computed.value, row.record.data["value"])]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(value: float) -> float:
        return EDGE + (SIZE - 2 * EDGE) * (math.log10(value) - low) / max(1, high - low)

    dots = "".join(
        f'<circle class="{"ic-near" if abs(row.computed.error) <= 0.02 else "ic-far"}" cx="{place(row.record.data["value"]):.1f}" '
        f'cy="{SIZE - place(row.computed.value):.1f}" r="4"><title>{escape(row.record.name)}: logged {row.record.data["value"]:,} '
        f"{row.record.data['unit']}, predicted {row.computed.value:,.4g}</title></circle>"
        for row in points
    )
    ticks = "".join(
        f'<text class="ic-axis" x="{place(10.0**power):.1f}" y="{SIZE - EDGE + 18}" text-anchor="middle">{_power(power)}</text>'
        f'<text class="ic-axis" x="{EDGE - 8}" y="{SIZE - place(10.0**power) + 4:.1f}" text-anchor="end">{_power(power)}</text>'
        for power in range(low, high + 1)
    )
    ends = EDGE, SIZE - EDGE
    near = sum(abs(r.computed.error) <= 0.02 for r in points)
    label = f"{len(points)} figures, logged on the horizontal axis and predicted on the vertical one; {near} within 2 percent"
    return Markup(
        f'<svg class="ic-plot" viewBox="0 0 {SIZE} {SIZE}" role="img" aria-label="{label}">'
        f'<line class="ic-grid" x1="{ends[0]}" y1="{ends[1]}" x2="{ends[1]}" y2="{ends[0]}"/>{ticks}{dots}'
        f'<text class="ic-axis" x="{SIZE / 2:g}" y="{SIZE - 12}" text-anchor="middle">logged, in the unit of the log</text></svg>'
    )


def _power(power: int) -> str:
    return f"{10**power:,}" if 0 <= power < 6 else f"1e{power}"
