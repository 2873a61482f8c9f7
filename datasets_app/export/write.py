"""Write one file of a release: a stream of rows into a file that appears whole, with its hash and count."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

from datasets_app.disk_space import when_there_is_room
from datasets_app.export import package
from datasets_app.export.columns import file_row
from datasets_app.export.files import HashingStream, Written, write_whole
from datasets_app.export.formats import FORMATS
from datasets_app.export.request import ExportError, folder
from datasets_app.export.rows import release_rows
from datasets_app.jobs import job_row
from datasets_app.jobs.heartbeat import Heartbeat
from datasets_app.jobs.run import run_claimed
from datasets_app.models import Export

logger = logging.getLogger(__name__)


def run_export(export_id: object) -> None:
    """Do the work of a queued export, then bring the release's card and lists up to date."""
    row = job_row.claim(Export, export_id)
    run_claimed(row, write_export, (ExportError, OSError))
    if row is not None:
        when_there_is_room(lambda: package.refresh(row.release))


def write_export(export: Export) -> None:
    beat = Heartbeat(export)
    written = write_rows(export, folder(export.release) / export.path, lambda done: beat(rows_written=done))
    job_row.finish(
        export, size_bytes=written.size_bytes, sha256=written.sha256, rows_written=export.row_count
    )


def write_rows(export: Export, path: Path, report_progress: Callable[[int], None]) -> Written:
    """Write the rows of `export` to `path`. Raises ExportError if their number is not the release's."""

    def write(stream: HashingStream) -> None:
        writer, done = FORMATS[export.format].open(cast(BinaryIO, stream)), 0
        for done, row in enumerate(release_rows(export.release, export.first_position, export.row_count), 1):
            writer.write(file_row(row))
            report_progress(done)
        writer.close()
        if done != export.row_count:
            raise ExportError(f"{export.path} holds {done} rows where the release says {export.row_count}.")

    return write_whole(path, write)
