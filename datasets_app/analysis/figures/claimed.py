"""Claimed against measured speedup, a point for each sample that has both."""

from __future__ import annotations

from typing import Any

from datasets_app.analysis.claims import WITHIN, Claims
from datasets_app.analysis.figures.figure import Figure, drawn_name, plot, speedup_axis


def claims_figure(numbers: Claims) -> Figure:
    return Figure(
        name="claims",
        n=numbers.n,
        caption=claims_caption(numbers),
        columns=("task", "claimed on", "claimed speedup", "measured speedup", "measured / claimed"),
        rows=[(*pair, pair[3] / pair[2]) for pair in numbers.pairs],
        plot=claims_plot(numbers.pairs) if numbers.n else None,
        empty=f"No sample of this filter has a claimed and a measured speedup. {unmeasured_words(numbers)}",
    )


def claims_caption(numbers: Claims) -> str:
    if not numbers.n:
        return "Each point is a passed sample whose source claims a speedup."
    near = numbers.n - numbers.below - numbers.above
    text = (
        f"Each point is a passed sample whose source claims a speedup; on the line both agree. Median of measured over "
        f"claimed: {numbers.median_ratio:.2f}. Within {WITHIN:.0%}: {near:,}; measured less: {numbers.below:,}; "
        f"measured more: {numbers.above:,}. {unmeasured_words(numbers)} "
    )
    if len(numbers.pairs) < numbers.n:
        text += f"{len(numbers.pairs):,} points drawn, a fair sample; the counts take all {numbers.n:,}. "
    return text + "A claim may be about another device, which the table names."


def unmeasured_words(numbers: Claims) -> str:
    """Say how many claims could not be measured, for these are no points of the plot."""
    return (
        f"Claimed and not passed here: {numbers.failed:,}; not decided on this device: {numbers.undecided:,}."
    )


def claims_plot(pairs: list[tuple[str, str, float, float]]) -> dict[str, Any]:
    values = [value for _, _, claimed, measured in pairs for value in (claimed, measured)]
    ends = [min(values), max(values)]
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "samples",
            "x": [claimed for _, _, claimed, _ in pairs],
            "y": [measured for _, _, _, measured in pairs],
            "text": [drawn_name(task) for task, _, _, _ in pairs],
            "marker": {"color": "--accent", "symbol": "circle", "size": 6, "opacity": 0.65},
            "hovertemplate": "%{text}<br>claimed %{x:.2f}×, measured %{y:.2f}×<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "name": "as claimed",
            "x": ends,
            "y": ends,
            "line": {"color": "--ink", "width": 2},
            "hoverinfo": "skip",
        },
    ]
    return plot(data, speedup_axis("claimed speedup"), speedup_axis("measured speedup over eager"))
