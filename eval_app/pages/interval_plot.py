"""A history's speedups on one axis: median and interval per run, and how far runs of one kind lie apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from datasets_app.models import Evidence, Verification
from eval_app.pages.charts import tick_values

ROW_HEIGHT = 2  # in em: a style sheet that puts the labels above the intervals makes room by a larger font
AXIS_HEIGHT = 2
FEWEST_RUNS = 2  # one run has no history


@dataclass(frozen=True)
class Mark:
    """One run: x in percent of the axis, y in em. `counts`: the sample's evidence on its device rests on it."""

    run: Verification
    y: float
    low_x: float
    x: float
    high_x: float
    counts: bool


@dataclass(frozen=True)
class IntervalPlot:
    """`one_x`: where kernel and eager are equally fast; `band`: left edge and width of the between-run interval."""

    marks: list[Mark]
    ticks: list[tuple[float, str]]
    one_x: float
    band: tuple[float, float] | None
    between: Evidence | None  # whose interval the band is
    axis_y: int
    height: int


def interval_plot(rows: Sequence[Verification]) -> IntervalPlot | None:
    """Return the plot of the timed runs, the newest first, on a logarithmic axis that includes 1.0; None of fewer than
    two.
    """
    timed = [row for row in rows if row.speedup]
    if len(timed) < FEWEST_RUNS:
        return None
    low = min(0.97, *(bound(row, "low") for row in timed)) * 0.98
    high = max(1.03, *(bound(row, "high") for row in timed)) * 1.02

    def place(value: float) -> float:
        return round(100 * math.log(value / low) / math.log(high / low), 2)

    between = between_of(timed)
    band = None
    if between and between.between_low and between.between_high:
        left, right = place(max(low, between.between_low)), place(min(high, between.between_high))
        band = left, round(right - left, 2)
    return IntervalPlot(
        marks=[
            Mark(
                row,
                ROW_HEIGHT * (at + 0.6),
                place(bound(row, "low")),
                place(row.speedup or 1.0),
                place(bound(row, "high")),
                evidence_on(row) is not None,
            )
            for at, row in enumerate(timed)
        ],
        ticks=[(place(value), f"{value:.3g}×") for value in tick_values(low, high, high / low > 3)],
        one_x=place(1.0),
        band=band,
        between=between,
        axis_y=ROW_HEIGHT * len(timed),
        height=ROW_HEIGHT * len(timed) + AXIS_HEIGHT,
    )


def between_of(rows: Sequence[Verification]) -> Evidence | None:
    """Return the headline evidence if it has a between-run interval."""
    found = (evidence for row in rows if (evidence := evidence_on(row)) and evidence.is_headline)
    return next((evidence for evidence in found if evidence.between_low), None)


def evidence_on(row: Verification) -> Evidence | None:
    return getattr(row, "evidence", None)


def bound(row: Verification, end: str) -> float:
    """Return one end of the interval; the speedup itself if the interval is unknown."""
    return float(getattr(row, f"speedup_{end}") or row.speedup or 1.0)
