"""The whole difference of two releases as JSON Lines, for the page's link and for REST."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from django.http import StreamingHttpResponse

from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.curate.difference import DifferentRow, every_row, positions
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.models import Release


def difference_response(
    release: Release, other: Release, hidden: HiddenReviews | None
) -> StreamingHttpResponse:
    """Return the rows as they are read, added ones first, with the counts in headers."""
    response = StreamingHttpResponse(lines(release, other, hidden), content_type=JsonLines.media_type)
    name = f"{release.name}-against-{other.name}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    for kind, places in positions(release, other).items():
        response[f"X-{kind.capitalize()}"] = str(len(places))
    return response


def lines(release: Release, other: Release, hidden: HiddenReviews | None) -> Iterator[bytes]:
    for kind, rows in every_row(release, other, hidden):
        yield b"".join(orjson.dumps(record(kind, row), option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def record(kind: str, row: DifferentRow) -> dict[str, Any]:
    """Return a row under the names of the release's columns; `changes` has the values as they are frozen."""
    return {
        "difference": kind,
        "id": row.sample,
        "problem_name": row.task_name,
        "split": row.split,
        "reason": row.reason,
        "generator": row.generator,
        "speedup_over_eager": row.speedup,
        "trace_tokens": row.trace_tokens,
        "why": row.why,
        "changes": {name: {"before": old, "after": new} for name, (old, new) in row.changes.items()},
    }
