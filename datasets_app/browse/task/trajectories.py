"""Trajectories: samples that follow each other in turns (Kevin, CudaForge): feedback, and speedups on one device."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.db.models.functions import Substr

from datasets_app.models import Sample, SampleBody, Task

MOST_SAMPLES = 400
MOST_TRAJECTORIES = 20
FEEDBACK_CHARS = 1_200
STEP, HEIGHT, ROOM = 44, 40, 6


@dataclass(frozen=True)
class Turn:
    """One sample in its trajectory, with its result on the page's device. `gain`: over the last measured turn."""

    sample: Any
    feedback: str  # given to the previous turn, truncated to FEEDBACK_CHARS
    gain: float | None

    @property
    def speedup(self) -> float | None:
        speedup: float | None = self.sample.speedup_there
        return speedup

    @property
    def outcome(self) -> str:
        """The outcome on the page's device; without one, the headline's."""
        return self.sample.outcome_there or self.sample.outcome

    @property
    def other_device(self) -> str:
        """The device that the outcome is of, if it is not the page's."""
        return "" if self.sample.outcome_there else self.sample.device


@dataclass(frozen=True)
class Spark:
    """Speedup by turn as an SVG line; the line spans turns without one."""

    width: int
    points: list[tuple[float, float]]
    line: str
    one_y: float  # at which kernel and eager are equally fast
    height: int = HEIGHT


@dataclass(frozen=True)
class Trajectory:
    turns: list[Turn]

    @property
    def spark(self) -> Spark | None:
        """Return the plot; None if fewer than two turns were measured."""
        measured = [(at, math.log(turn.speedup)) for at, turn in enumerate(self.turns) if turn.speedup]
        return spark(measured, len(self.turns)) if len(measured) > 1 else None


def spark(measured: list[tuple[int, float]], turns: int) -> Spark:
    low, high = min(-0.1, *(y for _, y in measured)), max(0.1, *(y for _, y in measured))

    def up(y: float) -> float:
        return round(HEIGHT - ROOM - (HEIGHT - 2 * ROOM) * (y - low) / (high - low), 1)

    points = [(float(ROOM + at * STEP), up(y)) for at, y in measured]
    line = " ".join(f"{x},{y}" for x, y in points)
    return Spark(2 * ROOM + STEP * (turns - 1), points, line, up(0.0))


def trajectories(task: Task, device: str) -> list[Trajectory]:
    """Return the task's trajectories of at least two turns, one per last turn; one query, two if there are any."""
    rows = turns_of(task, device)
    parents = {row.parent_id for row in rows}
    by_id = {row.pk: row for row in rows}
    lines = [list(line(row, by_id))[::-1] for row in rows if row.pk not in parents and row.parent_id in by_id]
    shown = sorted(lines, key=lambda samples: (-best(samples), str(samples[0].pk)))[:MOST_TRAJECTORIES]
    feedbacks = feedback({row.pk for samples in shown for row in samples})
    return [Trajectory(list(turns(samples, feedbacks))) for samples in shown]


def turns_of(task: Task, device: str) -> list[Any]:
    of_task = Sample.objects.in_use().filter(task=task)
    followed = of_task.exclude(parent=None).values("parent")
    rows = of_task.filter(Q(parent__isnull=False) | Q(pk__in=followed))
    return list(rows.with_evidence_on(device).for_list().order_by("turn", "created_at", "id")[:MOST_SAMPLES])


def line(last: Any, by_id: dict[Any, Any]) -> Iterator[Any]:
    """Yield the samples from the last turn back to the first; a cycle of parents, which no source should have, ends
    it.
    """
    seen = set()
    row = last
    while row is not None and row.pk not in seen:
        seen.add(row.pk)
        yield row
        row = by_id.get(row.parent_id)


def best(samples: list[Any]) -> float:
    return max((row.speedup_there or 0.0 for row in samples), default=0.0)


def feedback(ids: set[Any]) -> dict[Any, str]:
    """Return the feedback to each turn's predecessor; only the beginnings of the texts are read."""
    if not ids:
        return {}
    bodies = SampleBody.objects.filter(sample__in=ids).exclude(feedback="")
    return dict(bodies.annotate(start=Substr("feedback", 1, FEEDBACK_CHARS)).values_list("sample", "start"))


def turns(samples: list[Any], feedbacks: dict[Any, str]) -> Iterator[Turn]:
    last: float | None = None
    for row in samples:
        now = row.speedup_there
        yield Turn(row, feedbacks.get(row.pk, ""), now / last if now and last else None)
        last = now or last
