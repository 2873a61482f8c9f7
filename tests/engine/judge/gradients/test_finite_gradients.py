"""Tests that gradients which are not finite where values are zeros are named, unless the reference's are as well."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.gradients import finite_gradients  # noqa: E402
from eval_app.engine.judge.gradients.gradient_call import GradientCalls  # noqa: E402
from eval_app.engine.judge.gradients.reference_gradients import Differentiator  # noqa: E402
from tests.engine.judge.in_process import InProcess, case_of  # noqa: E402


class Norm(torch.nn.Module):
    def forward(self, x):
        return x.norm(dim=-1)


class Root(torch.nn.Module):
    def forward(self, x):
        return x.square().sum(-1).sqrt()


def noted(candidate, reference, families=("one_hot",)):
    values = torch.zeros(4, 3)
    values[2, 1] = 1
    maker = SimpleNamespace(make=lambda name: case_of(reference, values, name=name))
    found = {}
    trials = SimpleNamespace(
        families=families, note=lambda severity, code, text: found.update({code: (severity, text)})
    )
    session = InProcess(candidate, reference)
    finite_gradients.look(GradientCalls(session), maker, Differentiator(reference, weights=False), trials)
    return found


def test_a_gradient_that_is_lost_at_zero_is_named():
    severity, text = noted(Root(), Norm())["gradients_not_finite"]
    assert severity == "audit"
    assert "9 of 12 elements of the gradient of input 0" in text


@pytest.mark.parametrize(("candidate", "reference"), [(Norm(), Norm()), (Root(), Root()), (Norm(), Root())])
def test_nothing_is_said_where_the_reference_is_no_better(candidate, reference):
    assert noted(candidate, reference) == {}


def test_nothing_is_asked_where_outputs_were_not_right_on_zeros():
    assert noted(Root(), Norm(), families=()) == {}
