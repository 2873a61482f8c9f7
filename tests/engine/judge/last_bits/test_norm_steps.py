"""Tests of the roundings within a norm: kernels that round at the size of the mean are right, other ones are not."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from eval_app.engine.judge.last_bits.rounded_steps import StepsNudged  # noqa: E402
from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402


def nearly_equal(rows=128, columns=64):
    """Return rows that are alike but for one, as a product with weights makes of inputs that are zero but for one."""
    torch.manual_seed(3)
    x = (torch.rand(columns) / 4 + 0.1).repeat(rows, 1)
    x[rows // 2] += torch.rand(columns) / 16 + 0.03
    return x


def batch_norm(x):
    return functional.batch_norm(x, None, None, training=True)


def by_hand(x):
    centred = x - x.mean(0, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(0, keepdim=True) + 1e-5)


def pooled(x):
    return batch_norm(x).reshape(16, 8, -1).mean(1)


def one_pass(x, epsilon=1e-5):
    mean = x.mean(0)
    return (x - mean) * ((x * x).mean(0) - mean * mean + epsilon).rsqrt()


def folded(x):
    scale = (x.var(0, unbiased=False) + 1e-5).rsqrt()
    return x.reshape(16, 8, -1).mean(1) * scale - x.mean(0) * scale


@pytest.mark.parametrize("norm", [batch_norm, by_hand])
def test_a_variance_of_a_mean_of_squares_is_right(norm):
    x = nearly_equal()
    found = reviewed(norm, [x], lambda truth: one_pass(x), "one_hot")
    assert found.forgiven > 0
    assert found.wrong == 0


def test_a_mean_that_is_folded_into_the_bias_is_right():
    x = nearly_equal()
    assert reviewed(pooled, [x], lambda truth: folded(x), "one_hot").wrong == 0


@pytest.mark.parametrize("norm", [batch_norm, by_hand])
@pytest.mark.parametrize("epsilon", [0.0, 1.2e-5])
def test_another_epsilon_is_wrong(epsilon, norm):
    x = nearly_equal()
    assert reviewed(norm, [x], lambda truth: one_pass(x, epsilon), "one_hot").wrong > 60


def test_a_row_that_is_left_out_of_the_statistics_is_wrong():
    x = nearly_equal()
    mean, variance = x[1:].mean(0), x[1:].var(0, unbiased=False)
    found = reviewed(batch_norm, [x], lambda truth: (x - mean) * (variance + 1e-5).rsqrt(), "one_hot")
    assert found.wrong > 60


def moved(function, x):
    """Return how far a function of nearly equal values goes from the truth under the mode."""
    want = function(x)
    with StepsNudged(halves=False):
        return (function(x) - want).abs().max() / want.abs().max()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.layer_norm(x, x.shape[-1:], torch.ones(128), torch.ones(128)),
        lambda x: functional.group_norm(x.reshape(8, 8, 4, 32), 8, torch.ones(8), torch.ones(8)),
        lambda x: functional.instance_norm(x.reshape(8, 8, 4, 32)),
        lambda x: functional.batch_norm(x.T, None, None, torch.ones(64), torch.ones(64), training=True),
        lambda x: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt(),
        lambda x: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-3),
        lambda x: torch.var_mean(x, -1, correction=0)[0],
        lambda x: (x - x.mean(-1, keepdim=True)).pow(2).mean(-1),
        lambda x: ((x - x.mean(-1, keepdim=True)) ** 2).sum(-1, keepdim=True) / 127,
        lambda x: (x - x.mean(-1)[:, None]).square().mean(-1),
    ],
)
def test_the_statistics_of_norms_have_other_last_bits(function):
    assert 1e-5 < moved(function, nearly_equal().T.contiguous()) < 1e-2


@pytest.mark.parametrize("is_whole", [True, False])
def test_values_that_spread_as_far_as_their_mean_hardly_move(is_whole):
    torch.manual_seed(4)
    x = torch.randn(64, 128) + 1
    x = x.round() if is_whole else x
    assert 0 < moved(lambda x: functional.layer_norm(x, x.shape[-1:]), x) < 1e-5


def test_powers_by_a_tensor_are_taken_as_they_are():
    x = nearly_equal().T.contiguous()
    assert moved(lambda x: ((x - x.mean(-1, keepdim=True)) ** torch.full_like(x, 2)).mean(-1), x) < 5e-4


def test_stored_statistics_stay():
    x, mean, variance = torch.randn(64, 8), torch.ones(8), torch.full((8,), 1e-8)
    assert moved(lambda x: functional.batch_norm(x, mean, variance), x) < 1e-6
