"""The first comparison: it never lets pass what the full one refuses, and lets pass what agrees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison import quick_compare  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.comparison.quick_compare import agree  # noqa: E402

TOLERANCE = Tolerance(1e-4, 1e-2, 1e-8)
TIGHT = Tolerance(1e-6, 1e-3, 1e-9, least_size=1e-6, usual=TOLERANCE)
TRUTH = torch.linspace(-3, 5, 200)


def alone(result, truth, tolerance=TOLERANCE):
    return agree([result], [truth], [tolerance])[0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool])
def test_what_is_equal_agrees(dtype):
    assert alone(TRUTH.to(dtype), TRUTH.to(dtype))


def test_nothing_at_all_agrees():
    assert agree([], [], []) == []
    assert alone(torch.empty(0), torch.empty(0))


def test_many_are_told_apart():
    wrong = TRUTH.clone()
    wrong[7] += 1
    assert agree([TRUTH, wrong, TRUTH], [TRUTH] * 3, [TOLERANCE] * 3) == [True, False, True]


def test_a_large_result_is_left_to_the_full_comparison_which_takes_it_in_chunks(monkeypatch):
    monkeypatch.setattr(quick_compare, "_ELEMENTS", 150)
    small = torch.ones(150)
    assert agree([TRUTH, small], [TRUTH, small], [TOLERANCE] * 2) == [False, True]


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_values_that_are_not_finite_are_left_to_the_full_comparison(odd):
    truth = TRUTH.clone()
    truth[3] = odd
    assert not alone(truth.clone(), truth)


def test_a_number_where_the_truth_is_infinite_is_left_to_the_full_comparison():
    truth = TRUTH.clone()
    truth[3] = float("-inf")
    assert not alone(TRUTH, truth)


@given(
    st.floats(-4, 4),
    st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=40),
    st.sampled_from([TOLERANCE, TIGHT]),
    st.sampled_from([torch.float32, torch.float16, torch.float64]),
)
def test_what_the_full_comparison_refuses_is_never_let_pass(share, values, tolerance, dtype):
    truth = torch.tensor(values, dtype=dtype)
    result = truth + (share * tolerance.relative(dtype) * (1 + truth.abs()))
    if alone(result, truth, tolerance):
        assert not compare(result, truth, tolerance).wrong
