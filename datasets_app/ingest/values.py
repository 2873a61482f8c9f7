"""Validates the values of a row: each function returns the value or raises RowError with the reason."""

import base64
import json
import math
import re
import sys
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, TypeGuard

from datasets_app.ingest import limits
from datasets_app.ingest.rows import RowError

THINK_TAG = re.compile(r"</?think>")
FENCE = re.compile(r"\A\s*```[\w+-]*[ \t]*\r?\n(.*?)(?:\r?\n)?```\s*\Z", re.DOTALL)
# Characters that a name must not contain, since they would reorder or garble the text around it.
GARBLING = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SURROGATE = re.compile("[\ud800-\udfff]")
YES = {"true", "yes", "1", "1.0"}
NO = {"false", "no", "0", "0.0"}
MISSING = (None, "")


def clean(field: str, text: str, cap_bytes: int = limits.MAX_TEXT_BYTES) -> str:
    """Return `text` if a database can store it: valid Unicode without NUL, within the limit."""
    if "\x00" in text:
        raise RowError(field, "holds a NUL character, which a database cannot store", text)
    if not text.isascii() and SURROGATE.search(text):
        raise RowError(field, "holds characters that are not valid Unicode (not UTF-8)", text)
    if len(text) * 4 > cap_bytes and (size := len(text.encode())) > cap_bytes:
        raise RowError(field, f"is {size:,} bytes long; the limit is {cap_bytes:,}", text)
    return text


def text(values: Mapping[str, Any], field: str, cap_bytes: int = limits.MAX_TEXT_BYTES) -> str:
    """Return the text of a field; '' if it is absent or null."""
    value = values.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RowError(field, f"should be text, not {kind_of(value)}", value)
    return clean(field, value, cap_bytes)


def required(values: Mapping[str, Any], field: str) -> str:
    """Return the text of a field that must not be empty."""
    value = text(values, field)
    if value.strip():
        return value
    raise RowError(field, "is empty" if field in values else "is missing", values.get(field, ""))


def label(values: Mapping[str, Any], field: str, max_chars: int) -> str:
    """Return a short text such as a name; integers are accepted."""
    value = values.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    cleaned = text({field: value}, field).strip()
    if garbling := GARBLING.search(cleaned):
        code = ord(garbling[0])
        raise RowError(
            field, f"holds the hidden character U+{code:04X}, which no name needs: take it out", cleaned
        )
    if len(cleaned) > max_chars:
        raise RowError(field, f"is {len(cleaned):,} characters long; the limit is {max_chars}", cleaned)
    return cleaned


def program(values: Mapping[str, Any], field: str) -> str:
    """Return a program's text, without a Markdown fence around the whole of it."""
    source = required(values, field)
    fenced = FENCE.match(source)
    return fenced.group(1) if fenced and "```" not in fenced.group(1) else source


def trace(values: Mapping[str, Any], field: str) -> str:
    """Return a reasoning trace without its <think> tags."""
    raw = text(values, field)
    return (THINK_TAG.sub("", raw) if "think>" in raw else raw).strip()


def number(values: Mapping[str, Any], field: str) -> float | None:
    """Return a finite number; numeric text is accepted."""
    value = values.get(field)
    if value in MISSING:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise RowError(field, f"should be a number, not {kind_of(value)}", value)
    try:
        parsed = float(value)
    except (ValueError, OverflowError):
        raise RowError(field, "is not a number", value) from None
    if not math.isfinite(parsed):
        raise RowError(field, f"is {str(parsed).replace('nan', 'NaN')}, which is no measurement", value)
    return parsed


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a double can hold: no NaN, no infinity, no larger integer."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def speedup(values: Mapping[str, Any], field: str) -> float | None:
    """Return a claimed speedup over eager: a number above zero."""
    value = number(values, field)
    if value is not None and value <= 0:
        raise RowError(field, "is not above zero, so it cannot be a speedup", values[field])
    return value


def whole(values: Mapping[str, Any], field: str, low: int = 0, high: int = 2**31 - 1) -> int | None:
    """Return an integer from `low` to `high`."""
    value = number(values, field)
    if value is None:
        return None
    if value != int(value) or not low <= value <= high:
        raise RowError(field, f"is not a whole number from {low} to {high}", values[field])
    return int(value)


def needed(values: Mapping[str, Any], field: str, low: int = 0, high: int = 2**31 - 1) -> int:
    """Return an integer that must be present."""
    value = whole(values, field, low, high)
    if value is None:
        raise RowError(field, "is missing")
    return value


def flag(values: Mapping[str, Any], field: str) -> bool | None:
    """Return true or false; text and 0 or 1 are accepted."""
    value = values.get(field)
    if value in MISSING:
        return None
    word = str(value).strip().lower()
    if word in YES | NO:
        return word in YES
    raise RowError(field, "is neither true nor false", value)


def mapping(values: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return an object; text is parsed as JSON."""
    value = values.get(field)
    if value in MISSING:
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise RowError(field, "is text that is not JSON", value) from None
    if not isinstance(value, dict):
        raise RowError(field, f"should be an object, not {kind_of(value)}", value)
    return extra(value)


def extra(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns without a field of their own, as JSON that a database can store."""
    fields = {clean("column name", str(name)): jsonable(name, value) for name, value in columns.items()}
    if not fields:
        return fields
    try:
        size = len(json.dumps(fields, ensure_ascii=False).encode())
    except RecursionError:
        raise RowError("", "holds an object nested too deep to be stored") from None
    if size > limits.MAX_EXTRA_BYTES:
        raise RowError("", f"has {size:,} bytes in further columns; the limit is {limits.MAX_EXTRA_BYTES:,}")
    return fields


def jsonable(field: str, value: Any, depth: int = 0) -> Any:
    """Return `value` in JSON's types. NaN and infinities, which JSON lacks, become text."""
    if depth > 40:
        raise RowError(field, "holds an object nested too deep to be stored")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return clean(field, value, limits.MAX_EXTRA_BYTES)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {clean(field, str(k)): jsonable(field, v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(field, item, depth + 1) for item in value]
    return clean(field, scalar_text(value), limits.MAX_EXTRA_BYTES)


def scalar_text(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)


def kind_of(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
