"""Metrics of a run over a frozen set of tasks: pure functions, every task with the same weight.

A candidate is right or not, and as fast as it is; one that was never written, never verified or is undecided is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


class MetricError(ValueError):
    """The metric is not defined on these results; the message says why."""


@dataclass(frozen=True)
class TaskResult:
    """What became of the `n` candidates of one task: how many passed, and the speedups of those that have a time."""

    n: int
    passed: int
    speedups: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= len(self.speedups) <= self.passed <= self.n or self.n < 1:
            raise MetricError(
                "a task has at least one candidate, and no more times than passes, or passes than candidates"
            )

    def faster(self, p: float) -> int:
        """Return how many passed and are more than `p` times as fast as the baseline; with p = 0 how many passed."""
        return self.passed if p <= 0 else sum(speedup > p for speedup in self.speedups)


def pass_at(k: int, n: int, passed: int) -> float:
    """Return the unbiased estimate of pass@k from n >= k samples (Chen et al. 2021, arXiv:2107.03374, equation 1)."""
    if not 1 <= k <= n:
        raise MetricError(f"the best of {k} cannot be estimated from {n} candidates per task")
    return 1 - math.comb(n - passed, k) / math.comb(n, k)


def fast_p(results: Sequence[TaskResult], p: float) -> float:
    """Return the share of candidates that pass and are more than `p` times as fast, mean over tasks.

    With one candidate a task this is fast_p of KernelBench (Ouyang et al. 2025, arXiv:2502.10517), and fast_0 is the
    share that passed.
    """
    return mean(results, lambda one: one.faster(p) / one.n)


def fast_p_at(k: int, results: Sequence[TaskResult], p: float) -> float:
    """Return the chance that one of `k` candidates passes and is more than `p` times as fast, mean over tasks.

    The estimate is that of pass@k, with "passes and is faster" in place of "passes"; fast_0 at k is pass@k.
    """
    return mean(results, lambda one: pass_at(k, one.n, one.faster(p)))


def best_at(k: int, results: Sequence[TaskResult]) -> float:
    """Return the expected speedup of the fastest of `k` candidates, mean over tasks; one without a time counts as 0.

    Of n values in ascending order, drawn k at a time without replacement, the i-th is the largest in C(i - 1, k - 1) of
    C(n, k) draws.
    """
    return mean(results, lambda one: expected_best(k, one))


def expected_best(k: int, one: TaskResult) -> float:
    if not 1 <= k <= one.n:
        raise MetricError(f"the best of {k} cannot be estimated from {one.n} candidates per task")
    slow = one.n - len(one.speedups)
    places = enumerate(sorted(one.speedups), start=slow + 1)
    return sum(speedup * math.comb(place - 1, k - 1) for place, speedup in places) / math.comb(one.n, k)


def area_under_fast_p(results: Sequence[TaskResult], most: float) -> float:
    """Return the area under fast_p for p from 0 to `most`.

    fast_p is a sum of steps, one for each speedup, so that this is the mean of min(speedup, most).
    """
    return mean(results, lambda one: sum(min(speedup, most) for speedup in one.speedups) / one.n)


def geometric_mean_speedup(results: Sequence[TaskResult]) -> tuple[float | None, int]:
    """Return the geometric mean of each task's fastest candidate, and over how many tasks: those that have one.

    Tasks without a candidate that passed are not in it, so that it says nothing without their number.
    """
    fastest = [max(one.speedups) for one in results if one.speedups]
    if not fastest:
        return None, 0
    return math.exp(sum(map(math.log, fastest)) / len(fastest)), len(fastest)


def geometric_mean_over_all(results: Sequence[TaskResult]) -> float:
    """Return G_speedup: the geometric mean over all tasks of each one's fastest candidate.

    A task without one runs at the reference's own speed, 1, since its user keeps the reference. So does a task whose
    fastest candidate is slower than that: nobody has to replace a program by a slower one.
    """
    return math.exp(mean(results, lambda one: math.log(max((1.0, *one.speedups)))))


STAGES = ("kernel", "loaded", "ran", "right")  # what a candidate reaches, one after the other
# How many of them each outcome reached; whatever is not named here reached none.
REACHED = {
    "undecided": 1,
    **dict.fromkeys(("build_error", "build_timeout", "load_error"), 1),
    **dict.fromkeys(("runtime_error", "illegal_memory", "out_of_memory", "timeout"), 2),
    **dict.fromkeys(("wrong_structure", "wrong_value", "nondeterministic", "broken_promise", "cheated"), 3),
    "passed": 4,
}


def correctness_by_stage(outcomes: Mapping[str, int]) -> dict[str, float]:
    """Return the share of candidates that reached each stage: it has a kernel, was built and loaded, ran to its end, is
    right. KernelBench reports "compiled" and "correctness", which are the second and the fourth.
    """
    total = sum(outcomes.values())
    if not total:
        raise MetricError("there are no candidates")
    reached = {name: REACHED.get(name, 0) for name in outcomes}
    return {
        stage: sum(n for name, n in outcomes.items() if reached[name] >= place) / total
        for place, stage in enumerate(STAGES, start=1)
    }


def mean(results: Sequence[TaskResult], of: Callable[[TaskResult], float]) -> float:
    if not results:
        raise MetricError("there are no tasks")
    return sum(map(of, results)) / len(results)
