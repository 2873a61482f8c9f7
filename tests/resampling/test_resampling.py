"""Tests of draws with replacement: their intervals are those of theory, however the units are drawn."""

import random
import statistics

import pytest

from datasets_app import resampling
from datasets_app.resampling import interval, poisson


def mean(units):
    return sum(value * times for value, times in units.items()) / sum(units.values())


@pytest.mark.parametrize("n", [200, 20_000])
def test_the_interval_of_a_share_is_near_the_one_of_the_normal_approximation(n):
    low, high = interval(mean, {0.0: n * 7 // 10, 1.0: n * 3 // 10})
    half = 1.96 * (0.3 * 0.7 / n) ** 0.5
    assert low == pytest.approx(0.3 - half, abs=half / 4)
    assert high == pytest.approx(0.3 + half, abs=half / 4)


def test_the_same_units_in_another_order_give_the_same_interval():
    assert interval(mean, {0.0: 20, 1.0: 10}) == interval(mean, {1.0: 10, 0.0: 20})


def test_a_value_that_most_resamples_lack_has_no_interval():
    # A resample holds both of the two halves with probability 1 - 2 ** -39.
    assert interval(lambda units: None if len(units) > 1 else 1.0, {(1, 1): 20, (2, 2): 20}) == (None, None)


def test_many_units_drawn_together_give_the_interval_of_units_drawn_one_by_one(monkeypatch):
    units = {0.0: 250, 0.25: 100, 1.0: 50}
    together = interval(mean, units)
    monkeypatch.setattr(resampling, "FEW", 400)
    singly = interval(mean, units)
    assert together == pytest.approx(singly, abs=(singly[1] - singly[0]) / 8)


@pytest.mark.parametrize("drawn_with_mean", [1, 20, 400])
def test_poisson_numbers_have_their_mean_and_variance(drawn_with_mean):
    generator = random.Random(5)
    drawn = [poisson(generator, drawn_with_mean) for _ in range(4000)]
    assert statistics.fmean(drawn) == pytest.approx(drawn_with_mean, rel=0.05)
    assert statistics.variance(drawn) == pytest.approx(drawn_with_mean, rel=0.1)
