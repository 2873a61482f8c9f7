"""Tests of a release's files: their content, their completeness, and the little memory that writing takes."""

import hashlib
import io
import json
import os
import subprocess
import time
import tracemalloc

import pyarrow.parquet as pq
import pytest
from django.db import connection

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import FORMATS, request_export, write_samples
from datasets_app.export.columns import NAMES
from datasets_app.export.files import HashingStream, delete_left, write_whole
from datasets_app.export.finish import finish_files, write_into
from datasets_app.export.request import ExportError
from datasets_app.export.store.local import LocalStore
from datasets_app.export.write import run_export
from datasets_app.models import Export, JobState, Sample
from tests.curate.store import frozen, passed, small_store
from tests.export.reading import folder, row, written
from tests.factories import make_sample
from tests.verifications import verified

pytestmark = pytest.mark.django_db
CONCUR_COLUMNS = (
    "uuid",
    "problem_name",
    "pytorch_code",
    "generated_think",
    "generated_code",
    "speedup_over_eager",
)


def json_rows(folder, split="train"):
    return [json.loads(line) for line in (folder / "first/jsonl" / f"{split}.jsonl").open()]


def test_concurs_columns_stand_first():
    assert NAMES[:6] == CONCUR_COLUMNS


def test_what_was_frozen_is_exported_though_the_sample_changed_since():
    sample = passed(speedup=3)
    made = frozen()
    verified(sample, "cheated", days=1)
    finish_files(made)
    stream = [row for split in made.split_counts for row in write_into_rows(made, split)]
    assert stream[0]["outcome"] == "passed"
    assert stream[0]["speedup_over_eager"] == 3.0


def write_into_rows(made, split):

    return [json.loads(line) for line in (folder(made) / f"jsonl/{split}.jsonl").open()]


def test_parquet_has_small_zstd_row_groups_and_a_page_index(tmp_path):
    path = tmp_path / "x.parquet"
    with path.open("wb") as file:
        writer = FORMATS["parquet"].open(file)
        for number in range(2500):
            writer.write(dict.fromkeys(NAMES) | {"uuid": str(number)})
        writer.close()
    meta = pq.ParquetFile(path).metadata
    assert [meta.row_group(n).num_rows for n in range(meta.num_row_groups)] == [1000, 1000, 500]
    assert meta.row_group(0).column(0).compression == "ZSTD"
    assert meta.row_group(0).column(0).has_offset_index


