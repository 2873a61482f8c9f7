"""All samples of a filter as a stream, with the columns of exported files, sent as they are read: newline-delimited
JSON, or Parquet.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.http import StreamingHttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import BaseRenderer

from datasets_app.accounts.actor import Actor
from datasets_app.browse.query import BrowseFilter
from datasets_app.browse.query.sets import few_numbered
from datasets_app.bulk.groups import numbers_matching
from datasets_app.export.columns import Column
from datasets_app.export.formats.parquet import Parquet, ParquetWriter
from datasets_app.export.tables import SAMPLES
from datasets_app.review import hidden_verdicts

NDJSON = "application/x-ndjson"
PARQUET = Parquet.media_type
MOST_ROWS = 100_000  # minutes of a thread of the site
FIRST_ROWS, CHUNK_ROWS = 5, 50  # the first bytes come after a few rows
NAMES = [column.name for column in SAMPLES.columns]
ID = next(column for column in SAMPLES.columns if column.name == "id")
OF_REVIEWS = ("verdict", "votes", "agreement", "notes", "preferences")  # what blind review hides
Row = dict[str, Any]


class StreamRenderer(BaseRenderer):
    """Names a media type for negotiation; the rows are a stream that needs no rendering."""

    charset = None

    def render(self, data: Any, media_type: str | None = None, context: Any = None) -> bytes:
        return b"" if data is None else orjson.dumps(data) + b"\n"


class NdjsonRenderer(StreamRenderer):
    media_type = NDJSON
    format = "ndjson"


class ParquetRenderer(StreamRenderer):
    media_type = PARQUET
    format = "parquet"


def stream(
    actor: Actor, chosen: BrowseFilter, names: Sequence[str], media_type: str
) -> StreamingHttpResponse:
    """Return the response. Memory holds a chunk of rows (of Parquet, a row group) and eight bytes per sample."""
    numbers = numbers_matching(chosen)
    if len(numbers) > MOST_ROWS:
        raise ValidationError(
            f"{len(numbers):,} samples match; at most {MOST_ROWS:,} are streamed. Narrow the filter, or export them "
            "by a worker: POST to bulk-actions/ with the action export."
        )
    columns = [column for column in SAMPLES.columns if column.name in names]
    written = WRITTEN[media_type](chunks(actor, numbers, columns), columns)
    response = StreamingHttpResponse(written, content_type=media_type)
    response.headers["X-Total-Count"] = str(len(numbers))
    if media_type == PARQUET:
        response.headers["Content-Disposition"] = 'attachment; filename="samples.parquet"'
    return response


def chunks(actor: Actor, numbers: array[int], columns: list[Column]) -> Iterator[list[Row]]:
    """Yield the rows, a chunk of samples at a time. Samples deleted meanwhile are left out."""
    start, size = 0, FIRST_ROWS
    while part := numbers[start : start + size]:
        chunk = list(SAMPLES.read(few_numbered(part), [ID, *columns]))
        hidden = {str(pk) for pk in hidden_verdicts(actor, (UUID(row["id"]) for row in chunk))}
        yield [visible(row, columns, hides=row["id"] in hidden) for row in chunk]
        start, size = start + size, CHUNK_ROWS


def visible(read: Row, columns: list[Column], *, hides: bool) -> Row:
    return {
        column.name: None if hides and column.name in OF_REVIEWS else read[column.name] for column in columns
    }


def lines(rows: Iterator[list[Row]], columns: list[Column]) -> Iterator[bytes]:
    for chunk in rows:
        yield b"".join(orjson.dumps(row) + b"\n" for row in chunk)


def table(rows: Iterator[list[Row]], columns: list[Column]) -> Iterator[bytes]:
    """Yield the parts of a Parquet file. After a fault its end is missing, so that no reader takes it for complete."""
    sink = io.BytesIO()
    writer = ParquetWriter(sink, columns)
    yield taken(sink)
    for chunk in rows:
        for row in chunk:
            writer.write(row)
        if part := taken(sink):
            yield part
    writer.close()
    yield taken(sink)


def taken(sink: io.BytesIO) -> bytes:
    """Return what was written, and empty the sink; Arrow counts the bytes itself."""
    part = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return part


WRITTEN: dict[str, Callable[[Iterator[list[Row]], list[Column]], Iterator[bytes]]] = {
    NDJSON: lines,
    PARQUET: table,
}
