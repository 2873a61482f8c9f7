"""Reads one ingest's file into the store, a batch at a time.

Every batch is one transaction that holds the new rows, the refusals and the counts. A worker that dies loses at
most the batch in its hands; the next attempt reads the file again, passes over the rows that are counted, and goes
on. So the counts are those of one pass, however many attempts it took.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from datasets_app import bits, jobs, planner, upkeep
from datasets_app.ingest import caps, writer
from datasets_app.ingest.mending import shown, write_mend_file
from datasets_app.ingest.parents import link_parents
from datasets_app.ingest.recognition import recognise
from datasets_app.ingest.registry import Reader, refuse
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.writer import Tally
from datasets_app.models import Ingest, RefusedRow, UpkeepKind

log = logging.getLogger(__name__)
Item = Row | Record | Refusal


def run(ingest_id: uuid.UUID | str) -> Ingest | None:
    """Do a waiting ingest here and now. None if it is not waiting: done, running elsewhere, or behind another."""
    if Ingest.objects.filter(pk=ingest_id, after__state__in=["queued", "running"]).exists():
        return None
    ingest = jobs.claim(Ingest, ingest_id)
    if ingest is None:
        return None
    try:
        read(ingest)
    except IngestError as error:
        link_parents(ingest)
        jobs.fail(ingest, str(error))
    except jobs.LeaseLostError:
        log.warning("ingest %s was handed to another worker", ingest_id)
    except Exception as error:
        jobs.fail(ingest, f"A fault of ours ({type(error).__name__}); the log of the worker says more.")
        raise
    return ingest


def source_file(ingest: Ingest) -> SourceFile:
    return SourceFile(
        path=Path(ingest.path),
        name=ingest.file_name,
        device=ingest.claimed_device,
        source_name=ingest.source.name,
        mapping=ingest.mapping,
    )


def read(ingest: Ingest) -> None:
    """The whole file into the store. Raises IngestError where it cannot be read, or not any further."""
    file = source_file(ingest)
    if not file.path.exists():
        raise IngestError(f"The file is gone from the server: {file.name}.")
    reader = recognise(file, ingest.format)
    jobs.renew(ingest, format=reader.name)
    for batch in batches(reader.rows(file), ingest):
        store(batch, reader, ingest, file)
        bits.fold_if_many()
    with transaction.atomic():
        link_parents(ingest)
        jobs.finish(ingest, bytes_read=ingest.size_bytes)
        if ingest.new_samples:
            upkeep.request(UpkeepKind.NEIGHBOURS)
    if ingest.new_samples:
        planner.refresh()


def batches(items: Iterator[Item], ingest: Ingest) -> Iterator[list[Item]]:
    """Items after those already counted, in batches bounded in rows and in bytes.

    Where the file breaks off, what was read before the break comes as a last batch, and then the error.
    """
    batch: list[Item] = []
    size, failure = 0, None
    for item in uncounted(items, ingest):
        if isinstance(item, IngestError):
            failure = item
            break
        batch.append(item)
        size += weight(item)
        if len(batch) >= caps.BATCH_ROWS or size >= caps.BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
    if failure:
        raise failure


def uncounted(items: Iterator[Item], ingest: Ingest) -> Iterator[Item | IngestError]:
    """Items after those that an earlier attempt counted; the lease is renewed while they are passed over or slow."""
    counted, renewed = ingest.rows, time.monotonic()
    try:
        for position, item in enumerate(items):
            if time.monotonic() - renewed > settings.LEASE_SECONDS / 3:
                jobs.renew(ingest)
                renewed = time.monotonic()
            if position >= counted:
                yield item
    except IngestError as error:
        yield error


def weight(item: Item) -> int:
    """About the bytes that an item holds in memory."""
    if isinstance(item, Refusal):
        return len(item.raw)
    record = item.record if isinstance(item, Row) else item
    texts = sum(len(value) for value in record.values.values() if isinstance(value, str))
    return 2 * texts + len(record.raw)


def store(batch: list[Item], reader: Reader, ingest: Ingest, file: SourceFile) -> None:
    """One batch and its counts, together or not at all."""
    with transaction.atomic():
        refusals = [item for item in batch if isinstance(item, Refusal)]
        tally = Tally.of(ingest) + store_items(batch, refusals, reader, ingest)
        tally += Tally(rows=len(refusals), refused=len(refusals))
        write_refusals(refusals, ingest)
        jobs.renew(ingest, bytes_read=min(file.bytes_read, ingest.size_bytes), **asdict(tally))


def store_items(batch: list[Item], refusals: list[Refusal], reader: Reader, ingest: Ingest) -> Tally:
    if not reader.stores_itself:
        return writer.write([item for item in batch if isinstance(item, Row)], ingest)
    tally = Tally()
    for item in batch:
        if isinstance(item, Record):
            tally += store_record(item, refusals, reader, ingest)
    return tally


def store_record(record: Record, refusals: list[Refusal], reader: Reader, ingest: Ingest) -> Tally:
    """One record of a reader that stores its rows itself; what it refuses is added to `refusals`."""
    try:
        with transaction.atomic():
            new = reader.store(record, ingest)
    except RowError as error:
        refusals.append(refuse(record, error))
        return Tally()
    return Tally(rows=1, new_records=int(new), duplicates=int(not new))


def write_refusals(refusals: list[Refusal], ingest: Ingest) -> None:
    RefusedRow.objects.bulk_create(
        (
            RefusedRow(
                ingest=ingest,
                line=item.line,
                field=shown(item.field)[:80],
                reason=shown_reason(item.reason),
                value=shown(item.value),
                raw=item.raw,
            )
            for item in refusals
        ),
        batch_size=50,
    )


def shown_reason(reason: str) -> str:
    return reason.replace("\x00", " ").encode(errors="replace").decode()[:500]


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
