"""Tests of work on the device that may be the candidate's or another program's. Mocked: what the judge sees on it,
which a reference replaces in the judge's own process."""

import shutil
from dataclasses import replace

import pytest

from eval_app.engine import Outcome
from eval_app.engine.orchestrator.order_cost import SHARED_GAP_MS
from tests.engine.orchestrator.test_engine import FAST, REFERENCE, job

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]
SEES = """
from eval_app.engine.judge.clock import idleness
idleness.longest_gap_ms = lambda device: 2.0
idleness.stays_quiet = lambda device: {quiet}
"""
BRIEF = replace(FAST, trials=1, families=[], timings_max=5, warmup_s=0.0, admission=False, reweigh=False)


@pytest.fixture
def lane(engine):
    only = engine.lanes.all[0]
    only.order_cost = None
    yield only
    only.order_cost = None


def verify(engine, *, quiet):
    return engine.verify(job(reference=REFERENCE + SEES.format(quiet=quiet), profile=BRIEF))


def test_work_that_ends_with_the_candidate_is_the_candidates(engine, lane):
    report = verify(engine, quiet=True)
    assert report.outcome is Outcome.CHEATED, report.detail
    assert "background_work" in {finding.code for finding in report.findings}


def test_work_that_goes_on_without_the_candidate_accuses_nobody_and_the_job_runs_again(engine, lane):
    report = verify(engine, quiet=False)
    assert report.outcome is Outcome.PASSED, report.detail


def test_a_verdict_that_others_are_at_work_serves_once_and_for_its_own_job_alone(engine, lane):
    forged = """
from eval_app.engine.judge import verdicts
from eval_app.engine.judge.main import Judgement
Judgement._verdict = lambda *_: {"outcome": verdicts.DEVICE_SHARED, "detail": ""}
"""
    report = engine.verify(job(reference=REFERENCE + forged, profile=BRIEF))
    assert report.outcome is Outcome.INVALID_REFERENCE, report.detail
    assert engine.verify(job(profile=BRIEF)).outcome is Outcome.PASSED
    assert lane.order_cost["gap_ms"] < SHARED_GAP_MS


def test_a_lane_whose_candidate_was_ended_early_runs_the_next_job(engine, lane):
    starts = [pair.runner.starts for pair in lane.rotation.pairs]
    for quiet in (True, False):
        verify(engine, quiet=quiet)
    assert engine.verify(job(profile=BRIEF)).outcome is Outcome.PASSED
    assert [pair.runner.starts for pair in lane.rotation.pairs] == starts
