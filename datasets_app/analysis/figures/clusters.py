"""The largest clusters of kernels that are nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, count_axis, fill, plot, rows_from_above
from datasets_app.analysis.tasks_and_models import Cluster
from datasets_app.similarity.clusters import THRESHOLD


def clusters_figure(numbers: tuple[Sequence[Cluster], int]) -> Figure:
    clusters, indexed = numbers
    return Figure(
        name="clusters",
        n=indexed,
        caption=f"Samples of this filter whose kernels are at least {THRESHOLD * 100:.0f} % alike (runs of five "
        "tokens, own names, comments and layout left out). n counts the samples in the index."
        " Browse one by its name: `cluster:NAME`.",
        columns=("cluster", "samples", "tasks", "passed", "accepted"),
        rows=[
            (cluster.name, cluster.samples, cluster.tasks, cluster.passed, cluster.accepted)
            for cluster in clusters
        ],
        plot=drawn(clusters) if clusters else None,
        empty="No two kernels of this filter are nearly the same, or they are not indexed yet: "
        "`manage.py maintenance neighbours`",
    )


def drawn(clusters: Sequence[Cluster]) -> dict[str, Any]:
    shown = list(reversed(clusters))  # Plotly draws from below
    passed = bars("passed", shown, [cluster.passed for cluster in shown], "--good", "")
    others = bars("others", shown, [cluster.samples - cluster.passed for cluster in shown], "--unknown", "/")
    x = count_axis("samples", max(cluster.samples for cluster in shown))
    y = axis("", type="category", range=rows_from_above(len(shown)))
    return plot([passed, others], x, y, barmode="stack", legend={"traceorder": "normal"})


def bars(name: str, shown: Sequence[Cluster], counts: list[int], color: str, pattern: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": [cluster.name for cluster in shown],
        "x": counts,
        "marker": fill(color, pattern),
        "hovertemplate": f"%{{y}}: %{{x:,}} {name}<extra></extra>",
    }
