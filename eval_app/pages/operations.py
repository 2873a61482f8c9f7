"""What the operations page shows: figures with their tables, and the counts of pages by route."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from datasets_app.analysis.figures.figure import Figure, axis, count_axis, fill, named_rows, plot
from datasets_app.counters import files
from datasets_app.models import Outcome, WantedDevice
from eval_app.operations.finished import NEWEST_REPORTS, StageSeconds

DEVICE_LOOKS = {"cpu": ("--accent", ""), "cuda": ("--good", "/")}
MOST_ROUTES = 15


@dataclass(frozen=True)
class OperationsFigure(Figure):
    """A figure of the operations page, which names itself."""

    heading: str = ""

    @property
    def title(self) -> str:
        return self.heading


@dataclass(frozen=True)
class RouteCounts:
    """What the site processes counted of one route since they began to."""

    route: str
    requests: int
    faulty: int  # answered 500 or above
    seconds: float

    @property
    def mean_ms(self) -> float:
        return 1000 * self.seconds / self.requests if self.requests else 0.0


def throughput_figure(hours: Sequence[tuple[datetime, dict[str, int]]]) -> OperationsFigure:
    labels = {device.value: device.label for device in WantedDevice}
    total = sum(sum(counts.values()) for _, counts in hours)
    data = [
        {
            "type": "bar",
            "name": label,
            "x": [f"{hour:%Y-%m-%d %H:%M}" for hour, _ in hours],
            "y": [counts.get(device, 0) for _, counts in hours],
            "marker": fill(*DEVICE_LOOKS[device]),
            "hovertemplate": f"%{{x}}: %{{y:,}} {label}<extra></extra>",
        }
        for device, label in labels.items()
    ]
    largest = max((sum(counts.values()) for _, counts in hours), default=0)
    drawn = plot(data, axis("hour (UTC)", type="date"), count_axis("verifications", largest), barmode="stack")
    return OperationsFigure(
        name="throughput",
        heading="Finished by hour",
        n=total,
        unit="verifications",
        caption="Verifications that workers of this site finished in each of the last 24 hours, the current one "
        "included.",
        columns=("hour (UTC)", *labels.values(), "all"),
        rows=[hour_row(hour, counts, list(labels)) for hour, counts in reversed(hours)],
        plot=drawn if total else None,
        empty="No worker finished a verification within the last 24 hours.",
    )


def hour_row(hour: datetime, counts: dict[str, int], devices: Sequence[str]) -> tuple[Any, ...]:
    return (
        f"{hour:%Y-%m-%d %H:%M}",
        *(counts.get(device, 0) for device in devices),
        sum(counts.values()),
    )


def outcomes_figure(outcomes: dict[str, int]) -> OperationsFigure:
    named = [(str(Outcome(outcome).label), count) for outcome, count in outcomes.items()]
    shown = list(reversed(named))  # Plotly draws from below
    total = sum(outcomes.values())
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [count for _, count in shown],
        "y": list(range(len(shown))),
        "customdata": [outcome for outcome, _ in shown],
        "marker": fill("--accent", ""),
        "hovertemplate": "%{customdata}: %{x:,}<extra></extra>",
    }
    x = count_axis("verifications", max(outcomes.values(), default=0))
    return OperationsFigure(
        name="outcomes-of-a-day",
        heading="Outcomes",
        n=total,
        unit="verifications",
        caption="How the last 24 hours' verifications ended. `our error` is a fault of the site or its hosts, and "
        "says nothing about a kernel.",
        columns=("outcome", "verifications", "share"),
        rows=[(outcome, count, f"{100 * count / total:.1f} %") for outcome, count in named],
        plot=plot([bars], x, named_rows([outcome for outcome, _ in shown])) if total else None,
        empty="No worker finished a verification within the last 24 hours.",
    )


def stages_figure(stages: Sequence[StageSeconds]) -> OperationsFigure:
    shown = list(reversed(stages))
    return OperationsFigure(
        name="stages",
        heading="Seconds by stage",
        n=max((stage.count for stage in stages), default=0),
        unit="reports",
        caption=f"The stages of the newest reports, at most {NEWEST_REPORTS}, the longest in total first. `waited` is "
        "the time for a lane or a compiler.",
        columns=("stage", "reports", "median s", "p90 s", "total s"),
        rows=[
            (one.stage, one.count, round(one.median_s, 2), round(one.p90_s, 2), round(one.total_s, 1))
            for one in stages
        ],
        plot=stages_plot(shown) if stages else None,
        empty="No worker's report has been stored yet.",
    )


def stages_plot(shown: Sequence[StageSeconds]) -> dict[str, Any]:
    rows = list(range(len(shown)))
    data = [
        stage_points("median", rows, [one.median_s for one in shown], "--accent", "circle"),
        stage_points("p90", rows, [one.p90_s for one in shown], "--bad", "diamond-open"),
    ]
    return plot(data, axis("seconds", rangemode="tozero"), named_rows([one.stage for one in shown]))


def stage_points(name: str, rows: list[int], seconds: list[float], color: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": seconds,
        "y": rows,
        "marker": {"color": color, "symbol": symbol, "size": 11},
        "hovertemplate": f"{name}: %{{x:.2f}} s<extra></extra>",
    }


def routes() -> list[RouteCounts]:
    """Return the routes that took the most time, and those with faults first."""
    requests: dict[str, float] = defaultdict(float)
    faulty: dict[str, float] = defaultdict(float)
    seconds: dict[str, float] = defaultdict(float)
    for metric in files.everything().collect():
        for sample in metric.samples:
            route = sample.labels.get("route", "")
            if sample.name == "concur_page_seconds_count":
                requests[route] += sample.value
                faulty[route] += sample.value if sample.labels["status"].startswith("5") else 0
            elif sample.name == "concur_page_seconds_sum":
                seconds[route] += sample.value
    counts = [RouteCounts(route, int(n), int(faulty[route]), seconds[route]) for route, n in requests.items()]
    return sorted(counts, key=lambda one: (-one.faulty, -one.seconds))[:MOST_ROUTES]
