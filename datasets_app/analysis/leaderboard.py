"""The leaderboard: runs judged over the same tasks on one device, each with intervals over the tasks.

A run is what came of one source: a synthesis, a KernelBench run, a published set. Its numbers are those of
`manage.py evaluate`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from datasets_app.analysis.metrics import (
    MetricError,
    TaskResult,
    fast_p,
    fast_p_at,
    geometric_mean_speedup,
    pass_at,
)
from datasets_app.models import Language, Sample, Source
from datasets_app.models.task import TaskQuerySet
from datasets_app.resampling import middle, resamples

MOST_RUNS = 30
MOST_SAMPLES = 100_000  # of these runs
MOST_P, MOST_K = 1000.0, 256
NOT_DECIDED = frozenset({MISSING, NO_KERNEL, UNDECIDED})


@dataclass(frozen=True)
class Mean:
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
    right: Mean  # fast_0
    faster: Mean  # fast_p
    pass_at_k: Mean | None  # None: it has fewer candidates per task
    best_speedup: Mean | None  # the geometric mean of each task's fastest, over `timed_tasks`
    timed_tasks: int

    @property
    def decided(self) -> int:
        return sum(n for outcome, n in self.judged.outcomes.items() if outcome not in NOT_DECIDED)

    @property
    def not_decided(self) -> dict[str, int]:
        """Return how many candidates are missing, undecided or without a kernel: they count as wrong."""
        return {name: n for name, n in self.judged.outcomes.items() if name in NOT_DECIDED}

    @property
    def undecided_in(self) -> str:
        """Return how many of the undecided ones are in each language, in words: not every device runs all of them."""
        counted = self.judged.undecided_in.items()
        return ", ".join(f"{n:,} {Language(name).label}" for name, n in counted if name)


@dataclass(frozen=True)
class Board:
    device: str
    tasks: int
    tasks_sha256: str
    p: float
    k: int
    by: str  # the metric that they are in the order of, a name in METRICS
    runs: tuple[Run, ...]
    unverified: tuple[str, ...]  # runs without a decided candidate on the device
    left_out: int  # runs beyond MOST_RUNS, which have fewer samples of these tasks


# Their names, as columns and addresses have them.
METRICS: dict[str, Callable[[Run], Mean | None]] = {
    "faster": lambda run: run.faster,
    "right": lambda run: run.right,
    "pass": lambda run: run.pass_at_k,
    "fastest": lambda run: run.best_speedup,
}


def leaderboard(tasks: TaskQuerySet, device: str, p: float = 1.0, k: int = 1, by: str = "faster") -> Board:
    """Judge the runs with most samples of the tasks, the best first: by the lower end of a metric, then by its value.

    At most seven queries, however many runs there are. Raises MetricError if there are too many samples.
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
    runs.sort(key=partial(place, by))
    return Board(
        device,
        len(keys),
        digest(keys),
        p,
        k,
        by,
        tuple(runs),
        tuple(sorted(unverified)),
        len(names[MOST_RUNS:]),
    )


def place(by: str, run: Run) -> tuple[Any, ...]:
    """Return a sort key: the better by this metric first, those without it last."""
    found = METRICS[by](run)
    ends = (0, -found.low, -found.value) if found else (1, 0.0, 0.0)
    return (*ends, -run.right.value, run.name)


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
    named = tuple(name for name, _ in generators.most_common(3) if name)
    _, timed = geometric_mean_speedup(judged.results)
    return Run(judged.source, named, judged, *means_of(judged.results, p, k, judged.per_task), timed)


@dataclass(frozen=True, order=True)
class Unit:
    """What one task adds to each mean. Tasks with the same are drawn together."""

    right: float
    faster: float
    pass_at_k: float  # 0 where it cannot be estimated
    # The logarithm of its fastest candidate's speedup in steps of STEP; empty: it has none.
    fastest: tuple[int, ...]


STEP = 0.02  # of a logarithm: so many tasks have few different units, and draws cost little


def unit_of(one: TaskResult, p: float, k: int) -> Unit:
    fastest = (round(math.log(max(one.speedups)) / STEP),) if one.speedups else ()
    right = pass_at(k, one.n, one.passed) if k <= one.n else 0.0
    return Unit(one.passed / one.n, one.faster(p) / one.n, right, fastest)


def means_of(
    results: Sequence[TaskResult], p: float, k: int, per_task: int
) -> tuple[Mean, Mean, Mean | None, Mean | None]:
    """Return fast_0, fast_p, pass@k and the geometric mean of the fastest, with intervals over the same resamples."""
    units = Counter(unit_of(one, p, k) for one in results)
    drawn = [means(some) for some in resamples(units)]
    right, faster, passing = (middle(values) for values in zip(*(each[:3] for each in drawn), strict=True))
    best, _ = geometric_mean_speedup(results)
    return (
        Mean(fast_p(results, 0), *right),
        Mean(fast_p(results, p), *faster),
        Mean(fast_p_at(k, results, 0), *passing) if k <= per_task else None,
        fastest_of(best, means(units)[3], [each[3] for each in drawn]),
    )


def fastest_of(best: float | None, whole: float | None, drawn: Sequence[float | None]) -> Mean | None:
    """Return the geometric mean with the interval of what resamples that have one differ by from the whole's."""
    if best is None or whole is None:
        return None
    low, high = middle(value for value in drawn if value is not None)
    return Mean(best, best * math.exp(low - whole), best * math.exp(high - whole))


def means(drawn: Mapping[Unit, int]) -> tuple[float, float, float, float | None]:
    """Return the mean of each part; of the fastest the mean logarithm over the tasks that have one, if any."""
    total = timed = 0
    right = faster = passing = logs = 0.0
    for unit, times in drawn.items():
        total += times
        right += unit.right * times
        faster += unit.faster * times
        passing += unit.pass_at_k * times
        if unit.fastest:
            timed += times
            logs += unit.fastest[0] * STEP * times
    return right / total, faster / total, passing / total, logs / timed if timed else None
