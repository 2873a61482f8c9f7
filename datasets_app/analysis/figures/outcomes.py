"""Outcomes by generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.figures.figure import Figure, count_axis, drawn_name, fill, named_rows, plot
from datasets_app.analysis.measure import CLASSES, Outcomes

CLASS_LOOKS = {
    "passed": ("--good", ""),
    "wrong": ("--bad", "/"),
    "cheated": ("--bad", "x"),
    "did not run": ("--bad", "."),
}


def outcomes_figure(numbers: Outcomes) -> Figure:
    n = sum(sum(counts.values()) for _, counts in numbers.generators)
    more = f" {numbers.left_out} generators with fewer samples are left out." if numbers.left_out else ""
    return Figure(
        name="outcomes",
        n=n,
        caption="Verified samples by their outcome. “Did not run” joins build, load and run-time errors and timeouts."
        f"{more}",
        columns=("generator", "verified", *CLASSES, "passed of verified"),
        rows=[outcome_row(name, counts) for name, counts in numbers.generators],
        plot=outcomes_plot(numbers) if n else None,
        empty="No sample of this filter was verified yet. Verify some: `manage.py verify --all --wait`",
    )


def outcome_row(name: str, counts: dict[str, int]) -> Sequence[Any]:
    total = sum(counts.values())
    return (name, total, *counts.values(), round(counts["passed"] / total, 3))


def outcomes_plot(numbers: Outcomes) -> dict[str, Any]:
    shown = list(reversed(numbers.generators))  # Plotly draws from below
    data = [class_bars(name, shown) for name in CLASSES]
    names = [drawn_name(generator) for generator, _ in shown]
    x = count_axis("verified samples", max(sum(counts.values()) for _, counts in shown))
    return plot(data, x, named_rows(names), barmode="stack", legend={"traceorder": "normal"})


def class_bars(name: str, generators: list[tuple[str, dict[str, int]]]) -> dict[str, Any]:
    color, pattern = CLASS_LOOKS[name]
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": list(range(len(generators))),
        "customdata": [drawn_name(generator) for generator, _ in generators],
        "x": [counts[name] for _, counts in generators],
        "marker": fill(color, pattern),
        "hovertemplate": f"%{{customdata}}: %{{x:,}} {name}<extra></extra>",
    }
