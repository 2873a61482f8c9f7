"""Tests that whoever takes the memory is blamed for it: a candidate, its reference, or neither."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from eval_app.engine import Outcome
from eval_app.engine.orchestrator import memory_watch, verification
from eval_app.engine.orchestrator.attempt import Attempt
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.classify_outcome import classify_outcome
from eval_app.engine.orchestrator.memory_watch import MemoryWatch
from eval_app.engine.sandbox.process_tree import Memory
from tests.engine.orchestrator.test_engine import CANDIDATE, REFERENCE, UNTIMED
from tests.engine.orchestrator.test_engine import untimed_job as job

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]
GIB = 2**30
# 1.5 GiB in memory that no process maps.
HOLDS_FILES = """
import os
held = [os.memfd_create(f"{number}") for number in range(3)]
for file in held:
    for _ in range(32):
        os.write(file, bytes(2**24))
"""
OUT_OF_MEMORY = "no device memory left for the judge: OutOfMemoryError: tried to allocate 2 GiB"
HUNGRY_REFERENCE = REFERENCE.replace(
    "return torch.relu", "raise torch.OutOfMemoryError('none')\n        return 1"
)


def side(resident_bytes):
    return SimpleNamespace(
        held_bytes=lambda limit_bytes: resident_bytes, unmapped_bytes=lambda: 0, page_table_bytes=lambda: 0
    )


@pytest.mark.parametrize(
    ("available", "runner_bytes", "judge_bytes", "stopped"),
    [
        (50, 1, 1, ""), (50, 17, 1, "memory:runner"), (50, 1, 17, "memory:judge"),
        (1, 12, 8, "memory:runner"), (1, 8, 12, "memory:judge"), (1, 2, 2, "memory:host"),
    ],
)  # fmt: skip
def test_whoever_holds_the_memory_is_stopped_for_it(
    monkeypatch, available, runner_bytes, judge_bytes, stopped
):
    monkeypatch.setattr(
        memory_watch.process_tree, "memory", lambda: Memory(100 * GIB, available * GIB, shared=0)
    )
    watch = MemoryWatch(16 * GIB)
    assert watch.check(side(runner_bytes * GIB), side(judge_bytes * GIB)) == stopped


def test_memory_that_no_process_maps_counts_for_whoever_has_it_open(engine):
    profile = replace(UNTIMED, memory_bytes=3 * GIB // 2)
    waits = "\nimport time\ntime.sleep(5)\n"
    report = engine.verify(job(candidate=CANDIDATE + HOLDS_FILES + waits, profile=profile))
    assert report.outcome is Outcome.OUT_OF_MEMORY, report.detail
    assert engine.verify(job(profile=profile)).outcome is Outcome.PASSED


def test_page_tables_count_for_whoever_fills_them(monkeypatch):
    """A process fills them by reading addresses without memory: 100 MB in 50 GB, of which it holds nothing else."""
    present = [Memory(100 * GIB, 50 * GIB, shared=0, page_tables=GIB)]
    monkeypatch.setattr(memory_watch.process_tree, "memory", lambda: present[-1])
    watch, reader = MemoryWatch(16 * GIB), side(GIB)
    reader.page_table_bytes = lambda: 18 * GIB
    assert watch.check(reader, side(GIB)) == ""
    present.append(replace(present[0], page_tables=19 * GIB))
    assert watch.check(reader, side(GIB)) == "memory:runner"
    assert watch.check(side(GIB), reader) == "memory:judge"


def test_a_reference_that_fails_with_its_own_memory_is_tried_again_before_the_candidate_and_is_at_fault(
    engine,
):
    stages = []
    report = engine.verify(job(reference=HUNGRY_REFERENCE), lambda stage, text: stages.append(stage))
    assert report.outcome is Outcome.INVALID_REFERENCE, report.detail
    assert stages.count("load") == 2


def test_a_candidate_that_leaves_its_reference_no_memory_is_at_fault(engine, monkeypatch):
    tries = []

    class CrowdedOut(Attempt):
        """An attempt on a device that the candidate fills when it is loaded."""

        def run(self):
            trace = super().run()
            tries.append(trace.reference_first)
            verdict = {"type": "verdict", "outcome": "invalid_reference", "detail": OUT_OF_MEMORY}
            trace.verdict = verdict
            return trace

    monkeypatch.setattr(verification, "Attempt", CrowdedOut)
    report = engine.verify(job())
    assert report.outcome is Outcome.OUT_OF_MEMORY, report.detail
    assert tries == [False, True]


def test_a_task_that_has_no_memory_to_be_calibrated_is_tried_again_before_its_candidate_is_loaded(
    engine, monkeypatch
):
    tries = []

    class ShortOfMemory(Attempt):
        """An attempt whose candidate takes the memory for a calibration, if it is loaded by then."""

        def run(self):
            trace = super().run()
            tries.append((trace.reference_first, trace.verdict["short_of_memory"]))
            trace.verdict["short_of_memory"] = not trace.reference_first
            return trace

    monkeypatch.setattr(verification, "Attempt", ShortOfMemory)
    report = engine.verify(job())
    assert report.outcome is Outcome.PASSED, report.detail
    assert tries == [(False, False), (True, False)]


def test_a_reference_first_attempt_does_not_load_the_candidate_of_a_reference_that_fails(engine):
    lane = engine.lanes.all[0]
    traces = {}
    for reference_first in (False, True):
        lane.wait_ready()
        with engine.lanes.hold(lane):
            traces[reference_first] = Attempt(
                job(reference="import time; time.sleep(1); 1 / 0"), lane.rotation, resolve=lambda request: {},
                facts=lane.facts(), on_stage=verification.no_stage, cancelled=verification.never,
                reference_first=reference_first,
            ).run()  # fmt: skip
    assert [traces[first].loaded for first in (False, True)] == [True, False]
    assert {classify_outcome(trace).outcome for trace in traces.values()} == {Outcome.INVALID_REFERENCE}


def test_a_judge_killed_while_the_candidate_holds_more_is_not_the_references_fault():
    killed = {"judge_end": {"status": -9}, "loaded": True, "prepared": True, "reference_first": True}
    held = AttemptTrace(**killed, peak_runner_bytes=9 * GIB, peak_judge_bytes=GIB)
    assert classify_outcome(held).outcome is Outcome.OUT_OF_MEMORY
    own = AttemptTrace(**killed, peak_runner_bytes=GIB, peak_judge_bytes=9 * GIB)
    assert classify_outcome(own).outcome is Outcome.INVALID_REFERENCE
