"""Speedup against trace length: the paper's figure 3."""

from __future__ import annotations

from typing import Any

from datasets_app.analysis import paper
from datasets_app.analysis.figures.figure import Figure, axis, drawn_name, plot
from datasets_app.analysis.measure import Scatter
from datasets_app.analysis.statistics import Correlation

DEVICE_LOOKS = (
    ("--accent", "circle"),
    ("--ours", "square"),
    ("--good", "diamond"),
    ("--doubt", "triangle-up"),
    ("--bad", "cross"),
    ("--unknown", "x"),
)
FIT_POINTS = 40


def scatter_figure(numbers: Scatter) -> Figure:
    return Figure(
        name="speedup-by-length",
        n=numbers.n,
        caption=scatter_caption(numbers),
        columns=("trace tokens", "measured speedup", "device", "task"),
        rows=[list(point) for point in numbers.points],
        plot=scatter_plot(numbers) if numbers.n else None,
        empty="No sample of this filter has a trace and a measured speedup: it is measured when a verification passes.",
    )


def scatter_caption(numbers: Scatter) -> str:
    said = f"Each point is a passed sample with a trace. {fit_words(numbers.fit)} "
    if len(numbers.points) < numbers.n:
        said += f"{len(numbers.points):,} points drawn, a fair sample; the fit takes all {numbers.n:,}. "
    return said + f"The paper reports r = {paper.SPEEDUP_R} over n = {paper.SPEEDUP_N:,} on its data."


def fit_words(fit: Correlation | None) -> str:
    if fit is None:
        return "Too few points, or no spread, for a fit."
    p = "p < 0.001" if fit.p < 0.001 else f"p = {fit.p:.3f}"
    figures = f"r = {fit.r:.3f}, {p}, n = {fit.n:,}"
    unbroken = figures.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return f"Least-squares line on the values as they are: {unbroken}."


def scatter_plot(numbers: Scatter) -> dict[str, Any]:
    devices = sorted({point[2] for point in numbers.points})
    data = [device_points(numbers, device, number) for number, device in enumerate(devices)]
    if numbers.fit:
        data.append(fit_line(numbers.fit, *numbers.tokens))
    y = axis("measured speedup over eager (log)", type="log", ticksuffix="×")
    return plot(data, axis("trace length, tokens"), y)


def device_points(numbers: Scatter, device: str, number: int) -> dict[str, Any]:
    points = [point for point in numbers.points if point[2] == device]
    color, symbol = DEVICE_LOOKS[number % len(DEVICE_LOOKS)]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": drawn_name(device or "unknown device"),
        "x": [point[0] for point in points],
        "y": [point[1] for point in points],
        "text": [drawn_name(point[3]) for point in points],
        "marker": {"color": color, "symbol": symbol, "size": 6, "opacity": 0.65},
        "hovertemplate": "%{text}<br>%{x:,} tokens, %{y:.2f}×<extra></extra>",
    }


def fit_line(fit: Correlation, first: int, last: int) -> dict[str, Any]:
    """A straight line bends on a logarithmic axis: drawn through many points, the positive ones only."""
    xs = [first + (last - first) * number / FIT_POINTS for number in range(FIT_POINTS + 1)]
    line = [(x, fit.intercept + fit.slope * x) for x in xs]
    kept = [(x, y) for x, y in line if y > 0]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"fit, r = {fit.r:.3f}",
        "x": [x for x, _ in kept],
        "y": [y for _, y in kept],
        "line": {"color": "--ink", "width": 2},
        "hoverinfo": "skip",
    }
