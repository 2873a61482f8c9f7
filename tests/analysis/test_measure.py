from itertools import pairwise

import pytest

from datasets_app.analysis import measure, paper
from datasets_app.models import DECIDING, Sample
from tests.curate.store import failed, passed
from tests.factories import make_sample, make_task
from tests.verifications import H200

pytestmark = pytest.mark.django_db


def everything():
    return Sample.objects.order_by().with_evidence_on(H200)


def test_the_papers_nine_bins_run_from_404_to_19332_tokens():
    edges = paper.edges()
    assert len(edges) == 10
    assert (edges[0], edges[-1]) == (404, 19_332)
    assert {round(high - low) for low, high in pairwise(edges)} == {2103}
    assert len(paper.ACCURACY) == len(paper.centres(edges)) == 9


def test_accuracy_counts_verified_samples_with_a_trace_by_length():
    passed(trace_tokens=1000)
    passed(trace_tokens=1100)
    failed(trace_tokens=1200)
    failed(trace_tokens=19_332)
    failed(trace_tokens=50_000)
    passed(reasoning="")
    make_sample(trace_tokens=1000)
    failed("infra_error", trace_tokens=1000)
    numbers = measure.accuracy(everything())
    assert numbers.like_paper
    assert numbers.n == 5
    assert [(b.n, b.hits) for b in numbers.bins] == [(3, 2), *[(0, 0)] * 7, (1, 0), (1, 0)]
    assert numbers.bins[-1].high is None


def test_traces_shorter_than_the_papers_get_a_bin_of_their_own():
    for tokens in (100, 1000, 2000):
        passed(trace_tokens=tokens)
    numbers = measure.accuracy(everything())
    assert (numbers.bins[0].low, numbers.bins[0].high, numbers.bins[0].n) == (0, 404, 1)


def test_short_traces_are_binned_over_themselves():
    for tokens in (100, 150, 190):
        passed(trace_tokens=tokens)
    numbers = measure.accuracy(everything())
    assert not numbers.like_paper
    assert (numbers.bins[0].low, numbers.bins[-1].high) == (100, 190)
    assert numbers.n == 3
    assert measure.accuracy(everything(), "paper").like_paper


def test_traces_of_one_length_are_one_bin():
    passed(trace_tokens=100)
    assert measure.accuracy(everything(), "data").n == 1


def test_the_fit_takes_passed_samples_with_a_trace_and_a_speedup():
    for tokens, speedup in ((100, 1.0), (200, 2.0), (300, 3.5)):
        passed(trace_tokens=tokens, speedup=speedup)
    passed(reasoning="", speedup=9)
    failed(trace_tokens=100)
    numbers = measure.speed_and_length(everything())
    assert numbers.n == numbers.fit.n == 3
    assert numbers.fit.slope == pytest.approx(0.0125)
    assert numbers.fit.r == pytest.approx(0.99339927)
    assert numbers.tokens == (100, 300)


def test_the_fit_takes_all_points_though_few_are_drawn(monkeypatch):
    monkeypatch.setattr(measure, "POINTS", 2)
    for tokens in (100, 200, 300, 400):
        passed(trace_tokens=tokens, speedup=tokens / 50)
    numbers = measure.speed_and_length(everything())
    assert (len(numbers.points), numbers.fit.n) == (2, 4)


def test_measured_and_claimed_speedups_are_counted_apart():
    passed(speedup=3, claimed_speedup=1.5)
    passed(speedup=100)
    make_sample(claimed_speedup=0.2)
    numbers = measure.speeds(everything())
    assert sum(b.n for b in numbers.measured) == 2
    assert sum(b.n for b in numbers.claimed) == 2
    assert numbers.measured[-1].high is None
    assert (numbers.measured_median, numbers.claimed_median) == (51.5, pytest.approx(0.85))


def test_outcomes_are_counted_by_generator_and_class():
    task = make_task()
    passed(task, generator="a")
    failed("illegal_memory", task=task, generator="a")
    failed("cheated", task=task, generator="b")
    make_sample(task, generator="c")
    numbers = measure.outcomes(everything())
    assert [name for name, _ in numbers.generators] == ["a", "b"]
    assert numbers.generators[0][1] == {
        "passed": 1,
        "wrong": 0,
        "cheated": 0,
        "did not run": 1,
    }


def test_every_outcome_that_decides_has_a_class():
    assert set(DECIDING) == {name for members in measure.CLASSES.values() for name in members}
