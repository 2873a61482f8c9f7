"""Tests of a disk that has become read-only: the site still reads, says so in words, and jobs wait for it."""

import errno
import sqlite3

import pytest
from django.db import connection

from datasets_app import disk_space
from datasets_app.disk_space import errors
from datasets_app.disk_space.errors import is_read_only
from datasets_app.disk_space.room import is_mounted_read_only
from datasets_app.jobs import job_row
from datasets_app.jobs.run import run_claimed
from datasets_app.models import BulkAction, JobState

READ_ONLY = OSError(errno.EROFS, "Read-only file system")


def readonly_error():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE one (n)")
    connection.execute("PRAGMA query_only = ON")
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("INSERT INTO one VALUES (1)")
    connection.close()
    return caught.value


@pytest.fixture
def read_only(monkeypatch):
    """Say that the data folder's file system is mounted read-only."""
    monkeypatch.setattr(errors, "is_mounted_read_only", lambda: True)


@pytest.mark.any_database
def test_the_real_data_folder_is_asked(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    assert not is_mounted_read_only()
    assert not disk_space.is_out_of_space(readonly_error())


@pytest.mark.any_database
@pytest.mark.usefixtures("read_only")
@pytest.mark.parametrize("error", [READ_ONLY, readonly_error()], ids=["system", "sqlite"])
def test_it_is_recognised_and_told_apart_from_a_full_one(error):
    assert disk_space.is_out_of_space(error)
    assert is_read_only(error)
    text = disk_space.sentence(error)
    assert "is read-only, so this was not stored" in text
    assert "dmesg" in text
    assert "Free some space" not in text
    full = OSError(errno.ENOSPC, "No space left on device")
    assert not is_read_only(full)
    assert "Free some space" in disk_space.sentence(full)


@pytest.mark.any_database
@pytest.mark.parametrize("error", [OSError(errno.EACCES, "Permission denied"), ValueError("readonly"), None])
def test_other_errors_are_none(error):
    assert not is_read_only(error)
    assert not disk_space.is_out_of_space(error)


@pytest.mark.django_db
def test_a_job_waits_until_the_disk_can_be_written_and_no_attempt_is_lost():
    row = BulkAction.objects.create(action="tag")

    def work(claimed):
        raise READ_ONLY

    run_claimed(job_row.claim(BulkAction, row.pk), work, ())
    row.refresh_from_db()
    assert (row.state, row.attempt) == (JobState.QUEUED, 0)
    assert "is read-only" in row.error


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's own error")
@pytest.mark.django_db
def test_pages_are_read_and_forms_answered_507(curator, read_only):
    curator.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
    try:
        assert curator.get("/browse/tags/").status_code == 200
        answer = curator.post("/browse/tags/save/", {"name": "fine", "colour": "green"})
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = OFF")
    assert answer.status_code == 507
    assert "is read-only" in answer.content.decode()
