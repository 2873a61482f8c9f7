"""The rows of a release with their texts, a chunk at a time."""

from collections.abc import Iterator

from datasets_app.export.columns import Record
from datasets_app.models import Release, ReleaseRow

CHUNK_ROWS = 50  # a row may hold 400 KB of text


def records(release: Release, first: int, count: int) -> Iterator[Record]:
    """Rows `first` to `first + count` by position, read by keyset so that memory holds one chunk."""
    end = first + count
    while first < end:
        chunk = list(chunk_of(release, first, min(first + CHUNK_ROWS, end)))
        for row in chunk:
            yield Record(row.sample, row.snapshot, row.split, row.reason)
        first += CHUNK_ROWS


def chunk_of(release: Release, first: int, end: int):
    rows = ReleaseRow.objects.filter(release=release, position__gte=first, position__lt=end)
    return rows.select_related("sample__body", "sample__task__body").order_by("position")
