"""Reads rows from Parquet and Arrow (stream or file), as many at a time as the size of their texts allows.

A few bytes of such a file can stand for gigabytes: a dictionary's text in every row, a run of equal values, a claimed
length. Sizes are therefore computed before rows are created, and dictionaries stay encoded until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from datasets_app.ingest import limits
from datasets_app.ingest.refused_rows import ANNOTATION_KEYS
from datasets_app.ingest.rows import IngestError, Record, Refusal

Item = Record | Refusal
CHUNK_BYTES = 1 << 20


@contextmanager
def reading(kind: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise  # a limit of the process, not a fault of the file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:300] if str(error) else type(error).__name__
        raise IngestError(f"The {kind} file is damaged or breaks off: {reason.rstrip('.')}.") from error


def parquet(path: Path) -> Iterator[tuple[Item, float]]:
    """Yield every row and the fraction of all rows that has been read with it."""
    with reading("Parquet"):
        metadata = pq.read_metadata(path)
        check_columns(metadata.num_columns)
        options = {"pre_buffer": False, "memory_map": True, "read_dictionary": text_columns(metadata)}
        with pq.ParquetFile(path, **options) as file:
            total = max(1, metadata.num_rows)
            for item in batches(row_group_batches(file)):
                yield item, min(1.0, item.line / total)


def text_columns(metadata: pq.FileMetaData) -> list[str]:
    """Return the text columns. Read as dictionaries, a text that is stored once and repeated in every row stays a
    single text.
    """
    columns = [metadata.schema.column(at) for at in range(metadata.num_columns)]
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def row_group_batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Yield batches that do not span row groups, so that damage in one does not affect the one before."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(batch_size=limits.COLUMNAR_BATCH_ROWS, row_groups=[group])


def arrow_file(path: Path) -> Iterator[tuple[Item, float]]:
    with reading("Arrow"), pa.memory_map(str(path)) as source:
        file = pa.ipc.open_file(source)
        total = max(1, file.num_record_batches)
        line = 0
        for index in range(file.num_record_batches):
            for item in items_of(file.get_batch(index), line):
                line = item.line
                yield item, (index + 1) / total


def arrow_stream(stream: BinaryIO) -> Iterator[Item]:
    """Yield the rows of an Arrow stream."""
    with reading("Arrow"):
        yield from batches(pa.ipc.open_stream(pa.PythonFile(Parts(stream), mode="r")))


class Parts:
    """A stream that returns no more than there is, and refuses parts larger than honest files have, whatever a length
    claims."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def read(self, size: int) -> bytes:
        if size > limits.MAX_PART_BYTES:
            raise IngestError(
                f"The Arrow file claims a part of {size:,} bytes; the limit is {limits.MAX_PART_BYTES:,}: write it in "
                "smaller batches."
            )
        received = bytearray()
        while len(received) < size and (chunk := self.stream.read(min(CHUNK_BYTES, size - len(received)))):
            received += chunk
        return bytes(received)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing: the stream belongs to its caller."""


def batches(source: Iterable[pa.RecordBatch]) -> Iterator[Item]:
    line = 0
    for batch in source:
        for item in items_of(batch, line):
            line = item.line
            yield item


def items_of(batch: pa.RecordBatch, line: int) -> Iterator[Item]:
    """Yield a batch's rows. It is validated first: offsets in a damaged file may point anywhere."""
    check_columns(batch.num_columns)
    batch.validate(full=True)
    for start in range(0, batch.num_rows, limits.COLUMNAR_BATCH_ROWS):
        for piece, size in pieces(batch.slice(start, limits.COLUMNAR_BATCH_ROWS)):
            for item in rows_of(piece, size, line):
                line = item.line
                yield item


def rows_of(piece: pa.RecordBatch, size: int | None, line: int) -> Iterator[Item]:
    if size is not None and size > limits.MAX_RECORD_BYTES:
        reason = f"The row holds {size:,} bytes of text; the limit is {limits.MAX_RECORD_BYTES:,}."
        yield Refusal(line + 1, "", reason)
        return
    for number, values in enumerate(piece.to_pylist(), line + 1):
        yield Record(number, {k: v for k, v in values.items() if k not in ANNOTATION_KEYS})


def pieces(rows: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, int | None]]:
    """Split the rows until each piece has little text. Yield pieces with their bytes, or single rows if unknown."""
    size = text_bytes(rows)
    if rows.num_rows == 1 or (size is not None and size <= limits.MAX_RECORD_BYTES):
        yield rows, size
    else:
        half = rows.num_rows // 2
        yield from pieces(rows.slice(0, half))
        yield from pieces(rows.slice(half))


def text_bytes(rows: pa.RecordBatch) -> int | None:
    """Return the bytes of text in these rows; None if a column's type does not tell."""
    sizes = [column_bytes(column) for column in rows.columns]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def column_bytes(column: Any) -> int | None:
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = text_lengths(column.dictionary)
        return None if lengths is None else pc.sum(lengths.take(column.indices)).as_py() or 0
    if pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind):
        return 0
    lengths = text_lengths(column)
    return None if lengths is None else pc.sum(lengths).as_py() or 0


def text_lengths(column: Any) -> Any:
    """Return the bytes of each text; None if the column holds no texts."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pc.cast(pc.binary_length(column), pa.int64())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pc.cast(pc.binary_length(column), pa.int64())
    return None


def check_columns(count: int) -> None:
    if count > limits.MAX_COLUMNS:
        raise IngestError(f"The file has {count:,} columns; the limit is {limits.MAX_COLUMNS:,}.")
