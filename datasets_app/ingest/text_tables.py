"""Reads rows from text: JSON Lines, a JSON array, an object of arrays or of objects, CSV. Memory is bounded.

A broken line is one refusal.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from datasets_app.ingest import limits
from datasets_app.ingest.refused_rows import ANNOTATION_KEYS, capped, shown, unwrapped
from datasets_app.ingest.rows import IngestError, Record, Refusal

CHUNK_BYTES = 1 << 20
UTF8_BOM = codecs.BOM_UTF8
ROUNDED_FROM = 2.0**63  # orjson rounds larger integers to a float
LIST_NAME = (
    "list_name"  # the column that names a row's array in an object of arrays, or a row in one of objects
)
TOO_LONG = f"The line is longer than {limits.MAX_RECORD_BYTES:,} bytes."


def bounded_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes, bool]]:
    """Yield number, bytes and whether the line was cut, for every line; no line is held above the limit."""
    number = blank = 0
    while line := stream.readline(limits.MAX_RECORD_BYTES + 1):
        number += 1
        blank = 0 if len(line) > 2 or line.strip() else blank + 1
        if blank > limits.MAX_BLANK_LINES:
            raise IngestError(
                f"There are more than {blank - 1:,} empty lines in a row, up to line {number:,}."
            )
        cut = len(line) > limits.MAX_RECORD_BYTES
        if cut:
            skip_rest_of_line(stream, line)
        yield number, line.removeprefix(UTF8_BOM) if number == 1 else line, cut


def skip_rest_of_line(stream: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = stream.readline(CHUNK_BYTES)


def decoded(line: bytes) -> tuple[str, str]:
    """Return the text and, if it is not UTF-8, the reason: bad bytes then appear as \\xNN."""
    try:
        return line.decode(), ""
    except UnicodeDecodeError as error:
        reason = f"The line is not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}."
        return line.decode(errors="backslashreplace"), reason


def json_lines(stream: BinaryIO) -> Iterator[Record | Refusal]:
    """Yield one object per line. Empty lines are skipped."""
    for number, line, cut in bounded_lines(stream):
        if cut or line.strip():
            yield json_line(number, line, cut)


def json_line(number: int, line: bytes, cut: bool) -> Record | Refusal:
    text, reason = decoded(line.rstrip(b"\r\n"))
    if cut or reason:
        return Refusal(number, "", TOO_LONG if cut else reason, shown(text), capped(text))
    try:
        return unwrapped(number, parsed(text), text)
    except (ValueError, RecursionError) as error:
        return Refusal(number, "", f"The line is not JSON: {error}.", shown(text), capped(text))


def parsed(text: str) -> Any:
    """Parse as json.loads does, five times as fast if orjson accepts the text and rounds no large number."""
    try:
        value = orjson.loads(text)
        if is_exact(value):
            return value
    except orjson.JSONDecodeError:
        pass
    return json.loads(text)


def is_exact(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(is_exact, value.values()))
    if isinstance(value, list):
        return all(map(is_exact, value))
    return not isinstance(value, float) or abs(value) < ROUNDED_FROM


def json_array(stream: BinaryIO) -> Iterator[Record | Refusal]:
    """Yield the objects of one array, each decoded when its last byte has been read."""
    for number, value in enumerate(array_items(stream), start=1):
        yield unwrapped(number, value, "")


def json_lists(stream: BinaryIO) -> Iterator[Record | Refusal]:
    """Yield the objects of an object of arrays, such as one per level, each with its array's name as a column."""
    window, number = Window(stream), 0
    for name in member_names(window):
        for value in window_items(window, number):
            number += 1
            yield unwrapped(number, named_row(name, value), "")


def json_objects(stream: BinaryIO) -> Iterator[Record | Refusal]:
    """Yield the objects of an object of objects, such as one per program, each with its name as a column."""
    window = Window(stream)
    for number, name in enumerate(member_names(window), start=1):
        yield unwrapped(number, named_row(name, window.value(number - 1)), "")


def member_names(window: Window) -> Iterator[str]:
    """Yield the names of an object's members; whoever takes one reads the value that follows."""
    window.expect("{")
    count = 0
    while (mark := window.next_character()) != "}":
        if count:
            window.expect(",")
        elif not mark:
            raise IngestError("The JSON breaks off before its first row.")
        name, count = str(window.value(count)), count + 1
        window.expect(":")
        yield name
    window.at += 1
    window.expect_end()


def named_row(name: str, value: Any) -> Any:
    return {LIST_NAME: name, **value} if isinstance(value, dict) else value


def array_items(stream: BinaryIO) -> Iterator[Any]:
    window = Window(stream)
    yield from window_items(window)
    window.expect_end()


def window_items(window: Window, count: int = 0) -> Iterator[Any]:
    """Yield the items of the array at the window's place; `count` rows were before it."""
    if window.next_character() != "[":
        raise IngestError(
            "The JSON does not begin with an array." if not count else "There is no array of rows."
        )
    window.at += 1
    first = count
    while (mark := window.next_character()) != "]":
        if mark == "," and count > first:
            window.at += 1
        elif mark == "" or (count > first and mark != ","):
            raise IngestError(f"The JSON array breaks off after row {count:,}.")
        yield window.value(count)
        count += 1
    window.at += 1


