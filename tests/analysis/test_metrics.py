"""Tests of the metrics: hand-computed figures, and all choices counted out."""

import itertools
import math
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.analysis.metrics import (
    MetricError,
    TaskResult,
    area_under_fast_p,
    best_at,
    fast_p,
    fast_p_at,
    geometric_mean_speedup,
)

# Four tasks with one candidate each: twice as fast, 1.2 times, half as fast, wrong.
ONE_EACH = [TaskResult(1, 1, (2.0,)), TaskResult(1, 1, (1.2,)), TaskResult(1, 1, (0.5,)), TaskResult(1, 0)]


def test_with_one_candidate_a_task_they_are_kernelbenchs():
    assert [fast_p(ONE_EACH, p) for p in (0, 0.5, 1, 1.5, 2)] == [0.75, 0.5, 0.5, 0.25, 0.0]
    assert fast_p_at(1, ONE_EACH, 1) == 0.5
    assert best_at(1, ONE_EACH) == pytest.approx((2 + 1.2 + 0.5 + 0) / 4)
    assert area_under_fast_p(ONE_EACH, 2.0) == pytest.approx((2 + 1.2 + 0.5) / 4)
    assert area_under_fast_p(ONE_EACH, 1.0) == pytest.approx((1 + 1 + 0.5) / 4)
    best, tasks = geometric_mean_speedup(ONE_EACH)
    assert (round(best, 12), tasks) == (round((2 * 1.2 * 0.5) ** (1 / 3), 12), 3)


def test_a_kernel_that_passed_without_a_time_is_right_and_no_faster_than_anything():
    untimed = [TaskResult(2, 1)]
    assert (fast_p(untimed, 0), fast_p(untimed, 0.1), best_at(2, untimed)) == (0.5, 0.0, 0.0)
    assert geometric_mean_speedup(untimed) == (None, 0)


def test_of_four_candidates_two_pass_by_hand():
    task = [TaskResult(4, 2, (3.0, 0.8))]
    assert fast_p_at(2, task, 0) == pytest.approx(1 - 1 / 6)  # C(2, 2) / C(4, 2)
    assert fast_p_at(2, task, 1) == pytest.approx(0.5)  # 1 - C(3, 2) / C(4, 2)
    # Of the six pairs three hold the fastest, two the other without it, one neither.
    assert best_at(2, task) == pytest.approx((3 * 3.0 + 2 * 0.8) / 6)


results = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.floats(0.1, 20), max_size=n).flatmap(
        lambda speedups: st.integers(len(speedups), n).map(
            lambda passed: TaskResult(n, passed, tuple(speedups))
        )
    )
)


@given(results, st.floats(0, 10), st.data())
def test_estimates_are_the_means_over_all_choices(task, p, data):
    k = data.draw(st.integers(1, task.n))
    untimed = task.passed - len(task.speedups)
    candidates = [
        *((True, s) for s in task.speedups),
        *[(True, 0.0)] * untimed,
        *[(False, 0.0)] * (task.n - task.passed),
    ]
    choices = list(itertools.combinations(candidates, k))
    good = [any(passed and (p <= 0 or speedup > p) for passed, speedup in choice) for choice in choices]
    assert fast_p_at(k, [task], p) == pytest.approx(mean(good))
    assert best_at(k, [task]) == pytest.approx(
        mean(max(speedup for _, speedup in choice) for choice in choices)
    )


@given(st.lists(results, min_size=1, max_size=5), st.floats(0.5, 4))
def test_the_area_is_that_under_the_steps(tasks, most):
    steps = 4000
    heights = [fast_p(tasks, (i + 0.5) * most / steps) for i in range(steps)]
    assert area_under_fast_p(tasks, most) == pytest.approx(sum(heights) * most / steps, abs=0.01)


@pytest.mark.parametrize("faulty", [(0, 0, ()), (1, 2, ()), (2, 1, (1.0, 2.0)), (1, -1, ())])
def test_results_that_cannot_be_are_refused(faulty):
    with pytest.raises(MetricError):
        TaskResult(*faulty)


def test_what_is_not_defined_is_said():
    with pytest.raises(MetricError, match="best of 2 cannot be estimated from 1"):
        fast_p_at(2, ONE_EACH, 0)
    with pytest.raises(MetricError, match="best of 2"):
        best_at(2, ONE_EACH)
    with pytest.raises(MetricError, match="no tasks"):
        fast_p([], 1)
    assert math.isclose(fast_p_at(1, ONE_EACH, 0), 0.75)
