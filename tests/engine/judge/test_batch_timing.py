"""Tests of the judge's own clock: the largest plausible time per call, and the rejection of larger ones."""

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge import batch_timing
from eval_app.engine.judge.batch_timing import BatchTiming, check_claim, confirmed_by, max_per_call_ms
from eval_app.engine.judge.verdicts import RejectedError


def test_a_call_that_adds_no_more_than_it_claims_is_believed():
    check_claim(BatchTiming(0.5, 0.01, 50), claim_ms=0.5, device_kind="cuda")


def test_a_call_that_adds_far_more_than_it_claims_is_not():
    with pytest.raises(RejectedError) as caught:
        check_claim(BatchTiming(0.5, 0.01, 50), claim_ms=0.05, device_kind="cuda")
    assert (caught.value.outcome, caught.value.findings[0]["code"]) == ("cheated", "clock_mismatch")


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_a_claim_of_nothing_leaves_at_most_a_tenth_of_a_millisecond(kind):
    assert max_per_call_ms(0.0, kind) <= 0.1


def test_a_kernel_that_waits_for_the_device_may_have_its_host_work_between_calls():
    check_claim(BatchTiming(0.3, 0.01, 50, waits=True), claim_ms=0.02, device_kind="cuda")
    with pytest.raises(RejectedError):
        check_claim(BatchTiming(0.3, 0.01, 50, waits=False), claim_ms=0.02, device_kind="cuda")


@pytest.mark.parametrize(
    ("per_call_ms", "wall_ms", "clock"),
    [
        (0.9, 5.0, "consecutive calls"),
        (1.1, 0.9, ""),
        (None, 0.9, "single calls"),
        (None, 1.1, ""),
    ],
)
def test_a_time_is_confirmed_by_a_clock_that_measures_at_most_twice_of_it(per_call_ms, wall_ms, clock):
    batch = None if per_call_ms is None else BatchTiming(per_call_ms, 0.01, 50)
    assert confirmed_by(batch, claim_ms=0.5, wall_ms=wall_ms) == clock


def test_a_claim_that_the_clock_cannot_resolve_is_believed_and_not_confirmed():
    batch = BatchTiming(0.05, 0.01, 50)
    check_claim(batch, claim_ms=0.01, device_kind="cpu")
    assert not confirmed_by(batch, claim_ms=0.01, wall_ms=1.0)


def test_finished_results_lie_crosswise_with_the_same_values():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(24.0).reshape(2, 3, 4)
    crosswise = batch_timing._crosswise(tensor)
    assert torch.equal(crosswise, tensor)
    assert crosswise.stride() == (1, 2, 6)
