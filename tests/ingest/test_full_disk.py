"""Tests that an ingest on a full disk keeps its rows, waits for space, and continues where it stopped."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from datasets_app.ingest import run_ingest
from datasets_app.models import Ingest, Sample
from tests.ingest.conftest import concur_row

pytestmark = pytest.mark.django_db(transaction=True)
only_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="it fills SQLite's own file")


def row(number: int) -> dict:
    return {**concur_row(number), "generated_think": f"{number} " * 2000}


@pytest.fixture
def rows_file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row(number)) + "\n" for number in range(300)))
    return path


def pages() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        return cursor.fetchone()[0]


def limit(count: int) -> None:
    """Set SQLite's own limit on its file: a write that needs another page is refused as on a full disk."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count={count}")


@pytest.fixture
def packed_database():
    """Remove free pages, which earlier tests may have left and which writes could use."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    yield
    limit(2**30)


@pytest.fixture
def full_database(packed_database):
    limit(pages() + 1)


@only_sqlite
def test_an_ingest_on_a_full_disk_waits_says_why_and_is_finished_when_there_is_room(
    rows_file, packed_database
):
    limit(pages() + 40)
    with pytest.raises(CommandError, match=r"Waiting for disk space\. The disk of the .* is full"):
        call_command("ingest", str(rows_file), "--format", "concur")
    ingest = Ingest.objects.get()
    assert (ingest.state, ingest.attempt) == ("queued", 0)
    assert Sample.objects.count() == ingest.new_samples
    limit(2**30)
    run_ingest(ingest.pk)
    ingest.refresh_from_db()
    assert (ingest.state, ingest.rows, ingest.error) == ("done", 300, "")
    assert Sample.objects.count() == 300


@only_sqlite
def test_a_write_on_a_full_disk_is_507_with_a_sentence_and_a_page_still_opens(
    annotator, administrator, full_database, settings
):
    annotator.raise_request_exception = administrator.raise_request_exception = False
    label = "x" * 60
    answers = [annotator.post("/account/tokens/", {"label": label}) for _ in range(60)]
    assert {answer.status_code for answer in answers} <= {201, 507}
    refused = answers[-1]
    assert refused.status_code == 507
    assert f"data folder {settings.DATA_DIR} is full" in refused.content.decode()
    assert annotator.get("/account/").status_code == 200
    part = annotator.post("/account/tokens/", {"label": label}, headers={"HX-Request": "true"})
    assert part["Content-Type"].startswith("text/plain")
    told = annotator.post("/account/tokens/", {"label": label}, headers={"Accept": "application/json"})
    assert told.json()["detail"].startswith("The disk of the")
