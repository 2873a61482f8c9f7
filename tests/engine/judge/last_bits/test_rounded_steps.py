"""Tests of steps that round otherwise: which operators give other last bits, and what that excuses."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.rounded_steps import StepsNudged, with_other_last_bits  # noqa: E402
from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402

X = torch.linspace(-3, 3, 1001)


def moved(function, *inputs, halves=False):
    """Return whether a function gives something else under the mode, and nothing far from it."""
    want = function(*(x.clone() for x in inputs))
    with StepsNudged(halves=halves):
        got = function(*(x.clone() for x in inputs))
    assert got.dtype == want.dtype
    if want.is_floating_point():
        eps = torch.finfo(want.dtype).eps
        assert torch.allclose(got.double(), want.double(), rtol=20 * eps, atol=20 * eps)
    return not torch.equal(got, want)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 1.5,
        lambda x: x.mul_(1.5),
        lambda x: x.exp(),
        lambda x: x.softmax(-1),
        lambda x: x[:, None] @ x[None, :],
        lambda x: torch.nn.functional.layer_norm(x, x.shape),
    ],
)
def test_steps_that_round_have_other_last_bits(function):
    assert moved(function, X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.relu(),
        lambda x: x.abs().amax() + torch.zeros_like(x),
        lambda x: torch.where(x > 0, x, -x).sort()[0],
        lambda x: x.round() * 2 + x.round().sum(),
        lambda x: x.round().reshape(7, 11, 13).sum(-1),
        lambda x: x * 0.0,
        lambda x: x.argsort() + 1,
    ],
)
def test_steps_that_choose_compare_or_are_exact_give_the_same(function):
    assert not moved(function, X)


def test_what_is_in_half_precision_changes_where_it_is_asked_for_alone():
    halves = X.bfloat16()
    assert not moved(lambda x: x * 1.7, halves)
    assert moved(lambda x: x * 1.7, halves, halves=True)


@pytest.mark.parametrize(
    ("dtype", "most"), [(torch.bfloat16, 1), (torch.float16, 1), (torch.float32, 2), (torch.float64, 2)]
)
def test_an_element_moves_to_a_number_beside_it(dtype, most):
    x = torch.linspace(1.01, 1.99, 1000).to(dtype)
    steps = (with_other_last_bits(x, 0.75, stays=True).double() - x.double()) / torch.finfo(dtype).eps
    assert set(steps.tolist()) <= set(range(-most, most + 1))
    assert min((steps < 0).sum(), (steps == 0).sum(), (steps > 0).sum()) > 200


def to_bytes(x):
    return (x / (x.abs().amax(-1, keepdim=True) / 127)).round().to(torch.int8)


def test_bytes_of_quotients_that_were_not_rounded_to_half_precision_are_right():
    torch.manual_seed(1)
    x = torch.randn(32, 128, dtype=torch.bfloat16)
    scale = (x.float().abs().amax(-1, keepdim=True) / 127).bfloat16().float()
    in_single = (x.float() / scale).round().to(torch.int8)
    found = reviewed(to_bytes, [x], lambda truth: in_single)
    assert (found.wrong, found.forgiven > 300) == (0, True)


def test_bytes_of_quotients_that_were_cut_off_are_wrong():
    torch.manual_seed(1)
    x = torch.randn(32, 128, dtype=torch.bfloat16)
    cut = (x / (x.abs().amax(-1, keepdim=True) / 127)).to(torch.int8)
    assert reviewed(to_bytes, [x], lambda truth: cut).wrong > 100


def test_noise_that_last_bits_of_the_inputs_never_reach_is_right():
    """Large angles of positions, which are integers: a frequency of one unit more turns them by thousandths."""
    x, positions = torch.ones(1, 16), torch.arange(20_000, 20_064)

    def function(x):
        frequencies = 10000 ** (-torch.arange(16) / 16)
        return x * (positions[:, None] * frequencies).cos()

    turned = (positions[:, None] * torch.exp2(torch.arange(16) * -0.830482024)).cos()
    assert reviewed(function, [x], lambda truth: torch.where(torch.arange(16) < 1, turned, truth)).wrong == 0
    assert reviewed(function, [x], lambda truth: truth + 0.1).wrong > 900
