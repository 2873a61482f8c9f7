"""Tests of what a wrong output is called: nobody is accused of what chance explains."""

import itertools
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.calls.diagnosis import Diagnosis, TruthHistory  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402


def trials_on_a_gpu_where(wrong):
    """Return stand-ins for trials whose calls are wrong as `wrong(early)` says."""
    return SimpleNamespace(
        session=None,
        maker=SimpleNamespace(reference=SimpleNamespace(device=torch.device("cuda"))),
        difference_only=lambda case, early=False: int(wrong(early)),
    )


def test_a_stream_is_blamed_where_early_inputs_mend_every_call_and_late_ones_spoil_it():
    diagnosis = Diagnosis(trials_on_a_gpu_where(lambda early: not early))
    with pytest.raises(RejectedError, match="unjoined stream") as caught:
        diagnosis._reject_if_unordered(None, "5 of 6 elements differ")
    assert caught.value.outcome == "cheated"


@pytest.mark.parametrize("answers", [[False, True, False, False], [False, True, True], [True]])
def test_a_program_that_is_right_now_and_then_is_not_accused_of_a_stream(answers):
    turns = itertools.chain(answers, itertools.repeat(True))
    diagnosis = Diagnosis(trials_on_a_gpu_where(lambda early: next(turns)))
    assert diagnosis._reject_if_unordered(None, "5 of 6 elements differ") is None  # and raises nothing


KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


def test_a_result_of_another_number_of_tensors_is_no_replay_and_ends_no_judge():
    history, pieces = TruthHistory(), list(torch.arange(40.0).split(10))
    history.keep(SimpleNamespace(name="natural", truth=pieces))
    later = SimpleNamespace(name="natural", truth=[piece + 1 for piece in pieces])
    assert history.recognise(later, pieces, KERNELBENCH) == "natural"
    assert history.recognise(later, [*pieces, torch.ones(10)], KERNELBENCH) == ""
    assert history.recognise(later, pieces[:3], KERNELBENCH) == ""


def test_a_result_that_is_wrong_where_it_is_small_alone_is_no_replay_of_the_same_values():
    case = SimpleNamespace(name="natural", truth=[torch.linspace(0, 1, 64)])
    history = TruthHistory()
    history.keep(case)
    assert history.recognise(case, [case.truth[0] + 1e-6], KERNELBENCH) == ""
