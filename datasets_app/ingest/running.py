"""Reads one ingest's file into the store, a portion at a time.

One thread reads, checks and counts; this one stores and indexes, a portion at a time. Every portion is one
transaction that holds the new rows, the refusals and the counts. A worker that dies loses at most the portions in its
hands; the next attempt reads the file again, passes over the rows that are counted, and goes on. So the counts are
those of one pass, however many attempts it took.
"""

from __future__ import annotations

import logging
import uuid
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from datasets_app import bits, jobs, planner, upkeep
from datasets_app.ingest import writer
from datasets_app.ingest.ahead import ahead
from datasets_app.ingest.checkpoints import Checkpoints
from datasets_app.ingest.mending import shown, write_mend_file
from datasets_app.ingest.parents import link_parents
from datasets_app.ingest.prepared import Portion, read_on
from datasets_app.ingest.recognition import recognise
from datasets_app.ingest.registry import Reader, refuse
from datasets_app.ingest.rows import IngestError, Record, Refusal, RowError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.writer import Tally
from datasets_app.models import Ingest, RefusedRow, UpkeepKind

log = logging.getLogger(__name__)


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
    every_seconds = settings.LEASE_SECONDS / 3
    made = ahead(read_on(reader.rows(file), file, ingest.rows), lambda: jobs.renew(ingest), every_seconds)
    names_parents = ingest.rows > 0  # those that an earlier attempt stored may
    with closing(made) as portions, Checkpoints() as checkpoints:
        for bytes_read, portion in portions:
            store(portion, bytes_read, reader, ingest)
            bits.fold_if_many()
            checkpoints.stored()
            names_parents = names_parents or portion.names_parents()
    if names_parents:
        link_parents(ingest)
    with transaction.atomic():
        jobs.finish(ingest, bytes_read=ingest.size_bytes)
        if ingest.new_samples:
            upkeep.request(UpkeepKind.NEIGHBOURS)
    if ingest.new_samples:
        planner.refresh()


def store(portion: Portion, bytes_read: int, reader: Reader, ingest: Ingest) -> None:
    """One portion and its counts, together or not at all."""
    with transaction.atomic():
        tally = Tally.of(ingest) + writer.write(portion, ingest)
        refusals = list(portion.refusals)
        for record in portion.records:
            tally += store_record(record, refusals, reader, ingest)
        tally += Tally(rows=len(refusals), refused=len(refusals))
        write_refusals(refusals, ingest)
        jobs.renew(ingest, bytes_read=min(bytes_read, ingest.size_bytes), **asdict(tally))


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
