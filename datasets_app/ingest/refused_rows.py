"""The text of refused rows, as it is stored and as a corrected file brings it back.

`_line`, `_field` and `_reason` say what was wrong, `_format` which reader the row is for and `_mapping`, where a person
mapped the columns, which column has which field. Readers skip these columns when the corrected file is read. A line
that could not be parsed is in `_raw` as it was (bytes that are not UTF-8 as \\xNN): correct the text there, and it is
read as the row. `_more` has the fields of a CSV row beyond its header's.
"""

from __future__ import annotations

import json
import math
from typing import Any

from datasets_app.ingest import limits
from datasets_app.ingest.rows import Record, Refusal

ANNOTATION_KEYS = ("_line", "_field", "_reason", "_format", "_mapping", "_raw", "_cut", "_more")


def capped(text: str) -> str:
    """Return the text of a refused row in a form that can be stored: bounded, without NUL and lone surrogates."""
    start = text[: limits.MAX_RAW_CHARS]
    return start.replace("\x00", "\\u0000").encode(errors="backslashreplace").decode()


def shown(value: object) -> str:
    """Return the start of an offending value, for the list of refusals."""
    return capped(str(value)[:200])[:200]


def shown_reason(reason: str) -> str:
    return reason.replace("\x00", " ").encode(errors="replace").decode()[:500]


def raw_of(record: Record) -> str:
    """Return the row's text, or its values as JSON if the file does not consist of lines of text."""
    return capped(record.raw or json.dumps(strict(record.values), ensure_ascii=False, default=str))


def strict(value: Any) -> Any:
    """Return `value` without NaN, which JSON lacks."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): strict(item) for key, item in value.items()}
    return [strict(item) for item in value] if isinstance(value, list | tuple) else value


def unwrapped(line: int, value: Any, text: str) -> Record | Refusal:
    """Return a JSON value as a record; one from a corrected file yields the row in it, with its line there."""
    if not isinstance(value, dict):
        reason = "The row is not a JSON object."
        return Refusal(line, "", reason, shown(value), capped(text or json.dumps(strict(value))))
    if not any(key in value for key in ANNOTATION_KEYS):
        return Record(line, value, text)
    wanted = str(value.get("_format", ""))
    if "_raw" in value:
        return unwrapped_raw(line, value["_raw"], wanted)
    rest = {k: v for k, v in value.items() if k not in ANNOTATION_KEYS}
    return Record(line, rest, wanted_format=wanted, wanted_mapping=texts_of(value.get("_mapping")))


def texts_of(mapping: Any) -> dict[str, str]:
    """Return a mapping of texts as it is, and an empty one for anything else, or for one too long to be ours."""
    if not isinstance(mapping, dict) or len(mapping) > limits.PEEK_COLUMNS:
        return {}
    return mapping if all(isinstance(column, str) for column in mapping.values()) else {}


def unwrapped_raw(line: int, raw: Any, wanted: str) -> Record | Refusal:
    try:
        value = json.loads(raw)
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"The text in _raw is not JSON: {error}."
        return Refusal(line, "_raw", reason, shown(raw), capped(str(raw)), wanted)
    if isinstance(value, dict) and "_raw" not in value:
        return Record(line, value, raw, wanted)
    return Refusal(line, "_raw", "The text in _raw is not a JSON object.", shown(raw), capped(raw), wanted)
