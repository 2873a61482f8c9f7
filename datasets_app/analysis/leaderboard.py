"""The leaderboard: runs judged over the same tasks on one device, each with intervals over the tasks.

A run is what came of one source: a synthesis, a KernelBench run, a published set. Its numbers are those of
`manage.py evaluate`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from datasets_app.analysis.evaluation import (
    MISSING,
    NO_KERNEL,
    UNDECIDED,
    Evaluation,
    candidates_of,
    digest,
    judge,
    keys_of,
)
from datasets_app.analysis.metrics import MetricError, TaskResult, fast_p, fast_p_at, geometric_mean_speedup
from datasets_app.models import Sample, Source
from datasets_app.models.task import TaskQuerySet
from datasets_app.resampling import middle, resamples

MOST_RUNS = 30
MOST_SAMPLES = 100_000  # of these runs
MOST_P, MOST_K = 1000.0, 256
NOT_DECIDED = frozenset({MISSING, NO_KERNEL, UNDECIDED})


@dataclass(frozen=True)
class Share:
    """A mean over tasks with its 95 % bootstrap interval over tasks."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Run:
    """One row: what became of the candidates of a source."""

    name: str
    generators: tuple[str, ...]  # at most three, the most frequent first
    judged: Evaluation
    right: Share  # fast_0
    faster: Share  # fast_p
    pass_at_k: float | None  # None: it has fewer candidates per task
    best_speedup: float | None  # the geometric mean of each task's fastest, over `timed_tasks`
    timed_tasks: int

    @property
    def decided(self) -> int:
        return sum(n for outcome, n in self.judged.outcomes.items() if outcome not in NOT_DECIDED)

    @property
    def not_decided(self) -> dict[str, int]:
        """Return how many candidates are missing, undecided or without a kernel: they count as wrong."""
        return {name: n for name, n in self.judged.outcomes.items() if name in NOT_DECIDED}


@dataclass(frozen=True)
class Board:
    device: str
    tasks: int
    tasks_sha256: str
    p: float
    k: int
    runs: tuple[Run, ...]
    unverified: tuple[str, ...]  # runs without a decided candidate on the device
    left_out: int  # runs beyond MOST_RUNS, which have fewer samples of these tasks


def leaderboard(tasks: TaskQuerySet, device: str, p: float = 1.0, k: int = 1) -> Board:
    """Judge the runs with most samples of the tasks, the best first: by fast_p (its lower end first), then by fast_0.

    Six queries, however many runs there are. Raises MetricError if there are too many samples.
    """
    if not 0 < p <= MOST_P or not 1 <= k <= MOST_K:
        raise MetricError(f"p must be above 0 and at most {MOST_P:g}, and k from 1 to {MOST_K}")
    keys = keys_of(tasks)
    generators = generators_of(tasks)
    names = sorted(generators, key=lambda pk: (-sum(generators[pk].values()), pk))
    sources = Source.objects.in_bulk(names[:MOST_RUNS])
    found = candidates_of(list(sources.values()), tasks, device)
    runs, unverified = [], []
    for pk, source in sources.items():
        run = run_of(judge(source.name, keys, found[pk], device), generators[pk], p, k)
        if run.decided:
            runs.append(run)
        else:
            unverified.append(source.name)
    runs.sort(key=lambda run: (-run.faster.low, -run.faster.value, -run.right.value, run.name))
    return Board(
        device, len(keys), digest(keys), p, k, tuple(runs), tuple(sorted(unverified)), len(names[MOST_RUNS:])
    )


def generators_of(tasks: TaskQuerySet) -> dict[int, Counter[str]]:
    """Return how many samples of the tasks each source has by generator. Raises MetricError if they are too many."""
    samples: Any = Sample.objects.in_use().filter(task__in=tasks.order_by().values("pk")).order_by()
    found: dict[int, Counter[str]] = {}
    for source, generator, n in samples.values_list("source", "generator").annotate(n=Count("pk")):
        found.setdefault(source, Counter())[generator] += n
    if (total := sum(sum(counted.values()) for counted in found.values())) > MOST_SAMPLES:
        raise MetricError(
            f"{total:,} samples are of these tasks, and at most {MOST_SAMPLES:,} are judged; name fewer"
        )
    return found


def run_of(judged: Evaluation, generators: Counter[str], p: float, k: int) -> Run:
    right, faster = shares(judged.results, p)
    best, timed = geometric_mean_speedup(judged.results)
    return Run(
        judged.source,
        tuple(name for name, _ in generators.most_common(3) if name),
        judged,
        right,
        faster,
        fast_p_at(k, judged.results, 0) if k <= judged.per_task else None,
        best,
        timed,
    )


def shares(results: Sequence[TaskResult], p: float) -> tuple[Share, Share]:
    """Return fast_0 and fast_p with their intervals: tasks with the same result are drawn together."""
    units = Counter((one.passed / one.n, one.faster(p) / one.n) for one in results)
    right, faster = zip(*(means(drawn) for drawn in resamples(units)), strict=True)
    return Share(fast_p(results, 0), *middle(right)), Share(fast_p(results, p), *middle(faster))


def means(drawn: Mapping[tuple[float, float], int]) -> tuple[float, float]:
    total = sum(drawn.values())
    right = sum(unit[0] * times for unit, times in drawn.items())
    return right / total, sum(unit[1] * times for unit, times in drawn.items()) / total
