"""Tests of the limits on a file while it is read: rows, decoded bytes, parts, empty lines, disk space."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from datasets_app.ingest import IngestError, Record, Refusal, budget, columnar, limits
from datasets_app.ingest.text_tables import bounded_lines
from datasets_app.models import Ingest
from tests.ingest.conftest import ingest_file, workbench_row, write_lines

MEGABYTE = 2**20


def repeated(text: str, rows: int) -> pa.Table:
    """Return a file with one text that is stored once and referenced by every row."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))
    return pa.table(dict.fromkeys(("pytorch_code", "kernel_code"), column))


@pytest.mark.django_db
def test_a_file_of_more_rows_than_allowed_ends_with_what_went_in(tmp_path, settings):
    settings.INGEST_ROWS = 3
    ingest = ingest_file(write_lines(tmp_path / "rows.jsonl", [workbench_row(n) for n in range(5)]))
    assert (ingest.state, ingest.new_samples) == ("failed", 3)
    assert "more than 3 rows" in ingest.error
    assert "CONCUR_INGEST_ROWS" in ingest.error


@pytest.mark.django_db
def test_a_text_that_is_stored_once_and_meant_in_every_row_counts_in_every_row(
    tmp_path, settings, monkeypatch
):
    monkeypatch.setattr(budget, "SMALL_BYTES", MEGABYTE)
    settings.INGEST_RATIO = 20
    pq.write_table(repeated("x" * 10_000, 400), tmp_path / "rows.parquet", compression="zstd")
    ingest = ingest_file(tmp_path / "rows.parquet", "workbench")
    assert ingest.state == "failed"
    assert f"decode to more than {MEGABYTE:,}" in ingest.error


def test_a_text_that_is_stored_once_is_held_once(tmp_path, monkeypatch):
    held = []
    monkeypatch.setattr(columnar, "items_of", lambda batch, line: held.append(batch.nbytes) or [])
    table = repeated("x" * MEGABYTE, 64)
    pq.write_table(table, tmp_path / "rows.parquet", compression="zstd", store_schema=False)
    assert list(columnar.parquet(tmp_path / "rows.parquet")) == []
    assert sum(held) < 3 * MEGABYTE


def test_rows_become_values_only_as_many_at_once_as_their_texts_allow(monkeypatch):
    monkeypatch.setattr(limits, "MAX_RECORD_BYTES", 1000)
    made, rows_of = [], columnar.rows_of
    monkeypatch.setattr(
        columnar, "rows_of", lambda piece, *more: made.append(piece.num_rows) or rows_of(piece, *more)
    )
    batch = pa.record_batch({"kernel_code": ["x" * 400] * 5 + ["x" * 1001]})
    items = list(columnar.items_of(batch, 0))
    assert max(made) == 2
    assert [type(item) for item in items] == [Record] * 5 + [Refusal]
    assert items[-1].reason == "The row holds 1,001 bytes of text; the limit is 1,000."


def test_a_part_of_an_arrow_stream_that_claims_too_much_is_refused_before_it_is_read():
    with pytest.raises(IngestError, match="claims a part of"):
        columnar.Parts(io.BytesIO(b"x")).read(limits.MAX_PART_BYTES + 1)


def test_empty_lines_without_end_are_given_up(monkeypatch):
    monkeypatch.setattr(limits, "MAX_BLANK_LINES", 10)
    with pytest.raises(IngestError, match="more than 10 empty lines in a row, up to line 12"):
        list(bounded_lines(io.BytesIO(b"{}\n" + b"\n" * 11)))


@pytest.mark.django_db
@pytest.mark.parametrize(("address", "field"), [("/ingest/", "files"), ("/api/v1/ingests/", "file")])
def test_an_upload_that_the_disk_has_no_room_for_is_507_before_it_is_stored(
    curator, settings, address, field
):
    settings.FREE_DISK_BYTES = 2**60
    answer = curator.post(address, {field: [SimpleUploadedFile("rows.jsonl", b"{}\n")]})
    assert answer.status_code == 507
    assert "Nothing was stored: make room, then upload it again." in answer.content.decode()
    assert not Ingest.objects.exists()
