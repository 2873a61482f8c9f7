"""Refused rows as a file to mend: JSON Lines with the original fields and, beside them, where and why.

`_line`, `_field` and `_reason` say what was wrong and `_format` which reader wants the row; the readers pass over
them when the mended file is read. A line that could not be taken apart stands in `_raw` as it was (bytes that are
not UTF-8 as \\xNN): mend the text there, and it is read as the row.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.http import FileResponse

from datasets_app.ingest import limits
from datasets_app.ingest.rows import Record, Refusal
from datasets_app.models import Ingest, RefusedRow

if TYPE_CHECKING:
    from collections.abc import Mapping

MEND_KEYS = ("_line", "_field", "_reason", "_format", "_raw", "_cut")


def capped(text: str) -> str:
    """Text of a refused row as it can be stored: capped, without NUL and lone surrogates."""
    found = text[: limits.MAX_RAW_CHARS]
    return found.replace("\x00", "\\u0000").encode(errors="backslashreplace").decode()


def shown(value: object) -> str:
    """The start of an offending value, for the list of refusals."""
    return capped(str(value)[:200])[:200]


def shown_reason(reason: str) -> str:
    return reason.replace("\x00", " ").encode(errors="replace").decode()[:500]


def raw_of(record: Record) -> str:
    """The row as it stood, or as JSON where the file is not lines of text."""
    return capped(record.raw or json.dumps(strict(record.values), ensure_ascii=False, default=str))


def strict(value: Any) -> Any:
    """`value` without NaN, which JSON lacks."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): strict(item) for key, item in value.items()}
    return [strict(item) for item in value] if isinstance(value, list | tuple) else value


def unwrapped(line: int, value: Any, text: str) -> Record | Refusal:
    """A JSON value as a record; one from a file to mend gives the row in it, under its line there."""
    if not isinstance(value, dict):
        reason = "The row is not a JSON object."
        return Refusal(line, "", reason, shown(value), capped(text or json.dumps(strict(value))))
    if not any(key in value for key in MEND_KEYS):
        return Record(line, value, text)
    wanted = str(value.get("_format", ""))
    if "_raw" in value:
        return unwrapped_raw(line, value["_raw"], wanted)
    return Record(line, {k: v for k, v in value.items() if k not in MEND_KEYS}, wanted_format=wanted)


def unwrapped_raw(line: int, raw: Any, wanted: str) -> Record | Refusal:
    try:
        value = json.loads(raw)
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"The text in _raw is not JSON: {error}."
        return Refusal(line, "_raw", reason, shown(raw), capped(str(raw)), wanted)
    if isinstance(value, dict) and "_raw" not in value:
        return Record(line, value, raw, wanted)
    return Refusal(line, "_raw", "The text in _raw is not a JSON object.", shown(raw), capped(raw), wanted)


def mend_line(row: RefusedRow, format_name: str) -> str:
    """One line of the file to mend, as UTF-8 can hold it: half a surrogate pair stays the escape that it was."""
    head = {"_line": row.line, "_field": row.field, "_reason": row.reason, "_format": format_name}
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


def mend_lines(ingest: Ingest) -> Iterator[str]:
    """The file to mend, a line at a time, in the order of the rows."""
    rows = RefusedRow.objects.filter(ingest=ingest).order_by("line", "id")
    for row in rows.iterator(chunk_size=50):
        yield mend_line(row, ingest.format)


def write_mend_file(ingest: Ingest, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(mend_lines(ingest))
    return path


def mend_response(ingest: Ingest) -> FileResponse:
    """The file to mend as a download: written first, so that a slow client holds neither a thread nor a query."""
    file = tempfile.TemporaryFile(prefix="concur-refused-")  # noqa: SIM115  (the response closes it)
    file.writelines(line.encode() for line in mend_lines(ingest))
    file.seek(0)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", ingest.file_name.split(".")[0]) or "ingest"
    name, kind = f"{stem}.refused.jsonl", "application/x-ndjson; charset=utf-8"
    return FileResponse(file, as_attachment=True, filename=name, content_type=kind)
