"""What an ingest could not use of its columns: those without a field, and faulty values of optional ones.

They are stored in `Ingest.seen` with each batch. The model turns them into sentences (`Ingest.column_notes`).
"""

from __future__ import annotations

from typing import Any

from datasets_app.ingest.refused_rows import shown, shown_reason
from datasets_app.ingest.row_batches import RowBatch
from datasets_app.models import Ingest

MOST_COLUMNS = 40  # of each kind, that are named


def noted(ingest: Ingest, batch: RowBatch) -> dict[str, dict[str, Any]]:
    """Return the field of the ingest that has the notes of its batches and of this one; {} if it adds nothing."""
    unused = set(ingest.seen.get("unused", ()))
    more = {shown(column) for column in batch.unused} - unused
    if not more and not batch.left_out:
        return {}
    left_out = dict(ingest.seen.get("left_out", {}))
    for item in batch.left_out:
        add(left_out, item.line, shown(item.column), shown_reason(item.reason), item.value)
    return {"seen": {**ingest.seen, "unused": sorted(unused | more)[:MOST_COLUMNS], "left_out": left_out}}


def add(left_out: dict[str, Any], line: int, column: str, reason: str, value: str) -> None:
    """Count a value of a column, and keep the first one with its reason."""
    if column in left_out:
        left_out[column] = {**left_out[column], "rows": left_out[column]["rows"] + 1}
    elif len(left_out) < MOST_COLUMNS:
        left_out[column] = {"rows": 1, "line": line, "reason": reason, "value": value}
