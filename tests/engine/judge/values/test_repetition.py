"""Tests that values which repeat in an input are found, and repeat in every family of values."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values import repetition  # noqa: E402
from eval_app.engine.judge.values.families import FAMILIES, change  # noqa: E402
from eval_app.engine.judge.values.repetition import Repetition  # noqa: E402

HALF = torch.randn(6, 4)
REPEATED = {
    "halves": (torch.cat([HALF, HALF], -1), Repetition(1, 2, 4, runs=False)),
    "pairs": (HALF.repeat_interleave(2, -1), Repetition(1, 4, 2, runs=True)),
    "an expanded bias": (HALF.expand(3, 6, 4), Repetition(0, 3, 1, runs=False)),
    "heads in groups": (torch.randn(2, 2, 5).repeat_interleave(3, 1), Repetition(1, 2, 3, runs=True)),
    # At the first place all angles are zero.
    "angles": (torch.cat([HALF * 0, HALF.cumsum(0)]).repeat(1, 2).cos(), Repetition(1, 2, 4, runs=False)),
}


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_what_repeats_is_found(name):
    values, expected = REPEATED[name]
    assert repetition.find(values) == (expected,)


@pytest.mark.parametrize("values", [torch.randn(6, 8), torch.randn(4), torch.randn(3, 1, 5).sort(-1).values])
def test_what_does_not_repeat_is_not(values):
    assert repetition.find(values) == ()


def test_a_row_that_repeats_by_chance_says_nothing():
    values = torch.randn(5, 6)
    values[2] = 1.0
    assert repetition.find(values) == ()


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("name", sorted(REPEATED))
def test_values_repeat_in_every_family(family, name):
    values, expected = REPEATED[name]
    (changed,) = change(family, [values], 7)
    assert torch.equal(expected.impose(changed), changed)
    assert not torch.equal(changed, values)
