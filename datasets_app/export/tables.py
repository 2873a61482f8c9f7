"""Rows of one kind with chosen columns, as CSV, JSON Lines or Parquet: what the admin and `/exports/` write.

To add a column, add it to its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db.models import Model, QuerySet

from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.columns import COLUMNS, Column, Origin, as_json
from datasets_app.export.formats import FORMATS
from datasets_app.export.formats.base import RowWriter
from datasets_app.export.formats.csv import CsvWriter
from datasets_app.export.formats.jsonl import JsonLinesWriter
from datasets_app.export.formats.parquet import ParquetWriter
from datasets_app.export.samples import rows as sample_rows
from datasets_app.models import Review, Sample, Task, Verification
from datasets_app.models.honeypot import honeypot_ids

CHUNK_ROWS = 200
Rows = Iterator[dict[str, Any]]


class TableError(ValueError):
    """Columns or a format that an export cannot have; the message says what to choose."""


@dataclass(frozen=True)
class Table:
    """A kind of row. `most_rows`: as many as a request writes. `sample`: the path from a row to its sample."""

    name: str
    columns: tuple[Column, ...]
    most_rows: int
    read: Callable[[Any, list[Column]], Rows]
    model: type[Model]
    sample: str = ""

    def rows(self) -> Any:
        """Return all rows but those of honeypots, which no data set contains; of samples, those in use."""
        rows = Sample.objects.in_use() if self.model is Sample else self.model._default_manager.all()
        return rows.exclude(**{f"{self.sample}__in": honeypot_ids()}) if self.sample else rows

    def chosen(self, names: Sequence[str]) -> list[Column]:
        """Return the columns in the table's order. Raises TableError."""
        known = {column.name for column in self.columns}
        if unknown := [name for name in names if name not in known]:
            raise TableError(
                f"There is no column {unknown[0][:80]!r}; choose from {', '.join(sorted(known))}."
            )
        if not names:
            raise TableError("Choose at least one column.")
        return [column for column in self.columns if column.name in names]


def of(*columns: tuple[str, str, str, str]) -> tuple[Column, ...]:
    return tuple(
        Column(name, type, means, Origin.FACT, path, convert=as_json if path == "scores" else None)
        for name, type, means, path in columns
    )


def read_samples(samples: Any, columns: list[Column]) -> Rows:
    for row in sample_rows(samples.with_headline_evidence().with_licence().order_by("id")):
        yield {column.name: column.plain(row.get(column.name)) for column in columns}


def read_values(rows: Any, columns: list[Column]) -> Rows:
    values = rows.order_by("pk").values_list(*(column.path for column in columns))
    for row in values.iterator(CHUNK_ROWS):
        yield {column.name: column.plain(value) for column, value in zip(columns, row, strict=True)}


SAMPLES = Table(
    "samples",
    tuple(column for column in COLUMNS if column.origin is not Origin.ROW),
    2_000,  # with their texts, which take 25 KB a row
    read_samples,
    Sample,
    "pk",
)
REVIEWS = Table(
    "reviews",
    of(
        ("id", "int64", "the review's number", "id"),
        ("sample", "string", "the sample's id", "sample_id"),
        ("task", "string", "the task's name", "sample__task__name"),
        ("generator", "string", "the model or person that wrote the kernel", "sample__generator"),
        ("reviewer", "string", "the account", "reviewer__username"),
        ("kind", "string", "vote or adjudication", "kind"),
        ("verdict", "string", "accept, fix or reject", "verdict"),
        ("rubric", "int64", "the rubric's version", "rubric__number"),
        ("scores", "string", "1 to 5 by criterion, as JSON; empty: none", "scores"),
        ("reasons", "list<string>", "codes of the rubric", "reasons"),
        ("comment", "string", "the reviewer's words", "comment"),
        ("created_at", "string", "UTC, ISO 8601", "created_at"),
        ("withdrawn_at", "string", "empty: it counts", "withdrawal__created_at"),
    ),
    50_000,
    read_values,
    Review,
    "sample",
)
VERIFICATIONS = Table(
    "verifications",
    of(
        ("id", "string", "the run's id", "id"),
        ("sample", "string", "the sample's id", "sample_id"),
        ("task", "string", "the task's name", "sample__task__name"),
        ("state", "string", "queued, running, done or failed", "state"),
        ("outcome", "string", "empty: none yet", "outcome"),
        ("detail", "string", "the reason for the outcome", "detail"),
        ("speedup", "float64", "over eager", "speedup"),
        ("speedup_low", "float64", "lower end of its interval", "speedup_low"),
        ("speedup_high", "float64", "upper end of its interval", "speedup_high"),
        ("median_ms", "float64", "the kernel's time", "median_ms"),
        ("eager_median_ms", "float64", "the reference's time", "eager_median_ms"),
        ("device", "string", "that it ran on", "device"),
        ("profile", "string", "how thorough it was", "profile"),
        ("engine", "string", "version of the engine", "engine_version"),
        ("torch", "string", "version of PyTorch", "torch_version"),
        ("created_at", "string", "UTC, ISO 8601", "created_at"),
        ("finished_at", "string", "UTC, ISO 8601", "finished_at"),
    ),
    50_000,
    read_values,
    Verification,
    "sample",
)
TASKS = Table(
    "tasks",
    of(
        ("id", "string", "UUIDv5 of the normalised program", "id"),
        ("name", "string", "the task's name", "name"),
        ("kind", "string", "what it mostly computes", "kind"),
        ("suite", "string", "the benchmark that numbers it", "suite"),
        ("level", "int64", "in that suite", "level"),
        ("problem", "int64", "number in that level", "problem"),
        ("source", "string", "where it came from", "source__name"),
        ("external_id", "string", "its name in its source", "external_id"),
        ("pytorch_code", "string", "the reference program", "body__pytorch_code"),
        ("created_at", "string", "UTC, ISO 8601", "created_at"),
    ),
    20_000,
    read_values,
    Task,
)

TABLES = {table.name: table for table in (SAMPLES, REVIEWS, VERIFICATIONS, TASKS)}


WRITERS: dict[str, Callable[[BinaryIO, list[Column]], RowWriter]] = {
    "csv": CsvWriter,
    "jsonl": lambda stream, columns: JsonLinesWriter(stream),
    "parquet": ParquetWriter,
}
WRITABLE = {name: FORMATS[name] for name in WRITERS}  # their titles and media types


def checked_format(format: str) -> None:
    """Raise TableError for an unknown format."""
    if format not in WRITERS:
        raise TableError(f"{format[:40]!r} is not a format; choose from {', '.join(WRITERS)}.")


def write_table(
    table: Table, rows: QuerySet[Any], names: Sequence[str], format: str, stream: BinaryIO
) -> None:
    """Write the rows, in the order of their ids and as of one moment. Raises TableError."""
    columns = table.chosen(names)
    checked_format(format)
    writer = WRITERS[format](stream, columns)
    with read_snapshot():
        for row in table.read(rows, columns):
            writer.write(row)
    writer.close()
