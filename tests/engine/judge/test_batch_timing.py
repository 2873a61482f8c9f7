"""The judge's own clock: the largest plausible time per call, and the rejection of larger ones."""

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge import batch_timing
from eval_app.engine.judge.batch_timing import BatchTiming, check_claim, max_per_call_ms
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


def test_finished_results_lie_crosswise_with_the_same_values():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(24.0).reshape(2, 3, 4)
    crosswise = batch_timing._crosswise(tensor)
    assert torch.equal(crosswise, tensor)
    assert crosswise.stride() == (1, 2, 6)
