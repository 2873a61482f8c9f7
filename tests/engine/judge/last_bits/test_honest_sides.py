"""Tests of the sides of the truth on which a difference is excused: a step has one, noise has both."""

import pytest

torch = pytest.importorskip("torch")

from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402


def test_the_side_of_a_step_that_no_last_bit_leads_to_is_wrong():
    x = torch.arange(1, 65).float() / 10
    x = torch.where(x * 10 == torch.arange(1, 65), x, 0.05)
    assert int((x > 0.06).sum()) > 40
    below = reviewed(lambda x: torch.floor(x * 10), [x], lambda truth: truth - (x > 0.06).float())
    above = reviewed(lambda x: torch.floor(x * 10), [x], lambda truth: truth + (x > 0.06).float())
    assert below.wrong == 0
    assert above.wrong == int((x > 0.06).sum())


def test_noise_is_excused_on_either_side():
    def norm(x):
        return torch.nn.functional.batch_norm(linear(100 * x), None, None, training=True).detach()

    def by_hand(x):
        y = linear(100 * x)
        d = y - y.sum(0) / y.shape[0]
        return (d / torch.sqrt((d * d).sum(0) / y.shape[0] + 1e-5)).detach()

    linear = torch.nn.Linear(32, 32)
    rows = torch.randn(16, 1, 1).expand(-1, 16, 32)
    wrong = [reviewed(norm, [x], lambda truth, x=x: by_hand(x), "constant").wrong for x in rows]
    assert sum(map(bool, wrong)) <= 1, "one in two was wrong by one side, none of 6,900 by both"
