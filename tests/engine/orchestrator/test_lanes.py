"""Tests of lanes: any free one takes the next job; a faulty one is restarted and retested meanwhile."""

import errno
import selectors
import shutil
import threading
import time
from collections import defaultdict

import pytest

from eval_app.engine.contract.jobs import Outcome
from eval_app.engine.hardware.device import DeviceError
from eval_app.engine.orchestrator import lanes as lanes_module
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.classify_outcome import Conclusion, device_fault
from eval_app.engine.orchestrator.engine import Engine
from eval_app.engine.orchestrator.lanes import BROKEN, BUSY, FREE, CancelledWaitError, Lanes
from eval_app.engine.sandbox.zygote_host import HostLostError
from tests.engine.orchestrator.test_engine import CANDIDATE
from tests.engine.orchestrator.test_engine import untimed_job as job

needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


class StandInLane:
    """A lane without processes: a GPU that fails its self-test is not available on demand."""

    def __init__(self, name):
        self.name, self.seconds, self.restarts = name, defaultdict(float), 0

    def start(self):
        pass

    def stop(self):
        pass

    def restart(self):
        self.restarts += 1


def wait_until(condition, timeout_s=120):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.01)


def never():
    return False


@pytest.fixture
def two():
    return [StandInLane("one"), StandInLane("two")]


def test_a_job_takes_any_free_lane_and_waits_when_there_is_none(two):
    lanes = Lanes(two, lambda lane: "")
    first, second = lanes.take(never), lanes.take(never)
    assert {first.name, second.name} == {"one", "two"}
    waiting = threading.Thread(target=lambda: lanes.give(lanes.take(never)))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    lanes.give(second)
    waiting.join(5)
    assert not waiting.is_alive()


def test_a_job_that_waits_for_a_lane_can_be_cancelled(two):
    lanes = Lanes(two[:1], lambda lane: "")
    lanes.take(never)
    started = time.monotonic()
    with pytest.raises(CancelledWaitError):
        lanes.take(lambda: time.monotonic() > started + 0.1)


def test_a_lane_is_restarted_and_retested_after_a_fault_while_the_other_goes_on(two):
    started, finished = threading.Event(), threading.Event()

    def retest(lane):
        started.set()
        finished.wait(10)
        return ""

    lanes = Lanes(two, retest)
    lanes.give(lanes.take(never, two[0]), "a job left a CUDA error")
    started.wait(10)
    assert two[0].restarts == 1
    assert "CUDA error" in lanes.health["one"].detail
    assert lanes.take(never).name == "two", "the other lane is not held up"
    started = time.monotonic()
    with pytest.raises(CancelledWaitError):
        lanes.take(lambda: time.monotonic() > started + 0.1)
    finished.set()
    assert lanes.take(never).name == "one"
    assert lanes.health["one"].detail == ""


def test_a_lane_that_fails_its_self_test_takes_no_job_until_it_passes(two, monkeypatch):
    monkeypatch.setattr(lanes_module, "RETRY_S", 0.2)
    answers = iter(["the clock reads 0.5", "the clock reads 0.5", ""])
    lanes = Lanes(two[:1], lambda lane: next(answers))
    lanes.give(lanes.take(never), "lost")
    wait_until(lambda: lanes.health["one"].state == BROKEN)
    with pytest.raises(HostLostError, match=r"the clock reads 0\.5"):
        lanes.take(never)
    wait_until(lambda: lanes.health["one"].state == FREE)
    assert lanes.take(never).restarts == 3


def test_an_engine_that_ends_does_not_wait_for_a_lane_under_repair(two, monkeypatch):
    monkeypatch.setattr(lanes_module, "RETRY_S", 3600)
    lanes = Lanes(two, lambda lane: "never good")
    lanes.give(lanes.take(never), "lost")
    wait_until(lambda: BROKEN in {health.state for health in lanes.health.values()})
    lanes.stop()
    assert not any(thread.is_alive() for thread in lanes._repair_threads), "the wait was ended"


