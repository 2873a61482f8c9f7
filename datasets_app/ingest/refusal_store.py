"""Stores refused rows, and writes them as JSON Lines for somebody to correct (see refused_rows for the columns)."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import FileResponse

from datasets_app.ingest import limits
from datasets_app.ingest.refused_rows import shown, shown_reason, strict
from datasets_app.ingest.rows import Refusal
from datasets_app.models import Ingest, RefusedRow

MAX_LINE = 2**31 - 1  # the largest number that the column holds


def store_refusals(refusals: list[Refusal], ingest: Ingest) -> dict[str, int]:
    """Store refused rows up to the site's limits. Return the ingest's new totals of what is stored."""
    rows, size = ingest.refused_kept, ingest.refused_bytes
    stored: list[RefusedRow] = []
    for item in refusals:
        size += len(item.raw)
        if rows + len(stored) >= settings.INGEST_REFUSED_ROWS or size > settings.INGEST_REFUSED_BYTES:
            size -= len(item.raw)
            break
        stored.append(refused_row(item, ingest))
    RefusedRow.objects.bulk_create(stored, batch_size=50)
    waiting = ingest.awaiting_task + sum(bool(row.awaits) for row in stored)
    return {"refused_kept": rows + len(stored), "refused_bytes": size, "awaiting_task": waiting}


def refused_row(item: Refusal, ingest: Ingest) -> RefusedRow:
    return RefusedRow(
        ingest=ingest,
        line=min(item.line, MAX_LINE),
        field=shown(item.field)[:80],
        reason=shown_reason(item.reason),
        value=shown(item.value),
        raw=item.raw,
        awaits=item.awaits,
    )


def refused_line(row: RefusedRow, format_name: str, mapping: Mapping[str, str]) -> str:
    """Return a row as a line of the file, in valid UTF-8: a lone surrogate stays the escape that it was."""
    head = {"_line": row.line, "_field": row.field, "_reason": row.reason, "_format": format_name}
    if mapping:
        head["_mapping"] = mapping
    if len(row.raw) >= limits.MAX_RAW_CHARS:
        head["_cut"] = f"the row was longer than {limits.MAX_RAW_CHARS:,} characters; this is its start"
    line = json.dumps({**head, **fields_of(row.raw)}, ensure_ascii=False) + "\n"
    return line.encode(errors="backslashreplace").decode()


def fields_of(raw: str) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {"_raw": raw}
    return strict(value) if isinstance(value, dict) and "_raw" not in value else {"_raw": raw}


def refused_lines(ingest: Ingest) -> Iterator[str]:
    """Yield the lines of the file, in the order of the rows."""
    rows = RefusedRow.objects.filter(ingest=ingest).order_by("line", "id")
    for row in rows.iterator(chunk_size=50):
        yield refused_line(row, ingest.format, ingest.mapping)


def refused_file(ingest: Ingest) -> Path | None:
    """Write the refused rows of a finished ingest to a file beside the uploads, if there are any. Return its path."""
    if not ingest.refused:
        return None
    path = settings.UPLOAD_DIR / str(ingest.pk) / "refused.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(refused_lines(ingest))
    return path


def refused_response(ingest: Ingest) -> FileResponse:
    """Return the file as a download. It is written first, so that a slow client occupies no thread and no query."""
    file = tempfile.TemporaryFile(prefix="concur-refused-")  # noqa: SIM115  (the response closes it)
    file.writelines(line.encode() for line in refused_lines(ingest))
    file.seek(0)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", ingest.file_name.split(".")[0]) or "ingest"
    name, kind = f"{stem}.refused.jsonl", "application/x-ndjson; charset=utf-8"
    return FileResponse(file, as_attachment=True, filename=name, content_type=kind)
