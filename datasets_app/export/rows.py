"""The rows of a release with their texts, a chunk at a time."""

from collections.abc import Iterator
from typing import Any

from datasets_app.export.columns import Record
from datasets_app.models import Release, ReleaseRow

CHUNK_ROWS = 50  # a row may hold 400 KB of text

COLUMNS = {
    "id": "sample_id",
    "task_id": "sample__task_id",
    "external_id": "sample__external_id",
    "pytorch_code": "sample__task__body__pytorch_code",
    "reasoning": "sample__body__reasoning",
    "kernel_code": "sample__body__kernel_code",
    "snapshot": "snapshot",
    "split": "split",
    "reason": "reason",
}


def records(release: Release, first: int, count: int) -> Iterator[Record]:
    """Rows `first` to `first + count` by position, read by keyset so that memory holds one chunk."""
    end = first + count
    for start in range(first, end, CHUNK_ROWS):
        yield from chunk(release, start, min(start + CHUNK_ROWS, end))


def chunk(release: Release, first: int, end: int) -> Iterator[Record]:
    rows = ReleaseRow.objects.filter(release=release, position__gte=first, position__lt=end)
    for values in rows.order_by("position").values_list(*COLUMNS.values()):
        yield record(dict(zip(COLUMNS, values, strict=True)))


def record(fields: dict[str, Any]) -> Record:
    return Record(**{**fields, "id": str(fields["id"]), "task_id": str(fields["task_id"])})
