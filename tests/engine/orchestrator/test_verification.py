"""The rounds of one job: how often and for how long it may ask for builds."""

from types import SimpleNamespace

import pytest

from eval_app.engine.contract.jobs import Job, Outcome
from eval_app.engine.judge.verdicts import CONTEXT_LOST
from eval_app.engine.orchestrator import order_cost
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.verification import Verification

SOURCE = "class Model: ...\nclass ModelNew: ..."


@pytest.mark.parametrize(
    ("held_s", "outcome", "builds"), [(1.0, Outcome.BUILD_ERROR, 8), (15.0, Outcome.TIMEOUT, 2)]
)
def test_a_candidate_that_asks_for_one_build_after_another_holds_no_lane_for_longer_than_a_job_may(
    held_s, outcome, builds, monkeypatch
):
    job = Job.from_dict({
        "id": "x", "reference": SOURCE, "candidate": SOURCE, "language": "python",
        "profile": {"base": "quick", "total_timeout_s": 40},
    })  # fmt: skip
    built = []
    attempt = AttemptTrace(needed=["a build"], stages={"prepare": held_s, "correctness": held_s / 15})
    parts = SimpleNamespace(devices=[SimpleNamespace(kind="cpu")])
    verification = Verification(parts, job)
    monkeypatch.setattr(verification, "_try", lambda: (attempt, None))
    monkeypatch.setattr(verification, "_build", built.append)
    monkeypatch.setattr(verification, "_report", lambda conclusion, attempt: conclusion)
    assert verification.run().outcome is outcome
    assert len(built) == builds


@pytest.mark.parametrize(
    ("lost", "outcome"), [(1, Outcome.PASSED), (2, Outcome.INVALID_REFERENCE)], ids=["once", "twice"]
)
def test_a_reference_that_ends_the_context_is_tried_once_more_on_the_tasks_own_values(
    lost, outcome, monkeypatch
):
    job = Job.from_dict({"id": "x", "reference": SOURCE, "candidate": SOURCE, "language": "python"})
    verification = Verification(SimpleNamespace(devices=[SimpleNamespace(kind="cuda")]), job)
    asked = []

    def attempt_on(lane):
        asked.append(verification._own_values)
        told = CONTEXT_LOST if len(asked) <= lost else "passed"
        return AttemptTrace(verdict={"outcome": told, "detail": "an assertion"}, loaded=True)

    lane = SimpleNamespace(
        device=SimpleNamespace(kind="cuda"), rotation=SimpleNamespace(memory_contended=False)
    )
    added = SimpleNamespace(add=lambda report, *others: report)
    verification._parts.post_verdict = added
    monkeypatch.setattr(verification, "_attempt_on", attempt_on)
    monkeypatch.setattr(verification, "_report", lambda conclusion, attempt: conclusion)
    first, second = verification._try_on(lane), verification._try_on(lane)
    assert (first[0], first[2]) == (None, "")
    assert (second[0] is None, second[1].outcome, second[2]) == (False, outcome, "")
    assert asked == [False, True]


@pytest.mark.parametrize(("measured", "kept"), [({}, None), ({"ms": 0.5}, {"ms": 0.5})])
def test_what_an_order_costs_is_measured_again_where_it_could_not_be(monkeypatch, measured, kept):
    class StoppedError(Exception):
        pass

    def stop(device):
        raise StoppedError

    monkeypatch.setattr(order_cost, "measure", lambda lane, cancelled: measured)
    lane = SimpleNamespace(
        device=None, order_cost=None, order_cost_at_s=0.0, times_calls=True, wait_ready=lambda: None
    )
    parts = SimpleNamespace(stores=SimpleNamespace(of=stop))
    job = Job("job", "class Model: pass", "class ModelNew: pass")
    with pytest.raises(StoppedError):
        Verification(parts, job, only=lane)._attempt_on(lane)
    assert lane.order_cost == kept
