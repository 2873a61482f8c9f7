"""What two recipes choose, side by side: shares of rows by trace length, speedup and kind of task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, drawn_name, fill, plot, rows_from_above

LOOKS = (("--accent", ""), ("--doubt", "/"))


@dataclass(frozen=True)
class Sides:
    """The numbers of one figure: rows per group and percentages, of both sides."""

    names: tuple[str, str]
    groups: Sequence[str]
    counts: tuple[Sequence[int], Sequence[int]]
    shares: tuple[Sequence[float], Sequence[float]]
    medians: tuple[float | None, float | None]


@dataclass(frozen=True)
class ShiftFigure(Figure):
    heading: str = ""

    @property
    def title(self) -> str:
        return self.heading


def shift_figure(name: str, heading: str, unit: str, sides: Sides) -> ShiftFigure:
    """Return the figure. `unit`: of the medians."""
    has_rows = any(map(any, sides.counts))
    return ShiftFigure(
        name=f"shift-{name}",
        heading=heading,
        n=sum(map(sum, sides.counts)),
        caption=caption(unit, sides),
        columns=("group", *(f"{side}, {what}" for side in sides.names for what in ("rows", "%"))),
        rows=[row(at, group, sides) for at, group in enumerate(sides.groups)] if has_rows else [],
        plot=drawn(sides) if has_rows else None,
        empty="Neither side has a row with a value.",
    )


def caption(unit: str, sides: Sides) -> str:
    parts = [
        f"{name}: {sum(counts):,} rows" + (f", median {middle:,.4g}{unit}" if middle is not None else "")
        for name, counts, middle in zip(sides.names, sides.counts, sides.medians, strict=True)
    ]
    return f"Percentage of each side’s rows that have a value. {'; '.join(parts)}."


def row(at: int, group: str, sides: Sides) -> Sequence[Any]:
    pairs = zip(sides.counts, sides.shares, strict=True)
    return (group, *(value for counts, shares in pairs for value in (counts[at], round(shares[at], 1))))


def drawn(sides: Sides) -> dict[str, Any]:
    groups = axis("", type="category", range=rows_from_above(len(sides.groups)))
    data = [bars(side, sides) for side in (1, 0)]  # Plotly draws from below
    share = axis("% of the rows", rangemode="tozero")
    return plot(data, share, groups, barmode="group", legend={"traceorder": "reversed"})


def bars(side: int, sides: Sides) -> dict[str, Any]:
    name = drawn_name(sides.names[side])
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": list(reversed(sides.shares[side])),
        "y": list(reversed(sides.groups)),
        "marker": fill(*LOOKS[side]),
        "hovertemplate": f"%{{y}}: %{{x:.1f}} % of {name}<extra></extra>",
    }
