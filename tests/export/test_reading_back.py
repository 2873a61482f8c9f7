"""Tests that each format's files of a release, read back, hold exactly what the format makes of the frozen rows."""

import os
import signal
from functools import partial
from multiprocessing import get_context

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import FORMATS, request_export
from datasets_app.export.columns import file_row
from datasets_app.export.finish import finish_files, write_into
from datasets_app.export.request import name_of
from datasets_app.export.rows import release_rows
from datasets_app.export.store import release_files
from datasets_app.export.write import write_rows
from datasets_app.models import Export, JobState, Release
from tests.curate.store import frozen, small_store
from tests.export import reading
from tests.export.releases import release_for_every_format
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
READERS = {"jsonl": reading.lines, "parquet": reading.parquet, "arrow": reading.arrow, "csv": reading.table}


def files_of(release, format):
    """Write the format's files; return them by path."""
    request_export(release, format, COMMAND)
    finish_files(release)
    return {file.path: file for file in release.exports.filter(format=format)}


def read(release, file):
    data = (reading.folder(release) / file.path).read_bytes()
    return READERS[FORMATS[file.format].suffix](data)


def records(release, file):
    rows = release_rows(release, file.first_position, file.row_count)
    return list(FORMATS[file.format].records(map(file_row, rows)))


@pytest.fixture(scope="module")
def stored(request):
    with shared_rows(request, release_for_every_format):
        yield


@pytest.fixture
def release(db, stored):
    return Release.objects.get(name="first")


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_read_back_is_the_release(release, format):
    files = files_of(release, format).values()
    assert files
    for file in files:
        assert read(release, file) == records(release, file)
        assert file.record_count == len(read(release, file)) > 0


@pytest.mark.parametrize("format", ["jsonl", "parquet", "arrow", "csv"])
def test_every_row_is_in_the_file_of_its_split_and_no_task_in_two(format):
    small_store()
    release = frozen("second")
    rows = {file.split: read(release, file) for file in files_of(release, format).values()}
    assert {split: len(found) for split, found in rows.items()} == release.split_counts
    assert all(row["split"] == split for split, found in rows.items() for row in found)
    stored = list(release.rows.order_by("position").values_list("split", "sample"))
    # Not the order of the counts: PostgreSQL keeps their names in another one.
    in_order = dict.fromkeys(split for split, _ in stored)
    assert [row["uuid"] for split in in_order for row in rows[split]] == [str(pk) for _, pk in stored]
    tasks = [{row["task_id"] for row in found} for found in rows.values()]
    assert sum(map(len, tasks)) == len(set.union(*tasks))


def killed_after_its_first_bytes(name, write):
    """Write a file as the site's worker does, until some bytes are on the disk; then die as by kill -9."""

    def fill(stream):
        writing = stream.write

        def write_and_die(data):
            writing(data)
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)

        stream.write = write_and_die
        write(stream)

    return release_files().write(name, fill)


@pytest.mark.parametrize("format", FORMATS)
def test_a_writer_that_is_killed_leaves_no_half_file_and_the_next_makes_the_same_bytes(
    release, format, tmp_path, monkeypatch
):
    whole = {file["sha256"] for file in write_into(release, format, tmp_path / "undisturbed")}
    (queued,) = request_export(release, format, COMMAND)
    rows = [file_row(row) for row in release_rows(release, queued.first_position, queued.row_count)]
    monkeypatch.setattr(
        "datasets_app.export.write.counted_rows", lambda *_: iter(rows)
    )  # no database in the child
    into = partial(killed_after_its_first_bytes, name_of(release, queued.path))
    child = get_context("fork").Process(target=write_rows, args=(queued, into, lambda done: None))
    child.start()
    child.join()
    monkeypatch.undo()
    assert child.exitcode == -signal.SIGKILL
    path = reading.folder(release) / queued.path
    (half,) = path.parent.iterdir()
    assert not path.exists()
    assert half.stat().st_size > 0
    finish_files(release)
    done = Export.objects.get(pk=queued.pk)
    assert (done.state, {done.sha256}) == (JobState.DONE, whole)
    assert [found.name for found in path.parent.iterdir()] == [path.name]
