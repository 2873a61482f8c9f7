"""Tests of the wait before a call, which hides on a GPU that the call is still being queued."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.shared.calls import Caller  # noqa: E402


@pytest.mark.parametrize(
    ("queueing_ms", "wait_ms"),
    [((0.01, 0.02), 0.25), ((0.1, 0.05), 0.4), ((0.05, 0.1), 0.4), ((0.1, 30.0), 1.0)],
)
def test_the_device_waits_four_times_as_long_as_calls_take_to_queue_within_bounds(queueing_ms, wait_ms):
    caller = Caller(torch.device("cpu"))
    caller._queueing_ms = queueing_ms
    assert caller._shadow_cycles() == pytest.approx(wait_ms * 2_000_000)


def test_the_first_call_has_the_longest_wait():
    assert Caller(torch.device("cpu"))._shadow_cycles() == 2_000_000
