"""Tests that what is recorded about a failed row is stored with the failure, however the row failed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.jobs import job_row
from datasets_app.jobs.run import run_claimed
from datasets_app.models import JobState, MaintenanceKind, MaintenanceRun

pytestmark = pytest.mark.django_db


@pytest.fixture
def recorded(monkeypatch):
    found = []
    monkeypatch.setitem(job_row._recorders, MaintenanceRun, lambda row: found.append((row.state, row.error)))
    return found


@pytest.fixture
def row():
    return MaintenanceRun.objects.create(kind=MaintenanceKind.NEIGHBOURS)


def break_down(row):
    raise ValueError("no such shape")


def test_work_that_breaks_down(row, recorded):
    run_claimed(job_row.claim(MaintenanceRun, row.pk), break_down, (ValueError,))
    assert recorded == [(JobState.FAILED, "no such shape")]


def test_a_worker_that_dies_in_each_attempt(row, recorded):
    for _ in range(MaintenanceRun.MAX_ATTEMPTS):
        assert not recorded
        job_row.claim(MaintenanceRun, row.pk)
        MaintenanceRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        job_row.requeue_expired(MaintenanceRun)
    [(state, error)] = recorded
    assert state == JobState.FAILED
    assert "stopped answering in each of 3 attempts" in error


def test_a_process_that_ends_without_a_result_in_each_attempt(row, recorded):
    for _ in range(MaintenanceRun.MAX_ATTEMPTS):
        assert not recorded
        job_row.lost(job_row.claim(MaintenanceRun, row.pk), "its process ended by signal SIGKILL.")
    assert recorded == [
        (JobState.FAILED, "Given up after 3 attempts: its process ended by signal SIGKILL."),
    ]


def test_nothing_is_recorded_by_a_worker_that_has_lost_the_row(row, recorded):
    late = job_row.claim(MaintenanceRun, row.pk)
    job_row.lost(late, "stopped", counts=False)
    with pytest.raises(job_row.LeaseLostError):
        job_row.fail(late, "no such shape")
    for _ in range(MaintenanceRun.MAX_ATTEMPTS):
        job_row.lost(late, "stopped")
    assert not recorded


def test_a_failure_that_cannot_be_recorded_is_not_stored_either(row, monkeypatch):
    def refuse(row):
        raise OSError("no")

    monkeypatch.setitem(job_row._recorders, MaintenanceRun, refuse)
    claimed = job_row.claim(MaintenanceRun, row.pk)
    with pytest.raises(OSError, match="no"):
        job_row.fail(claimed, "no such shape")
    row.refresh_from_db()
    assert row.state == JobState.RUNNING  # until its lease expires
