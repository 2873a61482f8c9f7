"""Tests that a program which knows one mode of a model alone is named, and that both sides are in their own again."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.other_mode import ModeTrial  # noqa: E402
from eval_app.engine.judge.comparison.compare import Difference, Tolerance  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError, RunnerLostError, UnreviewedError  # noqa: E402
from tests.engine.judge.in_process import case_of  # noqa: E402

KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)
X = torch.randn(8, 16)


def noted(call=0, model=None, weights="state_dict"):
    """Return whether a runner is still usable after the trial, the findings and the modes that it was asked for; `call`
    is what the candidate's call gives."""
    model = model or torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(16, 16).eval())

    def answer(case):
        if isinstance(call, BaseException):
            raise call
        return Difference(wrong=call, total=8)

    maker = SimpleNamespace(
        make=lambda: case_of(model, X),
        from_inputs=lambda *given: case_of(model, X),
        reference=SimpleNamespace(model=model),
    )
    found, modes = {}, []
    session = SimpleNamespace(
        give_weights=lambda in_place: None,
        holds=lambda case: True,
        release_cache=lambda: None,
        order=lambda message: modes.append(message["training"]),
    )
    trials = SimpleNamespace(
        weights=weights,
        another_difference=answer,
        tolerance=lambda own: KERNELBENCH,
        note=lambda severity, code, text: found.update({code: (severity, text)}),
    )
    before = [module.training for module in model.modules()]
    usable = ModeTrial(session, maker, trials).run()
    assert [module.training for module in model.modules()] == before
    return usable, {code: severity for code, (severity, _) in found.items()}, modes


NOTED = {"mode_ignored": "audit"}


@pytest.mark.parametrize(
    ("call", "usable", "found", "modes"),
    [
        (0, True, {}, [False, None]),
        (7, True, NOTED, [False, None]),
        (RejectedError("runtime_error", "eval"), True, NOTED, [False, None]),
        (RejectedError("timeout", ""), False, NOTED, [False]),
        (UnreviewedError(""), False, {}, [False]),
        (RunnerLostError(), False, NOTED, [False]),
    ],
    ids=["right", "wrong", "raises", "takes too long", "takes too long to review", "ends"],
)
def test_what_is_wrong_in_the_other_mode_is_a_finding_and_refuses_nobody(call, usable, found, modes):
    assert noted(call) == (usable, found, modes)


def test_a_model_that_is_built_for_evaluation_is_asked_about_training():
    assert noted(7, torch.nn.Dropout(0.5).eval()) == (True, NOTED, [True, None])


def test_nothing_is_asked_of_a_model_whose_modes_are_alike_or_whose_weights_have_other_names():
    assert noted(7, torch.nn.Linear(16, 16)) == (True, {}, [])
    assert noted(7, weights="seeded") == (True, {}, [])
