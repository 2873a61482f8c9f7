"""Tests of what KernelBench's protocol is said to say: it never depends on what only this engine checks."""

import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import kernelbench  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError, RunnerLostError  # noqa: E402

PAIRS = {"reference": [3.0, 3.0, 6.0], "candidate": [1.0, 1.0, 1.0]}


class Trials:
    """Stand-in trials: `answers` are what further calls give, an exception or whether allclose holds."""

    def __init__(self, agreed, answers=(), *, timed=True):
        self.own_agreement, self._answers, self.is_timed = agreed, iter(answers), timed
        self.maker = SimpleNamespace(make=lambda: SimpleNamespace(reference_ms=2.0))
        self.session = SimpleNamespace(run=self._run, frozen=nullcontext, is_open=True)
        self.early = []

    def _run(self, case, *, early):
        self.early.append(early)
        answer = next(self._answers, True)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(answer=answer, reply=SimpleNamespace(ms=4.0))

    def difference(self, case, result):
        return SimpleNamespace(total=SimpleNamespace(allclose=result.answer))


def told(outcome, trials, pairs=None, seconds=60.0):
    return kernelbench.tell(outcome, trials, pairs, time.monotonic() + seconds)


def test_of_a_kernel_that_passed_it_follows_from_the_calls_that_were_made():
    trials = Trials([True] * 30)
    assert told("passed", trials, PAIRS) == {"correct": True, "speedup": 4.0}
    assert trials.early == []


def test_a_kernel_that_never_had_buffers_cannot_be_called():
    trials = Trials([])
    trials.session.is_open = False
    assert told("runtime_error", trials) is None


def test_its_own_tolerance_decides_over_five_calls():
    assert told("passed", Trials([True, False, *[True] * 9]), PAIRS) == {"correct": False, "speedup": None}
    assert told("passed", Trials([*[True] * 5, False]), PAIRS)["correct"]


def test_a_broken_promise_is_called_and_timed_as_it_would_do_it():
    trials = Trials([])
    assert told("broken_promise", trials) == {"correct": True, "speedup": 0.5}
    assert all(trials.early), "the inputs are there before the call"


def test_a_kernel_that_is_wrong_on_values_which_it_does_not_try_is_correct():
    assert told("wrong_value", Trials([True] * 5), PAIRS)["correct"]
    assert not told("wrong_value", Trials([], [False]))["correct"]


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (RejectedError("runtime_error", ""), {"correct": False, "speedup": None}),
        (RejectedError("wrong_structure", ""), {"correct": False, "speedup": None}),
        (RunnerLostError(), {"correct": False, "speedup": None}),
        (RejectedError("timeout", ""), None),
        (RejectedError("cheated", ""), None),
    ],
    ids=["raises", "structure", "dies", "hangs", "attacks"],
)
def test_a_call_that_fails_is_incorrect_and_one_that_hangs_or_attacks_says_nothing(error, answer):
    assert told("wrong_value", Trials([True], [True, error])) == answer


@pytest.mark.parametrize("outcome", ["timeout", "invalid_reference", "unsupported"])
def test_ends_that_say_nothing_of_the_values_are_left_open(outcome):
    trials = Trials([])
    assert told(outcome, trials) is None
    assert trials.early == []


def test_a_runner_that_is_gone_is_asked_nothing():
    assert told("runner_lost", Trials([True] * 4)) == {"correct": False, "speedup": None}
    assert told("runner_lost", Trials([True] * 5)) == {"correct": True, "speedup": None}
    assert told("timeout", Trials([True] * 5), PAIRS) == {"correct": True, "speedup": 4.0}


def test_it_takes_no_longer_than_it_may():
    assert told("broken_promise", Trials([True] * 4), seconds=-1) is None
    assert told("broken_promise", Trials([True] * 5), seconds=-1) == {"correct": True, "speedup": None}


def test_a_profile_without_timings_times_nothing_here_either():
    assert told("broken_promise", Trials([], timed=False)) == {"correct": True, "speedup": None}
