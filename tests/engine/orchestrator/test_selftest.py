"""Tests of the self-test: what it refuses, and that it ends at once if it is interrupted."""

import shutil
import time
from types import SimpleNamespace

import pytest

from eval_app.engine.contract.jobs import Outcome
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

    def stop(self):
        self.lanes.stop()

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


WALLS = ("residue", "framing_at_load", "framing_in_call", "forged_time")


class GullibleEngine:
    """Judges rightly, but for one case: there it lets happen what the case is about."""

    def __init__(self, wrong_at: str) -> None:
        self.lanes = Lanes([StandInLane("one")], retest=lambda lane: "")
        self.noise: dict[str, str] = {}
        self._wrong_at = f"selftest-{wrong_at}"

    def verify(self, job, *, cancelled, only):
        right = {
            "wrong_value": Outcome.WRONG_VALUE, "replayed_output": Outcome.CHEATED, "lazy_output": Outcome.CHEATED,
            "crash": Outcome.ILLEGAL_MEMORY, "endless_call": Outcome.TIMEOUT, "framing_at_load": Outcome.CHEATED,
            "framing_in_call": Outcome.CHEATED,
        }  # fmt: skip
        wrong = {
            "residue": Outcome.INFRA_ERROR, "framing_at_load": Outcome.INFRA_ERROR,
            "framing_in_call": Outcome.INVALID_REFERENCE, "forged_time": Outcome.PASSED,
        }  # fmt: skip
        name = job.id.removeprefix("selftest-")
        is_wrong = job.id == self._wrong_at
        speedup = SimpleNamespace(median=3.0 if is_wrong else 1.0)
        return SimpleNamespace(
            outcome=wrong[name] if is_wrong else right.get(name, Outcome.PASSED), detail="", findings=[],
            timing=SimpleNamespace(speedup=speedup, confirmed_by="device"),
        )  # fmt: skip


@pytest.mark.parametrize("case", WALLS)
def test_a_lane_without_one_of_its_walls_is_refused(case):
    result = selftest.run(GullibleEngine(case))
    assert not result.passed
    assert [name for name, text in result.checks.items() if text.startswith("failed")] == [case]


def test_a_lane_that_judges_rightly_is_accepted():
    assert selftest.run(GullibleEngine("nowhere")).passed


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_the_walls_of_a_real_lane_hold(engine):
    lane = engine.lanes.all[0]
    with engine.lanes.hold(lane):
        test = selftest._LaneTest(engine, lane)
        checks = test.walls() | {"forged_time": test.forged_time()}
    assert set(checks) == set(WALLS)
    assert all(text.startswith("ok") for text in checks.values()), checks
