"""Tests of the choice of the run that represents a sample on a device."""

import pytest

from datasets_app.models import Evidence
from tests.factories import make_sample
from tests.verifications import H200, L40, environment, timed, verified

pytestmark = pytest.mark.django_db


def evidence(sample, device: str = H200) -> Evidence:
    return Evidence.objects.get(sample=sample, device=device)


@pytest.mark.parametrize("outcome", ["infra_error", "unsupported", "invalid_reference"])
def test_what_does_not_decide_displaces_nothing(outcome):
    sample = make_sample()
    first = timed(sample, 2.0)
    verified(sample, outcome, days=1)
    assert evidence(sample).verification == first
    assert (sample.outcome, sample.measured_speedup, sample.verified_at) == ("passed", 2.0, first.finished_at)


def test_the_newest_run_speaks():
    sample = make_sample()
    timed(sample, 2.0)
    newest = verified(sample, "wrong_value", days=1)
    assert evidence(sample).verification == newest
    assert (sample.outcome, sample.measured_speedup) == ("wrong_value", None)


def test_a_report_that_arrives_late_does_not_displace_a_newer_one():
    sample = make_sample()
    newest = timed(sample, 2.0, days=1)
    verified(sample, "wrong_value")
    assert evidence(sample).verification == newest


def test_a_later_quick_run_does_not_displace_a_standard_one():
    sample = make_sample()
    strict = timed(sample, 2.0, profile="standard")
    verified(sample, "timeout", profile="quick", days=1)
    assert evidence(sample).verification == strict
    thorough = verified(sample, "wrong_value", profile="thorough", days=2)
    assert evidence(sample).verification == thorough


def test_under_new_versions_a_quick_run_displaces_a_stale_standard_one():
    sample = make_sample()
    timed(sample, 2.0, profile="standard", environment=environment("old", driver="570"))
    fresh = timed(sample, 1.5, profile="quick", environment=environment("new", driver="580"), days=1)
    assert evidence(sample).verification == fresh
    assert sample.environment == "new"


def test_devices_stand_side_by_side():
    sample = make_sample()
    timed(sample, 2.0)
    verified(sample, "wrong_value", L40, days=1)
    assert [(row.device, row.outcome) for row in Evidence.objects.order_by("device")] == [
        (H200, "passed"),
        (L40, "wrong_value"),
    ]
    assert (sample.outcome, sample.device) == ("passed", H200)


def test_a_sample_that_nothing_decided_shows_its_newest_run():
    sample = make_sample()
    verified(sample, "unsupported")
    verified(sample, "infra_error", days=1)
    assert (sample.outcome, sample.device) == ("infra_error", H200)
    assert not Evidence.objects.exists()


# --- Runs that disagree ---


def test_runs_whose_intervals_overlap_agree():
    sample = make_sample()
    timed(sample, 2.00)
    timed(sample, 2.04, days=1)
    row = evidence(sample)
    assert not row.runs_disagree
    assert (row.between_low, row.between_high) == (pytest.approx(1.96), pytest.approx(2.0808))


def test_runs_whose_intervals_do_not_overlap_disagree():
    sample = make_sample()
    timed(sample, 2.0)
    timed(sample, 3.0, days=1)
    row = evidence(sample)
    assert row.runs_disagree
    assert (row.between_low, row.between_high) == (pytest.approx(1.96), pytest.approx(3.06))


@pytest.mark.parametrize("outcomes", [("wrong_value", "passed"), ("passed", "nondeterministic")])
def test_runs_with_other_outcomes_disagree_and_the_newest_decides(outcomes):
    sample = make_sample()
    for day, outcome in enumerate(outcomes):
        verified(sample, outcome, days=day)
    row = evidence(sample)
    assert row.outcome == outcomes[1]
    assert row.runs_disagree


def test_a_run_that_decided_nothing_does_not_disagree():
    sample = make_sample()
    timed(sample, 2.0)
    verified(sample, "infra_error", days=1)
    assert not evidence(sample).runs_disagree


def test_runs_of_other_profiles_and_environments_are_not_compared():
    sample = make_sample()
    timed(sample, 2.0, profile="quick")
    timed(sample, 3.0, profile="standard")
    timed(sample, 4.0, profile="standard", environment=environment(), days=1)
    assert not evidence(sample).runs_disagree
    assert evidence(sample).between_low is None
