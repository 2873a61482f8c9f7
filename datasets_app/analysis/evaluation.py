"""A run judged over a frozen set of tasks on one device: what is missing or undecided counts as wrong."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from datasets_app.analysis.metrics import (
    MetricError,
    TaskResult,
    area_under_fast_p,
    best_at,
    correctness_by_stage,
    fast_p,
    fast_p_at,
    geometric_mean_over_all,
    geometric_mean_speedup,
)
from datasets_app.analysis.statistics import wilson
from datasets_app.models import Candidate, Source
from datasets_app.models.outcome import DECIDING
from datasets_app.models.sample import Sample
from datasets_app.models.task import TaskQuerySet

MISSING, UNDECIDED, NO_KERNEL = "missing", "undecided", "no kernel"
MOST_SPEEDUP = 2.0  # to which the area under fast_p goes


class Result(NamedTuple):
    """What became of one candidate."""

    outcome: str
    speedup: float | None = None
    language: str = ""


Candidates = dict[UUID, list[Result]]  # by task


@dataclass(frozen=True)
class Evaluation:
    """The results of one source over tasks, one per task, and the outcomes of all candidates by name."""

    source: str
    device: str
    tasks_sha256: str
    results: tuple[TaskResult, ...]
    outcomes: dict[str, int]
    # Of the undecided ones, how many are in each language: another kind of device may run it. The most frequent first.
    undecided_in: dict[str, int] = field(default_factory=dict)

    def metrics(self, ps: Sequence[float], ks: Sequence[int]) -> dict[str, Any]:
        """Return every metric by name; one that is not defined on so few candidates is None."""
        found: dict[str, Any] = {f"fast_{p:g}": fast_p(self.results, p) for p in (0.0, *ps)}
        for k in ks:
            found[f"pass@{k}"] = defined(lambda k=k: fast_p_at(k, self.results, 0))  # type: ignore[misc]
            found |= {f"fast_{p:g}@{k}": defined(lambda k=k, p=p: fast_p_at(k, self.results, p)) for p in ps}  # type: ignore[misc]
            found[f"best@{k}"] = defined(lambda k=k: best_at(k, self.results))  # type: ignore[misc]
        found["area_under_fast_p"] = area_under_fast_p(self.results, MOST_SPEEDUP)
        found["geometric_mean_speedup"], found["tasks_with_a_speedup"] = geometric_mean_speedup(self.results)
        found["G_speedup"] = geometric_mean_over_all(self.results)
        return found

    def stages(self) -> dict[str, float]:
        """Return the share of candidates that reached each stage of correctness."""
        return correctness_by_stage(self.outcomes)

    def interval(self, p: float) -> tuple[float, float]:
        """Return the 95 % interval of fast_p: Wilson's, as if each task were one trial, which is at least as wide."""
        return wilson(fast_p(self.results, p) * len(self.results), len(self.results))

    @property
    def per_task(self) -> int:
        """Return the number of candidates of a task, the missing ones included."""
        return self.results[0].n


def defined(of: Any) -> float | None:
    try:
        return float(of())
    except MetricError:
        return None


def evaluate(source: Source, tasks: TaskQuerySet, device: str, per_task: int | None = None) -> Evaluation:
    """Judge the samples of a source over the tasks by their evidence on a device.

    A task has as many candidates as were asked for (`per_task`; of a synthesis, all that it asked for; else as many as
    the task with most): those that are not there are wrong. Outside of syntheses the same text twice is one sample, and
    counts once. Raises MetricError if there are no tasks, or more candidates of one than `per_task`.
    """
    keys = keys_of(tasks)
    if not keys:
        raise MetricError("no task matches")
    return judge(source.name, keys, candidates_of([source], tasks, device)[source.pk], device, per_task)


def keys_of(tasks: TaskQuerySet) -> list[UUID]:
    """Return the tasks' ids in their order."""
    return sorted(tasks.order_by().values_list("pk", flat=True))


def judge(
    name: str, keys: Sequence[UUID], found: Candidates, device: str, per_task: int | None = None
) -> Evaluation:
    """Judge what was found of each task; see evaluate."""
    most = per_task or max((len(made) for made in found.values()), default=1)
    if any(len(made) > most for made in found.values()):
        raise MetricError(f"a task has more than {most} candidates of {name}")
    outcomes = Counter(one.outcome for made in found.values() for one in made)
    undecided = Counter(one.language for made in found.values() for one in made if one.outcome == UNDECIDED)
    outcomes[MISSING] = most * len(keys) - outcomes.total()
    nothing = TaskResult(most, 0)
    results = tuple(result_of(made, most) if (made := found.get(key)) else nothing for key in keys)
    counted = {name: n for name, n in sorted(outcomes.items(), key=lambda pair: (-pair[1], pair[0])) if n}
    return Evaluation(name, device, digest(keys), results, counted, dict(undecided.most_common()))


def result_of(made: Sequence[Result], most: int) -> TaskResult:
    passed = [one.speedup for one in made if one.outcome == "passed"]
    return TaskResult(most, len(passed), tuple(speedup for speedup in passed if speedup is not None))


def candidates_of(sources: Collection[Source], tasks: TaskQuerySet, device: str) -> dict[int, Candidates]:
    """Return the candidates of each source, by its id; those of a synthesis include the ones without a kernel."""
    among = tasks.order_by().values("pk")
    judged: Any = Sample.objects.in_use().order_by().with_result_on(device)
    rows = judged.filter(source__in=sources, task__in=among).values_list(
        "source", "pk", "task", "outcome_there", "speedup_there", "language"
    )
    asked = Candidate.objects.filter(synthesis__source__in=sources, task__in=among).order_by()
    asked_rows = list(asked.values_list("synthesis__source", "task", "sample"))
    of_synthesis = {source for source, _, _ in asked_rows}
    found: dict[int, Candidates] = {source.pk: defaultdict(list) for source in sources}
    by_sample: dict[UUID, Result] = {}
    for source, pk, task, *result in rows.iterator():
        if source in of_synthesis:
            by_sample[pk] = decided(*result)
        else:
            found[source][task].append(decided(*result))
    if any(sample and sample not in by_sample for *_, sample in asked_rows):  # another source has it
        of_others = judged.filter(pk__in=asked.filter(sample__isnull=False).values("sample"))
        columns = of_others.values_list("pk", "outcome_there", "speedup_there", "language")
        by_sample |= {pk: decided(*result) for pk, *result in columns.iterator()}
    for source, task, sample in asked_rows:
        found[source][task].append(by_sample.get(sample, Result(NO_KERNEL)))
    return found


def decided(outcome: str | None, speedup: float | None, language: str) -> Result:
    return Result(outcome, speedup, language) if outcome in DECIDING else Result(UNDECIDED, None, language)


def digest(keys: Iterable[UUID]) -> str:
    """Return the SHA-256 of a set of tasks: two runs compare where it is the same."""
    return hashlib.sha256("\n".join(map(str, keys)).encode()).hexdigest()
