"""Tests of sums in turn: how far their roundings may move a sum, and which programs that excuses."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.sum_steps import taken_in_turn  # noqa: E402
from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402

SORTED = torch.randn(2000 * 64, generator=torch.Generator().manual_seed(0)).sort().values.view(2000, 64)


def in_turn(x):
    total = torch.zeros(x.shape[1:])
    for row in x:
        total = total + row
    return total


def moves(x, *args, name="sum", **kwargs):
    """Return how far ten draws move a sum at most."""
    found = getattr(torch, name)(x, *args, **kwargs)
    others = [taken_in_turn(name, (x, *args), kwargs, found) for _ in range(10)]
    assert all(other.shape == found.shape and other.dtype == found.dtype for other in others)
    return torch.stack([(other - found).abs() for other in others]).amax(0)


def test_sorted_values_move_as_far_as_a_sum_in_turn_is_off():
    off = (in_turn(SORTED).double() - SORTED.double().sum(0)).abs()
    moved = moves(SORTED, [0]).double()
    assert (off <= 8 * moved).all()
    assert moved.mean() < 4 * off.mean(), "and hardly further"


@pytest.mark.parametrize("value", [0.0177, 0.1, 1 / 3])
def test_equal_values_whose_roundings_add_up_move_as_far_as_a_sum_in_turn_is_off(value):
    x = torch.full((2**18,), value)
    off = float(x.numpy().cumsum()[-1].item() - x.double().sum())
    assert abs(off) > 1e-4 * float(x.double().sum())
    assert abs(off) < 2 * float(moves(x)) < 0.05 * float(x.double().sum())


def test_values_in_any_order_move_by_last_bits():
    x = SORTED.flatten()[torch.randperm(SORTED.numel(), generator=torch.Generator().manual_seed(1))]
    assert moves(x, [0]) < 1e-4 * x.double().square().sum().sqrt()


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dims", [[0], [-1], [0, 2], 1, None])
def test_any_dimensions_are_summed_in_the_order_of_memory(dims, keepdim):
    x = torch.linspace(-3, 3, 2 * 3 * 5).view(2, 3, 5)
    keywords = {} if dims is None else {"dim": dims, "keepdim": keepdim}
    assert moves(x, **keywords).max() < 1e-5
    assert moves(x, name="mean", **keywords).max() < 1e-6


def test_a_mean_moves_by_a_share_of_the_sum():
    assert moves(SORTED, [0], name="mean").max() < moves(SORTED, [0]).max() / 500


def test_a_sum_in_double_precision_moves_by_its_own_last_bits():
    assert moves(SORTED, [0], dtype=torch.float64).max() < 1e-9


@pytest.mark.parametrize(
    "x", [torch.zeros(0, 3), torch.zeros(4, 0), torch.ones(()), torch.ones(3, dtype=torch.int64)]
)
def test_sums_without_values_or_of_one_or_of_integers_stay_finite(x):
    found = x.sum(0) if x.dim() else x.sum()
    assert torch.isfinite(taken_in_turn("sum", (x, [0]) if x.dim() else (x,), {}, found).double()).all()


@pytest.mark.parametrize(
    ("candidate", "excused"),
    [(in_turn, True), (lambda x: x[:-1].sum(0), False), (lambda x: x.sum(0) * 1.01, False)],
    ids=["in turn", "without the last row", "a hundredth too large"],
)
def test_a_sum_in_turn_is_excused_and_one_that_leaves_a_row_out_is_not(candidate, excused):
    difference = reviewed(lambda x: x.sum(0), [SORTED], lambda truth: candidate(SORTED))
    assert (difference.wrong == 0) is excused
