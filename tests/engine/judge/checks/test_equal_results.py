"""Tests of what two calls on the same values are called of which reviews say this and that."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.calls.conduct import Results  # noqa: E402
from eval_app.engine.judge.calls.record import Compared  # noqa: E402
from eval_app.engine.judge.clock import timed_checks  # noqa: E402
from eval_app.engine.judge.comparison.compare import Difference  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from tests.engine.judge.checks.test_trials import (  # noqa: E402
    TRUTH,
    a_case,
    trials_where_a_call_of_its_own_gives,
)


@pytest.mark.parametrize(("given", "outcome"), [(TRUTH + 1, "wrong_value"), (TRUTH, "nondeterministic")])
def test_equal_results_of_which_reviews_say_this_and_that_are_wrong_and_not_unsteady(
    monkeypatch, given, outcome
):
    """Last bits are drawn at random: of a result in half precision one review in ten may say that it is right."""
    trials = trials_where_a_call_of_its_own_gives(TRUTH + 1)
    case = a_case("scaled_up", {"list": []}, [], [TRUTH])
    later = SimpleNamespace(outputs=[given], reply=SimpleNamespace(plain=[]))
    monkeypatch.setattr(trials, "check", lambda case: later)
    monkeypatch.setattr(trials._families, "unsteady", lambda case, found: "")
    with pytest.raises(RejectedError) as caught:
        trials._families._judge(case)
    assert caught.value.outcome == outcome
    with pytest.raises(RejectedError) as caught:
        timed_checks.check_family(trials, case)
    assert caught.value.outcome == outcome


@pytest.mark.parametrize(("given", "is_right"), [(TRUTH, True), (TRUTH + 1, False), (TRUTH + 2, False)])
def test_a_call_again_is_right_if_a_review_says_so_of_other_results(monkeypatch, given, is_right):
    trials = trials_where_a_call_of_its_own_gives(given)
    case = a_case("natural", {"list": []}, [], [TRUTH])
    found = Compared(Difference(wrong=int(torch.equal(given, TRUTH + 2))))
    monkeypatch.setattr(trials, "difference", lambda case, result: found)
    assert trials.gives_right_ones(case, Results([TRUTH + 1], [])) == is_right
