"""The registered readers. Another app adds its own from its AppConfig.ready()."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from datasets_app.ingest import limits
from datasets_app.ingest.checks import checked, examine_ahead
from datasets_app.ingest.portions import portions
from datasets_app.ingest.refused_rows import raw_of, shown
from datasets_app.ingest.rows import LeftOut, Record, Refusal, Row, RowError, TaskMissingError
from datasets_app.ingest.source_file import Peek, SourceFile
from datasets_app.ingest.synonyms import named_as
from datasets_app.ingest.values import extra
from datasets_app.models import Ingest

CERTAIN, LIKELY, FALLBACK, NO = 100, 80, 10, 0
TABLES = ("jsonl", "json", "json-lists", "json-objects", "csv", "parquet", "arrow-stream", "arrow-file")


@dataclass(frozen=True)
class Origin:
    """The data set that a format comes from, unless the person names another source."""

    name: str
    url: str = ""
    licence: str = ""


class Reader:
    """Reads one source format.

    To add a format, write a file beside those in datasets_app/ingest/readers/ with a subclass that names the
    columns it needs and turns one record into one row, and register an instance of it:

        class LeaderboardReader(Reader):
            name, title = "leaderboard", "KernelBench leaderboard"
            columns = ("ref_code", "code", "torch_speedup")
            origin = Origin("KernelBench leaderboard", "https://example.org", "MIT")

            def row(self, record, file):
                values = record.values
                task = TaskPart(program=program(values, "ref_code"), name=label(values, "name", NAME_CHARS))
                sample = SamplePart(kernel=program(values, "code"), claimed_speedup=speedup(values, "torch_speedup"))
                return Row(record, task, sample)

        register(LeaderboardReader())

    `row` raises RowError(field, reason) for a row that cannot go in; the rest of the file goes on. A format that
    is no table overrides `recognises` and `read`; so does one whose records hold several samples. A format whose
    rows are no triples sets `stores_itself`, leaves `row` as it is and overrides `store`, which puts one record where
    it belongs and returns True if it was new and False if it was there already.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ()  # all must be present for the format to be recognised
    origin: ClassVar[Origin | None] = None
    order: ClassVar[int] = 10  # of files uploaded together, lower values are read first
    stores_itself: ClassVar[bool] = False
    record_word: ClassVar[str] = "records"  # the plural of what `store` stores, for counts on pages
    program_field: ClassVar[str] = "pytorch_code"  # the column of the reference program, for error messages
    kernel_field: ClassVar[str] = "kernel_code"
    optional: ClassVar[tuple[str, ...]] = ()  # columns without whose value a row is stored, if it is faulty
    takes_synonyms_of: ClassVar[tuple[str, ...]] = ()  # columns that may have another name (see synonyms)
    reports_unused: ClassVar[bool] = False  # for tables of one's own, whose columns may be meant for a field

    def recognises(self, peek: Peek) -> int:
        """Return 0 (another format) to 100 (certain), from the columns and the first rows."""
        if peek.kind not in TABLES or not self.columns:
            return NO
        return LIKELY if set(self.columns) <= set(peek.columns) else NO

    def rows(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        """Return every row of the file in order. The same file always yields the same sequence.

        Rows may be produced in a thread without a database: what they need from it is looked up here, at the call.
        """
        file.stored = self.look_up()
        return self.read(file)

    def lacks_columns(self, mapping: Mapping[str, str]) -> bool:
        """Return whether a person has to map columns before the file can be read."""
        return False

    def look_up(self) -> Any:
        """Return what `row` needs from the database; `row` finds it in `file.stored`."""
        return None

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        items = (self.unchecked(record, file) for record in file.records())
        for portion, failure in portions(items, limits.ANALYSED_ROWS, limits.ANALYSED_BYTES):
            examine_ahead(task.program for item in portion if isinstance(item, Row) for task in item.tasks)
            for item in portion:
                yield self.checked_row(item, file.mapping) if isinstance(item, Row) else item
            if failure:
                raise failure

    def row_or_refusal(self, record: Record, file: SourceFile) -> Row | Record | Refusal:
        """Return the row, or why it cannot be stored."""
        row = self.unchecked(record, file)
        return self.checked_row(row, file.mapping) if isinstance(row, Row) else row

    def unchecked(self, record: Record | Refusal, file: SourceFile) -> Row | Record | Refusal:
        """Return the row without the faulty values of optional columns, its programs not analysed yet, or why it
        cannot be stored."""
        if isinstance(record, Refusal):
            return record
        values, columns = named_as(record.values, self.takes_synonyms_of)
        left_out: list[LeftOut] = []
        while True:
            try:
                row = self.row(record if values is record.values else replace(record, values=values), file)
                break
            except RowError as error:
                field, error.field = error.field, columns.get(error.field, error.field)
                if field not in self.optional_columns(file) or field not in values:
                    return refuse(record, error)
                left_out.append(LeftOut(record.line, error.field, error.reason, shown(error.value)))
                values = {name: value for name, value in values.items() if name != field}
        if not isinstance(row, Row):
            return row
        changed = values is not record.values
        return replace(row, record=record, left_out=tuple(left_out)) if changed else row

    def optional_columns(self, file: SourceFile) -> Collection[str]:
        return self.optional

    def checked_row(self, row: Row, mapping: Mapping[str, str] | None = None) -> Row | Refusal:
        """Return the row with its programs analysed, or why it cannot be stored, by the file's name of the column."""
        try:
            row = checked(row, self.program_field, self.kernel_field)
        except RowError as error:
            error.field = (mapping or {}).get(error.field, error.field)
            return refuse(row.record, error)
        return replace(row, unused=unused_columns(row)) if self.reports_unused else row

    def row(self, record: Record, file: SourceFile) -> Row | Record:
        """Return one record as a row. Raises RowError."""
        return record

    def store(self, record: Record, ingest: Ingest) -> bool:
        """Store a record that is not a triple. Return True if it was new. Raises RowError."""
        raise NotImplementedError(f"{self.name} yields triples")


def unused_columns(row: Row) -> tuple[str, ...]:
    """Return the columns of the row that are only kept with it."""
    kept = {**row.task.extra, **(row.sample.extra if row.sample else {})}
    return tuple(column for column in kept if column in row.record.values)


def refuse(record: Record, error: RowError) -> Refusal:
    raw = raw_of(record)
    is_whole = len(raw) < limits.MAX_RAW_CHARS
    awaits = error.suite if isinstance(error, TaskMissingError) and is_whole else ""
    return Refusal(record.line, error.field, error.reason, shown(error.value), raw, awaits=awaits)


_readers: dict[str, Reader] = {}


def register(reader: Reader) -> None:
    """Register a format. A second reader of the same name replaces the first."""
    _readers[reader.name] = reader


def readers() -> list[Reader]:
    """Return all formats in the order of registration."""
    return list(_readers.values())


def reader_named(name: str) -> Reader | None:
    return {reader.name: reader for reader in readers()}.get(name.replace("_", "-"))


def options() -> list[tuple[str, str]]:
    return [(reader.name, reader.title) for reader in readers()]


def leftover(values: Mapping[str, Any], *used: str) -> dict[str, Any]:
    """Return the columns that have no field of their own, to be kept with the row."""
    return extra({k: v for k, v in values.items() if k not in used and v not in (None, "")})
