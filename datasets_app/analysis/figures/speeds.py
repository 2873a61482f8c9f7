"""The distribution of measured and of claimed speedups."""

from __future__ import annotations

from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, fill, plot
from datasets_app.analysis.measure import Bin, Speeds


def speeds_figure(numbers: Speeds) -> Figure:
    measured, claimed = (sum(entry.n for entry in bins) for bins in (numbers.measured, numbers.claimed))
    return Figure(
        name="speedups",
        n=measured,
        caption=f"Share of samples by speedup over eager: {measured:,} measured here "
        f"({median_words(numbers.measured_median)}), {claimed:,} claimed by their sources "
        f"({median_words(numbers.claimed_median)}). The two are not the same samples.",
        columns=("speedup from", "to", "measured", "claimed"),
        rows=[(a.low, a.high, a.n, b.n) for a, b in paired(numbers)],
        plot=speeds_plot(numbers, measured, claimed) if measured or claimed else None,
        empty="No sample of this filter has a speedup, measured or claimed.",
    )


def median_words(value: float | None) -> str:
    return "no median" if value is None else f"median {value:.2f}×"


def paired(numbers: Speeds) -> list[tuple[Bin, Bin]]:
    """Return both lists of bins on the same bounds, with an open last bin if either has one."""
    longer = max(numbers.measured, numbers.claimed, key=len)

    def fitted(bins: list[Bin]) -> list[Bin]:
        return bins + [Bin(entry.low, entry.high, 0) for entry in longer[len(bins) :]]

    return list(zip(fitted(numbers.measured), fitted(numbers.claimed), strict=True))


def speeds_plot(numbers: Speeds, measured: int, claimed: int) -> dict[str, Any]:
    pairs = paired(numbers)
    labels = [span(a) for a, _ in pairs]
    data = [
        share_bars("measured", labels, [a.n for a, _ in pairs], measured, "--accent", ""),
        share_bars("claimed", labels, [b.n for _, b in pairs], claimed, "--doubt", "/"),
    ]
    return plot(
        data,
        axis("speedup over eager", type="category", tickangle=-45),
        axis("share", tickformat=".0%"),
        barmode="group",
    )


def span(entry: Bin) -> str:
    if entry.high is None:
        return f"over {entry.low:g}"
    return f"under {entry.high:g}" if not entry.low else f"{entry.low:g}–{entry.high:g}"


def share_bars(
    name: str, labels: list[str], counts: list[int], n: int, color: str, pattern: str
) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": f"{name}, n = {n:,}",
        "x": labels,
        "y": [count / n if n else 0 for count in counts],
        "customdata": counts,
        "marker": fill(color, pattern),
        "hovertemplate": f"{name}: %{{customdata:,}} (%{{y:.0%}})<extra></extra>",
    }
