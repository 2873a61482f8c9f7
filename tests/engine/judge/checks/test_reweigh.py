"""Tests of other weights after the trials: a kernel that reads its own follows, and need not read a mask."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.reweigh import Reweigh  # noqa: E402
from tests.engine.judge.in_process import case_of  # noqa: E402

X = torch.randn(4, 8, 8)


class Masked(torch.nn.Module):
    """Applies a buffer to the scores of a layer by a function of both."""

    def __init__(self, buffer, apply):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.register_buffer("buffer", buffer.clone())
        self.apply_buffer = apply

    def forward(self, x):
        return self.apply_buffer(self.linear(x), self.buffer)


def noted(buffer, apply, candidate):
    """Return the findings about a candidate, which is a function of the values and the model's layer."""
    model = Masked(buffer, apply)
    return noted_beside(model, lambda x: candidate(x, model.linear))


def noted_beside(model, candidate):
    """Return the findings about a candidate, which is a function of the values."""
    found = {}

    def difference(case):
        got = candidate(*case.tensors)
        return int((~torch.isclose(got, case.truth[0])).sum())

    maker = SimpleNamespace(
        make=lambda: case_of(model, X), reference=SimpleNamespace(model=model, weights=model.state_dict)
    )
    session = SimpleNamespace(give_weights=lambda in_place=False: None, build=lambda seed: None)
    trials = SimpleNamespace(
        difference_only=difference, note=lambda severity, code, text: found.update({code: severity})
    )
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    with torch.no_grad():
        assert not difference(maker.make())
        Reweigh(session, maker, trials, 1).run()
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    return found


CAUSAL = torch.tril(torch.ones(8, 8))
SCALE = torch.rand(8, 8) + 0.5


@pytest.mark.parametrize(
    ("mask", "apply"),
    [
        (CAUSAL, lambda scores, mask: scores.masked_fill(mask == 0, -torch.inf).softmax(-1)),
        (CAUSAL.log(), lambda scores, mask: (scores + mask).softmax(-1)),
    ],
)
def test_a_kernel_that_knows_the_mask_follows_its_weights(mask, apply):
    assert noted(mask, apply, lambda x, linear: (linear(x) + CAUSAL.log()).softmax(-1)) == {}


@pytest.mark.parametrize("buffer", [CAUSAL, CAUSAL.log()])
def test_a_kernel_that_keeps_its_weights_is_labelled(buffer):
    kept = []

    def keep(x, linear):
        kept.append(linear.weight.clone())
        return (torch.nn.functional.linear(x, kept[0], linear.bias) + buffer).exp()

    assert noted(buffer, lambda scores, mask: (scores + mask).exp(), keep) == {"weights_cached": "label"}


def test_a_kernel_that_keeps_a_scale_among_the_buffers_is_labelled():
    found = noted(SCALE, lambda scores, scale: scores * scale, lambda x, linear: linear(x) * SCALE)
    assert found == {"weights_cached": "label"}


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(8))

    def forward(self, x):
        return (x * self.scale).amax(1)


def test_a_kernel_that_relies_on_scales_above_zero_is_to_be_looked_at():
    model = Scaled()
    assert noted_beside(model, lambda x: x.amax(1) * model.scale) == {"assumes_no_negatives": "audit"}
    assert noted_beside(model, lambda x: torch.stack([*(x * model.scale).unbind(1)]).amax(0)) == {}
