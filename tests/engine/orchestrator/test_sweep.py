"""Tests of the times at other sizes and configurations: who gets them, and that they decide nothing."""

import shutil
from dataclasses import replace

import pytest

from eval_app.engine import PROFILES, ContractError, Job, Outcome, Report, Speedup
from eval_app.engine.contract.configs import TaskConfig
from eval_app.engine.contract.sweep import TimedSize
from eval_app.engine.orchestrator import sweep_report
from tests.verify.reports import timing

REFERENCE = """
import torch

rows = 48

class Model(torch.nn.Module):
    def __init__(self, features=64):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(features))

    def forward(self, x):
        return torch.relu(x * self.weight).sum(dim=1)

def get_inputs(features=64):
    return [torch.randn(rows, features)]

def get_init_inputs():
    return [64]
"""
CANDIDATE = REFERENCE.replace("class Model(", "class ModelNew(")
# What happens at a size that is not the task's own; the first two calls there are trials, one per size.
ELSEWHERE = CANDIDATE.replace(
    "        return torch",
    """        if x.shape[0] != 48:
            self.calls = getattr(self, "calls", 0) + 1
            WHAT
        return torch""",
)
FAST = replace(
    PROFILES["quick"], name="fast", trials=2, repeats=1, families=[], timing_budget_s=0.2, timings_min=5, shapes=2,
    admission=False, reweigh=False,
)  # fmt: skip
WIDE = TaskConfig("features=96", {}, {}, {"features": 96})

engine_test = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


def swept(engine, candidate=CANDIDATE, **options):
    job = Job("a", REFERENCE, candidate, **{"profile": FAST, "inspect": True, **options})
    report = engine.verify(job)
    assert Report.from_dict(report.to_dict()) == report
    return report


class TestWithTheEngine:
    pytestmark = engine_test

    def test_each_size_that_passed_has_times_with_their_interval(self, engine):
        report = swept(engine, configs=[WIDE])
        assert report.outcome is Outcome.PASSED, report.detail
        own, wide, *others = report.sweep
        assert (own.name, own.inputs) == ("own", "float32 48×64")
        assert (wide.name, wide.inputs, wide.declared) == ("features=96", "float32 48×96", True)
        assert len(others) == FAST.shapes
        assert all(size.name.startswith("rows=") and not size.declared for size in others)
        assert own.candidate_ms == report.timing.candidate.median_ms
        for size in report.sweep:
            assert size.speedup.low <= size.speedup.median <= size.speedup.high
        assert report.seconds["sweep"] > 0

    def test_a_job_that_did_not_ask_has_none_and_spends_nothing(self, engine):
        report = swept(engine, inspect=False, configs=[WIDE])
        assert report.outcome is Outcome.PASSED, report.detail
        assert report.sweep == []
        assert "sweep" not in report.seconds

    @pytest.mark.parametrize(
        ("what", "reason"),
        [
            ("raise ValueError('48 rows alone')", "it fails there: runtime_error"),
            ("if self.calls > 2: return torch.zeros(x.shape[0])", "wrong_value: "),
            ("if self.calls > 2: import os; os._exit(0)", "its process ended"),
        ],
        ids=["fails", "turns wrong", "ends its process"],
    )
    def test_what_happens_at_another_size_leaves_the_verdict_alone(self, engine, what, reason):
        report = swept(engine, ELSEWHERE.replace("WHAT", what))
        assert report.outcome is Outcome.PASSED, report.detail
        assert report.correctness.mismatches == []
        own, *others = report.sweep
        assert own.candidate_ms
        assert others
        assert others[0].not_timed.startswith(reason)
        assert all(size.speedup is None for size in others)
        assert all(finding.severity != "reject" for finding in report.findings)


def row(**changes):
    return {"name": "rows=3", "timing": timing(), **changes}


def test_the_figures_of_a_row_are_those_of_its_timing():
    [size] = sweep_report.read([row()], [])
    assert (size.candidate_ms, size.reference_ms, size.n) == (0.5, 1.0, 3)
    assert size.speedup == Speedup(2.0, 1.96, 2.04)


@pytest.mark.parametrize(
    "rows",
    [
        {"name": "rows=3"},
        [row()] * 65,
        ["rows=3"],
        [row(timing=None)],
        [row(not_timed="no time was left")],
        [row(speedup={"median": 9.0, "low": 9.0, "high": 9.0})],
        [row(inputs="x" * 401)],
        [row(size_bytes=-1)],
        [row(timing={**timing(), "speedup": {"median": 2.0, "low": 3.0, "high": 4.0}})],
    ],
)
def test_rows_that_no_judge_sends_are_refused(rows):
    with pytest.raises(ContractError):
        sweep_report.read(rows, [])


def test_a_size_has_all_figures_or_a_reason():
    assert TimedSize("rows=3", not_timed="no time was left").speedup is None
    with pytest.raises(ContractError, match="needs positive times"):
        TimedSize("rows=3", candidate_ms=1.0)
