"""Runs an ingest: reads its file into the store, one batch of rows per transaction.

A second thread reads, checks and counts rows; this one stores and indexes them. The transaction of a batch holds its
new rows, its refusals and the ingest's counts. A worker that dies loses at most the batches that it has not stored; the
next attempt reads the file again, skips the rows that are counted and continues. The counts are therefore those of a
single pass, however many attempts it took.
"""

from __future__ import annotations

import uuid
from contextlib import closing
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db import transaction

from datasets_app.accounts.actor import SITE
from datasets_app.db import analyze_tables, facet_index
from datasets_app.ingest import awaiting_task, writer
from datasets_app.ingest.budget import check_disk
from datasets_app.ingest.checkpoints import Checkpoints
from datasets_app.ingest.column_notes import noted
from datasets_app.ingest.identify import identify
from datasets_app.ingest.prefetch import prefetch
from datasets_app.ingest.recognition import chosen
from datasets_app.ingest.refusal_store import store_refusals
from datasets_app.ingest.registry import Reader, refuse
from datasets_app.ingest.relatives import link_relatives
from datasets_app.ingest.row_batches import RowBatch, remaining_batches
from datasets_app.ingest.rows import IngestError, Record, Refusal, RowError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.start import digest
from datasets_app.ingest.writer import Tally
from datasets_app.jobs import job_row
from datasets_app.jobs.heartbeat import Heartbeat
from datasets_app.jobs.run import run_claimed
from datasets_app.maintenance import runs as maintenance
from datasets_app.models import Ingest, JobState, MaintenanceKind

MOST_SILENT_SECONDS = 2.0  # so that a cancelled ingest stops soon, even between two batches
COUNTED = [*asdict(Tally()), "refused_kept", "refused_bytes", "awaiting_task", "seen"]
INDEX_MEANWHILE = 1000  # unindexed texts that are worth a run of the index beside the ingest


def run_ingest(ingest_id: uuid.UUID | str) -> Ingest | None:
    """Run a queued ingest in this process. Return None if it is not ready: finished, running, or after another one."""
    waiting = Ingest.objects.filter(pk=ingest_id, state=JobState.QUEUED).select_related("source").first()
    if waiting is None:
        return None
    identify(waiting)
    waiting.refresh_from_db()
    if waiting.state == JobState.FAILED:
        return waiting
    if Ingest.objects.filter(pk=ingest_id, after__state__in=[JobState.QUEUED, JobState.RUNNING]).exists():
        return None
    ingest = job_row.claim(Ingest, ingest_id)
    if ingest is not None:
        run_claimed(ingest, read_to_the_end, (IngestError, MemoryError))
        ingest.refresh_from_db()
    return ingest


def read_to_the_end(ingest: Ingest) -> None:
    """Read the whole file. If it breaks off, what was read before is kept, linked and indexed."""
    try:
        read(ingest)
    except (IngestError, MemoryError):
        link_relatives(ingest)
        request_maintenance(take_in_waiting(ingest))
        raise


def read(ingest: Ingest) -> None:
    """Read the whole file into the store. Raises IngestError where it cannot be read, or not any further."""
    file = SourceFile.of(ingest)
    if not file.path.exists():
        raise IngestError(f"The file is gone from the server: {file.name}.")
    reader = chosen(ingest.format)
    if not ingest.sha256:
        job_row.renew(ingest, sha256=digest(file.path, Heartbeat(ingest)))
    names_relatives = read_batches(file, reader, ingest)
    if names_relatives:
        link_relatives(ingest)
    has_new = take_in_waiting(ingest)
    with transaction.atomic():
        job_row.finish(ingest, bytes_read=ingest.size_bytes)
        request_maintenance(has_new)
    if has_new:
        analyze_tables.refresh()


def take_in_waiting(ingest: Ingest) -> bool:
    """Store the rows of any ingest that waited for tasks of this one. Return whether there are new samples."""
    taken = 0
    if ingest.new_tasks or ingest.awaiting_task:
        taken = awaiting_task.take_in(lambda: job_row.renew(ingest))
    return bool(ingest.new_samples or taken)


def request_maintenance(has_new: bool) -> None:
    if has_new:
        maintenance.request(MaintenanceKind.NEIGHBOURS, SITE)
    maintenance.request_search()


def read_batches(file: SourceFile, reader: Reader, ingest: Ingest) -> bool:
    """Store the batches that no earlier attempt has stored. Return whether any sample may name its parent or twin."""
    every_seconds = min(MOST_SILENT_SECONDS, settings.LEASE_SECONDS / 3)
    remaining = remaining_batches(reader.rows(file), file, ingest.rows)
    prefetched = prefetch(remaining, lambda: job_row.renew(ingest), every_seconds)
    names_relatives = ingest.rows > 0  # an earlier attempt may have stored some
    with closing(prefetched) as batches, Checkpoints() as checkpoints:
        for bytes_read, batch in batches:
            check_disk()
            store(batch, bytes_read, reader, ingest)
            facet_index.compact_if_due()
            maintenance.request_search(INDEX_MEANWHILE)
            checkpoints.stored()
            names_relatives = names_relatives or batch.names_relatives()
    return names_relatives


def store(batch: RowBatch, bytes_read: int, reader: Reader, ingest: Ingest) -> None:
    """Store one batch and the ingest's counts, in one transaction.

    The counts are read again first: another ingest may have taken in rows of this one that waited for their task.
    """
    with transaction.atomic():
        writer.one_writer_at_a_time()
        ingest.refresh_from_db(fields=COUNTED)
        tally = Tally.of(ingest) + writer.write(batch, ingest)
        refusals = list(batch.refusals)
        for record in batch.records:
            tally += store_record(record, refusals, reader, ingest)
        tally += Tally(rows=len(refusals), refused=len(refusals))
        stored_refusals = store_refusals(refusals, ingest)
        job_row.renew(
            ingest,
            bytes_read=min(bytes_read, ingest.size_bytes),
            **asdict(tally),
            **stored_refusals,
            **noted(ingest, batch),
        )


def store_record(record: Record, refusals: list[Refusal], reader: Reader, ingest: Ingest) -> Tally:
    """Store one record with the reader's own `store`; if it is refused, add it to `refusals`."""
    try:
        with transaction.atomic():
            new = reader.store(record, ingest)
    except RowError as error:
        refusals.append(refuse(record, error))
        return Tally()
    return Tally(rows=1, new_records=int(new), duplicates=int(not new))


def counts(ingest: Ingest) -> dict[str, Any]:
    """Return the counts by the names that the command prints."""
    return {
        "rows": ingest.rows,
        "tasks": ingest.new_tasks,
        "samples": ingest.new_samples,
        "restored": ingest.restored_samples,
        "duplicates": ingest.duplicates,
        "refused": ingest.refused,
    }
