import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.jobs import job_row
from datasets_app.models import Export, Ingest, JobState, Release, Verification
from eval_app.attempts import leases
from eval_app.broker.message_locks import MessageLocks
from eval_app.queue import dispatch
from eval_app.request.verify import request_verification
from eval_app.site_worker.main import Sweeper
from eval_app.site_worker.sweeper import MAX_LOST, sweep
from tests.factories import make_sample, make_source

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("broker")]
AGO = timedelta(minutes=1)


@pytest.fixture
def row(broker):
    return request_verification([make_sample()], actor=COMMAND)[0]


def change(row, **fields):
    Verification.objects.filter(pk=row.pk).update(**fields)
    row.refresh_from_db()


def run(row, attempt=1):
    leases.renew("gpu-1", [{"verification": str(row.pk), "attempt": attempt, "stage": "timing"}])
    row.refresh_from_db()


def expire(row):
    change(row, lease_until=timezone.now() - timedelta(seconds=1))


def test_a_dead_workers_row_waits_again_under_a_new_attempt_with_a_new_message(row, broker):
    run(row)
    expire(row)
    assert sweep().requeued == 1
    row.refresh_from_db()
    assert (row.state, row.attempt, row.lost, row.worker) == ("queued", 2, 1, "")
    assert "gpu-1 stopped answering in stage 'timing'" in row.error
    assert broker.llen("verify.cpu") == 1


def test_a_row_that_cost_three_workers_ends_as_our_fault_with_the_evidence(row):
    for attempt in range(1, MAX_LOST + 1):
        run(row, attempt)
        expire(row)
        sweep()
        row.refresh_from_db()
    assert (row.outcome, row.lost) == ("infra_error", 3)
    assert row.detail.count("gpu-1 stopped answering") == 3


def test_a_live_workers_row_is_left_alone(row):
    run(row)
    assert not sweep()
    row.refresh_from_db()
    assert row.state == "running"


def test_a_row_whose_message_never_went_out_is_sent(row, broker):
    change(row, created_at=timezone.now() - AGO)
    assert sweep().sent_again == 1
    assert broker.llen("verify.cpu") == 1
    assert not sweep()


def test_a_row_whose_message_the_broker_lost_is_sent_again_under_the_same_attempt(row, broker):
    change(row, sent_at=timezone.now() - AGO)
    assert sweep().sent_again == 1
    row.refresh_from_db()
    assert row.attempt == 1


def test_rows_that_wait_in_a_queue_are_not_sent_again_however_long_they_wait(row, broker):
    change(row, sent_at=timezone.now() - 100 * AGO)
    sweep()
    change(row, sent_at=timezone.now() - 100 * AGO)
    assert not sweep()
    assert broker.llen("verify.cpu") == 1


def test_a_row_that_a_worker_has_is_not_sent_again(row, broker):
    change(row, sent_at=timezone.now() - AGO)
    MessageLocks(broker, "gpu-1").take(row.pk, 1, 60)
    assert not sweep()


def test_a_row_whose_report_was_lost_gets_a_new_attempt(row, broker):
    change(row, sent_at=timezone.now() - AGO)
    MessageLocks(broker, "gpu-1").finish(row.pk, 1)
    assert sweep().sent_again == 1
    row.refresh_from_db()
    assert row.attempt == 2


def test_a_row_whose_report_may_be_among_unread_messages_is_left_alone(row, broker, settings):
    settings.LEASE_SECONDS = 0
    dispatch.send([row.pk])
    broker.flushall()
    MessageLocks(broker, "gpu-1").finish(row.pk, 1)
    assert sweep(leases_too=False).sent_again == 0
    row.refresh_from_db()
    assert row.attempt == 1


def test_a_worker_that_gives_a_row_back_costs_it_nothing(row):
    run(row)
    assert dispatch.give_back(row.pk, 1)
    row.refresh_from_db()
    assert (row.state, row.attempt, row.lost) == ("queued", 2, 0)


def test_an_old_attempts_heartbeat_does_not_count(row):
    run(row)
    dispatch.give_back(row.pk, 1)
    run(row, attempt=1)
    assert row.state == "queued"


def test_a_site_job_whose_worker_died_is_sent_again(broker, monkeypatch):
    release = Release.objects.create(
        name="r",
        recipe_name="concur",
        definition={},
        state=JobState.RUNNING,
        attempt=1,
        lease_until=timezone.now() - AGO,
    )
    sent = []
    monkeypatch.setitem(job_row.RESENDERS, Release, sent.append)
    assert sweep().other_jobs == 1
    assert sent == [release.pk]


def old_jobs():
    """Return one queued job of each kind that stages have, older than a lease."""
    source = make_source()
    release = Release.objects.create(name="r", recipe_name="concur", definition={})
    export = Export.objects.create(release=release, format="jsonl", path="train.jsonl", split="train")
    ingest = Ingest.objects.create(file_name="f.jsonl", path="/f.jsonl", source=source)
    for one in (release, export, ingest):
        type(one).objects.filter(pk=one.pk).update(created_at=timezone.now() - AGO)


def test_every_kind_of_site_job_whose_message_was_lost_is_sent_again(
    broker, django_capture_on_commit_callbacks
):
    old_jobs()
    with django_capture_on_commit_callbacks(execute=True):
        assert sweep().other_jobs == 3
    assert broker.llen("site") == 3
    assert not sweep().other_jobs  # they are in the queue


@pytest.mark.django_db(transaction=True)  # the sweeper closes old connections
def test_the_sweeper_deletes_once_an_hour_what_killed_writers_left_among_the_exports(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    left = tmp_path / "release" / f".train.jsonl-{2**22 + 1}-0123456789ab"  # no process has this number
    left.parent.mkdir()
    left.write_text("half a ro")
    os.utime(left, (time.time() - 3700,) * 2)
    sweeper = Sweeper()
    assert sweeper.sweep_safely()
    assert not left.exists()
    left.write_text("half a ro")
    os.utime(left, (time.time() - 3700,) * 2)
    assert sweeper.sweep_safely()
    assert left.exists()


def test_a_job_of_a_process_that_stops_is_given_back_without_a_lost_attempt():
    release = Release.objects.create(name="r", recipe_name="concur", definition={})
    held = job_row.claim(Release, release.pk)
    assert job_row.give_back_held() == 1
    release.refresh_from_db()
    assert (release.state, release.attempt) == ("queued", 0)
    with pytest.raises(job_row.LeaseLostError):
        job_row.renew(held)
