"""Box plots: trace length by outcome, and speedup by trace length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.boxes import Box
from datasets_app.analysis.figures.figure import Figure, axis, plot, speedup_axis

COLUMNS = ("samples", "5 %", "25 %", "median", "75 %", "95 %")
FEWEST_COLUMNS = 4
WHISKERS = (
    "Box: the middle half and the median; whiskers: 5 % to 95 %; the numbers in the names count the samples."
)


def length_figure(boxes: Sequence[Box]) -> Figure:
    return Figure(
        name="lengths",
        n=sum(box.n for box in boxes),
        caption=f"Length of trace of verified samples, by outcome. {WHISKERS}",
        columns=("outcome", *COLUMNS),
        rows=[row(box, 0) for box in boxes],
        plot=plot(
            [drawn(boxes)],
            axis("", type="category", range=columns_from(boxes)),
            axis("trace length, tokens", rangemode="tozero"),
        )
        if boxes
        else None,
        empty="No sample of this filter has both a trace and an outcome. Verify some that have a trace: "
        "`manage.py verify --query 'has_trace:yes' --wait`",
    )


def speed_figure(boxes: Sequence[Box]) -> Figure:
    return Figure(
        name="speedups-by-length",
        n=sum(box.n for box in boxes),
        caption="Measured speedup over eager of passed samples in the paper's nine bins of trace length, in thousands "
        f"of tokens; the outer two take the shorter and the longer traces as well. {WHISKERS}",
        columns=("trace tokens", *COLUMNS),
        rows=[row(box, 3) for box in boxes],
        plot=plot(
            [drawn(boxes)],
            axis("trace length, thousands of tokens", type="category", range=columns_from(boxes)),
            speedup_axis("measured speedup over eager"),
        )
        if boxes
        else None,
        empty="No sample of this filter has a trace and a measured speedup: it is measured when a verification passes.",
    )


def columns_from(boxes: Sequence[Box]) -> list[float]:
    """Return the axis range: one or two boxes are centred and no wider than four would be."""
    beside = max(0.0, (FEWEST_COLUMNS - len(boxes)) / 2)
    return [-0.5 - beside, len(boxes) - 0.5 + beside]


def row(box: Box, digits: int) -> Sequence[Any]:
    return (box.name, box.n, *(round(value, digits) if digits else round(value) for value in box.quantiles))


def drawn(boxes: Sequence[Box]) -> dict[str, Any]:
    low, first, middle, third, high = zip(*(box.quantiles for box in boxes), strict=True)
    return {
        "type": "box",
        "name": "samples",
        "x": [f"{box.name}<br>{box.n:,}" for box in boxes],
        "lowerfence": list(low),
        "q1": list(first),
        "median": list(middle),
        "q3": list(third),
        "upperfence": list(high),
        "fillcolor": "--accent-soft",
        "line": {"color": "--accent", "width": 2},
        "showlegend": False,
    }
