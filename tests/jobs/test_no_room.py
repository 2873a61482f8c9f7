"""Tests that a background job on a full disk waits, says why, and is retried once a minute."""

import errno
from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.jobs import job_row
from datasets_app.jobs.run import run_claimed
from datasets_app.models import JobState, MaintenanceKind, MaintenanceRun

pytestmark = pytest.mark.django_db


def find_no_room(row):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def row():
    return MaintenanceRun.objects.create(kind=MaintenanceKind.NEIGHBOURS)


def test_it_waits_again_and_the_attempt_does_not_count(row):
    for _ in range(MaintenanceRun.MAX_ATTEMPTS + 1):
        run_claimed(job_row.claim(MaintenanceRun, row.pk), find_no_room, (OSError,))
        row.refresh_from_db()
        assert (row.state, row.attempt, row.lease_until) == (JobState.QUEUED, 0, None)
        assert row.error.startswith("Waiting for disk space. The disk of the ")


def test_it_is_tried_again_after_a_minute_not_at_every_sweep(row):
    run_claimed(job_row.claim(MaintenanceRun, row.pk), find_no_room, ())
    soon = timezone.now() + timedelta(seconds=1)
    assert job_row.waiting_since(MaintenanceRun, soon) == []
    MaintenanceRun.objects.update(started_at=timezone.now() - job_row.TRY_AGAIN_AFTER)
    assert job_row.waiting_since(MaintenanceRun, soon) == [row.pk]


def test_a_job_that_only_waits_for_its_message_is_sent_again_as_before(row):
    assert job_row.waiting_since(MaintenanceRun, timezone.now() + timedelta(seconds=1)) == [row.pk]


def test_the_reason_goes_when_it_is_done(row):
    run_claimed(job_row.claim(MaintenanceRun, row.pk), find_no_room, ())
    run_claimed(job_row.claim(MaintenanceRun, row.pk), job_row.finish, ())
    row.refresh_from_db()
    assert (row.state, row.error) == (JobState.DONE, "")


def test_another_fault_of_the_disk_ends_it_with_its_sentence(row):
    def break_down(row):
        raise OSError(errno.EIO, "Input/output error")

    run_claimed(job_row.claim(MaintenanceRun, row.pk), break_down, (OSError,))
    row.refresh_from_db()
    assert (row.state, row.error) == (JobState.FAILED, "[Errno 5] Input/output error")
