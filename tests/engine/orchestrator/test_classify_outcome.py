"""Tests of whose fault an attempt's end was."""

from eval_app.engine import Outcome
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.classify_outcome import classify_outcome


def test_a_runner_that_lost_its_judge_while_it_loaded_is_not_at_fault():
    """It ends by itself once it has loaded, before the orchestrator has read that, or ended it."""
    ended = {"runner_end": {"status": 0}, "judge_end": {"status": 0}}
    assert classify_outcome(AttemptTrace(**ended)).outcome is Outcome.LOAD_ERROR
    lost = classify_outcome(AttemptTrace(**ended, judge_left_first=True))
    assert lost.outcome is Outcome.INVALID_REFERENCE
    assert "terminated the judge" in lost.detail
