"""Tests of errors by the size of the truth: a few large values do not excuse wrong small ones."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison import tails  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.comparison.quick_compare import agree  # noqa: E402

KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


def heavy_tailed():
    return torch.exp(6 * torch.randn(64, 256, generator=torch.Generator().manual_seed(1)))


def without_small_values(truth):
    return torch.where(truth < 1e-4 * truth.square().mean().sqrt(), torch.zeros_like(truth), truth)


def test_the_mean_size_of_a_heavy_tailed_tensor_takes_zeros_for_its_small_values():
    truth = heavy_tailed()
    difference = compare(without_small_values(truth), truth, KERNELBENCH)
    assert difference.wrong == 0
    assert difference.uneven


def test_each_decade_of_sizes_has_an_error_of_its_own():
    truth = heavy_tailed()
    errors = tails.measure(without_small_values(truth), truth, KERNELBENCH)
    assert set(tails.beyond(errors, {}, 4.0)) >= {0, 1, 2, 3}
    assert not tails.beyond(tails.measure(truth * (1 + 1e-6), truth, KERNELBENCH), {}, 4.0)


def test_an_error_that_the_reference_has_as_well_is_none():
    mine = {0: 50.0, 3: 0.1}
    assert tails.beyond(mine, {0: 20.0}, 4.0) == []
    assert tails.beyond(mine, {0: 10.0}, 4.0) == [0]


def test_sums_that_nearly_cancel_are_too_few_to_look_at():
    truth = torch.randn(512, 512, generator=torch.Generator().manual_seed(2))
    noise = 5e-7 * torch.randn(512, 512, generator=torch.Generator().manual_seed(3))
    for size in (1e-2, 1.0, 1e3):
        assert not compare(size * (truth + noise), size * truth, KERNELBENCH).uneven


def test_the_small_half_of_a_bounded_result_is_not_hidden_by_the_other():
    truth = torch.tanh(torch.randn(64, 256, generator=torch.Generator().manual_seed(4)))
    truth[:, 128:] *= 1e-5
    got = truth.clone()
    got[:, 128:] = 0
    difference = compare(got, truth, KERNELBENCH)
    assert not difference.wrong
    assert difference.uneven
    assert tails.beyond(tails.measure(got, truth, KERNELBENCH), {}, 4.0)
    assert agree([got], [truth], [KERNELBENCH]) == [False]
    assert not compare(truth * (1 + 1e-6), truth, KERNELBENCH).uneven


@pytest.mark.parametrize(
    "tolerance", [KERNELBENCH, Tolerance(1e-5, 1e-2, 1e-6, least_size=1e-30, usual=KERNELBENCH)]
)
def test_the_first_comparison_leaves_uneven_errors_to_the_second(tolerance):
    truth = heavy_tailed()
    results = [truth.clone(), without_small_values(truth)]
    assert agree(results, [truth, truth], [tolerance, tolerance]) == [True, False]


def test_the_elements_that_are_far_off_are_named():
    truth = torch.cat([torch.full((100,), 1e6), torch.ones(100)])
    got = truth.clone()
    got[150] = 0.0
    assert tails.flags(got, truth, KERNELBENCH, [0]).nonzero().tolist() == [[150]]


@pytest.mark.parametrize("wrong", [1, 2])
def test_each_of_a_few_numbers_is_compared_by_its_own_size(wrong):
    truth = torch.tensor([3e5, 0.5, 0.25])
    got = truth * (1 + 1e-6)
    assert not tails.beyond(tails.measure(got, truth, KERNELBENCH), {}, 4.0)
    got[wrong] = 0.0
    assert compare(got, truth, KERNELBENCH).uneven
    assert tails.beyond(tails.measure(got, truth, KERNELBENCH), {}, 4.0) == [-1]
