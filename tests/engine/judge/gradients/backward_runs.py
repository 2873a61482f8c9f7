"""Runs of all trials of a backward pass, on a candidate in this process."""

from types import SimpleNamespace

import pytest
import torch

from eval_app.engine.contract.profiles import PROFILES
from eval_app.engine.judge.calls.record import Record
from eval_app.engine.judge.comparison.compare import Tolerance, compare
from eval_app.engine.judge.comparison.explained import joined
from eval_app.engine.judge.gradients.backward import BackwardTrials
from eval_app.engine.judge.verdicts import RejectedError
from tests.engine.judge.in_process import InProcess, case_of


class Doubled(torch.nn.Module):
    """The double of its input, with a backward pass by hand."""

    def __init__(self, backward):
        super().__init__()
        given = self.given = []

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return 2 * x

            @staticmethod
            def backward(ctx, upstream):
                given.append(upstream.stride())
                return backward(upstream)

        self.function = Function

    def forward(self, x):
        return self.function.apply(x)


def right(upstream):
    return 2 * upstream


def reviewed(case, outputs):
    """Compare outputs with the truth, as the trials do."""
    pairs = zip(outputs, case.truth, strict=True)
    return SimpleNamespace(
        total=joined([compare(got, wanted, Tolerance(1e-4, 1e-2, 1e-6), "output") for got, wanted in pairs])
    )


def run(candidate, reference=None, draw=lambda: torch.rand(8, 4), trials=3, weights="none", reweigh=None):
    """Run the trials of a profile; return the session."""
    reference, session = reference or Doubled(right), InProcess(candidate, reference)
    maker = SimpleNamespace(
        make=lambda: case_of(reference, draw()), reference=SimpleNamespace(model=reference)
    )
    noted = []
    others = SimpleNamespace(
        weights=weights,
        families=[],
        record=Record(),
        note=lambda *finding: noted.append(finding),
        reviewed=reviewed,
        unsteady=lambda case, total: "",
    )
    profile = SimpleNamespace(**vars(PROFILES["quick"]) | {"backward_trials": trials})
    BackwardTrials(session, maker, others, profile, reweigh and reweigh(reference, candidate)).run()
    assert others.record.backward["detail"] == ""
    return session


def refused(*arguments, **named):
    with pytest.raises(RejectedError) as caught:
        run(*arguments, **named)
    return caught.value
