"""Accuracy by trace length: the paper's figure 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis import paper
from datasets_app.analysis.figures.figure import Figure, axis, plot
from datasets_app.analysis.measure import Accuracy, Bin
from datasets_app.analysis.statistics import wilson


def accuracy_figure(numbers: Accuracy) -> Figure:
    return Figure(
        name="accuracy",
        n=numbers.n,
        caption=accuracy_caption(numbers),
        columns=("from tokens", "to tokens", "samples", "passed", "accuracy", "95 % from", "95 % to"),
        rows=[accuracy_row(entry) for entry in numbers.bins],
        plot=accuracy_plot(numbers) if numbers.n else None,
        empty="No sample of this filter has both a trace and a verdict of the engine. Verify some that have a trace: "
        "`manage.py verify --query 'outcome:none' --wait`",
    )


def accuracy_row(entry: Bin) -> Sequence[Any]:
    high = None if entry.high is None else round(entry.high)
    if not entry.n:
        return (round(entry.low), high, 0, 0, None, None, None)
    low_share, high_share = wilson(entry.hits, entry.n)
    share = round(entry.hits / entry.n, 3)
    return (round(entry.low), high, entry.n, entry.hits, share, round(low_share, 3), round(high_share, 3))


def accuracy_caption(numbers: Accuracy) -> str:
    bins = "in the paper's nine bins" if numbers.like_paper else "in nine bins over the traces at hand"
    line = "The line is the paper's" if numbers.like_paper else "The legend shows the paper's line"
    return (
        f"Share of samples that passed, of those verified, by length of trace {bins}; the numbers along the top count "
        f"the samples, whiskers are 95 % intervals. {line}, on its own data "
        f"({paper.FIRST_TOKENS:,} to {paper.LAST_TOKENS:,} tokens)."
    )


def accuracy_plot(numbers: Accuracy) -> dict[str, Any]:
    counted = [entry for entry in numbers.bins if entry.n]
    shares = [entry.hits / entry.n for entry in counted]
    intervals = [wilson(entry.hits, entry.n) for entry in counted]
    bars = {
        "type": "bar",
        "name": "here",
        "x": [middle(entry) for entry in counted],
        "width": [width(entry) for entry in counted],
        "y": shares,
        "customdata": [f"{entry.hits:,} of {entry.n:,}" for entry in counted],
        "marker": {
            "color": "--accent-soft",
            "line": {"color": "--accent", "width": 1.5},
        },  # whiskers show on it
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [high - share for (_, high), share in zip(intervals, shares, strict=True)],
            "arrayminus": [share - low for (low, _), share in zip(intervals, shares, strict=True)],
            "color": "--ink",
            "thickness": 1,
        },
        "hovertemplate": "%{y:.0%} passed: %{customdata}<extra></extra>",
    }
    y = axis("passed of verified", range=[0, 1.08], tickformat=".0%")
    return plot([bars, counts(counted), paper_line(numbers.like_paper)], axis("trace length, tokens"), y)


def counts(bins: list[Bin]) -> dict[str, Any]:
    """Return the trace with each bin's number of samples, along the top."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [middle(entry) for entry in bins],
        "y": [1.04] * len(bins),
        "text": [f"{entry.n:,}" for entry in bins],
        "textfont": {"color": "--ink-soft", "size": 11},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def paper_line(shown: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "the paper's",
        "x": paper.centres(paper.edges()),
        "y": list(paper.ACCURACY),
        "visible": True if shown else "legendonly",  # its lengths would squeeze short traces into a corner
        "line": {"color": "--doubt", "dash": "dash"},
        "marker": {"symbol": "diamond", "size": 8, "color": "--doubt"},
        "hovertemplate": "paper: %{y:.0%}<extra></extra>",
    }


def middle(entry: Bin) -> float:
    return entry.low + width(entry) / 2


def width(entry: Bin) -> float:
    """Return a bin's width; a bin without an end is drawn as wide as one of the paper's."""
    return paper.edges()[1] - paper.edges()[0] if entry.high is None else entry.high - entry.low
