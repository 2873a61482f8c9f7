"""Tests that SQLite's log is written back while rows are stored, and does not grow with the rows."""

from pathlib import Path

import pytest
from django.db import connection

from datasets_app.ingest import checkpoints
from datasets_app.ingest.checkpoints import Checkpoints, pragma
from datasets_app.models import Source

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL writes its log back by itself"),
]
PORTION_BYTES = 2**20


def store_something(number: int) -> None:
    Source.objects.create(name=f"source {number}", url="x" * 400)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS filler (bytes blob)")
        cursor.execute(f"INSERT INTO filler VALUES (zeroblob({PORTION_BYTES}))")


@pytest.fixture
def filler():
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS filler")


def log_bytes() -> int:
    return Path(f"{checkpoints.path_of_log_keeper()}-wal").stat().st_size


def test_the_log_begins_anew_every_few_portions(filler):
    pragma("wal_checkpoint(TRUNCATE)")
    with Checkpoints() as beside:
        for number in range(4 * checkpoints.PORTIONS):
            store_something(number)
            beside.stored()
    assert log_bytes() < 2 * checkpoints.PORTIONS * PORTION_BYTES
    assert Source.objects.filter(name__startswith="source").count() == 4 * checkpoints.PORTIONS


def test_afterwards_the_connection_writes_back_by_itself_as_before():
    before = pragma("wal_autocheckpoint")
    with Checkpoints():
        assert pragma("wal_autocheckpoint") == 0
    assert pragma("wal_autocheckpoint") == before > 0


def test_a_disk_that_fails_the_log_fails_the_storing(monkeypatch):
    def broken(_):
        raise OSError("no space left")

    monkeypatch.setattr(checkpoints, "write_back", broken)
    with Checkpoints() as beside:
        for _ in range(checkpoints.PORTIONS - 1):
            beside.stored()
        with pytest.raises(OSError, match="no space left"):
            beside.stored()
