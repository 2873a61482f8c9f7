"""Tests that an export holds the state of one moment, whatever changes while it is written."""

import json
import os

import pytest
from django.db import connection

from datasets_app import bulk
from datasets_app.bulk import Target
from datasets_app.bulk.run import run_bulk
from datasets_app.bulk.verbs import exporting
from datasets_app.bulk.verbs.exporting import file_of
from datasets_app.db.snapshot import read_snapshot
from datasets_app.jobs import job_row
from datasets_app.models import BulkAction, Sample, SampleBody
from tests.factories import acting, make_sample, make_user
from tests.ingest.test_memory_and_speed import in_another_thread


@pytest.fixture
def export(settings, tmp_path, monkeypatch):
    """Export one generator's samples, in groups of two; `meanwhile` runs after the first group."""
    settings.EXPORT_DIR = tmp_path
    monkeypatch.setattr(exporting.ExportSamples, "group", 2)

    def ask(meanwhile) -> tuple[BulkAction, list[dict]]:
        waiting = bulk.start(acting(make_user("annotator")), "export", Target.of_query("generator=alpha"), {})
        real, calls = exporting.write_group, iter(range(99))

        def write_group(*args):
            if next(calls) == 1:
                meanwhile()
            return real(*args)

        monkeypatch.setattr(exporting, "write_group", write_group)
        run_bulk(waiting.pk)
        waiting.refresh_from_db()
        return waiting, [json.loads(line) for line in file_of(waiting).open()]

    return ask


def matching() -> Sample:
    return make_sample(generator="alpha")


@pytest.mark.django_db
def test_rows_that_change_while_an_export_runs_are_written_as_they_were(export):
    samples = [matching() for _ in range(5)]
    others = [make_sample() for _ in range(4)]

    def change():
        Sample.objects.filter(pk=samples[4].pk).update(generator="beta")
        Sample.objects.filter(pk__in=[other.pk for other in others]).update(generator="alpha")

    done, rows = export(change)
    assert [row["id"] for row in rows] == [str(sample.pk) for sample in samples]
    assert {row["generator"] for row in rows} == {"alpha"}
    assert (done.state, done.total, done.seen, done.changed) == ("done", 5, 5, 5)


@pytest.mark.django_db
def test_rows_that_come_to_match_before_it_begins_are_counted_and_not_only_written(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    matching()
    other = make_sample()
    waiting = bulk.start(acting(make_user("annotator")), "export", Target.of_query("generator=alpha"), {})
    Sample.objects.filter(pk=other.pk).update(generator="alpha")
    run_bulk(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.total, waiting.changed, len(file_of(waiting).read_text().splitlines())) == (2, 2, 2)


@pytest.mark.django_db
def test_samples_that_are_deleted_meanwhile_are_missing_and_the_note_says_how_many(export):
    samples = [matching() for _ in range(4)]

    def delete():
        SampleBody.objects.filter(sample=samples[3]).delete()
        samples[3].delete()

    done, rows = export(delete)
    assert len(rows) == done.changed == 3
    assert "1 sample of 4 deleted meanwhile" in done.result["note"]


@pytest.mark.django_db
def test_an_export_leaves_no_working_files(export, tmp_path, django_capture_on_commit_callbacks):
    for _ in range(3):
        matching()
    with django_capture_on_commit_callbacks(execute=True):
        done, _ = export(lambda: None)
    assert [path.name for path in (tmp_path / ".selections").iterdir()] == [f"{done.pk}.jsonl"]


@pytest.mark.django_db
def test_an_export_whose_worker_ends_before_it_is_recorded_is_written_again_with_all_rows(
    export, tmp_path, monkeypatch
):
    samples = [matching() for _ in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(job_row, "finish", lambda *args, **results: lost_lease())
        interrupted, _ = export(lambda: None)
    BulkAction.objects.filter(pk=interrupted.pk).update(state="queued", lease_until=None)
    run_bulk(interrupted.pk)
    interrupted.refresh_from_db()
    assert (interrupted.state, interrupted.changed) == ("done", 3)
    assert [json.loads(line)["id"] for line in file_of(interrupted).open()] == [str(s.pk) for s in samples]


def lost_lease() -> None:
    raise job_row.LeaseLostError("its lease ended while the parts were joined")


@pytest.mark.django_db
def test_what_an_export_that_failed_left_is_deleted_after_a_week(export, tmp_path):
    matching()
    left = tmp_path / ".selections" / "some.parts"
    left.mkdir(parents=True)
    (left / "000000000000.jsonl").write_text("{}")
    os.utime(left, (0, 0))
    export(lambda: None)
    assert not left.exists()


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_sees_one_moment_and_keeps_no_writer_waiting():
    matching()
    with read_snapshot():
        assert Sample.objects.filter(generator="alpha").count() == 1
        in_another_thread(lambda: Sample.objects.update(generator="beta"))
        assert Sample.objects.filter(generator="alpha").count() == 1
    assert Sample.objects.filter(generator="alpha").count() == 0
    assert not connection.in_atomic_block