@pytest.mark.parametrize(
    ("outcome", "attempt", "is_fault"),
    [
        (Outcome.ILLEGAL_MEMORY, AttemptTrace(loaded=True), True),
        (Outcome.TIMEOUT, AttemptTrace(loaded=True), True),
        (Outcome.TIMEOUT, AttemptTrace(loaded=False), False),
        (Outcome.INFRA_ERROR, AttemptTrace(loaded=True), True),
        (Outcome.INFRA_ERROR, AttemptTrace(loaded=True, stopped="cancelled"), False),
        (Outcome.WRONG_VALUE, AttemptTrace(loaded=True), False),
        (
            Outcome.ILLEGAL_MEMORY,
            AttemptTrace(verdict={"findings": [{"code": "out_of_bounds_write"}]}),
            False,
        ),
    ],
)
def test_a_device_is_mistrusted_after_what_can_spoil_it(outcome, attempt, is_fault):
    assert bool(device_fault(attempt, Conclusion(outcome, "why"))) is is_fault


def test_lanes_that_cannot_be_are_refused_in_words(tmp_path):
    for options, words in (
        ({"lanes": 0}, "from 1"),
        ({"device": "cpu,cpu"}, "twice"),
        ({"device": "gpu"}, "not a device"),
    ):
        with pytest.raises(DeviceError, match=words):
            Engine(**{"device": "cpu", "cache_dir": tmp_path, **options})


@pytest.fixture(scope="module")
def pair(build_cache):
    with Engine("cpu", build_cache, lanes=2) as running:
        yield running


def kill_runner(lane):
    lane.runner._process.kill()


@pytest.mark.engine
@needs_bwrap
def test_two_lanes_on_one_device_work_side_by_side(pair):
    slow = CANDIDATE.replace(
        "        return torch.relu", "        import time; time.sleep(0.1)\n        return torch.relu"
    )
    seen, reports = set(), []

    def look(stage, detail):
        seen.add(tuple(health.state for health in pair.lanes.health.values()))

    threads = [
        threading.Thread(target=lambda: reports.append(pair.verify(job(candidate=slow), look)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (BUSY, BUSY) in seen
    assert [report.outcome for report in reports] == [Outcome.PASSED] * 2, [
        report.detail for report in reports
    ]


@pytest.mark.engine
@pytest.mark.long
@needs_bwrap
def test_a_job_whose_lane_is_lost_is_tried_again_and_the_lane_is_retested(pair):
    lost = []

    def lose_once(stage, detail):
        if stage == "correctness" and not lost:
            lost.extend(lane for lane in pair.lanes.all if pair.lanes.health[lane.name].state == BUSY)
            kill_runner(lost[0])

    report = pair.verify(job(), lose_once)
    assert report.outcome is Outcome.PASSED, report.detail
    wait_until(lambda: pair.lanes.health[lost[0].name].state == FREE)
    assert pair.lanes.health[lost[0].name].restarts == 1
    assert lost[0].attempts >= 2, "the proof ran on it"


@pytest.mark.engine
@needs_bwrap
def test_a_job_that_breaks_its_lane_twice_is_an_infra_error_with_the_evidence_of_both(pair, monkeypatch):
    monkeypatch.setattr(pair.lanes, "_retest", lambda lane: "")  # the last job here tests a lane

    def lose_always(stage, detail):
        if stage == "correctness":
            kill_runner(next(lane for lane in pair.lanes.all if pair.lanes.health[lane.name].state == BUSY))

    report = pair.verify(job(), lose_always)
    assert report.outcome is Outcome.INFRA_ERROR
    assert report.timing is None
    assert report.detail.count("zygote was lost") == 2, report.detail
    assert "(1) on cpu" in report.detail
    assert "(2) on cpu" in report.detail
    after = pair.verify(job())
    assert after.outcome is Outcome.PASSED, after.detail


@pytest.mark.engine
@pytest.mark.long
@needs_bwrap
def test_a_sandbox_outlives_the_thread_that_had_it_launched(pair):
    lane = pair.lanes.take(never)
    thread = threading.Thread(target=lane.restart)
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert lane.runner._process.poll() is None
    pair.lanes.give(lane)


@pytest.mark.engine
@needs_bwrap
def test_a_job_needs_nothing_of_what_epoll_may_watch_for_a_user(engine, monkeypatch):
    """A candidate in another lane uses that up in half a minute, where the worker and all candidates are one user."""

    def register(*arguments):
        raise OSError(errno.ENOSPC, "max_user_watches")

    monkeypatch.setattr(selectors.EpollSelector, "register", register)
    report = engine.verify(job())
    assert report.outcome is Outcome.PASSED, report.detail
