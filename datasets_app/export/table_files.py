"""Files of tables (tables.py) that a worker writes: asked for, written, kept for a week.

The ids of chosen rows are stored in a file when they are asked for, so that the choice holds whatever the list shows
later. A row is written as it is at that moment; one that was deleted meanwhile is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.export.files import HashingStream, write_whole
from datasets_app.export.tables import TABLES, WRITABLE, WRITERS, TableError, checked_format
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import enqueue
from datasets_app.jobs.heartbeat import Heartbeat
from datasets_app.jobs.run import run_claimed
from datasets_app.models import TableExport

TASK = "datasets_app.write_table"
KEPT_SECONDS = 7 * 24 * 3600
CHUNK_ROWS = 200
PKS_AT_ONCE = 2000


def folder() -> Path:
    """Return the folder of these files beside those of releases, which cannot begin with a dot."""
    return Path(settings.EXPORT_DIR) / ".tables"


def file_of(export: TableExport) -> Path:
    return folder() / f"{export.pk}.{WRITABLE[export.format].suffix}"


def ids_of(export: TableExport) -> Path:
    return folder() / f"{export.pk}.ids"


@needs(Scope.CURATE)
def request_table(
    table: str, names: Sequence[str], format: str, rows: QuerySet[Any] | None, actor: Actor
) -> TableExport:
    """Queue a file of these rows, or of all. Raises TableError for an unknown table, column or format, OSError."""
    if table not in TABLES:
        raise TableError(f"{table[:40]!r} is not a table; choose from {', '.join(TABLES)}.")
    columns = [column.name for column in TABLES[table].chosen(names)]
    checked_format(format)
    export = TableExport(
        table=table, format=format, columns=columns, selected=rows is not None, created_by=actor.user
    )
    if rows is not None:
        ids = rows.prefetch_related(None).order_by("pk").values_list("pk", flat=True)
        write_whole(ids_of(export), lambda stream: write_ids(stream, ids.iterator(PKS_AT_ONCE), export))
    with transaction.atomic():
        export.save(force_insert=True)
        facts = {"format": format, "columns": columns, table: export.total if export.selected else "all"}
        audit.record(actor, f"{table}.export", export, **facts)
        enqueue(TASK, export.pk)
    return export


def write_ids(stream: HashingStream, ids: Iterable[Any], export: TableExport) -> None:
    for pk in ids:
        stream.write(f"{pk}\n".encode())
        export.total += 1


def run_table_export(pk: object) -> None:
    """Do the work of a queued file."""
    run_claimed(job_row.claim(TableExport, pk), write_file, (TableError, OSError))


def write_file(export: TableExport) -> None:
    forget_old_files()
    table = TABLES[export.table]
    columns = table.chosen(export.columns)
    if not export.selected:
        job_row.renew(export, total=table.rows().count(), done=0)
    beat = Heartbeat(export)

    def write(stream: HashingStream) -> None:
        writer = WRITERS[export.format](cast(BinaryIO, stream), columns)
        done = 0
        for ids in chunks(export):
            for row in table.read(table.model._default_manager.filter(pk__in=ids), columns):
                writer.write(row)
            done += len(ids)
            beat(done=done)
        writer.close()
        export.done = done

    written = write_whole(file_of(export), write)
    job_row.finish(
        export,
        done=export.done,
        total=export.done,
        size_bytes=written.size_bytes,
        sha256=written.sha256,
    )
    ids_of(export).unlink(missing_ok=True)


def chunks(export: TableExport) -> Iterator[list[Any]]:
    """Yield the rows' ids in order, from the stored choice or from the table by keyset."""
    if export.selected:
        with ids_of(export).open(encoding="ascii") as file:
            while ids := [line.strip() for line in islice(file, CHUNK_ROWS)]:
                yield ids
        return
    rows = TABLES[export.table].rows().order_by("pk").values_list("pk", flat=True)
    ids = list(rows[:CHUNK_ROWS])
    while ids:
        yield ids
        ids = list(rows.filter(pk__gt=ids[-1])[:CHUNK_ROWS])


def forget_old_files() -> None:
    oldest = time.time() - KEPT_SECONDS
    for path in folder().glob("*.*"):
        with suppress(FileNotFoundError):  # another worker deletes them too
            if path.stat().st_mtime < oldest:
                path.unlink()
