"""All samples of a filter as newline-delimited JSON, with the columns of exported files, as they are read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.http import StreamingHttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import BaseRenderer

from datasets_app.accounts.actor import Actor
from datasets_app.browse.query import BrowseFilter
from datasets_app.browse.query.sets import numbered
from datasets_app.bulk.groups import numbers_matching
from datasets_app.export.columns import Column
from datasets_app.export.tables import SAMPLES
from datasets_app.review import hidden_verdicts

NDJSON = "application/x-ndjson"
MOST_ROWS = 100_000  # a request is ended after CONCUR_REQUEST_SECONDS of work
FIRST_ROWS, CHUNK_ROWS = 5, 50  # the first bytes come after a few rows
NAMES = [column.name for column in SAMPLES.columns]
ID = next(column for column in SAMPLES.columns if column.name == "id")
OF_REVIEWS = ("verdict", "votes", "agreement", "notes", "preferences")  # what blind review hides


class NdjsonRenderer(BaseRenderer):
    """Names the media type for negotiation; the rows are a stream that needs no rendering."""

    media_type = NDJSON
    format = "ndjson"
    charset = None

    def render(self, data: Any, media_type: str | None = None, context: Any = None) -> bytes:
        return b"" if data is None else orjson.dumps(data) + b"\n"


def stream(actor: Actor, chosen: BrowseFilter, names: Sequence[str]) -> StreamingHttpResponse:
    """Return the response. Memory holds one chunk of rows and eight bytes per sample."""
    numbers = numbers_matching(chosen)
    if len(numbers) > MOST_ROWS:
        raise ValidationError(
            f"{len(numbers):,} samples match; at most {MOST_ROWS:,} are streamed. Narrow the filter, or export them "
            "by a worker: POST to bulk-actions/ with the action export."
        )
    columns = [column for column in SAMPLES.columns if column.name in names]
    response = StreamingHttpResponse(lines(actor, numbers, columns), content_type=NDJSON)
    response.headers["X-Total-Count"] = str(len(numbers))
    return response


def lines(actor: Actor, numbers: array[int], columns: list[Column]) -> Iterator[bytes]:
    """Yield the rows, a chunk of samples at a time. Samples deleted meanwhile are left out."""
    start, size = 0, FIRST_ROWS
    while part := numbers[start : start + size]:
        chunk = list(SAMPLES.read(numbered(part), [ID, *columns]))
        hidden = {str(pk) for pk in hidden_verdicts(actor, (UUID(row["id"]) for row in chunk))}
        yield b"".join(line(row, columns, hides=row["id"] in hidden) for row in chunk)
        start, size = start + size, CHUNK_ROWS


def line(read: dict[str, Any], columns: list[Column], *, hides: bool) -> bytes:
    row = {
        column.name: None if hides and column.name in OF_REVIEWS else read[column.name] for column in columns
    }
    return orjson.dumps(row) + b"\n"
