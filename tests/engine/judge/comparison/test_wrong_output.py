"""Tests of which wrong elements of an output are few enough for whole numbers and zeros to move."""

import pytest

torch = pytest.importorskip("torch")

from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402


def share_above_zero(x):
    return (x > 0).float().mean()


def test_zeros_that_count_in_a_result_of_one_number_are_no_rounding():
    x = torch.randint(-3, 4, (64, 128)).float()
    found = reviewed(share_above_zero, [x], lambda truth: (x >= 0).float().mean())
    assert (found.wrong, found.forgiven) == (1, 0)


def test_a_step_of_one_number_is_one_where_its_values_are_no_whole_ones():
    x = torch.cat([torch.randn(63), torch.tensor([0.3])])
    found = reviewed(lambda x: (x >= 0.3).float().mean(), [x], lambda truth: truth - 1 / 64)
    assert found.forgiven == 1
