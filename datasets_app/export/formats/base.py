from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol

from datasets_app.export.columns import COLUMNS
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.types import Described

Record = dict[str, Any]
Rows = Iterator[dict[str, Any]]


class ByteSink(Protocol):
    """The target of a format: a file, or anything that takes bytes as a file does."""

    def write(self, data: bytes, /) -> int: ...

    def flush(self) -> None: ...


class RowWriter(Protocol):
    """Takes records as dicts with the format's fields, in order."""

    def write(self, row: Record, /) -> None: ...

    def close(self) -> None:
        """Write the remaining records and the end of the file. The stream stays open."""


class Format(ABC):
    """One way of making records of rows and writing them to a stream that need not seek.

    Here, a record is a row with the chosen columns.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    means: ClassVar[str]  # one sentence, for the page and the card
    folder: ClassVar[str]
    suffix: ClassVar[str]
    media_type: ClassVar[str]
    rows_a_file: ClassVar[int | None] = None  # None: a split is one file
    takes: ClassVar[tuple[str, ...]] = ("columns",)  # of export.options
    is_config: ClassVar[bool] = False  # whether `load_dataset` reads it by the card: Parquet only
    by_task: ClassVar[bool] = False  # whether a record is made of all rows of a task
    nothing: ClassVar[str] = ""  # of a format whose records are not the rows: why a release has none

    @abstractmethod
    def open(self, stream: ByteSink, options: Options = DEFAULT) -> RowWriter:
        """Return a writer of records to `stream`, which stays open."""

    def fields(self, options: Options = DEFAULT) -> Sequence[Described]:
        """Return the columns of a record."""
        return [column for column in COLUMNS if column.name in options.columns]

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        """Yield the records of consecutive rows; the rows of a task are consecutive."""
        names = [field.name for field in self.fields(options)]
        if len(names) == len(COLUMNS):  # of each, once and in order
            yield from rows
            return
        yield from ({name: row[name] for name in names} for row in rows)

    def has_records(self, rows: Rows, options: Options = DEFAULT) -> bool:
        """Return whether these rows, which have no texts, make any record."""
        return not self.nothing or next(self.records(rows, options), None) is not None

    def place(self, options: Options = DEFAULT) -> str:
        """Return the folder of the files, inside the release's."""
        return f"{self.folder}-{options.variant}" if options.variant else self.folder

    def path(self, split: str, number: int, count: int, options: Options = DEFAULT) -> str:
        """Return the path of file `number` (0-based) of `count` of a split, inside the release's folder."""
        return f"{self.place(options)}/{split}.{self.suffix}"
