"""Efficiency by turns, and best-of-N against serial turns: the two figures of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.figures.fast_p import DASHES, LOOKS
from datasets_app.analysis.figures.figure import Figure, axis, drawn_name, plot
from datasets_app.analysis.runs.turns import Best, Turn

Curves = tuple[str, Sequence[Best], Sequence[Turn]]  # a run's name, its best-of-N, its turns


def turns_figure(turns: Sequence[Turn]) -> Figure:
    return Figure(
        name="turns",
        n=len(turns),
        unit="turns",
        caption="What the run has come to after each turn, the first of which is 0: a candidate counts with the best "
        "of its answers up to then. Right: it passed. Faster: it passed and was measured faster than eager. Tokens are "
        "those of prompts, answers and the judge, of all turns so far.",
        columns=(
            *("turn", "answers per candidate", "tokens", "right", "faster", "mean best speedup"),
            "tokens per right share",
        ),
        rows=[turn_row(one) for one in turns],
        plot=turns_plot(turns) if turns else None,
        empty="This run has no answers.",
    )


def turn_row(one: Turn) -> tuple[Any, ...]:
    per_right = None if one.tokens_per_right is None else round(one.tokens_per_right)
    return (
        one.number,
        round(one.answers, 3),
        one.tokens,
        round(one.right, 4),
        round(one.faster, 4),
        round(one.best, 4),
        per_right,
    )


def turns_plot(turns: Sequence[Turn]) -> dict[str, Any]:
    x = [one.number for one in turns]
    tokens = [one.tokens for one in turns]
    right = line("right", x, [one.right for one in turns], 0, 0)
    faster = line("faster than eager", x, [one.faster for one in turns], 2, 0)
    for curve in (right, faster):
        curve |= {
            "customdata": tokens,
            "hovertemplate": "turn %{x}: %{y:.1%}, %{customdata:,} tokens so far<extra></extra>",
        }
    return plot([right, faster], axis("turn", dtick=1), share_axis())


def best_of_n_figure(curves: Sequence[Curves]) -> Figure:
    return Figure(
        name="best-of-n",
        n=len(curves),
        unit="run" if len(curves) == 1 else "runs",
        caption="The share of tasks with a kernel that passed and is faster than eager, by answers asked per "
        "candidate. Dashed: the best of N answers to the task alone, estimated without bias from the first turn's "
        "candidates. Solid: turns that follow each other, where the run has any. Runs over the same tasks, on the "
        "same device; what is missing or undecided counts as wrong.",
        columns=("run", "way", "answers per candidate", "right", "faster", "expected best speedup"),
        rows=[row for curve in curves for row in rows_of(curve)],
        plot=best_of_n_plot(curves) if curves else None,
        empty="No run over these tasks has answers.",
    )


def rows_of(curve: Curves) -> list[tuple[Any, ...]]:
    name, best, turns = curve
    numbers = [("best of N", float(one.n), one.right, one.faster, one.best) for one in best]
    numbers += [("turns", one.answers, one.right, one.faster, one.best) for one in turns]
    return [(name, way, *(round(value, 4) for value in values)) for way, *values in numbers]


def best_of_n_plot(curves: Sequence[Curves]) -> dict[str, Any]:
    data = []
    for at, (name, best, turns) in enumerate(curves):
        drawn = drawn_name(name)
        data.append(line(f"{drawn}, best of N", [one.n for one in best], [one.faster for one in best], at, 1))
        data[-1]["marker"]["symbol"] += "-open"
        if len(turns) > 1:
            x = [one.answers for one in turns]
            data.append(line(f"{drawn}, turns", x, [one.faster for one in turns], at, 0))
    return plot(data, axis("answers per candidate", rangemode="tozero"), share_axis())


def share_axis() -> dict[str, Any]:
    return axis("share, mean over tasks", tickformat=".0%", range=[0, 1.04])


def line(name: str, x: Sequence[float], y: Sequence[float], look: int, dash: int) -> dict[str, Any]:
    color, symbol = LOOKS[look % len(LOOKS)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": {"color": color, "dash": DASHES[dash]},
        "marker": {"color": color, "symbol": symbol, "size": 8},
        "hovertemplate": "%{x:.3g} answers: %{y:.1%}<extra></extra>",
    }
