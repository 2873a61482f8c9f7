"""Tests of the statistics against tables and worked examples."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.analysis.statistics import correlate, incomplete_beta, p_value, quantile, wilson


def test_the_beta_function_has_its_closed_forms():
    assert incomplete_beta(1, 1, 0.3) == pytest.approx(0.3)
    assert incomplete_beta(2, 1, 0.3) == pytest.approx(0.09)
    assert incomplete_beta(1, 3, 0.3) == pytest.approx(1 - 0.7**3)
    assert incomplete_beta(0.5, 0.5, 0.25) == pytest.approx(2 / math.pi * math.asin(0.5))


@pytest.mark.parametrize(
    ("t", "df", "p"), [(2.228, 10, 0.05), (12.706, 1, 0.05), (2.042, 30, 0.05), (3.169, 10, 0.01)]
)
def test_p_values_are_those_of_students_table(t, df, p):
    r = t / math.sqrt(df + t * t)
    assert p_value(r, df + 2) == pytest.approx(p, rel=2e-3)


def test_the_papers_correlation_has_the_p_of_its_n():
    assert p_value(-0.047, 3109) == pytest.approx(0.0088, abs=2e-4)


def test_no_correlation_is_no_surprise_and_a_perfect_one_is():
    assert p_value(0, 50) == pytest.approx(1)
    assert p_value(1, 50) == 0


@given(st.lists(st.tuples(st.integers(0, 20_000), st.floats(0.01, 100)), min_size=3, max_size=60))
def test_r_and_the_line_are_those_of_the_standard_library(points):
    xs, ys = zip(*points, strict=True)
    mean_x, mean_y = statistics.fmean(xs), statistics.fmean(ys)
    sxx = sum((x - mean_x) ** 2 for x in xs)
    syy = sum((y - mean_y) ** 2 for y in ys)
    if sxx < 1e-6 or syy < 1e-6:
        return
    sxy = sum((x - mean_x) * (y - mean_y) for x, y in points)
    found = correlate(len(points), mean_x, mean_y, sxx, syy, sxy)
    slope, intercept = statistics.linear_regression(xs, ys)
    assert found.r == pytest.approx(statistics.correlation(xs, ys), abs=1e-9)
    assert (found.slope, found.intercept) == (
        pytest.approx(slope, abs=1e-9),
        pytest.approx(intercept, abs=1e-6),
    )
    assert 0 <= found.p <= 1


def test_a_line_without_spread_has_no_correlation():
    assert correlate(5, 1, 1, 0, 3, 0) is None
    assert correlate(2, 1, 1, 1, 1, 1) is None


def test_wilsons_interval():
    low, high = wilson(10, 20)
    assert (low, high) == (pytest.approx(0.2993, abs=1e-4), pytest.approx(0.7007, abs=1e-4))
    assert wilson(0, 10)[0] == 0
    assert wilson(0, 0) == (0, 1)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=60))
def test_quartiles_of_counted_values_are_those_of_the_standard_library(values):
    counted = sorted((value, values.count(value)) for value in set(values))
    found = [quantile(counted, share) for share in (0.25, 0.5, 0.75)]
    assert found == pytest.approx(statistics.quantiles(values, n=4, method="inclusive"))


def test_quantiles_of_one_value_are_that_value():
    assert [quantile([(7.0, 1)], share) for share in (0.05, 0.5, 0.95)] == [7, 7, 7]
