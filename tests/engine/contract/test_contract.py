"""Tests that jobs and reports from files and other machines are validated: errors name the field."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_app.engine import PROFILES, ContractError, Finding, Job, Outcome, Profile, Report, Severity

JOB = {"id": "a", "reference": "class Model: ...", "candidate": "class ModelNew: ..."}
CORRECTNESS = {
    "compared": 5, "trials": 5, "families": ["natural"], "skipped": {}, "max_abs_error": 0.0, "max_rel_error": 0.0,
    "tolerance": {"float32": 1e-4}, "mismatches": [], "mismatch_share": 0.0, "weights": "none",
    "kernelbench_allclose": True,
}  # fmt: skip
SPREAD = {"median_ms": 1.0, "p10_ms": 0.9, "p90_ms": 1.1, "n": 20, "samples_ms": [1.0]}
TIMING = {
    "candidate": SPREAD, "baselines": {"eager": SPREAD}, "speedup": {"median": 1.0, "low": 0.9, "high": 1.1},
    "method": "", "wall_ms": 1.2, "floor_ms": None, "device_state": {},
}  # fmt: skip
PASSED = {"id": "a", "outcome": "passed", "correctness": CORRECTNESS, "timing": TIMING}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def changed(form, **changes):
    return {**json.loads(json.dumps(form)), **changes}


def test_a_job_survives_the_way_through_json():
    job = Job.from_dict(JOB)
    assert Job.from_dict(json.loads(json.dumps(job.to_dict()))) == job


def test_a_report_survives_the_way_through_json():
    report = Report.from_dict(PASSED)
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report


def test_a_job_names_its_profile_or_changes_one():
    assert Job.from_dict(changed(JOB, profile="thorough")).profile == PROFILES["thorough"]
    assert Job.from_dict(changed(JOB, profile={"base": "quick", "trials": 9})).profile.trials == 9


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"id": " "}, "id"),
        ({"candidate": 5}, "candidate"),
        ({"candidate": "x" * 1_000_001}, "candidate"),
        ({"language": "fortran"}, "language"),
        ({"profile": "hasty"}, "profile"),
        ({"profile": {"base": "quick", "trials": 0}}, "trials"),
        ({"reference": "a\x00b"}, "reference"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_job_that_breaks_the_contract_is_refused_by_the_fields_name(change, word):
    with pytest.raises(ContractError, match=word):
        Job.from_dict(changed(JOB, **change))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"correctness": None}, "correctness"),
        ({"correctness": changed(CORRECTNESS, compared=0)}, "correctness"),
        ({"outcome": "wrong_value"}, "timing"),
        ({"outcome": "cheated"}, "cheated"),
        ({"outcome": "broken_promise", "timing": None}, "broken_promise"),
        ({"outcome": "broken_promise"}, "timing"),
        ({"kernelbench": {"correct": True, "speedup": 0.0}}, "speedup"),
        ({"outcome": "great"}, "outcome"),
        ({"findings": [{"code": "x", "severity": "reject", "detail": ""}]}, "reject"),
        ({"findings": [{"code": "x", "severity": "fatal", "detail": ""}]}, "severity"),
        ({"seconds": {"total": -1.0}}, "seconds"),
        ({"seconds": {"total": math.nan}}, "finite"),
        ({"started_at": "2026-01-01T00:00:00"}, "zone"),
        ({"timing": changed(TIMING, baselines={})}, "eager"),
        ({"timing": changed(TIMING, speedup={"median": 3.0, "low": 1.0, "high": 2.0})}, "speedup"),
        ({"timing": changed(TIMING, candidate=changed(SPREAD, median_ms=0.0))}, "timing"),
        ({"timing": changed(TIMING, candidate=changed(SPREAD, samples_ms=[1.0] * 1001))}, "samples_ms"),
        ({"detail": "x" * 8001}, "detail"),
    ],
)
def test_an_impossible_report_cannot_be_read(change, word):
    with pytest.raises(ContractError, match=word):
        Report.from_dict(changed(PASSED, **change))


def test_a_cheat_may_keep_the_timing_that_convicts_it():
    finding = {"code": "clock_mismatch", "severity": "reject", "detail": "said 0.1 ms, took 9 ms"}
    report = Report.from_dict(changed(PASSED, outcome="cheated", findings=[finding]))
    assert report.outcome is Outcome.CHEATED
    assert report.findings == [Finding("clock_mismatch", Severity.REJECT, "said 0.1 ms, took 9 ms")]


@given(json_values)
def test_any_json_is_a_report_or_a_contract_error(value):
    with pytest.raises(ContractError):
        Report.from_dict(value)


@given(st.sampled_from(sorted(PASSED)), json_values)
def test_any_value_in_any_field_is_read_or_refused(name, value):
    try:
        Report.from_dict(changed(PASSED, **{name: value}))
    except ContractError:
        return


@given(st.sampled_from(sorted(CORRECTNESS)), json_values)
def test_any_value_in_the_evidence_is_read_or_refused(name, value):
    try:
        Report.from_dict(changed(PASSED, correctness=changed(CORRECTNESS, **{name: value})))
    except ContractError:
        return


def test_every_profile_is_documented_by_values_that_hold():
    for name, profile in PROFILES.items():
        assert profile.name == name
        assert Profile.from_value(Job.from_dict(changed(JOB, profile=name)).to_dict()["profile"]) == profile


@pytest.mark.parametrize(
    ("orders", "single_ms"), [(None, 0.6), ({}, 0.6), ({"single_reference_ms": 4.0}, 4.0)]
)
def test_further_baselines_stand_beside_single_calls_of_the_reference(orders, single_ms):
    times = {
        "candidate_ms": 0.1,
        "reference_ms": 0.6,
        "cost_ms": 0.3,
        "noise_ms": 0.0,
        "calls": 1,
        "orders": 4,
    }
    eager = changed(SPREAD, median_ms=0.6, p10_ms=0.6, p90_ms=0.6)
    form = changed(TIMING, baselines={"eager": eager}, orders=None if orders is None else times | orders)
    report = Report.from_dict(changed(PASSED, timing=form))
    assert report.timing.single_reference_ms == single_ms
