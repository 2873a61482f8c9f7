"""Tests of inspections requested by a job: reported for every outcome, with a reason for what is missing."""

import shutil
from dataclasses import replace

import pytest

from eval_app.engine import PROFILES, Job, Outcome, Report
from eval_app.engine.cli import to_inspect

REFERENCE = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2
def get_inputs():
    return [torch.randn(64)]
"""
CANDIDATE = REFERENCE.replace("class Model(", "class ModelNew(")
FAST = replace(
    PROFILES["quick"], name="fast", trials=1, repeats=1, families=[], admission=False, reweigh=False, timings_min=0,
    timings_max=0,
)  # fmt: skip


def test_the_command_asks_for_it_in_every_job():
    assert to_inspect({"id": "a"}) == {"id": "a", "inspect": True}
    assert to_inspect("no job") == "no job"


def test_a_job_says_by_itself_whether_it_wants_it():
    job = Job.from_dict({"id": "a", "reference": "r", "candidate": "c", "inspect": True})
    assert Job.from_dict(job.to_dict()).inspect is True


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
@pytest.mark.parametrize("factor", [pytest.param("2", marks=pytest.mark.long), "3"])
def test_a_report_says_what_could_not_be_looked_at_and_why(engine, factor):
    job = Job("a", REFERENCE, CANDIDATE.replace("* 2", f"* {factor}"), profile=FAST, inspect=True)
    report = engine.verify(job)
    assert report.outcome is (Outcome.PASSED if factor == "2" else Outcome.WRONG_VALUE)
    assert "no code of its own was compiled" in report.inspection.missing["code"]
    assert "GPU" in report.inspection.missing["metrics"]
    assert Report.from_dict(report.to_dict()) == report