class Window:
    """A sliding window of text over a stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.decode = codecs.getincrementaldecoder("utf-8-sig")(errors="surrogateescape").decode
        self.text, self.at, self.ended = "", 0, False
        self.decoder = json.JSONDecoder()

    def read_on(self) -> None:
        chunk = self.stream.read(max(CHUNK_BYTES, len(self.text) - self.at))
        self.ended = not chunk
        self.text = self.text[self.at :] + self.decode(chunk, final=self.ended)
        self.at = 0

    def next_character(self) -> str:
        """Return the next character that is no space without consuming it; '' at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at].isspace():
                self.at += 1
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self.read_on()

    def expect(self, mark: str) -> None:
        """Consume the next character. Raises IngestError if it is another one."""
        if self.next_character() != mark:
            raise IngestError(f"The JSON is no object of arrays or of rows: {mark} was expected.")
        self.at += 1

    def expect_end(self) -> None:
        """Raise IngestError if anything follows, such as a second array: its rows would be lost unnoticed."""
        if mark := self.next_character():
            raise IngestError(
                f"The JSON goes on with {mark} after its end, and that was not read: write one array, or one object "
                "per line (JSON Lines). The rows before were read."
            )

    def value(self, count: int) -> Any:
        """Return the JSON value at this place. Raises IngestError if there is none within the size limit of a row."""
        self.next_character()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except RecursionError:
                raise IngestError(f"Row {count + 1:,} of the JSON array is nested too deep.") from None
            except ValueError as error:
                if self.ended or len(self.text) - self.at > limits.MAX_RECORD_BYTES:
                    raise IngestError(f"The JSON array breaks off in row {count + 1:,}: {error}.") from error
                self.read_on()
                continue
            self.at = end
            return value


def csv_rows(stream: BinaryIO) -> Iterator[Record | Refusal]:
    """Yield the rows of a CSV file with a header; a field may span lines."""
    csv.field_size_limit(limits.MAX_RECORD_BYTES)
    lines = CsvLines(stream)
    reader = csv.reader(lines, strict=True)
    header = csv_header(reader, lines)
    while (row := next_row(reader, lines)) is not None:
        if row:
            yield csv_record(header, row, lines)


def csv_header(reader: Any, lines: CsvLines) -> list[str]:
    """Return the names of the columns, below any empty lines; none for an empty file. Raises IngestError."""
    while (header := next_row(reader, lines)) == [] and not lines.problem:
        pass
    if header is None:
        return []
    if isinstance(header, str) or lines.problem == TOO_LONG:
        reason = lines.problem or str(header)
        raise IngestError(f"The names of the columns, in line {lines.first:,}, cannot be read. {reason}")
    if len(header) > limits.MAX_COLUMNS:
        raise IngestError(f"The file has {len(header):,} columns; the limit is {limits.MAX_COLUMNS:,}.")
    if twice := [name for name, times in Counter(header).items() if name and times > 1]:
        raise IngestError(
            f"Several columns of the file are called {shown(twice[0])}: give each its own name."
        )
    return header


class CsvLines:
    """Lines for the csv module, with the text and the first problem of the current row."""

    def __init__(self, stream: BinaryIO) -> None:
        self.lines = bounded_lines(stream)
        self.number, self.first, self.problem, self.size = 0, 1, "", 0
        self.texts: list[str] = []

    def __iter__(self) -> CsvLines:
        return self

    def __next__(self) -> str:
        self.number, line, cut = next(self.lines)
        self.size += 0 if cut else len(line)
        if self.size > limits.MAX_RECORD_BYTES and self.number > self.first:
            raise IngestError(
                f"The CSV row that begins in line {self.first:,} is longer than {limits.MAX_RECORD_BYTES:,} bytes: "
                f"probably a quote that is opened in line {self.first:,} is not closed."
            )
        text, reason = decoded(line)
        self.problem = self.problem or (TOO_LONG if cut else reason)
        self.texts.append(text)
        return "" if cut else text

    def begin_row(self) -> None:
        self.first, self.problem, self.size, self.texts = self.number + 1, "", 0, []


def next_row(reader: Any, lines: CsvLines) -> list[str] | str | None:
    """Return the next row, or the reason why it cannot be read; None at the end."""
    lines.begin_row()
    try:
        row: list[str] = next(reader)
        return row
    except StopIteration:
        return None
    except csv.Error as error:
        return f"The row is not CSV: {error}."


def csv_record(header: list[str], row: list[str] | str, lines: CsvLines) -> Record | Refusal:
    if isinstance(row, str):
        text = "".join(lines.texts)
        return Refusal(lines.first, "", lines.problem or row, shown(text), capped(text))
    values: dict[str, Any] = dict(zip(header, row, strict=False))
    reason = lines.problem
    if not reason and len(row) != len(header):
        reason = f"The row has {len(row)} fields and the header {len(header)}."
    if reason:
        values |= {"_more": row[len(header) :]} if len(row) > len(header) else {}
        return Refusal(lines.first, "", reason, shown(row[0]), capped(json.dumps(values, ensure_ascii=False)))
    return Record(lines.first, {k: v for k, v in values.items() if k not in ANNOTATION_KEYS})
