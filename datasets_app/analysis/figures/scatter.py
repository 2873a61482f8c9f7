"""Speedup against trace length: the paper's figure 3."""

from __future__ import annotations

from typing import Any

from datasets_app.analysis import paper
from datasets_app.analysis.figures.figure import Figure, axis, drawn_name, plot, speedup_axis
from datasets_app.analysis.measure import Scatter
from datasets_app.analysis.statistics import Correlation

FIT_POINTS = 40


def scatter_figure(numbers: Scatter) -> Figure:
    return Figure(
        name="speedup-by-length",
        n=numbers.n,
        caption=scatter_caption(numbers),
        columns=("trace tokens", "measured speedup", "task"),
        rows=[list(point) for point in numbers.points],
        plot=scatter_plot(numbers) if numbers.n else None,
        empty="No sample of this filter has a trace and a measured speedup: it is measured when a verification passes.",
    )


def scatter_caption(numbers: Scatter) -> str:
    text = f"Each point is a passed sample with a trace. {fit_words(numbers.fit)} "
    if len(numbers.points) < numbers.n:
        text += f"{len(numbers.points):,} points drawn, a fair sample; the fit takes all {numbers.n:,}. "
    return text + f"The paper reports r = {paper.SPEEDUP_R} over n = {paper.SPEEDUP_N:,} on its data."


def fit_words(fit: Correlation | None) -> str:
    if fit is None:
        return "Too few points, or no spread, for a fit."
    p = "p < 0.001" if fit.p < 0.001 else f"p = {fit.p:.3f}"
    figures = f"r = {fit.r:.3f}, {p}, n = {fit.n:,}"
    unbroken = figures.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return f"Least-squares line on the values as they are: {unbroken}."


def scatter_plot(numbers: Scatter) -> dict[str, Any]:
    data = [points(numbers)]
    if numbers.fit:
        data.append(fit_line(numbers.fit, *numbers.tokens))
    y = speedup_axis("measured speedup over eager")
    return plot(data, axis("trace length, tokens"), y)


def points(numbers: Scatter) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "samples",
        "x": [tokens for tokens, _, _ in numbers.points],
        "y": [speedup for _, speedup, _ in numbers.points],
        "text": [drawn_name(task) for _, _, task in numbers.points],
        "marker": {"color": "--accent", "symbol": "circle", "size": 6, "opacity": 0.65},
        "hovertemplate": "%{text}<br>%{x:,} tokens, %{y:.2f}×<extra></extra>",
    }


def fit_line(fit: Correlation, first: int, last: int) -> dict[str, Any]:
    """Return the fit through many points, since a line bends on a logarithmic axis; the positive ones only."""
    xs = [first + (last - first) * number / FIT_POINTS for number in range(FIT_POINTS + 1)]
    line = [(x, fit.intercept + fit.slope * x) for x in xs]
    positive = [(x, y) for x, y in line if y > 0]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"fit, r = {fit.r:.3f}",
        "x": [x for x, _ in positive],
        "y": [y for _, y in positive],
        "line": {"color": "--ink", "width": 2},
        "hoverinfo": "skip",
    }
