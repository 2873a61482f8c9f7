"""Tests of what is known about a task from earlier jobs: found by later engines, for the same task and profile only."""

import shutil
from dataclasses import replace

import pytest

from eval_app.engine import PROFILES, Job, Outcome
from eval_app.engine.orchestrator import admissions, task_store
from eval_app.engine.orchestrator.task_store import TaskStore
from tests.engine.orchestrator.test_engine import CANDIDATE, REFERENCE

VERDICT = {
    "admission": {"mean_passes": True},
    "findings": [
        {"code": "degenerate_task", "severity": "label", "detail": "a constant passes"},
        {"code": "varying_bits", "severity": "label", "detail": "of the candidate"},
    ],
}


def job(reference=REFERENCE, **profile):
    return Job("a", reference, CANDIDATE, profile=replace(PROFILES["quick"], **profile))


def store(folder):
    return TaskStore(folder, {"kind": "cpu", "name": "a processor"}, {"torch": "2.11"})


def test_a_later_engine_knows_what_a_verdict_said_of_the_task_and_not_of_the_candidate(tmp_path):
    admissions.keep(store(tmp_path), job(), VERDICT)
    assert admissions.find(store(tmp_path), job()) == {
        "answers": {"mean_passes": True},
        "findings": VERDICT["findings"][:1],
    }


@pytest.mark.parametrize(
    "other", [job(REFERENCE + "# changed"), job(calibrate=True)], ids=["task", "profile"]
)
def test_another_task_or_profile_is_examined_on_its_own(tmp_path, other):
    admissions.keep(store(tmp_path), job(), VERDICT)
    assert admissions.find(store(tmp_path), other) == {}


@pytest.mark.parametrize("known", [{}, {"answers": []}, {"answers": {}, "findings": None}])
def test_a_file_of_another_form_is_as_if_it_were_not_there(tmp_path, known, monkeypatch):
    monkeypatch.setattr(TaskStore, "find", lambda *_: known)
    assert admissions.find(store(tmp_path), job()) == {}


def test_answers_too_large_to_be_any_are_not_kept(tmp_path):
    answers = {"mean_passes": "x" * (task_store._MAX_FILE_BYTES + 1)}
    admissions.keep(store(tmp_path), job(), {"admission": answers})
    assert not list(tmp_path.rglob("*.json"))


def test_incomplete_answers_are_not_kept_and_the_next_candidate_asks_again(tmp_path):
    admissions.keep(store(tmp_path), job(), {"admission": VERDICT["admission"] | {"incomplete": True}})
    assert admissions.find(store(tmp_path), job()) == {}


def test_a_folder_that_cannot_be_written_costs_no_verdict(tmp_path):
    (tmp_path / "full").write_text("a file where the folder should be")
    admissions.keep(store(tmp_path / "full"), job(), VERDICT)
    assert admissions.find(store(tmp_path / "full"), job()) == {}


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_task_that_was_examined_before_is_not_examined_again(engine):
    untimed = job(timings_min=0, timings_max=0, families=[])
    admissions.keep(engine._parts.stores.of(engine.device), untimed, VERDICT)
    report = engine.verify(untimed)
    assert report.outcome is Outcome.PASSED, report.detail
    assert report.admission == VERDICT["admission"]
    assert "degenerate_task" in {finding.code for finding in report.findings}
