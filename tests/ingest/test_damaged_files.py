"""Tests that a file damaged in the middle keeps its ingested rows and fails with a message."""

import gzip
import json
import random

import pyarrow.parquet as pq
import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import IngestError, limits, start_ingests
from datasets_app.ingest.recognition import UnknownFormatError
from datasets_app.models import Ingest, MaintenanceKind, MaintenanceRun, Sample
from tests.ingest.conftest import concur_row, ingest_file, items_of, workbench_row, write_lines
from tests.ingest.test_formats import as_parquet

pytestmark = pytest.mark.django_db


def test_a_truncated_gz_keeps_the_rows_before_the_break(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "BATCH_ROWS", 10)
    noise = random.Random(1)
    rows = [concur_row(n, note=noise.randbytes(9000).hex()) for n in range(100)]
    whole = gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    ingest = ingest_file(path)
    assert ingest.state == "failed"
    assert "breaks off" in ingest.error
    assert 10 <= ingest.new_samples == Sample.objects.count() < 60


def test_a_json_array_that_breaks_off_keeps_the_rows_before(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "BATCH_ROWS", 2)
    path = tmp_path / "a.json"
    path.write_text(json.dumps([concur_row(n) for n in range(5)])[:-200])
    ingest = ingest_file(path)
    assert (ingest.state, ingest.new_samples) == ("failed", 4)  # all rows before the damage
    assert "breaks off in row 5" in ingest.error


def test_samples_before_the_break_are_compared_with_others_as_well(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([concur_row(n) for n in range(5)])[:-200])
    assert ingest_file(path).new_samples == 4
    assert MaintenanceRun.objects.filter(kind=MaintenanceKind.NEIGHBOURS).exists()


@pytest.mark.parametrize(
    "text",
    [
        "[{first}]\n[{second}]",
        "[{first}] {second}",
        '{{"level1": [{first}]}}\n{{"level2": [{second}]}}',
        '{{"1": {first}}}\n{{"2": {second}}}',
    ],
)
def test_json_that_goes_on_after_its_end_keeps_the_rows_before_and_says_so(text, tmp_path):
    first, second = (json.dumps(concur_row(n)) for n in range(2))
    path = tmp_path / "a.json"
    path.write_text(text.format(first=first, second=second).replace('{"level', '{\n"level'))
    ingest = ingest_file(path, "concur")
    assert (ingest.state, ingest.new_samples) == ("failed", 1)
    assert "after its end" in ingest.error


def test_a_parquet_file_without_its_end_fails_with_a_sentence(tmp_path):
    path = as_parquet(tmp_path / "a.parquet", [concur_row(1)])
    path.write_bytes(path.read_bytes()[:-20])
    ingest = ingest_file(path, "concur")
    assert ingest.state == "failed"
    assert "The Parquet file is damaged" in ingest.error


def test_a_damaged_page_in_a_parquet_file_keeps_the_row_groups_before(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "BATCH_ROWS", 5)
    import pyarrow as pa

    path = tmp_path / "a.parquet"
    table = pa.Table.from_pylist([concur_row(n) for n in range(40)])
    pq.write_table(table, path, row_group_size=20, compression="zstd")
    offset = pq.ParquetFile(path).metadata.row_group(1).column(2).data_page_offset
    content = bytearray(path.read_bytes())
    content[offset : offset + 40] = b"\xee" * 40
    path.write_bytes(bytes(content))
    ingest = ingest_file(path, "concur")
    assert ingest.state == "failed"
    assert ingest.new_samples == 20


def test_an_empty_file_is_not_taken(tmp_path):
    path = tmp_path / "a.jsonl"
    path.touch()
    with pytest.raises(IngestError, match="is empty"):
        ingest_file(path)
    assert not Ingest.objects.exists()


def test_a_file_that_no_format_knows_gets_the_formats_and_its_own_columns(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{"alpha": 1, "beta": 2}])
    with pytest.raises(UnknownFormatError, match="alpha, beta") as error:
        items_of(path)
    assert "kernelbook (python_code, triton_code)" in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("odd.bin", bytes(range(256)) * 9, "It is neither a table of rows"),
        ("cut.jsonl.gz", gzip.compress(bytes(range(256)) * 99)[:60], "The file breaks off or is damaged"),
        ("cut.parquet", b"PAR1 and no more", "The Parquet file is damaged"),
        ("sheet.csv", b"program;kernel\n1;2\n", "Its columns seem to be separated by semicolons"),
        ("sheet.tsv", b"program\tkernel\n1\t2\n", "Its columns seem to be separated by tabs"),
    ],
    ids=["random bytes", "broken off", "damaged", "semicolons", "tabs"],
)
def test_a_file_that_cannot_be_read_says_why_and_offers_no_format(curator, tmp_path, name, content, cause):
    path = tmp_path / name
    path.write_bytes(content)
    ingest = ingest_file(path)
    assert ingest.error.startswith(f"The file cannot be read. {cause}")
    assert (ingest.is_unreadable, ingest.shown_state) == (True, "unreadable")
    page = curator.get(ingest.get_absolute_url()).content.decode()
    assert "upload it again" in page
    assert 'href="/ingest/#formats">formats that are read' in page
    assert "Map columns" not in page
    assert "kernelbook" not in page


def test_a_file_that_two_formats_know_is_not_guessed(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{**workbench_row(1), **concur_row(1)}])
    with pytest.raises(UnknownFormatError, match="could be concur and workbench"):
        items_of(path)


def test_an_unknown_file_waits_for_a_person_who_says_what_its_columns_mean(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{"alpha": 1}])
    ingest = ingest_file(path)
    assert ingest.needs_a_choice


def test_a_format_nobody_heard_of_is_an_error_with_the_names(tmp_path):
    from datasets_app.ingest import IncomingFile

    path = write_lines(tmp_path / "a.jsonl", [concur_row(1)])
    with pytest.raises(IngestError, match="Formats: concur"):
        start_ingests([IncomingFile(path, "a.jsonl", "conqueror")], COMMAND, in_background=False)
