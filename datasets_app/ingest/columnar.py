"""Rows out of Parquet and Arrow (stream or file), a small batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from datasets_app.ingest import caps
from datasets_app.ingest.mending import MEND_KEYS
from datasets_app.ingest.rows import IngestError, Record


@contextmanager
def reading(kind: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise IngestError(f"The {kind} file is damaged or breaks off: {reason}") from error


def parquet(path: Path) -> Iterator[tuple[Record, float]]:
    """Every row, and the part of all rows that is read with it."""
    with reading("Parquet"), pq.ParquetFile(path, pre_buffer=False, memory_map=True) as file:
        total = max(1, file.metadata.num_rows)
        for record in batches(row_group_batches(file)):
            yield record, record.line / total


def row_group_batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """No batch spans two row groups, so that damage in one costs nothing of the one before."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(batch_size=caps.COLUMNAR_BATCH_ROWS, row_groups=[group])


def arrow_file(path: Path) -> Iterator[tuple[Record, float]]:
    with reading("Arrow"), pa.memory_map(str(path)) as source:
        file = pa.ipc.open_file(source)
        total = max(1, file.num_record_batches)
        line = 0
        for index in range(file.num_record_batches):
            for record in records_of(file.get_batch(index), line):
                line = record.line
                yield record, (index + 1) / total


def arrow_stream(stream: BinaryIO) -> Iterator[Record]:
    """The form in which ConCuR's data set is released; nothing is sought, so it may be compressed."""
    with reading("Arrow"):
        yield from batches(pa.ipc.open_stream(pa.PythonFile(stream, mode="r")))


def batches(source: Iterable[pa.RecordBatch]) -> Iterator[Record]:
    line = 0
    for batch in source:
        for record in records_of(batch, line):
            line = record.line
            yield record


def records_of(batch: pa.RecordBatch, line: int) -> Iterator[Record]:
    """A batch's rows. It is validated first: offsets in a damaged file may point anywhere."""
    for start in range(0, batch.num_rows, caps.COLUMNAR_BATCH_ROWS):
        piece = batch.slice(start, caps.COLUMNAR_BATCH_ROWS)
        piece.validate(full=True)
        for values in piece.to_pylist():
            line += 1
            yield Record(line, {k: v for k, v in values.items() if k not in MEND_KEYS})
