import json
from collections.abc import Iterable, Sequence
from typing import Any

from datasets_app.export.formats.base import ByteSink, Format
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.types import Described

# A spreadsheet takes a cell for a formula that begins with one of these, or with one of their full-width forms.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
GUARD = "'"


class Csv(Format):
    """UTF-8, commas, line feeds; every text in quotes, so that an empty text is not an absent one.

    A text that a spreadsheet would take for a formula has an apostrophe before it, as has a text that begins with an
    apostrophe: to read it back, take one away.
    """

    name = "csv"
    title = "CSV"
    means = (
        "for spreadsheets: a text that looks like a formula, or begins with an apostrophe, has one before it"
    )
    folder = "csv"
    suffix = "csv"
    media_type = "text/csv; charset=utf-8"

    def open(self, stream: ByteSink, options: Options = DEFAULT) -> "CsvWriter":
        return CsvWriter(stream, self.fields(options))


class CsvWriter:
    def __init__(self, stream: ByteSink, fields: Sequence[Described]) -> None:
        self.stream = stream
        self.line([field.name for field in fields])

    def line(self, values: Iterable[Any]) -> None:
        self.stream.write(csv_line(values).encode("utf-8", "replace"))

    def write(self, row: dict[str, Any]) -> None:
        self.line(row.values())

    def close(self) -> None:
        self.stream.flush()


def csv_line(values: Iterable[Any]) -> str:
    return ",".join(map(cell, values)) + "\n"


def cell(value: Any) -> str:
    """Return a value as a cell; lists as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    guard = GUARD if text.startswith((*FORMULA, GUARD)) else ""
    return '"' + guard + text.replace('"', '""') + '"'
