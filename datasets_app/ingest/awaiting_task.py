"""Refused rows that wait for their task: results that were ingested before the file with their tasks.

A reader that finds no task for a row raises TaskMissingError. The row is stored as refused, and read again by the same
reader at the end of each ingest that may have added the task.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import F

from datasets_app.ingest import writer
from datasets_app.ingest.column_notes import noted
from datasets_app.ingest.recognition import chosen
from datasets_app.ingest.refusal_store import fields_of
from datasets_app.ingest.refused_rows import shown, shown_reason, unwrapped
from datasets_app.ingest.registry import Reader
from datasets_app.ingest.row_batches import row_batch
from datasets_app.ingest.rows import Refusal, Row
from datasets_app.ingest.source_file import SourceFile
from datasets_app.models import Ingest, RefusedRow, Task

BATCH_ROWS = 200  # rows per transaction


@dataclass
class Again:
    """Waiting rows of one ingest, read again."""

    taken: list[RefusedRow] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    refused: list[tuple[RefusedRow, Refusal]] = field(default_factory=list)  # for another reason now


def take_in(on_batch: Callable[[], None]) -> int:
    """Store every waiting row whose task is stored by now; return how many. Calls `on_batch` after each transaction."""
    stored = Task.objects.exclude(suite="").order_by().values("suite")
    waiting = RefusedRow.objects.filter(awaits__in=stored).order_by()
    ingests = Ingest.objects.filter(pk__in=waiting.values("ingest")).select_related("source")
    return sum(take_in_of(ingest, on_batch) for ingest in ingests.order_by("created_at"))


def take_in_of(ingest: Ingest, on_batch: Callable[[], None]) -> int:
    reader, last, taken = chosen(ingest.format), 0, 0
    file = SourceFile.of(ingest)
    file.stored = reader.look_up()
    while True:
        with transaction.atomic():
            writer.one_writer_at_a_time()
            rows = list(
                ingest.refused_rows.exclude(awaits="").filter(pk__gt=last).order_by("pk")[:BATCH_ROWS]
            )
            if not rows:
                return taken
            taken += store(read_again(rows, reader, file), ingest)
        last = rows[-1].pk
        on_batch()


def read_again(rows: list[RefusedRow], reader: Reader, file: SourceFile) -> Again:
    again = Again()
    for row in rows:
        record = unwrapped(row.line, dict(fields_of(row.raw)), row.raw)
        item = record if isinstance(record, Refusal) else reader.row_or_refusal(record, file)
        if isinstance(item, Row):
            again.taken.append(row)
            again.rows.append(item)
        elif isinstance(item, Refusal) and not item.awaits:
            again.refused.append((row, item))
    return again


def store(again: Again, ingest: Ingest) -> int:
    """Store the rows and move them from the refused to the others in the ingest's counts."""
    batch = row_batch(again.rows)
    tally = writer.write(batch, ingest)
    for row, refusal in again.refused:
        row.field, row.reason, row.awaits = shown(refusal.field)[:80], shown_reason(refusal.reason), ""
        row.save(update_fields=["field", "reason", "awaits"])
    RefusedRow.objects.filter(pk__in=[row.pk for row in again.taken]).delete()
    Ingest.objects.filter(pk=ingest.pk).update(**counts(again, tally), **noted(ingest, batch))
    return len(again.taken)


def counts(again: Again, tally: writer.Tally) -> dict[str, Any]:
    taken = len(again.taken)
    return {
        "new_samples": F("new_samples") + tally.new_samples,
        "restored_samples": F("restored_samples") + tally.restored_samples,
        "duplicates": F("duplicates") + tally.duplicates,
        "refused": F("refused") - taken,
        "refused_kept": F("refused_kept") - taken,
        "refused_bytes": F("refused_bytes") - sum(len(row.raw) for row in again.taken),
        "awaiting_task": F("awaiting_task") - taken - len(again.refused),
    }
