"""Write one file of a release: a stream of rows into a file that appears whole, with its hash and count."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO, cast

from django.db import transaction

from datasets_app.disk_space import when_there_is_room
from datasets_app.export import package
from datasets_app.export.archive import hash_archive
from datasets_app.export.columns import file_row
from datasets_app.export.files import HashingStream, Written
from datasets_app.export.formats import FORMATS
from datasets_app.export.options import parse
from datasets_app.export.request import ExportError, name_of
from datasets_app.export.rows import release_rows
from datasets_app.export.store import release_files
from datasets_app.jobs import job_row
from datasets_app.jobs.heartbeat import Heartbeat
from datasets_app.jobs.run import run_claimed
from datasets_app.models import Export, WebhookEvent
from datasets_app.models.release import ARCHIVE
from datasets_app.webhooks.events import record_export

logger = logging.getLogger(__name__)
Into = Callable[[Callable[[HashingStream], object]], Written]


def run_export(export_id: object) -> None:
    """Do the work of a queued export, then bring the release's card and lists up to date."""
    row = job_row.claim(Export, export_id)
    if row is not None and row.format == ARCHIVE:
        run_claimed(row, hash_archive, (ExportError, OSError))
        return
    run_claimed(row, write_export, (ExportError, OSError))
    if row is not None:
        when_there_is_room(lambda: package.refresh(row.release))


def write_export(export: Export) -> None:
    beat = Heartbeat(export)
    into = partial(release_files().write, name_of(export.release, export.path))
    written, records = write_rows(export, into, lambda done: beat(rows_written=done))
    with transaction.atomic():
        job_row.finish(
            export,
            **written.facts,
            rows_written=export.row_count,
            record_count=records,
        )
        record_export(WebhookEvent.EXPORT_FINISHED, export)


@job_row.on_failure(Export)
def tell_failure(export: Export) -> None:
    record_export(WebhookEvent.EXPORT_FAILED, export)


def write_rows(export: Export, into: Into, report_progress: Callable[[int], None]) -> tuple[Written, int]:
    """Write what the format makes of the rows of `export`, and return the number of records with the file.

    `into` opens the file's stream, lets a function fill it, and makes the file appear: every format's files come so.

    Raises ExportError if the number of rows is not the release's, or if they make no record.
    """
    made = FORMATS[export.format]
    options = parse(made.takes, export.options)
    records = 0

    def write(stream: HashingStream) -> None:
        nonlocal records
        writer = made.open(cast(BinaryIO, stream), options)
        for record in made.records(counted_rows(export, report_progress), options):
            writer.write(record)
            records += 1
        writer.close()
        if export.row_count and not records:
            raise ExportError(f"{export.path}: {made.nothing}")

    return into(write), records


def counted_rows(export: Export, report_progress: Callable[[int], None]) -> Iterator[dict[str, Any]]:
    done = 0
    for done, row in enumerate(release_rows(export.release, export.first_position, export.row_count), 1):
        yield file_row(row)
        report_progress(done)
    if done != export.row_count:
        raise ExportError(f"{export.path} holds {done} rows where the release says {export.row_count}.")
