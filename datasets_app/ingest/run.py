"""Reads one ingest's file into the store, a portion at a time.

One thread reads, checks and counts; this one stores and indexes, a portion at a time. Every portion is one
transaction that holds the new rows, the refusals and the counts. A worker that dies loses at most the portions in its
hands; the next attempt reads the file again, passes over the rows that are counted, and goes on. So the counts are
those of one pass, however many attempts it took.
"""

from __future__ import annotations

import logging
import uuid
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from datasets_app.accounts.actor import SITE
from datasets_app.db import analyze_tables, facet_index
from datasets_app.disk_space import is_out_of_space
from datasets_app.ingest import awaiting_task, writer
from datasets_app.ingest.budget import check_disk
from datasets_app.ingest.checkpoints import Checkpoints
from datasets_app.ingest.identify import identify
from datasets_app.ingest.parents import link_parents
from datasets_app.ingest.prefetch import ahead
from datasets_app.ingest.recognition import chosen
from datasets_app.ingest.refused_rows import shown, shown_reason, write_mend_file
from datasets_app.ingest.registry import Reader, refuse
from datasets_app.ingest.row_batches import Portion, read_on
from datasets_app.ingest.rows import IngestError, Record, Refusal, RowError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.start import digest
from datasets_app.ingest.writer import Tally
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import Beat, out_of_memory
from datasets_app.maintenance import runs as upkeep
from datasets_app.models import Ingest, JobState, RefusedRow, UpkeepKind

log = logging.getLogger(__name__)
MOST_SILENT_SECONDS = 2.0  # so that a cancelled ingest stops soon, even between two portions
TEXTS_BESIDE = 1000  # that wait to be indexed and are worth a run beside the storing
MAX_LINE = 2**31 - 1  # that the column holds


def run(ingest_id: uuid.UUID | str) -> Ingest | None:
    """Do a waiting ingest here and now. None if it is not waiting: done, running elsewhere, or behind another."""
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
        run_claimed(ingest)
    return ingest


def run_claimed(ingest: Ingest) -> None:
    try:
        read(ingest)
    except IngestError as error:
        end(ingest, str(error))
    except job_row.LeaseLostError:
        log.warning("ingest %s was cancelled, or handed to another worker", ingest.pk)
        ingest.refresh_from_db()
    except MemoryError:
        end(ingest, out_of_memory())
    except Exception as error:
        if is_out_of_space(error):
            job_row.wait_for_room(ingest, error)
            return
        job_row.fail(ingest, f"A fault of ours ({type(error).__name__}); the log of the worker says more.")
        raise


def end(ingest: Ingest, why: str) -> None:
    """The file cannot be read any further; what was read before stays. Nothing happens to one cancelled meanwhile."""
    link_parents(ingest)
    with suppress(job_row.LeaseLostError):
        job_row.fail(ingest, why)


def read(ingest: Ingest) -> None:
    """The whole file into the store. Raises IngestError where it cannot be read, or not any further."""
    file = SourceFile.of(ingest)
    if not file.path.exists():
        raise IngestError(f"The file is gone from the server: {file.name}.")
    reader = chosen(ingest.format)
    if not ingest.sha256:
        job_row.renew(ingest, sha256=digest(file.path, Beat(ingest)))
    every_seconds = min(MOST_SILENT_SECONDS, settings.LEASE_SECONDS / 3)
    made = ahead(read_on(reader.rows(file), file, ingest.rows), lambda: job_row.renew(ingest), every_seconds)
    names_parents = ingest.rows > 0  # those that an earlier attempt stored may
    with closing(made) as portions, Checkpoints() as checkpoints:
        for bytes_read, portion in portions:
            check_disk()
            store(portion, bytes_read, reader, ingest)
            facet_index.fold_if_many()
            upkeep.request_search(TEXTS_BESIDE)
            checkpoints.stored()
            names_parents = names_parents or portion.names_parents()
    if names_parents:
        link_parents(ingest)
    if ingest.new_tasks or ingest.awaiting_task:
        awaiting_task.take_in(lambda: job_row.renew(ingest))
    with transaction.atomic():
        job_row.finish(ingest, bytes_read=ingest.size_bytes)
        if ingest.new_samples:
            upkeep.request(UpkeepKind.NEIGHBOURS, SITE)
        upkeep.request_search()
    if ingest.new_samples:
        analyze_tables.refresh()


def store(portion: Portion, bytes_read: int, reader: Reader, ingest: Ingest) -> None:
    """One portion and its counts, together or not at all."""
    with transaction.atomic():
        tally = Tally.of(ingest) + writer.write(portion, ingest)
        refusals = list(portion.refusals)
        for record in portion.records:
            tally += store_record(record, refusals, reader, ingest)
        tally += Tally(rows=len(refusals), refused=len(refusals))
        kept = write_refusals(refusals, ingest)
        job_row.renew(ingest, bytes_read=min(bytes_read, ingest.size_bytes), **asdict(tally), **kept)


def store_record(record: Record, refusals: list[Refusal], reader: Reader, ingest: Ingest) -> Tally:
    """One record of a reader that stores its rows itself; what it refuses is added to `refusals`."""
    try:
        with transaction.atomic():
            new = reader.store(record, ingest)
    except RowError as error:
        refusals.append(refuse(record, error))
        return Tally()
    return Tally(rows=1, new_records=int(new), duplicates=int(not new))


def write_refusals(refusals: list[Refusal], ingest: Ingest) -> dict[str, int]:
    """Keep refused rows as long as there is room for them; the ingest's new counts of what is kept."""
    rows, size = ingest.refused_kept, ingest.refused_bytes
    kept: list[RefusedRow] = []
    for item in refusals:
        size += len(item.raw)
        if rows + len(kept) >= settings.INGEST_REFUSED_ROWS or size > settings.INGEST_REFUSED_BYTES:
            size -= len(item.raw)
            break
        kept.append(refused_row(item, ingest))
    RefusedRow.objects.bulk_create(kept, batch_size=50)
    waiting = ingest.awaiting_task + sum(bool(row.awaits) for row in kept)
    return {"refused_kept": rows + len(kept), "refused_bytes": size, "awaiting_task": waiting}


def refused_row(item: Refusal, ingest: Ingest) -> RefusedRow:
    return RefusedRow(
        ingest=ingest,
        line=min(item.line, MAX_LINE),
        field=shown(item.field)[:80],
        reason=shown_reason(item.reason),
        value=shown(item.value),
        raw=item.raw,
        awaits=item.awaits,
    )


def mend_file(ingest: Ingest) -> Path | None:
    """The refused rows of a finished ingest as a file beside the uploads; None if there are none."""
    if not ingest.refused:
        return None
    return write_mend_file(ingest, settings.UPLOAD_DIR / str(ingest.pk) / "refused.jsonl")


def counts(ingest: Ingest) -> dict[str, Any]:
    """The counts by the names that the command prints."""
    return {
        "rows": ingest.rows,
        "tasks": ingest.new_tasks,
        "samples": ingest.new_samples,
        "duplicates": ingest.duplicates,
        "refused": ingest.refused,
    }