def test_a_split_with_many_rows_lies_in_several_parquet_files(monkeypatch, export_folder):
    monkeypatch.setattr(type(FORMATS["parquet"]), "rows_a_file", 4)
    small_store()
    made = frozen()
    finish_files(made)
    paths = [e.path for e in made.exports.filter(format="parquet", split="train").order_by("path")]
    count = -(-made.split_counts["train"] // 4)
    assert paths == [f"data/train-{n:05d}-of-{count:05d}.parquet" for n in range(count)]
    rows = [row for path in paths for row in pq.read_table(export_folder / "first" / path).to_pylist()]
    assert rows == json_rows(export_folder)


def test_an_unknown_format_and_an_unfinished_release_are_refused():
    passed()
    made = frozen()
    with pytest.raises(ExportError, match="jsonl, parquet"):
        request_export(made, "xlsx", COMMAND)
    made.state = JobState.RUNNING
    with pytest.raises(ExportError, match="when it is done"):
        request_export(made, "jsonl", COMMAND)


def test_a_row_that_is_missing_fails_the_file_and_leaves_none_behind(export_folder):
    passed()
    made = frozen()
    export = made.exports.filter(format="jsonl").get()
    Export.objects.filter(pk=export.pk).update(row_count=2)
    run_export(export.pk)
    export.refresh_from_db()
    assert export.state == JobState.FAILED
    assert "1 rows where the release says 2" in export.error
    assert not list(export_folder.rglob("*.jsonl*"))


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_samples_can_be_written_without_a_release(format):
    wanted = [make_sample(), passed()]
    make_sample()
    stream = io.BytesIO()
    assert write_samples(Sample.objects.filter(pk__in=[s.pk for s in wanted]), format, stream) == 2
    data = stream.getvalue()
    rows = (
        [json.loads(line) for line in data.splitlines()]
        if format == "jsonl"
        else pq.read_table(io.BytesIO(data)).to_pylist()
    )
    assert {row["uuid"] for row in rows} == {str(s.pk) for s in wanted}
    assert tuple(rows[0]) == NAMES


def test_memory_stays_flat_however_many_rows_there_are(tmp_path):
    """360 rows of 256 KB are 93 MB of text; one chunk and one row group fit in far less."""
    for number in range(360):
        make_sample(reasoning=f"{number} " + "think " * 43_000, trace_tokens=43_000)
    made = frozen(definition={"version": 1, "rules": []})
    for format in ("jsonl", "parquet"):
        written(format, [row()])  # what is imported at the first writing is not of the rows
        tracemalloc.start()
        write_into(made, format, tmp_path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 45e6, f"{format}: {peak / 1e6:.0f} MB"
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.jsonl")) > 90e6


def test_a_hashing_stream_says_how_many_bytes_each_write_took():
    kept = io.BytesIO()
    stream = HashingStream(kept)
    assert [stream.write(b"ab"), stream.write(b"cde")] == [2, 3]
    assert (stream.size, stream.sha256.hexdigest()) == (5, hashlib.sha256(kept.getvalue()).hexdigest())


def test_what_a_killed_attempt_left_is_deleted_by_the_next(tmp_path):
    with subprocess.Popen(["/bin/true"]) as ended:
        pass
    (tmp_path / f".train.jsonl-{ended.pid}-d184").write_text("half a ro")
    others = [f".train.jsonl-{os.getpid()}-d184", f".other.jsonl-{ended.pid}-d184"]
    for name in others:
        (tmp_path / name).write_text("of a writer that goes on, or of another file")
    write_whole(tmp_path / "train.jsonl", lambda stream: stream.write(b"{}\n"))
    assert {path.name for path in tmp_path.iterdir()} == {"train.jsonl", *others}


def test_what_killed_writers_left_anywhere_is_deleted_an_hour_later(tmp_path):
    with subprocess.Popen(["/bin/true"]) as ended:
        pass
    folder = tmp_path / ".selections" / "7.parts"
    folder.mkdir(parents=True)
    left = [tmp_path / f".a-b.csv-{ended.pid}-0123456789ab", folder / f".000001-{ended.pid}-0123456789ab"]
    kept = [
        tmp_path / f".train.jsonl-{os.getpid()}-0123456789ab",  # its writer runs
        tmp_path / f"train.jsonl-{ended.pid}-0123456789ab",
        tmp_path / ".gitattributes",
        tmp_path / f".notes-{ended.pid}-of-a-person",
    ]
    for path in (*left, *kept):
        path.write_text("half a ro")
        os.utime(path, (time.time() - 3700,) * 2)
    fresh = folder / f".fresh-{ended.pid}-0123456789ab"
    fresh.write_text("of a writer in another container, for all that is known here")
    delete_left(tmp_path)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {*kept, fresh}
    delete_left(tmp_path / "nowhere")


def test_no_transaction_is_open_while_a_file_is_written(monkeypatch):
    """On SQLite every other writer would wait for it, and a bucket may take a minute to fail."""
    small_store()
    release = frozen()
    finish_files(release)
    plain, opened = LocalStore.write, {}

    def write(store, name, fill):
        opened[name] = list(connection.savepoint_ids)  # beyond the test's own transaction
        return plain(store, name, fill)

    monkeypatch.setattr(LocalStore, "write", write)
    request_export(release, "csv", COMMAND)
    finish_files(release)
    assert len(opened) > 4
    assert not any(opened.values())
