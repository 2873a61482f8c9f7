"""The leaderboard of generators: over tasks, right, and right and faster than eager."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, drawn_name, named_rows, plot
from datasets_app.analysis.standings import SEVERAL, Standing

COLUMNS = (
    "generator",
    "tasks",
    "verified",
    "fast_1",
    "low",
    "high",
    "pass@1",
    f"pass@{SEVERAL}",
    f"tasks of {SEVERAL}",
    "best speedup",
)


def leaderboard_figure(standings: Sequence[Standing]) -> Figure:
    return Figure(
        name="leaderboard",
        n=sum(one.verified for one in standings),
        caption="Every task counts once. fast_1: the share of a task's verified samples that passed and were faster "
        "than eager, with its 95 % interval over tasks, whose lower end orders the generators; in brackets their "
        f"tasks. pass@1: the share that passed. pass@{SEVERAL}: that one of {SEVERAL} would pass, over the tasks with "
        "so many. Best speedup: the geometric mean of each task's fastest. Samples without a verdict are left out, and "
        "generators may have tried different tasks: `/leaderboard/` judges runs over the same tasks, where what is "
        "missing or undecided counts as wrong.",
        columns=COLUMNS,
        rows=[row(one) for one in standings],
        plot=drawn(standings) if standings else None,
        empty="No sample of this filter has a verdict of the engine. Verify some: `manage.py verify --all --wait`",
    )


def row(one: Standing) -> tuple[Any, ...]:
    several, best = one.pass_at_several, one.best_speedup
    return (
        one.generator,
        one.tasks,
        one.verified,
        round(one.fast_1, 4),
        *(round(bound, 4) for bound in one.interval),
        round(one.pass_at_1, 4),
        None if several is None else round(several, 4),
        one.tasks_of_several,
        None if best is None else round(best, 3),
    )


def drawn(standings: Sequence[Standing]) -> dict[str, Any]:
    shown = list(reversed(standings))  # Plotly draws from below
    names = [f"{drawn_name(one.generator)} ({one.tasks:,})" for one in shown]
    right = points("pass@1", names, [one.pass_at_1 for one in shown], "--accent", "circle-open", 12)
    fast = points("fast_1", names, [one.fast_1 for one in shown], "--good", "diamond", 8)
    fast["error_x"] = {
        "type": "data",
        "symmetric": False,
        "array": [one.interval[1] - one.fast_1 for one in shown],
        "arrayminus": [one.fast_1 - one.interval[0] for one in shown],
        "color": "--good",
        "thickness": 1,
    }
    x = axis("share, mean over tasks", tickformat=".0%", range=[0, 1.02])
    return plot([right, fast], x, named_rows(names), legend={"traceorder": "normal"})


def points(
    name: str, names: Sequence[str], shares: Sequence[float], color: str, symbol: str, size_px: int
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": list(shares),
        "y": list(range(len(names))),
        "customdata": list(names),
        "marker": {"color": color, "symbol": symbol, "size": size_px, "line": {"color": color, "width": 2}},
        "hovertemplate": f"%{{customdata}}: %{{x:.1%}} {name}<extra></extra>",
    }
