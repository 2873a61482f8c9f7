"""The content of the task page, read with a fixed number of queries."""

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db.models import Avg, Case, Count, F, Q, When

from datasets_app.browse.task.scatter import Point, Scatter, scatter
from datasets_app.models import FAULTS, Sample, Task
from datasets_app.traces.difficulty import class_of

MOST_ROWS = 200
FEWEST_TRACES = 5  # needed for an average; the paper's is over 10


@dataclass(frozen=True)
class Difficulty:
    """Average reasoning length of a task, and its resulting class."""

    traces: int
    average_tokens: float | None

    @property
    def word(self) -> str:
        if self.average_tokens is None or self.traces < FEWEST_TRACES:
            return ""
        return class_of(self.average_tokens)

    @property
    def fewest(self) -> int:
        return FEWEST_TRACES


@dataclass(frozen=True)
class Totals:
    """Counts over a task's samples; `passed` and `failed` refer to one device."""

    samples: int
    passed: int
    failed: int
    difficulty: Difficulty

    @property
    def unverified(self) -> int:
        return self.samples - self.passed - self.failed


def totals(task: Task, device: str) -> Totals:
    """Return counts over all samples of the task in use; one query."""
    row = (
        Sample.objects.in_use()
        .filter(task=task)
        .with_evidence_on(device)
        .aggregate(
            n=Count("pk"),
            passed=Count("pk", filter=Q(outcome_there="passed")),
            failed=Count("pk", filter=Q(outcome_there__in=FAULTS)),
            traces=Count("trace_tokens"),
            average=Avg("trace_tokens"),
        )
    )
    difficulty = Difficulty(row["traces"], row["average"])
    return Totals(row["n"], row["passed"], row["failed"], difficulty)


def totals_of(samples: list[Any]) -> Totals:
    """Return the same counts over samples that were read with their evidence on the device."""
    outcomes = Counter(sample.outcome_there for sample in samples)
    lengths = [sample.trace_tokens for sample in samples if sample.trace_tokens is not None]
    difficulty = Difficulty(len(lengths), fmean(lengths) if lengths else None)
    return Totals(len(samples), outcomes["passed"], sum(outcomes[fault] for fault in FAULTS), difficulty)


def ranked(task: Task, device: str) -> list[Any]:
    """Return the samples that passed on this device by their speedup there, then those without evidence there by their
    claim, then those that failed there.
    """
    standing = Case(When(outcome_there="passed", then=0), When(outcome_there=None, then=1), default=2)
    order = [F(name).desc(nulls_last=True) for name in ("speedup_there", "claimed_speedup")]
    samples = Sample.objects.in_use().filter(task=task).with_evidence_on(device).for_list()
    return list(samples.order_by(standing, *order, "id")[: MOST_ROWS + 1])


def speed_of(sample: Any) -> float:
    """Return the speedup to plot: measured on its device, or claimed if no evidence contradicts it; 0: none."""
    unknown = sample.outcome_there is None and sample.outcome not in FAULTS
    return max(0.0, sample.speedup_there or (sample.claimed_speedup if unknown else 0.0) or 0.0)


def speed_against_length(samples: list[Any]) -> Scatter | None:
    """Return the plot; None with fewer than two points. Kernels that failed are left out: their claims are void."""
    points = [
        Point(
            x=sample.trace_tokens,
            y=speed_of(sample),
            measured=sample.speedup_there is not None,
            url=sample.get_absolute_url(),
            name=f"{sample.generator or 'unknown'} {str(sample.pk)[:8]}",
        )
        for sample in samples
        if sample.trace_tokens is not None and speed_of(sample) > 0
    ]
    return scatter(points) if len(points) > 1 else None


def front_urls(plot: Scatter | None) -> set[str]:
    """Return the URLs of the samples on the Pareto front of speed and length."""
    return {mark.point.url for mark in plot.marks if mark.leads} if plot else set()
