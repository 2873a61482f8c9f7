"""fast_p: how many kernels are right and faster than p."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, drawn_name, plot
from datasets_app.analysis.tasks_and_models import LEVELS, FastP

LOOKS = (
    ("--accent", "circle"),
    ("--ours", "square"),
    ("--good", "diamond"),
    ("--doubt", "triangle-up"),
    ("--bad", "cross"),
    ("--unknown", "x"),
)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def fast_p_figure(curves: Sequence[FastP]) -> Figure:
    return Figure(
        name="fast-p",
        n=sum(curve.n for curve in curves),
        caption="KernelBench's fast_p: the share of verified samples that passed and were measured at more than "
        "p times eager; at p = 0 all that passed. Here over samples, not over "
        f"tasks. The {len(curves)} generators with most verified samples.",
        columns=("generator", "verified", *(f"fast_{level:g}" for level in LEVELS)),
        rows=[
            (curve.generator, curve.n, *(round(count / curve.n, 4) for count in curve.faster))
            for curve in curves
        ],
        plot=plot(
            [drawn(curve, at) for at, curve in enumerate(curves)],
            axis("p, speedup over eager", rangemode="tozero"),
            axis("share of verified samples", tickformat=".0%", rangemode="tozero"),
        )
        if curves
        else None,
        empty="No sample of this filter has a verdict of the engine. Verify some: `manage.py verify --all --wait`",
    )


def drawn(curve: FastP, at: int) -> dict[str, Any]:
    color, symbol = LOOKS[at % len(LOOKS)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": f"{drawn_name(curve.generator)}, n = {curve.n:,}",
        "x": list(LEVELS),
        "y": [count / curve.n for count in curve.faster],
        "customdata": list(curve.faster),
        "line": {"color": color, "dash": DASHES[at % len(DASHES)]},
        "marker": {"color": color, "symbol": symbol, "size": 7},
        "hovertemplate": "p = %{x}: %{y:.1%} (%{customdata:,})<extra></extra>",
    }
