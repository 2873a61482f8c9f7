"""When a task is calibrated, and whose memory it may have lacked."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.contract.profiles import PROFILES  # noqa: E402
from eval_app.engine.judge.checks.calibration import Calibration  # noqa: E402
from eval_app.engine.judge.checks.trials import usual_tolerance  # noqa: E402
from eval_app.engine.judge.last_bits import calibrate  # noqa: E402

PROFILE = PROFILES["standard"]
SKIPPED = {"calibration_skipped": calibrate.NO_MEMORY}
CASE = SimpleNamespace(truth=[torch.ones(2)])


def calibrated(monkeypatch, order, profile=PROFILE, answers=SKIPPED):
    """Return a calibration, and at which of both moments it was measured."""
    asked, notes = [], []
    monkeypatch.setattr(calibrate, "calibrate", lambda *_: asked.append(moment) or dict(answers))
    maker = SimpleNamespace(make=lambda: CASE)
    trials = SimpleNamespace(own_tolerance=usual_tolerance(profile), note=lambda *note: notes.append(note[1]))
    calibration = Calibration(order, profile)
    moment = "before"
    calibration.prepare(maker, CASE)
    moment = "after"
    calibration.tighten(maker, trials, CASE)
    return calibration, asked, notes


def test_want_of_memory_beside_a_candidate_is_no_answer(monkeypatch):
    calibration, asked, notes = calibrated(monkeypatch, {})
    assert (asked, notes, calibration.is_short_of_memory) == (["after"], ["uncalibrated"], True)


def test_before_a_candidate_is_loaded_it_is_one(monkeypatch):
    calibration, asked, notes = calibrated(monkeypatch, {"reference_first": True})
    assert (asked, notes, calibration.is_short_of_memory) == (["before"], ["uncalibrated"], False)


def test_the_answer_of_an_earlier_job_is_used(monkeypatch):
    calibration, asked, notes = calibrated(monkeypatch, {"admission": {"answers": SKIPPED}})
    assert (asked, notes, calibration.is_short_of_memory) == ([], ["uncalibrated"], False)


def test_a_profile_without_calibration_asks_nothing(monkeypatch):
    profile = replace(PROFILE, calibrate=False)
    for order in ({}, {"reference_first": True}):
        calibration, asked, notes = calibrated(monkeypatch, order, profile)
        assert (asked, notes, calibration.answers) == ([], [], {})
