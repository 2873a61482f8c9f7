"""Tests of what follows a verdict: whatever it meets, the verdict stands."""

from types import SimpleNamespace

import pytest

from eval_app.engine.contract.jobs import Outcome
from eval_app.engine.inspect import inspections
from eval_app.engine.orchestrator.post_verdict import PostVerdict


@pytest.mark.parametrize("inspects", [True, False])
def test_an_error_in_what_tools_say_is_a_part_of_the_inspection_that_is_missing(monkeypatch, inspects):
    def fail(*_, **__):
        raise ValueError("line\none " + "9" * 5000)

    monkeypatch.setattr(inspections, "full_inspection", fail)
    monkeypatch.setattr(inspections, "memory_inspection", fail)
    monkeypatch.setattr("eval_app.engine.orchestrator.post_verdict.triton_of", lambda attempt: ())
    report, job = SimpleNamespace(outcome=Outcome.PASSED), SimpleNamespace(inspect=inspects)
    found = PostVerdict(None, None, "none")._inspect(report, job, attempt=None, subject=None)
    said = found.missing["inspection"]
    assert said.startswith("the tools' output does not fit a report: line?one 99")
    assert len(said) == 500
