"""Tests of the leaderboard: each task counts once, pass@k is unbiased, and its order is by fast_1's lower end."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.analysis.figures.leaderboard import COLUMNS, leaderboard_figure
from datasets_app.analysis.metrics import pass_at
from datasets_app.analysis.standings import GENERATORS, leaderboard
from datasets_app.models import Sample
from tests.curate.store import failed, passed
from tests.factories import make_sample, make_task
from tests.verifications import H200


def everything():
    return Sample.objects.order_by().with_evidence_on(H200)


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_all_choices_of_k_that_hold_one_that_passed(n, data):
    passed = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    choices = list(itertools.combinations([True] * passed + [False] * (n - passed), k))
    assert pass_at(k, n, passed) == pytest.approx(sum(map(any, choices)) / len(choices))


@pytest.mark.django_db
def test_every_task_counts_once():
    easy, hard = make_task(), make_task()
    for _ in range(4):
        passed(easy, generator="a", speedup=2.0)
    failed(task=easy, generator="a")
    failed(task=hard, generator="a")
    make_sample(hard, generator="a")  # not verified: it does not count
    (standing,) = leaderboard(everything())
    assert (standing.tasks, standing.verified) == (2, 6)
    assert standing.pass_at_1 == pytest.approx((0.8 + 0) / 2)
    assert standing.pass_at_several == pytest.approx(1.0)  # of the one task with five
    assert standing.tasks_of_several == 1


@pytest.mark.django_db
def test_what_is_right_and_faster_decides_and_then_what_is_right():
    passed(generator="lucky", speedup=3.0)
    for _ in range(8):
        task = make_task()
        passed(task, generator="right", speedup=0.9)
        passed(task, generator="fast", speedup=1.2)
        failed(task=task, generator="fast")
        failed(task=task, generator="wrong")
    found = leaderboard(everything())
    assert [one.generator for one in found] == ["fast", "lucky", "right", "wrong"]
    assert [one.fast_1 for one in found] == [0.5, 1.0, 0.0, 0.0]


@pytest.mark.django_db
def test_the_best_speedup_is_the_geometric_mean_of_each_task_s_fastest():
    for speedups in ((1.0, 2.0), (8.0, 4.0)):
        task = make_task()
        for speedup in speedups:
            passed(task, generator="a", speedup=speedup)
    failed(task=make_task(), generator="a")
    (standing,) = leaderboard(everything())
    assert standing.best_speedup == pytest.approx(math.sqrt(2.0 * 8.0))


@pytest.mark.django_db
def test_a_generator_that_solved_nothing_has_no_speedup_and_an_interval():
    failed(task=make_task(), generator="a")
    figure = leaderboard_figure(leaderboard(everything()))
    row = dict(zip(COLUMNS, figure.rows[0], strict=True))
    assert (row["pass@1"], row["best speedup"], row["pass@5"]) == (0, None, None)
    assert (row["fast_1"], row["low"]) == (0, 0)
    assert 0 < row["high"] < 1


@pytest.mark.django_db
def test_it_takes_one_query_and_shows_the_generators_with_most_tasks(django_assert_num_queries):
    for number in range(GENERATORS + 2):
        for _ in range(2 if number else 1):
            failed(task=make_task(), generator=f"writer-{number:02}")
    with django_assert_num_queries(1):
        found = leaderboard(everything())
    assert len(found) == GENERATORS
    assert "writer-00" not in {one.generator for one in found}
