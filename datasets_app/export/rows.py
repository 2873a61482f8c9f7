"""The rows of a release with their texts, a chunk at a time."""

from collections.abc import Iterator
from typing import Any

import orjson
from django.db.models import F, TextField
from django.db.models.functions import Cast

from datasets_app.export.columns import OF_CONTENT, ROW, file_row, of_origin
from datasets_app.models import Release, ReleaseRow

FIRST_ROWS, MOST_ROWS = (
    50,
    500,
)  # of a query, whose making costs as much as some rows; a row may hold 400 KB of text
CHUNK_CHARACTERS = 8 * 2**20
LOOKUPS = {column.name: f"sample__{column.path}" for column in OF_CONTENT} | {
    column.name: column.path for column in of_origin(ROW)
}
IDS = ("uuid", "id", "task_id")
# Read as texts: by way of Django's objects they cost several microseconds each.
READ = [Cast(path, TextField()) if name in IDS else F(path) for name, path in LOOKUPS.items()]
TEXTS = {name: "" for name, path in LOOKUPS.items() if "body__" in path}
WITHOUT_TEXTS = {name: path for name, path in LOOKUPS.items() if name not in TEXTS}


def release_rows(release: Release, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield rows `first` to `first + count` by position, read by keyset so that memory holds one chunk."""
    start, end, wanted = first, first + count, FIRST_ROWS
    while start < end:
        rows = chunk(release, start, min(start + wanted, end))
        yield from rows
        start += wanted
        wanted = next_rows(rows)


def chunk(release: Release, first: int, end: int) -> list[dict[str, Any]]:
    rows = ReleaseRow.objects.filter(release=release, position__gte=first, position__lt=end)
    found = []
    for snapshot, *values in rows.order_by("position").values_list(Cast("snapshot", TextField()), *READ):
        row = orjson.loads(snapshot)
        row.update(zip(LOOKUPS, values, strict=True))
        for name in IDS:
            row[name] = with_hyphens(row[name])
        found.append(row)
    return found


def with_hyphens(text: str) -> str:
    """Return the text of a UUID in its usual form; SQLite stores it without hyphens."""
    return text if "-" in text else f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def next_rows(rows: list[dict[str, Any]]) -> int:
    """Return how many rows like these have CHUNK_CHARACTERS of text."""
    characters = sum(len(row[name]) for row in rows for name in TEXTS) or 1
    return max(1, min(MOST_ROWS, CHUNK_CHARACTERS * len(rows) // characters))


def rows_without_texts(release: Release, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield rows by position with all columns, their texts empty: enough to tell which of them a format takes."""
    rows = ReleaseRow.objects.filter(release=release, position__gte=first, position__lt=first + count)
    values = rows.order_by("position").values_list("snapshot", *WITHOUT_TEXTS.values())
    for snapshot, *others in values.iterator(chunk_size=500):
        yield file_row({**snapshot, **TEXTS, **dict(zip(WITHOUT_TEXTS, others, strict=True))})
