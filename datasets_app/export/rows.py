"""The rows of a release with their texts, a chunk at a time."""

from collections.abc import Iterator
from typing import Any

from datasets_app.export.columns import OF_CONTENT, ROW, of_origin
from datasets_app.models import Release, ReleaseRow

CHUNK_ROWS = 50  # a row may hold 400 KB of text
LOOKUPS = {column.name: f"sample__{column.path}" for column in OF_CONTENT} | {
    column.name: column.path for column in of_origin(ROW)
}


def release_rows(release: Release, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield rows `first` to `first + count` by position, read by keyset so that memory holds one chunk."""
    end = first + count
    for start in range(first, end, CHUNK_ROWS):
        yield from chunk(release, start, min(start + CHUNK_ROWS, end))


def chunk(release: Release, first: int, end: int) -> Iterator[dict[str, Any]]:
    rows = ReleaseRow.objects.filter(release=release, position__gte=first, position__lt=end)
    for snapshot, *values in rows.order_by("position").values_list("snapshot", *LOOKUPS.values()):
        yield {**snapshot, **dict(zip(LOOKUPS, values, strict=True))}
