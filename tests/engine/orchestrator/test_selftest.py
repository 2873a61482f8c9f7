"""Tests that an interrupted self-test, which takes most of a minute, ends at once."""

import time
from types import SimpleNamespace

import pytest

from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator import selftest
from eval_app.engine.orchestrator.lanes import Lanes

PATIENCE_S = 120.0


class StandInLane:
    """A lane without processes that records whether it was stopped."""

    device = Device("cpu")

    def __init__(self, name: str) -> None:
        self.name, self.stopped = name, False

    def stop(self) -> None:
        self.stopped = True


class InterruptedEngine:
    """Interrupts the caller on its first lane; on the other, a check runs until it is cancelled."""

    def __init__(self) -> None:
        self.lanes = Lanes([StandInLane("one"), StandInLane("two")], retest=lambda lane: "")
        self.checks_on_two: list[str] = []

    def verify(self, job, *, cancelled, only):
        if only.name == "one":
            raise KeyboardInterrupt
        self.checks_on_two.append(job.id)
        deadline = time.monotonic() + PATIENCE_S
        while not cancelled():
            assert time.monotonic() < deadline, "nobody gave the check up"
            time.sleep(0.01)
        return SimpleNamespace(outcome=None, detail="cancelled")


def test_an_interrupted_self_test_gives_up_the_check_under_way_and_begins_no_other():
    engine = InterruptedEngine()
    with pytest.raises(KeyboardInterrupt):
        selftest.run(engine)
    assert len(engine.checks_on_two) <= 1
    assert all(lane.stopped for lane in engine.lanes.all)
