"""Tasks by average reasoning length, with the paper's classes of difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, count_axis, fill, plot
from datasets_app.analysis.tasks_and_models import BIN_TOKENS, NAMED, Class, Difficulty
from datasets_app.traces.difficulty import EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS, class_of

LOOKS = {"easy": ("--good", ""), "middling": ("--doubt", "/"), "hard": ("--bad", "x")}


def difficulty_figure(numbers: Difficulty) -> Figure:
    return Figure(
        name="difficulty",
        n=numbers.tasks,
        unit="tasks",
        caption=caption(numbers),
        columns=("class", "tasks", "traces", "verified", "passed", "accuracy"),
        rows=[row(group) for group in numbers.classes] if numbers.tasks else [],
        plot=drawn(numbers) if numbers.tasks else None,
        empty="No sample of this filter has a trace.",
    )


def caption(numbers: Difficulty) -> str:
    a_task = f"{numbers.fewest}" if numbers.fewest == numbers.most else f"{numbers.fewest} to {numbers.most}"
    a_task += " trace" if numbers.most == 1 else " traces"
    return (
        "Tasks by ARL, the mean length of their traces in this filter, in bins of "
        f"{BIN_TOKENS} tokens. The paper calls a task easy under {EASY_BELOW_TOKENS:,} and hard over "
        f"{HARD_ABOVE_TOKENS:,} tokens (dashed), for 10 traces a task of one generator in its own tokens. "
        f"These are means over {a_task} "
        f"of {named(numbers.generators, 'unknown origin')}, in tokens of {named(numbers.tokenizers, 'no name')}"
        f"{advice(numbers)}. The table has the measured pass rate of each class."
    )


def named(names: tuple[str, ...], nameless: str) -> str:
    shown = [name or nameless for name in names[:NAMED]]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown) + (
        " and others" if len(names) > NAMED else ""
    )


def advice(numbers: Difficulty) -> str:
    """Return what to do where traces of several generators are averaged together."""
    return "; a filter by generator fixes the setting" if len(numbers.generators) > 1 else ""


def row(group: Class) -> Sequence[Any]:
    share = round(group.passed / group.decided, 3) if group.decided else None
    return (group.name, group.tasks, group.traces, group.decided, group.passed, share)


def drawn(numbers: Difficulty) -> dict[str, Any]:
    tallest = max(entry.n for entry in numbers.bins)
    lines = [threshold(tokens, tallest) for tokens in (EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS)]
    data = [class_bars(group, numbers) for group in numbers.classes if group.tasks]
    x = axis("average reasoning length, tokens", rangemode="tozero")
    return plot([*data, *lines], x, count_axis("tasks", tallest), barmode="overlay")


def class_bars(group: Class, numbers: Difficulty) -> dict[str, Any]:
    bins = [entry for entry in numbers.bins if entry.n and class_of(entry.low + BIN_TOKENS / 2) == group.name]
    return {
        "type": "bar",
        "name": f"{group.name}, {group.tasks:,}",
        "x": [entry.low + BIN_TOKENS / 2 for entry in bins],
        "width": [BIN_TOKENS for _ in bins],
        "y": [entry.n for entry in bins],
        "marker": fill(*LOOKS[group.name]),
        "hovertemplate": f"%{{y:,}} tasks, {group.name}<extra></extra>",
    }


def threshold(tokens: int, tallest: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [tokens, tokens],
        "y": [0, tallest],
        "line": {"color": "--ink-soft", "dash": "dash", "width": 1},
        "hoverinfo": "skip",
        "showlegend": False,
    }
