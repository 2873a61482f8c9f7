"""Tests of what a runner says of its results' memory: it may say anything."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.compare import Difference  # noqa: E402
from eval_app.engine.judge.result_memory import look_at_what_is_given_out_again  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402


def trials_whose_runner_says(shared, aliases=()):
    case = SimpleNamespace(truth=[torch.ones(2)], aliases=list(aliases), wanted=[("output", {"tensor": 0})])
    maker = SimpleNamespace(make=lambda: case, given_out_again=lambda case: [])
    session = SimpleNamespace(post=lambda message: None, answer=lambda: {"ok": True, "shared": shared})
    return SimpleNamespace(maker=maker, session=session, another_difference=lambda case: Difference())


@pytest.mark.parametrize("shared", [None, 0, [1], [-1], [0.0], [True], [[0]], ["output"]])
def test_what_is_no_number_of_a_result_is_a_forged_message(shared):
    with pytest.raises(RejectedError) as raised:
        look_at_what_is_given_out_again(trials_whose_runner_says(shared))
    assert raised.value.outcome == "cheated"


def test_a_result_that_shares_memory_with_the_one_before_is_a_broken_promise_unless_the_references_does():
    with pytest.raises(RejectedError, match="output of two calls share memory") as raised:
        look_at_what_is_given_out_again(trials_whose_runner_says([0]))
    assert raised.value.outcome == "broken_promise"
    look_at_what_is_given_out_again(trials_whose_runner_says([0], aliases=[0]))
    look_at_what_is_given_out_again(trials_whose_runner_says([]))
