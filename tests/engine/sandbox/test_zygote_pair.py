"""Tests of a lane with two pairs of zygotes: one runs a job, the other is cleared and prepared meanwhile."""

import os
import shutil
import signal
import threading

import pytest

from eval_app.engine import Engine, Outcome
from eval_app.engine.orchestrator import lane
from eval_app.engine.orchestrator.lanes import FREE
from eval_app.engine.sandbox import process_tree
from eval_app.engine.sandbox.zygote_pair import ZygotePair
from tests.engine.kernels.catalogue import load_all
from tests.engine.orchestrator.test_engine import CANDIDATE, UNTIMED
from tests.engine.orchestrator.test_engine import job as timed_job
from tests.engine.orchestrator.test_lanes import wait_until

pytestmark = [
    pytest.mark.engine,
    pytest.mark.xdist_group("zygote pair"),  # one engine for all of them
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]
BROKEN = (
    "kills_everything",
    *(pytest.param(name, marks=pytest.mark.long) for name in ("segfault", "wrong_shape")),
)


def job(**options):
    return timed_job(profile=UNTIMED, **options)


@pytest.fixture(scope="module")
def engine(build_cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(lane.PAIRS, "cpu", 2)  # as on a GPU
        with Engine("cpu", build_cache) as running:
            assert running.verify(job()).outcome is Outcome.PASSED
            yield running


@pytest.fixture
def rotation(engine):
    only = engine.lanes.all[0].rotation
    only.drain()
    return only


def waiting(rotation):
    """Return the pair that has children for the next job."""
    return next(pair for pair in rotation.pairs if pair.children is not None)


def roots(pair):
    return {pair.judge.pid, pair.runner.pid}


def test_jobs_alternate_between_two_pairs_of_sandboxes(engine, rotation):
    used = []
    for _ in range(4):
        report = engine.verify(job())
        assert report.outcome is Outcome.PASSED, report.detail
        used.append(rotation.current)
    assert [pair is used[0] for pair in used] == [True, False, True, False]


def test_what_a_job_leaves_is_cleared_while_the_next_one_runs(engine, rotation):
    engine.verify(job())
    used = rotation.current
    rotation.drain()
    assert used.children is None
    for root in roots(used):
        # Bubblewrap's two processes and the zygote.
        wait_until(lambda root=root: len(process_tree.descendants(root)) <= 3)
    assert rotation.seconds["teardown"] > 0


def test_a_candidate_is_timed_when_the_next_children_wait_and_nothing_runs_in_the_background(
    engine, rotation
):
    seen = []

    def look(stage, text):
        if stage == "timing":
            children = rotation._next.children
            seen.append((rotation.background_lock.locked(), children is not None and children.is_waiting()))

    for _ in range(3):
        assert engine.verify(timed_job(), look).outcome is Outcome.PASSED
    rotation.drain()
    assert seen == [(True, True)] * 3
    assert not rotation.background_lock.locked()


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_does_not_reach_the_children_that_wait(engine, rotation, name):
    kernel = next(kernel for kernel in load_all() if kernel.name == name)
    report = engine.verify(job(reference=kernel.task_source, candidate=kernel.source))
    assert report.outcome in kernel.expect.outcomes, report.detail
    for _ in range(2):
        after = engine.verify(job())
        assert after.outcome is Outcome.PASSED, after.detail


def test_children_that_died_while_they_waited_are_replaced(engine, rotation):
    engine.verify(job())
    rotation.drain()
    pair = waiting(rotation)
    children = set(process_tree.descendants(pair.runner.pid))
    newest = max(children - {pair.runner.pid})
    os.kill(newest, signal.SIGKILL)
    wait_until(lambda: not pair.children.is_waiting())
    report = engine.verify(job())
    assert report.outcome is Outcome.PASSED, report.detail
    assert report.seconds["total"] < 60


def test_a_job_that_runs_out_of_memory_beside_the_remains_of_another_is_tried_again_without_them(
    engine, rotation, monkeypatch
):
    clear, begun = ZygotePair.clear, threading.Event()

    def clear_late(pair, *linger):
        if pair.children:
            begun.wait(60)
        return clear(pair, *linger)

    def on_stage(stage, text):
        tries[-1].append(stage)
        if stage == "load":
            begun.set()

    monkeypatch.setattr(ZygotePair, "clear", clear_late)
    tries = []
    hungry = CANDIDATE.replace(
        "return torch.relu", "raise torch.OutOfMemoryError('none left')\n        return torch.relu"
    )
    for before in (True, False):
        if before:
            engine.verify(job())
        else:
            rotation.drain()
        tries.append([])
        report = engine.verify(job(candidate=hungry), on_stage)
        assert report.outcome is Outcome.OUT_OF_MEMORY, report.detail
    assert [stages.count("load") for stages in tries] == [2, 1]


@pytest.mark.long
def test_a_zygote_lost_in_the_background_takes_nothing_from_the_job_and_the_lane_is_renewed(engine, rotation):
    restarts = engine.lanes.health["cpu"].restarts
    lost = []

    def lose(stage, text):
        if stage == "correctness" and not lost:
            lost.append(rotation._next)
            rotation._next.runner._process.kill()

    engine.verify(job())  # its remains are cleared during the next job
    report = engine.verify(job(), lose)
    assert report.outcome is Outcome.PASSED, report.detail
    after = engine.verify(job())
    assert after.outcome is Outcome.PASSED, after.detail
    wait_until(lambda: engine.lanes.health["cpu"].state == FREE)
    assert engine.lanes.health["cpu"].restarts == restarts + 1


def test_all_queued_background_work_is_finished_before_a_candidate_is_timed(rotation):
    first, second = rotation.pairs
    begun, may_end, done = threading.Event(), threading.Event(), []
    rotation._run_in_background(first, "teardown", lambda: (begun.set(), may_end.wait(60)))
    rotation._run_in_background(second, "fork", lambda: done.append("fork"))
    assert begun.wait(60)
    rotation.finish_background(0.01)
    assert not done, "it waits no longer than it may"
    may_end.set()
    rotation.finish_background(60)
    assert done == ["fork"]
