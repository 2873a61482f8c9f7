"""Calls in a row: whether a wrong one is imprecision or less work, told by a call of its own."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine import PROFILES  # noqa: E402
from eval_app.engine.judge.trials import Trials  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402

TRUTH = torch.linspace(1, 2, 100)


def trials_where_a_call_of_its_own_gives(output):
    """Return trials with stand-ins for runner and reference, whose answers the test chooses."""
    reply = SimpleNamespace(plain=[])
    session = SimpleNamespace(run=lambda case, early=False: SimpleNamespace(reply=reply, outputs=[output]))
    maker = SimpleNamespace(confirm=lambda case, tolerance: None)
    return Trials(session, maker, PROFILES["quick"])


def case():
    return SimpleNamespace(truth=[TRUTH], wanted=[("output", {"tensor": 0})], own=True, name="natural")


def test_right_outputs_in_a_row_are_counted():
    trials = trials_where_a_call_of_its_own_gives(TRUTH)
    trials.check_batched(case(), [TRUTH.clone()])
    assert trials.record.compared == 1


@pytest.mark.parametrize(("alone", "outcome"), [(TRUTH * 1.01, "wrong_value"), (TRUTH, "cheated")])
def test_wrong_in_a_row_is_cheating_only_where_a_call_of_its_own_is_right(alone, outcome):
    trials = trials_where_a_call_of_its_own_gives(alone)
    with pytest.raises(RejectedError) as caught:
        trials.check_batched(case(), [TRUTH * 1.01])
    assert caught.value.outcome == outcome
    assert [finding["code"] for finding in caught.value.findings] == ["wrong_later"] * (outcome == "cheated")
