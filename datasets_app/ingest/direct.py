"""Stores rows that a program already holds, such as the demo pack, with the reader, writer and counts of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import SITE, Actor
from datasets_app.ingest import writer
from datasets_app.ingest.readers.workbench import WorkbenchReader
from datasets_app.ingest.refusal_store import store_refusals
from datasets_app.ingest.relatives import link_relatives
from datasets_app.ingest.row_batches import row_batches
from datasets_app.ingest.rows import Record
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.sources import Provenance, source_for
from datasets_app.ingest.writer import Tally
from datasets_app.maintenance import runs as maintenance
from datasets_app.models import Ingest, JobState, MaintenanceKind


def ingest_rows(
    rows: Iterable[Mapping[str, Any]], source: str, *, licence: str = "", actor: Actor = SITE
) -> Ingest:
    """Store rows in the columns of readers.workbench, all or none. Return the finished ingest with its counts."""
    with transaction.atomic():
        ingest = Ingest.objects.create(
            file_name=f"rows of {source}"[:255],
            format=WorkbenchReader.name,
            source=source_for(Provenance(source, licence=licence), None, source),
            created_by=actor.user,
            state=JobState.DONE,
            finished_at=timezone.now(),
        )
        tally = write_all(rows, ingest)
        Ingest.objects.filter(pk=ingest.pk).update(
            **asdict(tally), refused_kept=ingest.refused_kept, refused_bytes=ingest.refused_bytes
        )
        link_relatives(ingest)
        if tally.new_samples:
            maintenance.request(MaintenanceKind.NEIGHBOURS, SITE)
        maintenance.request_search()
        audit.record(actor, "ingest.rows", ingest, source=source, rows=tally.rows)
    ingest.refresh_from_db()
    return ingest


def write_all(rows: Iterable[Mapping[str, Any]], ingest: Ingest) -> Tally:
    reader, file = WorkbenchReader(), SourceFile(Path(), "rows", source_name=ingest.source_name)
    records = (Record(line, values) for line, values in enumerate(rows, start=1))
    tally = Tally()
    for batch in row_batches(reader.row_or_refusal(record, file) for record in records):
        refused = len(batch.refusals)
        tally += writer.write(batch, ingest) + Tally(rows=refused, refused=refused)
        for name, value in store_refusals(batch.refusals, ingest).items():
            setattr(ingest, name, value)
    return tally
