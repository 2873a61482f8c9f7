"""What the task page shows, read with a fixed number of queries."""

from dataclasses import dataclass

from django.db.models import Avg, Case, Count, F, Q, When

from datasets_app.browse.task.scatter import Point, Scatter, scatter
from datasets_app.models import Sample, Task

MOST_ROWS = 200
EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS = 4_000, 8_500  # ConCuR's thresholds of the average reasoning length
NOT_JUDGED = ("", "infra_error")  # nothing is known of the kernel
FEWEST_TRACES = 5  # an average of fewer says little; the paper's is over 10


@dataclass(frozen=True)
class Difficulty:
    """Average reasoning length of a task, and the class that it puts the task into."""

    traces: int
    average_tokens: float | None

    @property
    def word(self) -> str:
        if self.average_tokens is None or self.traces < FEWEST_TRACES:
            return ""
        if self.average_tokens < EASY_BELOW_TOKENS:
            return "easy"
        return "hard" if self.average_tokens > HARD_ABOVE_TOKENS else "middling"

    @property
    def fewest(self) -> int:
        return FEWEST_TRACES


@dataclass(frozen=True)
class Totals:
    samples: int
    passed: int
    failed: int
    difficulty: Difficulty

    @property
    def unverified(self) -> int:
        return self.samples - self.passed - self.failed


def totals(task: Task) -> Totals:
    """Counts over all samples of the task; one query."""
    row = Sample.objects.filter(task=task).aggregate(
        n=Count("pk"),
        passed=Count("pk", filter=Q(outcome="passed")),
        verified=Count("pk", filter=~Q(outcome="")),
        traces=Count("trace_tokens"),
        average=Avg("trace_tokens"),
    )
    difficulty = Difficulty(row["traces"], row["average"])
    return Totals(row["n"], row["passed"], row["verified"] - row["passed"], difficulty)


def ranked(task: Task) -> list[Sample]:
    """Those that passed by their measured speedup, those that nobody verified by the claimed one, then what failed."""
    standing = Case(When(outcome="passed", then=0), When(outcome__in=NOT_JUDGED, then=1), default=2)
    order = [F(name).desc(nulls_last=True) for name in ("measured_speedup", "claimed_speedup")]
    return list(Sample.objects.filter(task=task).for_list().order_by(standing, *order, "id")[: MOST_ROWS + 1])


def speed_of(sample: Sample) -> float:
    """What a plot shows: measured, or claimed as long as nothing speaks against it; 0: nothing."""
    claimed = sample.claimed_speedup if sample.outcome in NOT_JUDGED else None
    return max(0.0, sample.measured_speedup or claimed or 0.0)


def speed_against_length(samples: list[Sample]) -> Scatter | None:
    """None where there are fewer than two points to compare. A kernel that failed is no point: its claim is void."""
    points = [
        Point(
            x=sample.trace_tokens,
            y=speed_of(sample),
            measured=sample.measured_speedup is not None,
            url=sample.get_absolute_url(),
            name=f"{sample.generator or 'unknown'} {str(sample.pk)[:8]}",
        )
        for sample in samples
        if sample.trace_tokens is not None and speed_of(sample) > 0
    ]
    return scatter(points) if len(points) > 1 else None


def front_urls(plot: Scatter | None) -> set[str]:
    """Addresses of the samples that no other beats in both: short and fast."""
    return {mark.point.url for mark in plot.marks if mark.leads} if plot else set()
