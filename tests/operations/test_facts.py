"""Tests of the numbers of the site's operation: what they count, what they leave out, how many queries they take."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from datasets_app.models import BulkAction, Export, Priority
from eval_app.models import Worker
from eval_app.operations import disks, finished, hosts, jobs, queue
from tests.factories import make_sample
from tests.operations import site
from tests.verifications import finished as imported

pytestmark = pytest.mark.django_db


def test_the_queue_has_an_entry_per_device_and_priority_with_its_oldest(django_assert_num_queries):
    site.waiting("cpu", minutes=5)
    site.waiting("cpu", minutes=30)
    site.waiting("cuda", minutes=1, priority=Priority.LATER)
    site.finished()
    with django_assert_num_queries(1):
        found = {(group.device, group.priority): group for group in queue.waiting()}
    assert len(found) == 6
    first = found["cpu", Priority.FIRST]
    assert first.count == 2
    assert 1795 < first.seconds(timezone.now()) < 1900
    assert found["cuda", Priority.LATER].count == 1
    empty = found["cuda", Priority.FIRST]
    assert (empty.count, empty.seconds(timezone.now())) == (0, 0)


def test_running_names_every_device():
    later = timezone.now() + timedelta(minutes=1)
    site.waiting("cuda", state="running", lease_until=later)
    assert queue.running() == {"cpu": 0, "cuda": 1}


def test_outcomes_and_hours_are_of_this_sites_workers_within_a_day():
    site.finished("passed", minutes=1)
    site.finished("infra_error", minutes=2)
    site.finished("passed", minutes=60 * 24 * 3)
    imported(make_sample())  # by no worker of the site
    assert finished.outcomes_since(site.ago(days=1)) == {"infra_error": 1, "passed": 1}
    hours = finished.by_hour()
    assert len(hours) == 24
    assert sum(sum(counts.values()) for _, counts in hours) == 2
    assert all(later - earlier == timedelta(hours=1) for (earlier, _), (later, _) in pairwise(hours))


def test_stage_seconds_are_those_of_the_newest_reports_without_what_is_no_number():
    site.finished(seconds={"build": 1.0, "trials": 2.0, "total": 9.0})
    site.finished(seconds={"build": 3.0, "trials": "long"})
    site.finished(seconds=["not", "a", "mapping"])
    build, trials = finished.stage_seconds()
    assert (build.stage, build.count, build.median_s, build.total_s) == ("build", 2, 2.0, 4.0)
    assert (trials.stage, trials.count, trials.p90_s) == ("trials", 1, 2.0)


def test_a_host_says_how_its_workers_are_and_which_words_are_not_known():
    worker = site.host(
        devices=[{"kind": "cuda", "state": "broken"}, {"kind": "tpu", "state": "<b>melting</b>"}],
        versions={"engine": "0.9.0"},
    )
    Worker.objects.create(
        name="gpu-7/b", host=worker.host, seen_at=site.ago(minutes=9), state="ready", healthy=True
    )
    Worker.objects.create(name="gpu-7/c", host=worker.host, seen_at=site.ago(minutes=9), state="stopped")
    [state] = hosts.states()
    assert state.worker_counts() == {"testing": 0, "ready": 1, "unhealthy": 0, "away": 1}
    assert dict(state.devices) == {("cuda", "broken"): 1, ("other", "other"): 1}
    assert (state.lanes, state.busy, state.broken_devices) == (4, 1, 1)
    assert state.other_engines == ["0.9.0"]
    assert "upgrade the host" in state.refusals()[0]
    assert not state.is_skewed


@pytest.mark.parametrize(("ahead_s", "skewed"), [(0, False), (-20, False), (-40, True), (300, True)])
def test_a_hosts_clock_is_compared_by_the_number_of_its_announcement(ahead_s, skewed):
    number = int((site.ago(seconds=5).timestamp() + ahead_s) * 1_000_000)
    site.host(sequence=number)
    [state] = hosts.states()
    assert abs(state.clock_skew.total_seconds() - ahead_s) < 2
    assert state.is_skewed is skewed


def test_hosts_take_two_queries_however_many(django_assert_num_queries):
    for name in ("one", "two", "three"):
        site.host(name)
    with django_assert_num_queries(2):
        assert [state.host.name for state in hosts.states()] == ["one", "three", "two"]


def test_jobs_are_counted_by_kind_and_failures_for_a_day():
    BulkAction.objects.create(action="tag")
    for days in (0, 2):
        BulkAction.objects.create(
            action="tag", state="failed", error=f"broke {days} days ago", finished_at=site.ago(days=days)
        )
    BulkAction.objects.create(action="tag", state="done", finished_at=timezone.now())
    counts = {job.kind: job for job in jobs.counts()}
    assert set(counts) == {
        *(
            "bulk",
            "export",
            "freeze",
            "ingest",
            "loop",
            "maintenance",
            "synthesis",
            "table",
            "undo",
            "webhook",
        )
    }
    assert (counts["bulk"].queued, counts["bulk"].running, counts["bulk"].failed) == (1, 0, 1)
    assert counts["bulk"].oldest is not None
    assert counts["export"].oldest is None
    assert [job.error for job in jobs.newest_failures(5)] == ["broke 0 days ago", "broke 2 days ago"]
    assert len(jobs.newest_failures(1)) == 1


def test_every_kind_of_job_is_there():
    assert Export in jobs.models().values()


def test_disks_and_database_have_sizes():
    data, temporary = disks.disks()
    assert (data.name, temporary.name) == ("data", "temporary")
    assert 0 < data.free_bytes <= data.size_bytes
    assert disks.database_bytes() >= 0
