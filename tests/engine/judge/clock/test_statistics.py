"""Tests of timing statistics on lists with known results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from eval_app.engine.contract.evidence import Speedup, Spread
from eval_app.engine.judge.clock.statistics import median, middle, quantile, relative_error, speedup, spread

times = st.lists(st.floats(1e-4, 1e4), min_size=1, max_size=40)


def test_quantiles_interpolate():
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert quantile([5.0], 0.9) == 5.0
    assert median([3.0, 1.0, 2.0]) == 2.0


def test_between_two_ticks_of_a_clock_the_middle_tells_how_often_each_was_read():
    mostly_low, mostly_high = [4.0] * 11 + [4.2] * 9, [4.0] * 9 + [4.2] * 11
    assert median(mostly_high) - median(mostly_low) == pytest.approx(0.2)
    assert middle(mostly_high) - middle(mostly_low) == pytest.approx(0.04)


def test_the_middle_leaves_the_outer_quarters_out():
    assert middle([0.0, 1.0, 2.0, 3.0, 1000.0]) == 2.0
    assert middle([5.0]) == 5.0


def test_a_steady_series_is_sure_and_a_short_one_is_not():
    assert relative_error([1.0] * 20) == 0.0
    assert relative_error([1.0, 1.0]) == float("inf")


def test_twice_as_fast_reads_two():
    result = speedup([2.0, 4.0, 6.0, 2.0], [1.0, 2.0, 3.0, 1.0])
    assert result == {"median": 2.0, "low": 2.0, "high": 2.0}


def test_one_outlier_does_not_move_the_speedup():
    assert speedup([1.0] * 21, [1.0] * 20 + [1000.0])["median"] == 1.0


@given(times)
def test_any_times_make_evidence_that_the_contract_takes(values):
    Spread(**spread(values))
    Speedup(**speedup(values, values[::-1]))
