"""Tests that inputs which a task draws with one sign get both signs, and only those that may have them."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.one_sided import SignTrial, one_sided, signed  # noqa: E402
from eval_app.engine.judge.comparison.compare import Difference  # noqa: E402
from eval_app.engine.judge.values.families import Domain  # noqa: E402
from eval_app.engine.judge.verdicts import (  # noqa: E402
    ReferenceFaultError,
    RejectedError,
    RunnerLostError,
    UnreviewedError,
)


def test_measurements_of_one_sign_are_found():
    counts, shares = torch.randint(0, 9, (64,)).float(), torch.rand(8, 16).softmax(-1)
    inputs = [torch.rand(8, 16), {"x": torch.randn(8, 16), "y": torch.rand(8) + 3}, 0.5, counts, shares]
    assert one_sided([*inputs, -torch.rand(8, 16)]) == [0, 2, 6]


def test_only_the_chosen_inputs_get_signs_and_sizes_stay():
    inputs = [torch.rand(8, 16), torch.rand(8, 16)]
    first, second = signed(inputs, [1])
    assert torch.equal(first, inputs[0])
    assert torch.equal(second.abs(), inputs[1])
    assert 0 < int((second < 0).sum()) < second.numel()


def test_orders_and_symmetric_matrices_stay_what_they_are():
    matrix = torch.rand(16, 16)
    inputs = [torch.rand(4, 17).sort(-1).values, matrix + matrix.t()]
    ordered, symmetric = signed(inputs, [0, 1])
    assert bool((ordered.diff(dim=-1) >= 0).all())
    assert torch.equal(symmetric, symmetric.t())
    assert bool((symmetric < 0).any())


def noted(call=0, reference=None, *, domain=Domain.ANY):
    """Return whether a runner is still usable after the trial, and the findings; `call` is what the candidate's call
    gives, `reference` what its own raises."""

    def answer(what, value=None):
        if isinstance(what, BaseException):
            raise what
        return value if value is not None else what

    case = SimpleNamespace(finite=lambda: True)
    maker = SimpleNamespace(
        draw=lambda family: [torch.rand(8, 16)],
        from_inputs=lambda *given: answer(reference, case),
        reference=SimpleNamespace(domain=domain),
    )
    session = SimpleNamespace(holds=lambda case: True, release_cache=lambda: None)
    found = {}
    trials = SimpleNamespace(
        another_difference=lambda case: Difference(wrong=answer(call)),
        unsteady=lambda case, found: "",
        note=lambda severity, code, text: found.update({code: severity}),
    )
    return SignTrial(session, maker, trials).run(), found


NOTED = {"assumes_no_negatives": "audit"}


@pytest.mark.parametrize(
    ("call", "usable", "found"),
    [
        (0, True, {}),
        (7, True, NOTED),
        (RejectedError("runtime_error", "an index below zero"), True, NOTED),
        (RejectedError("timeout", ""), False, NOTED),
        (RejectedError("out_of_memory", ""), True, NOTED),
        (UnreviewedError(""), False, {}),
        (RunnerLostError(), False, NOTED),
    ],
    ids=["right", "wrong", "raises", "takes too long", "has no memory", "takes too long to review", "ends"],
)
def test_what_is_wrong_with_signs_is_a_finding_and_refuses_nobody(call, usable, found):
    assert noted(call) == (usable, found)


def test_nothing_is_asked_of_a_reference_that_takes_no_signs_or_has_no_memory_left():
    assert noted(7, ReferenceFaultError("negative")) == (True, {})
    assert noted(7, torch.OutOfMemoryError()) == (True, {})
    assert noted(7, domain=Domain.UNIT) == (True, {})
    assert noted(7, domain=Domain.OWN) == (True, {})
