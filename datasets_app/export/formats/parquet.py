from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from datasets_app.export.columns import COLUMNS, NAMES
from datasets_app.export.formats.base import ByteSink, Format

TYPES = {"string": pa.string(), "float64": pa.float64(), "int64": pa.int64(), "bool": pa.bool_()}
SCHEMA = pa.schema([pa.field(column.name, TYPES[column.type]) for column in COLUMNS])
GROUP_ROWS = 1000
GROUP_BYTES = 16 * 2**20  # of text: what the writer holds at most, and well under what viewers take


class Parquet(Format):
    """zstd, row groups small enough for a viewer, with a page index so that a reader can skip."""

    name = "parquet"
    suffix = "parquet"
    media_type = "application/vnd.apache.parquet"
    rows_a_file = 20_000  # some 500 MB before compression at 25 KB a row

    def open(self, stream: ByteSink) -> "ParquetWriter":
        return ParquetWriter(stream)

    def path(self, split: str, number: int, count: int) -> str:
        return f"data/{split}-{number:05d}-of-{count:05d}.parquet"


class ParquetWriter:
    def __init__(self, stream: ByteSink) -> None:
        self.sink = pa.PythonFile(stream, mode="w")
        self.writer = pq.ParquetWriter(self.sink, SCHEMA, compression="zstd", write_page_index=True)
        self.empty()

    def empty(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in NAMES}
        self.rows = self.size = 0

    def write(self, row: dict[str, Any]) -> None:
        for name, value in row.items():
            self.columns[name].append(value)
            self.size += len(value) if isinstance(value, str) else 8
        self.rows += 1
        if self.rows >= GROUP_ROWS or self.size >= GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        if self.rows:
            self.writer.write_table(pa.Table.from_pydict(self.columns, SCHEMA), row_group_size=GROUP_ROWS)
            self.empty()

    def close(self) -> None:
        self.flush()
        self.writer.close()
